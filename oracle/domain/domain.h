// What a domain is: the set that the elements of data-kind buffers are taken from, with the operations of the language on it.
// An interpreter is a template over a domain; index-kind buffers hold true integers in every domain and do not pass through here.
#pragma once

#include "compiler/ir/program.h"

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tileproof::oracle {

/// A place where a value is narrowed: a statement's store, or a cast inside it. `site` counts the statements of a program in
/// textual order (labelled_statements), so that a domain can record or exempt the roundings of one statement.
using Site = uint32_t;
/// The site of what writes or rounds without being a statement: move and opaque.
inline constexpr Site no_site = 0x7fff'fffe;

/// An element of an input buffer: the same (name, element) gives the same value in both programs of a check.
struct InputElement {
  std::string_view buffer;
  uint64_t buffer_hash = 0;  ///< hash of the name, for keyed domains
  ir::Dtype dtype = ir::Dtype::f32;
  int64_t element = 0;  ///< row-major
  int64_t count = 0;  ///< elements of the buffer
  int64_t low = 0, high = 0;  ///< declared range (half-open) of an integer buffer; equal: none declared
};

/// How a value is stored or cast.
struct Narrowing {
  ir::Dtype from = ir::Dtype::f32;  ///< the dtype it was computed in (the accumulate dtype)
  ir::Dtype to = ir::Dtype::f32;
  bool from_float = true;  ///< static type of the expression: integers wrap, floats round (and saturate into integers)
  Site site = 0;
  bool when_read =
      false;  ///< an integer of which only the class modulo 2^bits is asked: where it counts itself, its reader narrows it
};

/// What an integer stored into one of these wraps to is told apart when it is read, not when it is stored: sums and products of
/// classes modulo 2^32 are those of their members, so a partial result may be any of these.
constexpr bool wraps_when_read(ir::Dtype dtype) { return dtype == ir::Dtype::i32 || dtype == ir::Dtype::u32; }

template <class D>
concept Domain = requires(D d, typename D::Value v, const InputElement& input, const Narrowing& narrowing,
                          std::span<const typename D::Value> values) {
  requires std::is_trivially_copyable_v<typename D::Value>;
  { D::poison() } -> std::same_as<typename D::Value>;
  { D::is_poison(v) } -> std::same_as<bool>;
  { d.is_nan(v) } -> std::same_as<bool>;
  { d.input(input) } -> std::same_as<typename D::Value>;
  { d.integer(int64_t{}) } -> std::same_as<typename D::Value>;  // a true integer entering a data expression
  { d.literal(ir::Decimal{}) } -> std::same_as<typename D::Value>;
  { d.infinity() } -> std::same_as<typename D::Value>;  // +inf
  { d.nan() } -> std::same_as<typename D::Value>;
  // Poison is strict in all of these.
  { d.negate(v) } -> std::same_as<typename D::Value>;
  {
    d.add(v, v, ir::Dtype{})
  } -> std::same_as<typename D::Value>;  // the dtype is the one computed in: f64, f32, i64, i32 (exact tiers ignore it)
  { d.subtract(v, v, ir::Dtype{}) } -> std::same_as<typename D::Value>;
  { d.multiply(v, v, ir::Dtype{}) } -> std::same_as<typename D::Value>;
  { d.divide(v, v, ir::Dtype{}) } -> std::same_as<typename D::Value>;
  { d.min(v, v) } -> std::same_as<typename D::Value>;
  { d.max(v, v) } -> std::same_as<typename D::Value>;
  { d.compare(ir::Op{}, v, v) } -> std::same_as<typename D::Value>;  // a bool as a value: 0, 1 or a keyed element
  { d.select(v, v, v) } -> std::same_as<typename D::Value>;  // data select: condition, then, else
  {
    d.apply(ir::Op{}, values, ir::Dtype{})
  } -> std::same_as<typename D::Value>;  // every other operator: logical, integer, bit operations, functions, abs .. round
  { d.narrow(v, narrowing) } -> std::same_as<typename D::Value>;  // store or cast
  { d.identity(ir::Update{}) } -> std::same_as<typename D::Value>;
  { d.accumulate(ir::Update{}, v, v, ir::Dtype{}) } -> std::same_as<typename D::Value>;  // old, new, accumulate dtype
  { d.digest(v) } -> std::same_as<uint64_t>;  // for opaque: equal values have equal digests
  { d.from_digest(uint64_t{}) } -> std::same_as<typename D::Value>;  // a keyed value of a wide dtype
};

/// The accumulations that are operations of the domain; nullopt: a bitwise one.
template <class D, class Value>
std::optional<Value> accumulate_arithmetic(D& domain, ir::Update update, Value old, Value value, ir::Dtype dtype) {
  switch (update) {
    case ir::Update::assign: return value;
    case ir::Update::add: return domain.add(old, value, dtype);
    case ir::Update::multiply: return domain.multiply(old, value, dtype);
    case ir::Update::max: return domain.max(old, value);
    case ir::Update::min: return domain.min(old, value);
    default: return std::nullopt;
  }
}

/// What accumulations begin with, where those of max and min are infinite. `assign` has none: any value will do.
template <class D>
auto arithmetic_identity(D& domain, ir::Update update) {
  switch (update) {
    case ir::Update::multiply: return domain.integer(1);
    case ir::Update::max: return domain.negate(domain.infinity());
    case ir::Update::min: return domain.infinity();
    case ir::Update::bit_and: return domain.integer(-1);
    default: return domain.integer(0);
  }
}

struct LiteralFact;  // oracle/domain/literals.h

/// What the domains of a check have in common for both programs.
struct Signature {
  std::vector<ir::Dtype> dtypes;  ///< every dtype of a data-kind buffer, cast or accumulation in either program, ascending, once
  std::vector<ir::Decimal> literals;  ///< every literal, ascending, once (their negations count too)
  bool has_max = false;  ///< max, min, abs, relu-like operators occur
  bool has_exp = false;
  bool has_compare = false;  ///< data compares occur
  bool words_wrap =
      false;  ///< i32 and u32 are narrow: one of them may be given an integer that it does not hold, and where that counts
  bool has_steps = false;  ///< integers: floordiv, mod, shr or bit operations on data occur, which few inputs may tell apart
  std::vector<ir::Decimal>
      compared;  ///< literals in the operands of data compares, ascending, once; 0 for sign() and stores into bool
  std::shared_ptr<const std::vector<LiteralFact>> facts =
      {};  ///< derived from the rest once for many runs; without it each run derives them
};

/// Which roundings a run leaves out.
struct Projection {
  bool floats = true;  ///< roundings: into floating dtypes, and of floats into integers
  bool integers = true;  ///< wrapping: of integers into integer dtypes
  std::vector<bool> exempt;  ///< by Site: narrowings that leave their value alone; shorter than the sites: the rest is not exempt
};

}  // namespace tileproof::oracle
