// The element types of the language: their width in memory and their class. Rounding lives with the oracle (oracle/domain/rounding.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tileproof::ir {

enum class Dtype : uint8_t {
  f64,
  f32,
  tf32,
  f16,
  bf16,  // binary floating point; tf32 occupies 32 bits
  e4m3,
  e4m3fn,
  e5m2,
  e8m0,
  e2m1,  // eight-bit floats (e8m0 is a power of two), and the four-bit e2m1
  i64,
  i32,
  i16,
  i8,
  i4,
  i2,  // two's complement
  u32,
  u16,
  u8,  // unsigned
  boolean,  // spelled `bool`: 0 or 1 in one byte
};

/// All dtypes, in the order of the enumeration.
std::span<const Dtype> all_dtypes();
/// Width of one element in memory, in bits: 2, 4, 8, 16, 32 or 64.
int bits(Dtype dtype);
/// Not an integer and not `bool`.
constexpr bool is_float(Dtype dtype) { return dtype <= Dtype::e2m1; }
/// A signed or unsigned integer, or `bool`.
constexpr bool is_integer(Dtype dtype) { return !is_float(dtype); }
/// Smallest and largest value of an integer dtype (0 and 1 for `bool`). Precondition: is_integer(dtype).
int64_t lowest(Dtype dtype);
int64_t highest(Dtype dtype);
/// Whether every value of `from` is one of `to`.
bool holds_every_value(Dtype to, Dtype from);
/// The spelling in `.tile` text, and its inverse (nullopt: no such dtype).
std::string_view name(Dtype dtype);
std::optional<Dtype> parse_dtype(std::string_view text);

}  // namespace tileproof::ir
