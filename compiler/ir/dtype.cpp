#include "compiler/ir/dtype.h"

#include <array>
#include <limits>
#include <unordered_map>

namespace tileproof::ir {
namespace {

enum class Class : uint8_t { floating, is_signed, is_unsigned, boolean };

struct Row {
  Dtype dtype;
  std::string_view name;
  int bits;
  Class kind;
};

constexpr std::array rows{
    Row{Dtype::f64, "f64", 64, Class::floating},      Row{Dtype::f32, "f32", 32, Class::floating},
    Row{Dtype::tf32, "tf32", 32, Class::floating},    Row{Dtype::f16, "f16", 16, Class::floating},
    Row{Dtype::bf16, "bf16", 16, Class::floating},    Row{Dtype::e4m3, "e4m3", 8, Class::floating},
    Row{Dtype::e4m3fn, "e4m3fn", 8, Class::floating}, Row{Dtype::e5m2, "e5m2", 8, Class::floating},
    Row{Dtype::e8m0, "e8m0", 8, Class::floating},     Row{Dtype::e2m1, "e2m1", 4, Class::floating},
    Row{Dtype::i64, "i64", 64, Class::is_signed},     Row{Dtype::i32, "i32", 32, Class::is_signed},
    Row{Dtype::i16, "i16", 16, Class::is_signed},     Row{Dtype::i8, "i8", 8, Class::is_signed},
    Row{Dtype::i4, "i4", 4, Class::is_signed},        Row{Dtype::i2, "i2", 2, Class::is_signed},
    Row{Dtype::u32, "u32", 32, Class::is_unsigned},   Row{Dtype::u16, "u16", 16, Class::is_unsigned},
    Row{Dtype::u8, "u8", 8, Class::is_unsigned},      Row{Dtype::boolean, "bool", 8, Class::boolean},
};

constexpr auto dtypes = [] {
  std::array<Dtype, rows.size()> all{};
  for (size_t i = 0; i < rows.size(); ++i) all[i] = rows[i].dtype;
  return all;
}();

// `row` looks up by position.
static_assert([] {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<size_t>(rows[i].dtype) != i) return false;
    if (is_float(rows[i].dtype) != (rows[i].kind == Class::floating)) return false;
  }
  return true;
}());

const Row& row(Dtype dtype) { return rows[static_cast<size_t>(dtype)]; }

/// Bits of precision, with the leading one, and of the exponent.
struct FloatFormat {
  int precision, exponent;
};
FloatFormat float_format(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64: return {53, 11};
    case Dtype::f32: return {24, 8};
    case Dtype::tf32: return {11, 8};
    case Dtype::f16: return {11, 5};
    case Dtype::bf16: return {8, 8};
    case Dtype::e4m3:
    case Dtype::e4m3fn: return {4, 4};
    case Dtype::e5m2: return {3, 5};
    case Dtype::e8m0: return {1, 8};
    default: return {2, 2};   // e2m1
  }
}

}  // namespace

std::span<const Dtype> all_dtypes() { return dtypes; }

int bits(Dtype dtype) { return row(dtype).bits; }

int64_t lowest(Dtype dtype) {
  if (row(dtype).kind != Class::is_signed) return 0;
  return std::numeric_limits<int64_t>::min() >> (64 - bits(dtype));
}

int64_t highest(Dtype dtype) {
  switch (row(dtype).kind) {
    case Class::is_signed: return std::numeric_limits<int64_t>::max() >> (64 - bits(dtype));
    case Class::is_unsigned: return (int64_t{1} << bits(dtype)) - 1;
    default: return 1;
  }
}

bool holds_every_value(Dtype to, Dtype from) {
  if (to == from || from == Dtype::boolean) return true;
  if (to == Dtype::boolean) return false;
  // One has infinities, the other larger numbers instead.
  if ((to == Dtype::e4m3 || to == Dtype::e4m3fn) && (from == Dtype::e4m3 || from == Dtype::e4m3fn)) return false;
  if (!is_float(to)) return is_integer(from) && lowest(to) <= lowest(from) && highest(from) <= highest(to);
  const FloatFormat target = float_format(to);
  if (is_float(from)) {
    const FloatFormat source = float_format(from);
    return source.precision <= target.precision && source.exponent <= target.exponent && to != Dtype::e8m0 && to != Dtype::e2m1;
  }
  const int magnitude = lowest(from) < 0 ? bits(from) - 1 : bits(from);
  const int reach = (1 << (target.exponent - 1)) - 2;   // 2^reach is finite in all of these formats
  return magnitude <= target.precision && magnitude <= reach && to != Dtype::e8m0;
}

std::string_view name(Dtype dtype) { return row(dtype).name; }

std::optional<Dtype> parse_dtype(std::string_view text) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, Dtype> names;
    for (const Row& each : rows) names.emplace(each.name, each.dtype);
    return names;
  }();
  const auto found = by_name.find(text);
  return found == by_name.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tileproof::ir
