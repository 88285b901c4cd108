#include "oracle/domain/rank.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tileproof::oracle {

Rank::Rank(const Signature& signature, const Projection& projection, uint64_t key) : Keyed(signature, projection, key) {
  std::vector<ir::Dtype> owners;
  for (const ir::Dtype dtype : ir::all_dtypes())
    if (sets_.group(dtype) != 0) owners.push_back(dtype);
  const auto containers = [&](ir::Dtype inner) {
    return std::ranges::count_if(owners, [&](ir::Dtype outer) { return contains(outer, inner); });
  };
  std::ranges::sort(owners, {}, [&](ir::Dtype dtype) { return std::pair(-containers(dtype), dtype); });
  for (const ir::Dtype dtype : owners) groups_.push_back(sets_.group(dtype));
  if (sets_.has_whole()) groups_.push_back(sets_.whole_group());
  if (sets_.plus() != 0) groups_.push_back(sets_.plus() | sets_.minus());

  std::vector<double> reals;
  for (const KnownReal real : rounded_literals(signature))
    if (real.value > 0) reals.push_back(real.value);
  for (const ir::Decimal literal : signature.literals)
    if (const double real = std::abs(known_real(literal).value); real > 0) reals.push_back(real);
  std::ranges::sort(reals);
  reals.erase(std::unique(reals.begin(), reals.end()), reals.end());
  // Of the rest of a word alone: no element of the same rest lies below a literal that projections leave alone.
  const int below_rest = 60 - sets_.rest_width();
  std::vector<int64_t> positions;
  for (size_t i = 0; i < reals.size(); ++i)
    positions.push_back(
        static_cast<int64_t>(hash_(tag(Tag::less), i, 1) % static_cast<uint64_t>(half) >> below_rest << below_rest));
  std::ranges::sort(positions);
  milestones_.push_back({0, 0});
  for (size_t i = 0; i < reals.size(); ++i) milestones_.push_back({reals[i], positions[i]});
}

uint64_t Rank::sorted_word(uint64_t word) const {
  uint64_t sorted = word & sets_.rest();
  for (const uint64_t group : groups_) sorted = sorted << std::popcount(group) | (word & group) >> std::countr_zero(group);
  return sorted;
}

uint64_t Rank::unsorted_word(uint64_t sorted) const {
  uint64_t word = 0;
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
    const int width = std::popcount(*group);
    word |= (sorted & ((uint64_t{1} << width) - 1)) << std::countr_zero(*group);
    sorted >>= width;
  }
  return word | sorted;
}

int64_t Rank::position_of_real(double real) const {
  const double size = std::abs(real);
  const auto above = std::ranges::upper_bound(milestones_, size, {}, &Milestone::real);
  const Milestone low = *(above - 1);
  int64_t position = low.position;
  if (above != milestones_.end()) {
    const double fraction = (size - low.real) / (above->real - low.real);
    position += static_cast<int64_t>(fraction * static_cast<double>(above->position - low.position));
  } else {
    position += static_cast<int64_t>((1 - low.real / std::max(size, low.real)) * static_cast<double>(half - low.position));
  }
  return real < 0 ? -position : position;
}

int64_t Rank::position(uint64_t number) const {
  if (const auto real = known(number)) return position_of_real(real->value);
  const bool negative = Modulus::is_negative(number);
  const int64_t place = static_cast<int64_t>(sorted_word(words_.word(Modulus::magnitude(number)))) - half;
  const int64_t signed_place = negative ? -place : place;
  const RealRange range = real_range(number);
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) return signed_place;
  const int64_t low = position_of_real(range.low), high = position_of_real(range.high);
  const auto span = static_cast<uint64_t>(high - low);
  return low + static_cast<int64_t>(static_cast<uint64_t>(Wide{static_cast<uint64_t>(signed_place + half)} * span >> 60));
}

int Rank::order(uint64_t a, uint64_t b) const {
  if (a == b) return 0;
  const auto left = known(a), right = known(b);
  if (left && right && left->value != right->value) return left->value < right->value ? -1 : 1;
  const int64_t x = position(a), y = position(b);
  if (x != y) return x < y ? -1 : 1;
  // Next to never: any order will do that is odd.
  const bool below = Modulus::magnitude(a) != Modulus::magnitude(b)
                         ? (Modulus::magnitude(a) < Modulus::magnitude(b)) != Modulus::is_negative(a)
                         : Modulus::is_negative(a);
  return below ? -1 : 1;
}

Rank::Value Rank::extreme_by_order(Value a, Value b, bool larger) const {
  if (!are_numbers(a, b)) return extreme(a, b, larger ? symbols::infinity : symbols::minus_infinity);
  return (order(a, b) >= 0) == larger ? a : b;
}

Rank::Value Rank::compare(ir::Op op, Value a, Value b) const {
  if (!are_numbers(a, b)) return Keyed::compare(op, a, b);
  const int sign = order(a, b);
  switch (op) {
    case ir::Op::less: return truth(sign < 0);
    case ir::Op::less_equal: return truth(sign <= 0);
    case ir::Op::greater: return truth(sign > 0);
    case ir::Op::greater_equal: return truth(sign >= 0);
    case ir::Op::equal: return truth(sign == 0);
    default: return truth(sign != 0);
  }
}

Rank::Value Rank::apply(ir::Op op, std::span<const Value> operands, ir::Dtype dtype) {
  if (op == ir::Op::sign && is_number(operands[0])) return integer(order(operands[0], 0));
  return Keyed::apply(op, operands, dtype);
}

/// Clears the groups of `to` and of what contains it: the element of S_d at the foot of the cell. Into a narrow integer dtype:
/// the element of S_d whose place in the dtype's range is that of `v`, or the bound where it lies beyond. Wrapping has no order
/// to keep.
Rank::Value Rank::project(Value v, ir::Dtype to, bool from_float) const {
  const bool wraps = ir::is_integer(to) && !from_float;
  if (wraps || !is_number(v) || known(v) || is_member(v, to)) return Keyed::project(v, to, from_float);
  const bool whole = ir::is_integer(to) && !sets_.is_narrow(to);
  const uint64_t groups = (whole ? sets_.whole_zeros() : sets_.zeros(to)) & sets_.all_groups();
  if (whole || NarrowSets::is_odd(to)) {
    const uint64_t magnitude = words_.number(words_.word(Modulus::magnitude(v)) & ~groups);
    return Modulus::is_negative(v) ? Modulus::negate(magnitude) : magnitude;
  }
  const double lowest = ir::is_integer(to) ? static_cast<double>(ir::lowest(to)) : round_to(to, 0), highest = max_finite(to);
  const int64_t at = position(v), low = position_of_real(lowest), high = position_of_real(highest);
  if (at <= low) return from_real(lowest);
  if (at >= high) return from_real(highest);
  const auto place = static_cast<uint64_t>((Wide{static_cast<uint64_t>(at - low)} << 60) / static_cast<uint64_t>(high - low));
  return words_.number((unsorted_word(place) & ~(groups | sets_.minus())) | sets_.plus());
}

}  // namespace tileproof::oracle
