// The rank tier (rule 6): Field, but max, min, compares and select follow a keyed total order of the values, so that argmax and
// max(a, b) = select(a > b, a, b) have their meaning. It accepts only together with directed real runs that planted every input
// element.
//
//   position of an element: rest of its word | groups, those of the narrowest dtype first | plus minus      (-2^59 .. 2^59, odd)
//
// Projections clear the lower groups, so they are monotone along a chain of dtypes (bf16 in tf32 in f32). Literals have keyed
// positions in their real order, and data of a narrow integer dtype lies between the positions of its lowest and highest value; a
// projection into one keeps the position.
#pragma once

#include "oracle/domain/field.h"

#include <span>
#include <vector>

namespace tileproof::oracle {

/// Rank(signature, projection, key).
class Rank : public Keyed<Rank, FieldArithmetic> {
 public:
  Rank(const Signature& signature, const Projection& projection, uint64_t key);

  Value max(Value a, Value b) const { return extreme_by_order(a, b, true); }
  Value min(Value a, Value b) const { return extreme_by_order(a, b, false); }
  Value compare(ir::Op op, Value a, Value b) const;
  Value apply(ir::Op op, std::span<const Value> operands, ir::Dtype dtype = {});
  Value project(Value v, ir::Dtype to, bool from_float) const;

  /// Where a number lies in the order.
  int64_t position(uint64_t number) const;

 private:
  struct Milestone {
    double real = 0;  ///< a literal, not negative
    int64_t position = 0;
  };
  static constexpr int64_t half = int64_t{1} << 59;

  Value extreme_by_order(Value a, Value b, bool larger) const;
  /// -1, 0 or 1. Precondition: numbers.
  int order(uint64_t a, uint64_t b) const;
  uint64_t sorted_word(uint64_t word) const;
  uint64_t unsorted_word(uint64_t sorted) const;
  int64_t position_of_real(double real) const;

  std::vector<uint64_t> groups_;  ///< in the order of their weight, the rest left out
  std::vector<Milestone> milestones_;  ///< ascending in both
};

static_assert(Domain<Rank>);

}  // namespace tileproof::oracle
