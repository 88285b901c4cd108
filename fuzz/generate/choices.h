// The choices that a generator makes, taken from any source: the bytes of a fuzzing engine, the bytes that RapidCheck draws and
// shrinks, or a seeded random source. A generator is total over them: bytes that have run out are zeros, and a zero is always the
// simplest choice, so that shorter inputs mean smaller programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace tileproof::fuzz {

class Choices {
 public:
  /// `bytes` must outlive the object.
  explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  /// Endless; the same seed makes the same choices under every compiler.
  static Choices from_seed(uint64_t seed);

  /// A number below `n`, from as few bytes as hold n - 1. Precondition: n >= 1.
  uint64_t below(uint64_t n);
  /// From `low` to `high`, both included. Precondition: low <= high.
  int64_t between(int64_t low, int64_t high);
  /// True in `percent` of 100 cases; a zero is false.
  bool chance(unsigned percent);
  /// The extent of a dim: at least 1 and at most `most`, biased to 1, 2, primes, powers of two and their neighbours.
  int64_t extent(int64_t most);

  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }
  template <class T>
  T& pick(std::vector<T>& list) {
    return list[below(list.size())];
  }
  template <class T>
  T pick(std::initializer_list<T> list) {
    return list.begin()[below(list.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (size_t i = 0; i + 1 < list.size(); ++i) std::swap(list[i], list[i + below(list.size() - i)]);
  }

 private:
  Choices() = default;

  std::span<const uint8_t> bytes_;
  std::optional<std::mt19937_64> random_;  ///< bytes_ is not used
};

}  // namespace tileproof::fuzz
