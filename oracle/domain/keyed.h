// Keyed randomness: a hash of a few words and a permutation of the 60-bit numbers. Not cryptography: nobody chooses programs
// against a key.
#pragma once

#include "oracle/domain/modular.h"

#include <cstdint>

namespace tileproof::oracle {

/// The 128-bit product of two words, folded: a quadratic function of both that reaches every bit.
inline uint64_t fold(uint64_t a, uint64_t b) {
  const Wide product = Wide{a} * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

/// A stream of 64-bit words from a seed (splitmix64): for keys, not for elements.
class KeyStream {
 public:
  explicit KeyStream(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

/// A keyed hash of up to three words.
class KeyedHash {
 public:
  explicit KeyedHash(KeyStream& keys) : k0_(keys.next()), k1_(keys.next()), k2_(keys.next() | 1), k3_(keys.next()) {}

  uint64_t operator()(uint64_t a, uint64_t b = 0) const { return finish(fold(a ^ k0_, b ^ k1_) ^ a); }
  /// The hashes of a, b and each c.
  auto of_pair(uint64_t a, uint64_t b) const {
    return
        [hash = *this, pair = fold(a ^ k0_, b ^ k1_) ^ a ^ k3_](uint64_t c) { return hash.finish(fold(pair, c ^ hash.k2_) ^ c); };
  }
  uint64_t operator()(uint64_t a, uint64_t b, uint64_t c) const { return of_pair(a, b)(c); }

 private:
  uint64_t finish(uint64_t h) const {
    h = fold(h ^ k2_, k3_ ^ 0x9e3779b97f4a7c15);
    return (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9 ^ (h >> 31);
  }

  uint64_t k0_, k1_, k2_, k3_;
};

/// A keyed permutation of the numbers below 2^60: a four-round Feistel network on two halves of 30 bits.
class Feistel60 {
 public:
  static constexpr uint64_t size = uint64_t{1} << 60;

  explicit Feistel60(KeyStream& keys) {
    for (Round& round : rounds_) round = {keys.next(), keys.next()};
  }

  uint64_t operator()(uint64_t x) const {
    uint64_t left = x >> 30, right = x & half;
    left ^= rounds_[0](right);
    right ^= rounds_[1](left);
    left ^= rounds_[2](right);
    right ^= rounds_[3](left);
    return left << 30 | right;
  }
  uint64_t inverse(uint64_t y) const {
    uint64_t left = y >> 30, right = y & half;
    right ^= rounds_[3](left);
    left ^= rounds_[2](right);
    right ^= rounds_[1](left);
    left ^= rounds_[0](right);
    return left << 30 | right;
  }

 private:
  static constexpr uint64_t half = (uint64_t{1} << 30) - 1;
  struct Round {
    uint64_t a = 0, b = 0;
    // The product of two different keyed functions of x: its bits 34..63 depend on all of x, and not linearly.
    uint64_t operator()(uint64_t x) const { return (x ^ a) * (x + b) >> 34; }
  };
  Round rounds_[4];
};

/// A keyed permutation of the numbers below 2^width, 8 <= width <= 60, by odd multipliers and shifts: cheap, and not linear in
/// the sums of words.
class Scramble {
 public:
  Scramble(KeyStream& keys, int width)
      : mask_((uint64_t{1} << width) - 1),
        shift_((width + 1) / 2),
        a_(keys.next() | 1),
        b_(keys.next() | 1),
        c_(keys.next()),
        a_inverse_(invert(a_)),
        b_inverse_(invert(b_)) {}

  uint64_t operator()(uint64_t x) const {
    x = (x + c_) * a_ & mask_;
    x ^= x >> shift_;
    x = x * b_ & mask_;
    return x ^ x >> shift_;
  }
  uint64_t inverse(uint64_t x) const {
    x ^= x >> shift_;   // its own inverse: the shift is at least half the width
    x = x * b_inverse_ & mask_;
    x ^= x >> shift_;
    return (x * a_inverse_ - c_) & mask_;
  }

 private:
  static uint64_t invert(uint64_t odd) {   // Newton: each step doubles the right bits
    uint64_t inverse = odd;
    for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
    return inverse;
  }

  uint64_t mask_;
  int shift_;
  uint64_t a_, b_, c_, a_inverse_, b_inverse_;
};

}  // namespace tileproof::oracle
