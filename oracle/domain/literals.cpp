#include "oracle/domain/literals.h"

#include <algorithm>
#include <bit>

namespace tileproof::oracle {
namespace {

bool representable(ir::Dtype dtype, KnownReal real) { return real.exact && round_to(dtype, real.value) == real.value; }

}  // namespace

KnownReal known_real(ir::Decimal decimal) {
  KnownReal real{ir::to_double(decimal), false};
  if (!std::isfinite(real.value)) real.value = std::copysign(std::numeric_limits<double>::max(), real.value);
  constexpr int64_t exact_limit = int64_t{1} << 53;
  if (const std::optional<int64_t> integer = ir::to_integer(decimal)) {
    real.exact = -exact_limit <= *integer && *integer <= exact_limit;
  } else if (decimal.exponent < 0 && decimal.exponent >= -27) {
    int64_t digits = decimal.digits;   // digits / 10^k is dyadic iff 5^k divides digits
    int fives = -decimal.exponent;
    for (; fives > 0 && digits % 5 == 0; --fives) digits /= 5;
    real.exact = fives == 0 && -exact_limit <= digits && digits <= exact_limit;
  }
  return real;
}

std::vector<KnownReal> rounded_literals(const Signature& signature) {
  std::vector<double> reals{0, 1};
  std::vector<double> inexact;
  for (const ir::Decimal literal : signature.literals) {
    const KnownReal real = known_real(literal);
    (real.exact ? reals : inexact).push_back(real.value);
  }
  for (const ir::Dtype dtype : signature.dtypes) {
    if (ir::is_integer(dtype)) reals.push_back(static_cast<double>(ir::lowest(dtype)));
    if (ir::is_integer(dtype) && dtype != ir::Dtype::i64) reals.push_back(static_cast<double>(ir::highest(dtype)));
    if (ir::is_float(dtype) && !float_format(dtype).has_infinity) reals.push_back(max_finite(dtype));
  }
  const auto unite = [](std::vector<double>& values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
  };
  const auto add_negations = [](std::vector<double>& values) {
    for (size_t i = 0, n = values.size(); i < n; ++i)
      if (values[i] != 0) values.push_back(-values[i]);
  };
  add_negations(reals);
  add_negations(inexact);
  for (int nested = 0; nested < 2; ++nested) {   // a literal rounded to one dtype and then to another
    std::vector<double> rounded;
    for (const std::vector<double>* values : {&reals, &inexact})
      for (const double value : *values)
        for (const ir::Dtype dtype : signature.dtypes) {
          const double result = round_to(dtype, value);
          if (std::isfinite(result) && dtype != ir::Dtype::i64) rounded.push_back(result == 0 ? 0 : result);
        }
    reals.insert(reals.end(), rounded.begin(), rounded.end());
    unite(reals);
  }
  std::vector<KnownReal> result;
  for (const double real : reals) result.push_back({real, true});
  return result;
}

std::vector<LiteralFact> literal_facts(const NarrowSets& sets, const Signature& signature) {
  std::vector<LiteralFact> facts;
  const auto put = [&](LiteralFact fact) {
    const auto settle = [&](uint64_t group, bool member) {
      if (member) {
        fact.zeros |= group;
      } else {
        fact.groups.push_back(group);
      }
    };
    for (const ir::Dtype dtype : signature.dtypes) {
      if (sets.group(dtype) != 0) settle(sets.group(dtype), representable(dtype, fact.real));
    }
    if (sets.has_whole()) settle(sets.whole_group(), fact.real.exact && std::nearbyint(fact.real.value) == fact.real.value);
    fact.zeros |= ~((NarrowSets::sign << 1) - 1) | sets.plus() | sets.minus();
    facts.push_back(std::move(fact));
  };
  for (const KnownReal real : rounded_literals(signature)) put({real, {}, false, 0, {}});
  for (const ir::Decimal literal : signature.literals) {
    const KnownReal real = known_real(literal);
    if (real.exact) continue;
    put({real, literal, false, 0, {}});
    put({{-real.value, false}, literal, true, 0, {}});
  }
  return facts;
}

uint64_t literal_word(const LiteralFact& fact, uint64_t random) {
  uint64_t word = random & ~fact.zeros;
  for (const uint64_t group : fact.groups) {
    if ((word & group) == 0) word |= group;
  }
  return word;
}

Dyadic dyadic(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  Dyadic parts{static_cast<int64_t>(std::ldexp(fraction, 53)), int64_t{exponent} - 53};
  if (parts.digits == 0) return {};
  const int zeros = std::countr_zero(static_cast<uint64_t>(parts.digits));  // small powers of two are quick to compute with
  parts.digits >>= zeros;
  parts.exponent += zeros;
  return parts;
}

}  // namespace tileproof::oracle
