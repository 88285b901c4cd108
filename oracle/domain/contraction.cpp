#include "oracle/domain/contraction.h"

#include "oracle/domain/modular.h"

#include <algorithm>

namespace tileproof::oracle {

void contract_field(uint64_t* sums, const uint64_t* a, const uint64_t* b, int64_t count) {
  constexpr int64_t chunk = 32;  // products below 2^122: their sum stays below 2^127
  constexpr uint64_t mask = Mersenne61::modulus;
  for (int64_t begin = 0; begin < count; begin += chunk) {
    Wide wide[field_panel] = {};
    const int64_t end = std::min(count, begin + chunk);
    for (int64_t k = begin; k < end; ++k) {
      for (int64_t j = 0; j < field_panel; ++j) wide[j] += Wide{a[k]} * b[k * field_panel + j];
    }
    for (int64_t j = 0; j < field_panel; ++j) {
      const uint64_t low = static_cast<uint64_t>(wide[j]) & mask, middle = static_cast<uint64_t>(wide[j] >> 61) & mask;
      const uint64_t sum = low + middle + static_cast<uint64_t>(wide[j] >> 122) + sums[j];  // below 4 moduli
      const uint64_t folded = (sum & mask) + (sum >> 61);
      sums[j] = folded >= mask ? folded - mask : folded;
    }
  }
}

namespace {

typedef float Four __attribute__((vector_size(16)));
typedef float Eight __attribute__((vector_size(32)));
typedef int32_t FourBits __attribute__((vector_size(16)));
typedef int32_t EightBits __attribute__((vector_size(32)));

/// The same operations in the same order, whatever the width of the vectors.
template <class Vector, class Bits>
[[gnu::always_inline]] inline void contract_in(float* sums, double* errors, const float* a, const float* b, int64_t count) {
  constexpr int64_t lanes = sizeof(Vector) / sizeof(float);
  constexpr size_t vectors = real_panel / lanes;
  constexpr double half_ulp = 0x1p-24;
  Bits magnitude;
  for (int64_t j = 0; j < lanes; ++j) magnitude[j] = 0x7fff'ffff;
  Vector sum[vectors], products[vectors] = {}, results[vectors] = {};
  __builtin_memcpy(sum, sums, sizeof sum);
  for (int64_t k = 0; k < count; ++k) {
    const Vector left = a[k] - Vector{};
    for (size_t v = 0; v < vectors; ++v) {
      Vector right;
      __builtin_memcpy(&right, b + k * real_panel + static_cast<int64_t>(v) * lanes, sizeof right);
      const Vector product = left * right;
      sum[v] += product;
      products[v] += reinterpret_cast<Vector>(reinterpret_cast<Bits>(product) & magnitude);
      results[v] += reinterpret_cast<Vector>(reinterpret_cast<Bits>(sum[v]) & magnitude);
    }
  }
  // Half an ulp of each product and of each partial sum; the sums of their sizes are rounded, too, and small products underflow.
  const auto n = static_cast<double>(count);
  float sizes[2][real_panel];
  __builtin_memcpy(sums, sum, sizeof sum);
  __builtin_memcpy(sizes[0], products, sizeof products);
  __builtin_memcpy(sizes[1], results, sizeof results);
  for (int64_t j = 0; j < real_panel; ++j) {
    const double size = static_cast<double>(sizes[0][j]) + static_cast<double>(sizes[1][j]);
    errors[j] = half_ulp * size * (1 + (n + 4) * 0x1p-22) + n * 0x1p-149;
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void contract_avx2(float* sums, double* errors, const float* a, const float* b, int64_t count) {
  contract_in<Eight, EightBits>(sums, errors, a, b, count);
}
#endif

}  // namespace

void contract_f32(float* sums, double* errors, const float* a, const float* b, int64_t count) {
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  if (avx2) return contract_avx2(sums, errors, a, b, count);
#endif
  contract_in<Four, FourBits>(sums, errors, a, b, count);
}

}  // namespace tileproof::oracle
