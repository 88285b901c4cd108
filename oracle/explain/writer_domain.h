// Who wrote an element: a value is the number of the execution of a statement that stored it. It explains, and decides nothing.
#pragma once

#include "oracle/domain/domain.h"

#include <cstdint>
#include <span>

namespace tileproof::oracle {

/// What a move copies keeps its value.
struct WriterValue {
  enum : uint32_t {
    fresh,      // nobody has written it
    input,      // from outside
    untracked,  // by a statement whose executions are not numbered
    opaque,
    first,      // + the number of the execution
  };
  uint32_t code = fresh;
};

class Writer {
 public:
  using Value = WriterValue;

  /// `current`, a code, is read at every store; somebody who watches the run sets it.
  explicit Writer(const uint32_t& current) : current_(current) {}

  static Value poison() { return {}; }
  static bool is_poison(Value) { return false; }
  bool is_nan(Value) const { return false; }
  Value input(const InputElement&) const { return {Value::input}; }
  Value integer(int64_t) const { return {}; }
  Value literal(ir::Decimal) const { return {}; }
  Value infinity() const { return {}; }
  Value nan() const { return {}; }
  Value negate(Value) const { return {}; }
  Value add(Value, Value, ir::Dtype) const { return {}; }
  Value subtract(Value, Value, ir::Dtype) const { return {}; }
  Value multiply(Value, Value, ir::Dtype) const { return {}; }
  Value divide(Value, Value, ir::Dtype) const { return {}; }
  Value min(Value, Value) const { return {}; }
  Value max(Value, Value) const { return {}; }
  Value compare(ir::Op, Value, Value) const { return {}; }
  Value select(Value, Value, Value) const { return {}; }
  Value apply(ir::Op, std::span<const Value>, ir::Dtype) const { return {}; }
  Value narrow(Value, const Narrowing& narrowing) const { return {narrowing.site == no_site ? Value::opaque : current_}; }
  Value identity(ir::Update) const { return {}; }
  Value accumulate(ir::Update, Value, Value, ir::Dtype) const { return {}; }
  uint64_t digest(Value) const { return 0; }
  Value from_digest(uint64_t) const { return {}; }

 private:
  const uint32_t& current_;
};

static_assert(Domain<Writer>);

}  // namespace tileproof::oracle
