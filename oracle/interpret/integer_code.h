// Integer expressions (indices, conditions, extents, index-kind values) in the form that the fast interpreter runs: an affine
// form over the slots of an environment wherever possible, a small tree otherwise.
#pragma once

#include "compiler/ir/expression.h"
#include "compiler/ir/floor_divide.h"

#include <cstdint>
#include <vector>

namespace tileproof::oracle {

/// Parameters are constants by the time of lowering; slots hold loop variables and axes.
using Slot = uint32_t;

struct IntegerNode {
  enum class Kind : uint8_t { constant, slot, read, operation };
  Kind kind = Kind::constant;
  ir::Op op = ir::Op::add;       ///< operation
  ir::Dtype dtype = ir::Dtype::i64;   ///< cast
  int64_t value = 0;             ///< constant
  uint32_t index = 0;            ///< slot; or which access of the program is read
  int32_t operands[3] = {-1, -1, -1};   ///< nodes
};

struct IntegerCode {
  struct Term {
    Slot slot;
    int64_t coefficient;
  };
  bool affine = true;
  int64_t constant = 0;
  std::vector<Term> terms;             ///< affine: each slot once, no zero coefficient
  std::vector<IntegerNode> nodes;      ///< not affine: the last node is the root
  std::vector<Slot> slots;             ///< not affine: every slot that it depends on, ascending

  bool depends_on(Slot slot) const;
  /// On no slot but these.
  bool depends_only_on(const std::vector<Slot>& allowed) const;
  /// 0 where the slot does not occur. Precondition: affine.
  int64_t coefficient(Slot slot) const;
  bool is_constant() const { return affine && terms.empty(); }
  bool has_reads() const;
};

using ir::floor_divide;

/// Two's complement, without undefined behaviour.
constexpr int64_t wrap_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
constexpr int64_t wrap_subtract(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
constexpr int64_t wrap_multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// The value in an environment (by slot) of a code that reads no buffer. Precondition: all its slots are in the environment.
int64_t evaluate(const IntegerCode& code, const std::vector<int64_t>& environment);

/// `value` as an integer dtype stores it: wrapped to its bits; any nonzero value is 1 in a `bool`. Poison stays poison.
int64_t wrap_to(ir::Dtype dtype, int64_t value);

/// The operators of the language on true integers. Operands that are poison (integer_poison) give poison; so do a division by
/// zero and an operator that integers do not have (sqrt, ...).
int64_t apply_integer(ir::Op op, int64_t a, int64_t b);

}  // namespace tileproof::oracle
