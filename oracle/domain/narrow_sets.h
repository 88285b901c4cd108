// Which bits of a word say that a value belongs to a narrow dtype (rules 2 and A2 of the oracle).
//
//   word (61 bits):   sign | plus minus | group of d1 | group of d2 | ... | rest
//
// Each narrow dtype among those of the two programs owns a group of bits. A value is in the set S_d if the group of d and that of
// every present narrow dtype that contains d are zero: so S_i8 lies in S_bf16 wherever i8 lies in bf16. The pair plus/minus is
// there if an integer dtype is narrow: data of an integer dtype has plus alone, its negation minus alone, a max of the two has
// both, a literal and a sign() neither; what has a minus is in no integer set, because -(lowest) wraps, and what has no plus in no
// set of an unsigned dtype. Floating sets are closed under negation.
//
// Beside the dtypes there is the set of the integers, `whole`, if floating and integer dtypes both occur: rounding to an integer,
// as round() and a store of a float into an integer do, lands in it, and what is in it already stays (our choice; the rules say
// nothing of float into i32). Every integer set lies in it; it is closed under negation.
#pragma once

#include "oracle/domain/domain.h"
#include "oracle/domain/rounding.h"

#include <array>
#include <cstdint>

namespace tileproof::oracle {

/// f64 and i64 are wide. f32 is narrow only beside f64; i32 and u32 only beside i64 or each other, or where one of them may be given
/// an integer that it does not hold (Signature::words_wrap). Wide dtypes are never projected.
class NarrowSets {
 public:
  explicit NarrowSets(const Signature& signature);

  static constexpr uint64_t sign = uint64_t{1} << 60;
  uint64_t plus() const { return plus_; }  ///< 0: no integer dtype is narrow
  uint64_t minus() const { return minus_; }
  uint64_t rest() const { return rest_; }  ///< the low bits that no dtype owns
  int rest_width() const { return rest_width_; }
  /// The highest bit of each group, of the rest and the sign: where a sum of words must not carry.
  uint64_t tops() const { return tops_; }

  /// Bits of each group, 0 where there is none. A rounding at another place changes nothing, and so stays unseen, in one run of
  /// 2^group_width().
  int group_width() const { return group_width_; }

  bool is_narrow(ir::Dtype dtype) const { return at(dtype).narrow; }
  bool has_whole() const { return whole_group_ != 0; }

  /// The bits that are zero in each word of S_d; for a wide integer dtype those of `whole`; for a wide float none.
  uint64_t zeros(ir::Dtype dtype) const { return at(dtype).zeros; }
  /// Whether a word lies in S_d. What may be negative lies in no set of an unsigned dtype: a word there has a plus.
  bool holds(ir::Dtype dtype, uint64_t word) const { return (word & (at(dtype).zeros | at(dtype).ones)) == at(dtype).ones; }
  bool holds_truth(uint64_t word) const { return (word & (bool_zeros() | plus_)) == plus_; }
  uint64_t whole_zeros() const { return whole_group_; }
  /// The bits that are zero in every set: those of truth values.
  uint64_t bool_zeros() const { return all_groups_ | minus_; }
  /// The group that `dtype` itself owns (0: none).
  uint64_t group(ir::Dtype dtype) const { return at(dtype).group; }
  uint64_t whole_group() const { return whole_group_; }
  uint64_t all_groups() const { return all_groups_; }
  /// P_d(-v) = -P_d(v): floating dtypes with a sign.
  static bool is_odd(ir::Dtype dtype) { return ir::is_float(dtype) && dtype != ir::Dtype::e8m0; }

  /// A word of S_d with everything else taken from `random`; data of an integer dtype has its plus.
  uint64_t member(ir::Dtype dtype, uint64_t random) const { return fit(random, zeros(dtype), (zeros(dtype) & minus_) != 0); }
  uint64_t whole_member(uint64_t random) const { return fit(random, whole_group_, false); }
  uint64_t bool_member(uint64_t random) const { return fit(random, bool_zeros(), true); }

 private:
  struct Set {
    bool narrow = false;
    uint64_t group = 0, zeros = 0, ones = 0;
  };
  const Set& at(ir::Dtype dtype) const { return sets_[static_cast<size_t>(dtype)]; }
  uint64_t fit(uint64_t random, uint64_t zeros, bool is_integer) const {
    const uint64_t word = random & ((sign << 1) - 1) & ~zeros;
    return is_integer ? word | plus_ : word;
  }

  std::array<Set, static_cast<size_t>(ir::Dtype::boolean) + 1> sets_;
  uint64_t plus_ = 0, minus_ = 0, rest_ = 0, tops_ = 0, whole_group_ = 0, all_groups_ = 0;
  int rest_width_ = 60, group_width_ = 0;
};

}  // namespace tileproof::oracle
