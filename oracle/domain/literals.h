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

/// The bits of a literal's word; `random` fills what its dtypes leave open.
uint64_t literal_word(const NarrowSets& sets, const Signature& signature, KnownReal real, uint64_t random);

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
    std::vector<Entry> entries;
    const KeyedHash hash(keys);
    const auto put = [&](uint64_t number, KnownReal real) {
      entries.push_back({number, real, literal_word(sets, signature, real, hash(number))});
    };
    for (const KnownReal real : rounded_literals(signature)) put(from_double(real.value), real);
    for (const ir::Decimal literal : signature.literals) {
      const KnownReal real = known_real(literal);
      if (real.exact) continue;
      const uint64_t number = Modulus::scaled(literal.digits, 10, literal.exponent);
      put(number, real);
      put(Modulus::negate(number), {-real.value, false});
    }
    int bits = 4;
    while ((size_t{1} << bits) < 4 * entries.size()) ++bits;
    shift_ = 64 - bits;
    table_.resize(size_t{1} << bits);
    for (const Entry& entry : entries) {
      Entry& slot = table_[probe(entry.number)];
      if (slot.number == empty) slot = entry;
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
