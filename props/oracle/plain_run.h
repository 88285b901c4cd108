// Runs of small programs in which values are plain integers: an input element is its place in the buffer.
#pragma once

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "fuzz/generate/agreement.h"
#include "oracle/interpret/reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tileproof::oracle {

inline constexpr int64_t infinite = 1'000'000;

class Plain {
 public:
  enum class Kind : uint8_t { number, poison, nan };
  struct Value {
    int64_t number = 0;
    Kind kind = Kind::number;
  };
  static Value poison() { return {0, Kind::poison}; }
  static bool is_poison(Value v) { return v.kind == Kind::poison; }
  bool is_nan(Value v) const { return v.kind == Kind::nan; }
  Value input(const InputElement& at) const { return {at.element}; }
  Value integer(int64_t value) const { return {value}; }
  Value literal(ir::Decimal d) const { return {d.digits}; }
  Value infinity() const { return {infinite}; }
  Value nan() const { return {0, Kind::nan}; }
  Value negate(Value a) const { return on({a}, -a.number); }
  Value add(Value a, Value b, ir::Dtype) const { return on({a, b}, a.number + b.number); }
  Value subtract(Value a, Value b, ir::Dtype) const { return on({a, b}, a.number - b.number); }
  Value multiply(Value a, Value b, ir::Dtype) const { return on({a, b}, a.number * b.number); }
  Value divide(Value a, Value b, ir::Dtype) const { return b.number == 0 ? nan() : on({a, b}, a.number / b.number); }
  Value min(Value a, Value b) const { return on({a, b}, std::min(a.number, b.number)); }
  Value max(Value a, Value b) const { return on({a, b}, std::max(a.number, b.number)); }
  Value compare(ir::Op, Value a, Value b) const { return on({a, b}, a.number < b.number); }
  Value select(Value c, Value a, Value b) const { return on({c, a, b}, c.number != 0 ? a.number : b.number); }
  Value apply(ir::Op, std::span<const Value> values, ir::Dtype) const { return values[0]; }
  Value narrow(Value v, const Narrowing& n) const {
    return ir::is_integer(n.to) && v.kind == Kind::number ? Value{wrap_to(n.to, v.number)} : v;
  }
  Value identity(ir::Update update) const {
    return {update == ir::Update::multiply ? 1
            : update == ir::Update::max    ? -infinite
            : update == ir::Update::min    ? infinite
                                           : 0};
  }
  Value accumulate(ir::Update update, Value old, Value value, ir::Dtype dtype) const {
    switch (update) {
      case ir::Update::multiply: return multiply(old, value, dtype);
      case ir::Update::max: return max(old, value);
      case ir::Update::min: return min(old, value);
      default: return add(old, value, dtype);
    }
  }
  uint64_t digest(Value v) const { return static_cast<uint64_t>(v.number); }
  Value from_digest(uint64_t d) const { return {static_cast<int64_t>(d % 1000)}; }

 private:
  static Value on(std::initializer_list<Value> operands, int64_t number) {
    for (const Kind kind : {Kind::poison, Kind::nan}) {
      for (const Value& v : operands)
        if (v.kind == kind) return {0, kind};
    }
    return {number};
  }
};
static_assert(Domain<Plain>);

using Result = Run<Plain::Value>;

/// Runs `program t { body }`. The fast interpreter must see the same.
inline Result run(std::string_view body, RunOptions options = {}) {
  const auto file = ir::parse(fmt::format("tile 1 program t {{ {} }}", body), "test");
  if (!file) {
    ADD_FAILURE() << ir::to_string(file.error().front());
    return {};
  }
  for (const ir::Diagnostic& wrong : ir::verify(*file)) ADD_FAILURE() << ir::to_string(wrong);
  const ir::Program& program = file->programs.front();
  if (options.kinds.index_inputs.empty()) options.kinds = common_kinds(program, program);
  EXPECT_EQ(fuzz::disagreement(program, options, [] { return Plain(); }), "") << body;
  Plain domain;
  return evaluate_reference(program, domain, options);
}

/// "name statement buffer[element]" of each finding.
inline std::vector<std::string> findings(const Result& result) {
  std::vector<std::string> list;
  for (const Finding& f : result.findings)
    list.push_back(fmt::format("{} {} {}[{}]", name(f.id), f.statement, f.buffer, fmt::join(f.element, ",")));
  return list;
}

/// The elements of the first output; "P" is poison, "N" a NaN.
inline std::vector<std::string> elements(const Result& result, size_t output = 0) {
  std::vector<std::string> list;
  if (result.outputs.size() <= output) return list;
  for (const int64_t v : result.outputs[output].integers) list.push_back(v == integer_poison ? "P" : std::to_string(v));
  for (const Plain::Value& v : result.outputs[output].values) {
    list.push_back(v.kind == Plain::Kind::poison ? "P" : v.kind == Plain::Kind::nan ? "N" : std::to_string(v.number));
  }
  return list;
}

}  // namespace tileproof::oracle
