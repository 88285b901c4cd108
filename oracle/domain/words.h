// The word of a field element, and the random commutative, associative operation on words that stands for max (rule 2).
//
//   element v  <->  word: sign | Feistel(|v|)          bits as laid out by NarrowSets
//
// a max b is the element whose word is the sum of the two words, group by group without carries, where plus and minus are joined
// by `or`: every element counts, and each narrow set is closed under it. min(a, b) = -max(-a, -b). The rest of a negative
// element's word is scrambled: otherwise max(-a, -b) would have the word of max(a, b) but for the sign, and min would be max in
// disguise.
#pragma once

#include "oracle/domain/keyed.h"
#include "oracle/domain/modular.h"
#include "oracle/domain/narrow_sets.h"

#include <cstdint>

namespace tileproof::oracle {

template <class Modulus>
class Words {
 public:
  Words(const NarrowSets& sets, KeyStream& keys)
      : feistel_(keys),
        scramble_(keys, sets.rest_width()),
        pair_(sets.plus() | sets.minus()),
        tops_(sets.tops()),
        rest_(sets.rest()) {
    pair_shift_ = 0;
    while (pair_ != 0 && (pair_ >> pair_shift_ & 1) == 0) ++pair_shift_;
  }

  /// Modulo p' a few elements, 2^-23 of all, have |v| >= 2^60 and share a word with another one; no word stands for them, so the
  /// laws hold nevertheless.
  uint64_t word(uint64_t number) const {
    const uint64_t bits = feistel_(Modulus::magnitude(number) & (Feistel60::size - 1));
    return Modulus::is_negative(number) ? opposite(bits) : bits;
  }
  uint64_t number(uint64_t word) const {
    if ((word & NarrowSets::sign) == 0) return feistel_.inverse(word);
    const uint64_t bits = exchange(word ^ NarrowSets::sign);
    return Modulus::negate(feistel_.inverse((bits & ~rest_) | scramble_.inverse(bits & rest_)));
  }

  uint64_t join(uint64_t a, uint64_t b) const {
    const uint64_t below = ~(tops_ | pair_);  // no carry leaves a group, nor enters the pair
    return ((a & below) + (b & below)) ^ ((a ^ b) & tops_) ^ ((a | b) & pair_);
  }

 private:
  uint64_t opposite(uint64_t bits) const { return exchange((bits & ~rest_) | scramble_(bits & rest_)) | NarrowSets::sign; }
  /// Plus becomes minus and minus plus.
  uint64_t exchange(uint64_t bits) const {
    const uint64_t differ = (bits ^ bits >> 1) >> pair_shift_ & 1;
    return bits ^ ((differ * 3 << pair_shift_) & pair_);
  }

  Feistel60 feistel_;
  Scramble scramble_;
  uint64_t pair_;
  uint64_t tops_;
  uint64_t rest_;
  int pair_shift_ = 0;
};

}  // namespace tileproof::oracle
