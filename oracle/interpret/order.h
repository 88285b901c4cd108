// What the two interpreters must agree on to see the same program run: the order of concurrent iterations, the contents of
// index-kind inputs, and the digests of opaque kernels.
#pragma once

#include "oracle/domain/domain.h"
#include "oracle/interpret/run.h"

#include <cstdint>
#include <string_view>

namespace tileproof::oracle {

/// A well mixed function of both; not commutative.
constexpr uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr uint64_t hash_name(std::string_view name) {
  uint64_t hash = 0x2545f4914f6cdd1du;
  for (const char c : name) hash = mix(hash, static_cast<unsigned char>(c));
  return hash;
}

/// The iteration of a par, shard or thread loop of `count` that runs as the `turn`-th; a permutation for each order and key.
int64_t iteration_at(Order order, uint64_t key, int64_t turn, int64_t count);

/// What an element of an index-kind input holds.
int64_t index_input(const RunOptions& options, const InputElement& input);

}  // namespace tileproof::oracle
