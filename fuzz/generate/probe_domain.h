// A domain that means nothing and shows everything: each operation is a hash of its name, its operands, its dtype and its place,
// so that two interpreters that differ in any of them give different values. Only what the language lets an interpreter reorder
// is commutative and associative: the accumulations, min and max.
#pragma once

#include "oracle/domain/domain.h"
#include "oracle/interpret/order.h"

#include <algorithm>
#include <initializer_list>

namespace tileproof::fuzz {

class ProbeDomain {
 public:
  enum class Kind : uint8_t { number, poison, nan };
  struct Value {
    uint64_t number = 0;
    Kind kind = Kind::number;
    bool operator==(const Value&) const = default;
  };

  explicit ProbeDomain(uint64_t key) : key_(key) {}

  static Value poison() { return {0, Kind::poison}; }
  static bool is_poison(Value v) { return v.kind == Kind::poison; }
  bool is_nan(Value v) const { return v.kind == Kind::nan; }

  Value input(const oracle::InputElement& e) const {
    return {hash({1, e.buffer_hash, static_cast<uint64_t>(e.dtype), static_cast<uint64_t>(e.element),
                  static_cast<uint64_t>(e.count), static_cast<uint64_t>(e.low), static_cast<uint64_t>(e.high)})};
  }
  Value integer(int64_t value) const { return {hash({2, static_cast<uint64_t>(value)})}; }
  Value literal(ir::Decimal d) const { return {hash({3, static_cast<uint64_t>(d.digits), static_cast<uint64_t>(d.exponent)})}; }
  Value infinity() const { return {hash({4})}; }
  Value nan() const { return {0, Kind::nan}; }

  Value negate(Value a) const { return with({5}, {a}); }
  Value add(Value a, Value b, ir::Dtype dtype) const { return with({6, static_cast<uint64_t>(dtype)}, {a, b}); }
  Value subtract(Value a, Value b, ir::Dtype dtype) const { return with({7, static_cast<uint64_t>(dtype)}, {a, b}); }
  Value multiply(Value a, Value b, ir::Dtype dtype) const { return with({8, static_cast<uint64_t>(dtype)}, {a, b}); }
  Value divide(Value a, Value b, ir::Dtype dtype) const { return with({9, static_cast<uint64_t>(dtype)}, {a, b}); }
  Value min(Value a, Value b) const {
    return strict({a, b}, [&] { return std::min(a.number, b.number); });
  }
  Value max(Value a, Value b) const {
    return strict({a, b}, [&] { return std::max(a.number, b.number); });
  }
  Value compare(ir::Op op, Value a, Value b) const { return with({10, static_cast<uint64_t>(op)}, {a, b}); }
  Value select(Value c, Value a, Value b) const { return with({11}, {c, a, b}); }
  Value apply(ir::Op op, std::span<const Value> values, ir::Dtype dtype) const {
    Value result{hash({12, static_cast<uint64_t>(op), static_cast<uint64_t>(dtype)})};
    for (const Value& v : values) result = with({13}, {result, v});
    return result;
  }
  /// Narrowing twice is another value here, and what is stored was narrowed.
  static constexpr bool always_narrows_stores = true;
  Value narrow(Value v, const oracle::Narrowing& n) const {
    return with({14, static_cast<uint64_t>(n.from), static_cast<uint64_t>(n.to), n.from_float, n.site}, {v});
  }
  Value identity(ir::Update update) const {
    switch (update) {
      case ir::Update::multiply: return {1};
      case ir::Update::min:
      case ir::Update::bit_and: return {~uint64_t{0}};
      default: return {0};
    }
  }
  Value accumulate(ir::Update update, Value old, Value value, ir::Dtype dtype) const {
    const uint64_t each = hash({15, static_cast<uint64_t>(dtype), value.number});
    return strict({old, value}, [&] {
      switch (update) {
        case ir::Update::add: return old.number + each;
        case ir::Update::multiply: return old.number * (each | 1);
        case ir::Update::max: return std::max(old.number, each);
        case ir::Update::min: return std::min(old.number, each);
        case ir::Update::bit_and: return old.number & each;
        case ir::Update::bit_or: return old.number | each;
        default: return old.number ^ each;
      }
    });
  }
  uint64_t digest(Value v) const { return hash({16, v.number, static_cast<uint64_t>(v.kind)}); }
  /// One in sixteen is a NaN, so that NaNs occur beside the literal.
  Value from_digest(uint64_t d) const { return d % 16 == 0 ? nan() : Value{hash({17, d})}; }

 private:
  uint64_t key_;

  uint64_t hash(std::initializer_list<uint64_t> parts) const {
    uint64_t result = key_;
    for (const uint64_t part : parts) result = oracle::mix(result, part);
    return result;
  }
  template <class F>
  static Value strict(std::initializer_list<Value> operands, const F& f) {
    for (const Kind kind : {Kind::poison, Kind::nan}) {
      for (const Value& v : operands)
        if (v.kind == kind) return {0, kind};
    }
    return {f()};
  }
  Value with(std::initializer_list<uint64_t> parts, std::initializer_list<Value> operands) const {
    return strict(operands, [&] {
      uint64_t result = hash(parts);
      for (const Value& v : operands) result = oracle::mix(result, v.number);
      return result;
    });
  }
};

static_assert(oracle::Domain<ProbeDomain>);

}  // namespace tileproof::fuzz
