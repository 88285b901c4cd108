// What is known of the literals of the two programs: their real values, and in which narrow sets they lie. A literal belongs to
// S_d if it is exactly representable in d, and its word has zeros accordingly, so that max(x, 0) of a bf16 x is a bf16 value.
#pragma once

#include "oracle/domain/keyed.h"
#include "oracle/domain/narrow_sets.h"
#include "oracle/domain/rounding.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace tileproof::oracle {

/// The real number nearest to a decimal, and whether it is that decimal exactly.
struct KnownReal {
  double value = 0;
  bool exact = true;
};
KnownReal known_real(ir::Decimal decimal);

/// The literals, 0, 1, the limits of saturating dtypes, their negations, and all these rounded to the dtypes of the programs:
/// finite, ascending, once.
std::vector<KnownReal> rounded_literals(const Signature& signature);

/// What a tier keeps of a literal, whatever the key: the real, and what is fixed of its word.
struct LiteralFact {
  KnownReal real;
  std::optional<ir::Decimal> decimal;    ///< the number, where no double is exactly it
  bool is_negated = false;               ///< ... it is the negation of that
  uint64_t zeros = 0;                    ///< bits of the word that are zero
  std::vector<uint64_t> groups;  ///< groups of which at least one bit is set: S_d of dtypes that do not hold the literal
};
std::vector<LiteralFact> literal_facts(const NarrowSets& sets, const Signature& signature);
/// The literal's word; `random` fills what the facts leave open.
uint64_t literal_word(const LiteralFact& fact, uint64_t random);

/// value = digits * 2^exponent, exactly.
struct Dyadic {
  int64_t digits = 0;
  int64_t exponent = 0;
};
Dyadic dyadic(double value);

template <class Modulus>
class Literals {
 public:
  struct Entry {
    uint64_t number = empty;
    KnownReal real;
    uint64_t word = 0;
  };

  Literals(const Signature& signature, const NarrowSets& sets, KeyStream& keys) {
    std::vector<LiteralFact> derived;
    if (!signature.facts) derived = literal_facts(sets, signature);
    const std::vector<LiteralFact>& facts = signature.facts ? *signature.facts : derived;
    const KeyedHash hash(keys);
    const auto number_of = [](const LiteralFact& fact) {
      if (!fact.decimal) return from_double(fact.real.value);
      const uint64_t number = Modulus::scaled(fact.decimal->digits, 10, fact.decimal->exponent);
      return fact.is_negated ? Modulus::negate(number) : number;
    };
    int bits = 4;
    while ((size_t{1} << bits) < 4 * facts.size()) ++bits;
    shift_ = 64 - bits;
    table_.resize(size_t{1} << bits);
    for (const LiteralFact& fact : facts) {
      const uint64_t number = number_of(fact);
      Entry& slot = table_[probe(number)];
      if (slot.number == empty) slot = {number, fact.real, literal_word(fact, hash(number))};
    }
  }

  /// nullptr: not a literal.
  const Entry* find(uint64_t number) const {
    const Entry& slot = table_[probe(number)];
    return slot.number == number ? &slot : nullptr;
  }

  static uint64_t from_double(double value) {
    const Dyadic parts = dyadic(value);
    return Modulus::scaled(parts.digits, 2, parts.exponent);
  }

 private:
  static constexpr uint64_t empty = ~uint64_t{0};

  size_t probe(uint64_t number) const {
    size_t slot = static_cast<size_t>(number * 0x9e3779b97f4a7c15 >> shift_);
    while (table_[slot].number != number && table_[slot].number != empty) slot = (slot + 1) & (table_.size() - 1);
    return slot;
  }

  std::vector<Entry> table_;
  int shift_ = 60;
};

}  // namespace tileproof::oracle
