#include "oracle/domain/lattice.h"

#include <algorithm>

namespace tileproof::oracle {
namespace {

constexpr int max_depth = 2000;   // of alternating max and min in one term

}  // namespace

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::push(Entry entry) -> Ref {
  if (entries_.size() >= uint32_t{1} << 30) {
    exceed("the lattice tier has too many terms");
    return 2;   // an entry that exists: whoever pushes has made one
  }
  entries_.push_back(entry);
  charge(sizeof(Entry));
  return static_cast<Ref>(entries_.size() - 1) << 1;
}

/// An atom or image that has this number, negated where the number is; 0: none.
template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::known_term(Value v) const -> Ref {
  if (v.term != 0) return v.term;
  if (by_number_.empty()) return 0;
  const uint64_t code = first(v.number);
  const auto found = by_number_.find(Base::Modulus::magnitude(code));
  return found == by_number_.end() ? 0 : found->second ^ static_cast<Ref>(Base::Modulus::is_negative(code));
}

/// Precondition: a number or a term.
template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::ref_of(Value v) -> Ref {
  if (const Ref known = known_term(v); known != 0) return known;
  const uint64_t code = first(v.number);
  const bool negative = Base::Modulus::is_negative(code);
  Entry entry;
  entry.left = add_atom(negative ? base_.negate(v.number) : v.number);
  const Ref ref = push(entry);
  by_number_.emplace(Base::Modulus::magnitude(code), ref);
  return ref ^ static_cast<Ref>(negative);
}

/// The index of a new atom. Precondition: not negative.
template <class Base, bool Distribute>
uint32_t Lattice<Base, Distribute>::add_atom(Number positive) {
  atoms_.push_back(positive);
  ranges_.push(base_.real_range(positive));
  charge(sizeof(Number) + sizeof(RealRange) + 64);
  return static_cast<uint32_t>(atoms_.size() - 1);
}

template <class Base, bool Distribute>
AtomRef Lattice<Base, Distribute>::atom_of(Number number) {
  const Ref ref = ref_of(plain(number));
  const Entry& entry = entries_[ref >> 1];
  if (entry.kind == Kind::atom) return static_cast<AtomRef>(entry.left << 1 | (ref & 1));
  // The image of another term, met inside a sum or rounding of atoms: an atom like any other, whose inner order is not looked
  // into.
  const uint64_t code = first(number);
  const bool negative = Base::Modulus::is_negative(code);
  const auto [found, is_new] = hidden_atoms_.try_emplace(Base::Modulus::magnitude(code), 0);
  if (is_new) found->second = add_atom(negative ? base_.negate(number) : number);
  return found->second << 1 | static_cast<AtomRef>(negative);
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::max(Value a, Value b) -> Value {
  if ((a.term == 0 && !is_number(a.number)) || (b.term == 0 && !is_number(b.number))) {
    // At least one symbol: the result is a symbol or the other operand, which need not be looked at.
    const auto symbol = [](Value v) { return v.term == 0 && !is_number(v.number) ? first(v.number) : uint64_t{0}; };
    if (const auto strict = symbols::strict(symbol(a), symbol(b))) return *strict == symbols::poison ? poison() : nan();
    if (symbol(a) == symbols::infinity || symbol(b) == symbols::infinity) return infinity();
    return symbol(a) == symbols::minus_infinity ? b : a;
  }
  if (exceeded()) return a;
  const Ref left = ref_of(a), right = ref_of(b);
  if (left == right) return a;
  Entry entry;
  entry.kind = Kind::max;
  entry.left = left;
  entry.right = right;
  return {{}, push(entry)};
}

template <class Base, bool Distribute>
uint64_t Lattice<Base, Distribute>::hash_of(const Antichain& form) const {
  uint64_t sum = form.size();   // of numbers, not of references: both programs must have the same image
  for (const Clause& clause : form) {
    uint64_t inner = clause.size();
    for (const AtomRef ref : clause) inner += hash_(first(atom(ref)), 1);
    sum += hash_(inner, 2);
  }
  return hash_(sum, 3);
}

/// The index of a normal form.
template <class Base, bool Distribute>
uint32_t Lattice<Base, Distribute>::intern(Antichain form) {
  const uint64_t hash = hash_of(form);
  const auto [begin, end] = forms_by_hash_.equal_range(hash);
  for (auto found = begin; found != end; ++found)
    if (forms_[found->second] == form) return found->second;
  charge(64 + form.size() * sizeof(Clause) + atom_count(form) * sizeof(AtomRef));
  forms_.push_back(std::move(form));
  forms_by_hash_.emplace(hash, static_cast<uint32_t>(forms_.size() - 1));
  return static_cast<uint32_t>(forms_.size() - 1);
}

/// The normal form of a term, by index: what is joined by max alone is gathered without recursion.
template <class Base, bool Distribute>
uint32_t Lattice<Base, Distribute>::form_of(Ref ref) {
  const uint32_t sign = ref & 1;
  if (const uint32_t known = entries_[ref >> 1].forms[sign]; known != 0) return known - 1;
  const Entry entry = entries_[ref >> 1];
  uint32_t form = 0;
  if (entry.kind == Kind::atom) {
    form = intern({{static_cast<AtomRef>(entry.left << 1 | sign)}});
  } else if (entry.kind == Kind::form) {
    form = sign == 0 ? entry.left : entry.right;
  } else {
    std::vector<Ref> stack{ref}, operands;
    std::unordered_map<Ref, bool> seen;
    while (!stack.empty()) {
      const Ref top = stack.back();
      stack.pop_back();
      if (!seen.emplace(top, true).second) continue;
      const Entry& at = entries_[top >> 1];
      if (at.kind != Kind::max || (top & 1) != sign || (top != ref && at.forms[sign] != 0)) {
        operands.push_back(top);
        continue;
      }
      stack.push_back(at.left ^ sign);
      stack.push_back(at.right ^ sign);
    }
    if (++depth_ > max_depth) exceed("max and min alternate too often in a term of the lattice tier");
    std::vector<uint32_t> indices;
    for (const Ref operand : operands) {
      if (exceeded()) break;
      indices.push_back(form_of(operand));
    }
    --depth_;
    if (exceeded()) return intern({{0}});
    std::vector<const Antichain*> parts;
    for (const uint32_t index : indices) parts.push_back(&forms_[index]);
    std::optional<Antichain> result = sign == 0 ? join(parts, ranges_, max_atoms) : meet(parts, ranges_, max_atoms);
    if (!result) {
      exceed("a max or min has more than " + std::to_string(max_atoms) + " atoms");
      return intern({{0}});
    }
    form = intern(*std::move(result));
  }
  entries_[ref >> 1].forms[sign] = form + 1;
  return form;
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::number(Value v) -> Number {
  if (v.term == 0) return v.number;
  if (exceeded()) return base_.integer(0);
  const Ref positive = v.term & ~uint32_t{1};
  auto image = images_.find(positive);
  if (image == images_.end()) {
    const uint32_t plus = form_of(positive), minus = form_of(positive | 1);
    if (exceeded()) return base_.integer(0);
    const Antichain& form = forms_[plus];
    Number result{};
    if (form.size() == 1 && form[0].size() == 1) {
      result = atom(form[0][0]);
    } else {
      result = base_.subtract(base_.from_digest(hash_of(form)), base_.from_digest(hash_of(forms_[minus])));
      const uint64_t code = first(result);
      by_number_.emplace(Base::Modulus::magnitude(code), positive ^ static_cast<Ref>(Base::Modulus::is_negative(code)));
    }
    image = images_.emplace(positive, result).first;
    charge(96);
  }
  return v.term != positive ? base_.negate(image->second) : image->second;
}

/// A term of two normal forms, of itself and of its negation.
template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::term_of(Antichain form, Antichain negation) -> Ref {
  Entry entry;
  entry.kind = Kind::form;
  entry.left = intern(std::move(form));
  entry.right = intern(std::move(negation));
  return push(entry);
}

/// The term with a monotone f applied to each atom; nullopt: an atom went to a symbol.
template <class Base, bool Distribute>
template <class F>
auto Lattice<Base, Distribute>::map_atoms(Ref ref, const F& f) -> std::optional<Value> {
  const std::array<uint32_t, 2> indices{form_of(ref), form_of(ref ^ 1)};
  if (exceeded()) return plain(base_.integer(0));
  std::array<Antichain, 2> mapped;
  bool changed = false;
  for (size_t side = 0; side < 2; ++side) {
    mapped[side] = forms_[indices[side]];   // a copy: new atoms do not move it, but new forms may
    for (Clause& clause : mapped[side]) {
      for (AtomRef& at : clause) {
        const Number before = atom(side == 0 ? at : at ^ 1), after = f(before);
        if (first(after) == first(before)) continue;
        if (!is_number(after)) return std::nullopt;
        changed = true;
        at = atom_of(after) ^ static_cast<AtomRef>(side);
      }
      std::ranges::sort(clause);
      clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
    }
  }
  if (!changed) return Value{{}, ref};
  for (Antichain& form : mapped) form = absorb(std::move(form), ranges_);
  return Value{{}, term_of(std::move(mapped[0]), std::move(mapped[1]))};
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::narrow(Value v, const Narrowing& narrowing) -> Value {
  if (v.term == 0 && !is_number(v.number)) return plain(base_.narrow(v.number, narrowing));
  if (!base_.projects(narrowing) || exceeded()) return v;
  const Ref ref = known_term(v);
  if (ref == 0 || entries_[ref >> 1].kind == Kind::atom) return plain(base_.narrow(number(v), narrowing));
  const auto narrowed = [&](Number atom) { return base_.narrow(atom, narrowing); };
  const auto wraps_to = [&](ir::Dtype dtype) {
    return ir::is_integer(dtype) && !narrowing.from_float && base_.sets().is_narrow(dtype);
  };
  if (wraps_to(narrowing.to) || wraps_to(narrowing.from)) {
    const Antichain& form = forms_[form_of(ref)];
    if (exceeded()) return v;
    const RealRange range = range_of(form, ranges_);
    const auto fits_in = [&](ir::Dtype dtype) {
      if (!wraps_to(dtype)) return ir::is_integer(dtype);
      return range.low >= static_cast<double>(ir::lowest(dtype)) && range.high <= static_cast<double>(ir::highest(dtype));
    };
    const bool fits = fits_in(narrowing.to) && fits_in(narrowing.from);
    const auto stays = [&](AtomRef at) { return first(narrowed(atom(at))) == first(atom(at)); };
    if (fits || std::ranges::all_of(form, [&](const Clause& clause) { return std::ranges::all_of(clause, stays); }))
      return Value{{}, ref};
    return plain(narrowed(number({{}, ref})));
  }
  if (const std::optional<Value> mapped = map_atoms(ref, narrowed)) return *mapped;
  return plain(narrowed(number({{}, ref})));
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::distribute_sum(Ref a, Ref b) -> Value {
  std::array<Antichain, 2> sums;
  for (Ref side = 0; side < 2; ++side) {
    const uint32_t left_form = form_of(a ^ side), right_form = form_of(b ^ side);
    if (exceeded()) return plain(base_.integer(0));
    const Antichain left = forms_[left_form], right = forms_[right_form];
    if (atom_count(left) * atom_count(right) > max_atoms) {
      exceed("a sum of max and min has more than " + std::to_string(max_atoms) + " atoms");
      return plain(base_.integer(0));
    }
    for (const Clause& x : left)
      for (const Clause& y : right) {
        Clause& sum = sums[side].emplace_back();
        for (const AtomRef p : x)
          for (const AtomRef q : y) sum.push_back(atom_of(base_.add(atom(p), atom(q))));
        std::ranges::sort(sum);
        sum.erase(std::unique(sum.begin(), sum.end()), sum.end());
      }
    sums[side] = absorb(std::move(sums[side]), ranges_);
  }
  return {{}, term_of(std::move(sums[0]), std::move(sums[1]))};
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::add(Value a, Value b, ir::Dtype dtype) -> Value {
  if constexpr (Distribute) {
    const bool numbers = (a.term != 0 || is_number(a.number)) && (b.term != 0 || is_number(b.number));
    if (numbers && !exceeded()) {
      const auto is_term = [&](Ref ref) { return ref != 0 && entries_[ref >> 1].kind != Kind::atom; };
      if (is_term(known_term(a)) || is_term(known_term(b))) {
        if (first(base_.add(number(a), number(b))) == 0) return plain(base_.integer(0));   // m - m
        return distribute_sum(ref_of(a), ref_of(b));
      }
    }
  }
  return plain(base_.add(number(a), number(b), dtype));
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::multiply(Value a, Value b, ir::Dtype dtype) -> Value {
  if constexpr (Distribute) {
    for (const auto& [term, factor] : {std::pair(a, b), std::pair(b, a)}) {
      if (exceeded() || (term.term == 0 && !is_number(term.number)) || factor.term != 0 || !is_number(factor.number)) continue;
      const Ref ref = known_term(term);
      if (ref == 0 || entries_[ref >> 1].kind == Kind::atom) continue;
      const symbols::Sign sign = base_.sign(factor.number);
      if (sign != symbols::Sign::positive && sign != symbols::Sign::negative) continue;
      const Number size = sign == symbols::Sign::positive ? factor.number : base_.negate(factor.number);
      if (const auto mapped = map_atoms(ref, [&](Number x) { return base_.multiply(x, size); }))
        return sign == symbols::Sign::positive ? *mapped : negate(*mapped);
    }
  }
  return plain(base_.multiply(number(a), number(b), dtype));
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::divide(Value a, Value b, ir::Dtype dtype) -> Value {
  if constexpr (Distribute) {
    const Number divisor = number(b);
    if (is_number(divisor) && first(divisor) != 0 && base_.sign(divisor) != symbols::Sign::unknown)
      return multiply(a, plain(base_.divide(base_.integer(1), divisor)), dtype);
  }
  return plain(base_.divide(number(a), number(b), dtype));
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::apply(ir::Op op, std::span<const Value> operands, ir::Dtype dtype) -> Value {
  if (op == ir::Op::abs) return max(operands[0], negate(operands[0]));
  std::array<Number, 3> numbers{};
  for (size_t i = 0; i < operands.size() && i < numbers.size(); ++i) numbers[i] = number(operands[i]);
  return plain(base_.apply(op, std::span(numbers.data(), std::min(operands.size(), numbers.size())), dtype));
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::accumulate(ir::Update update, Value old, Value value, ir::Dtype dtype) -> Value {
  switch (update) {
    case ir::Update::assign: return value;
    case ir::Update::add: return add(old, value, dtype);
    case ir::Update::multiply: return multiply(old, value, dtype);
    case ir::Update::max: return max(old, value);
    case ir::Update::min: return min(old, value);
    default: return plain(base_.accumulate(update, number(old), number(value), dtype));
  }
}

template <class Base, bool Distribute>
std::string Lattice<Base, Distribute>::describe(Value v) {
  if (v.term == 0) return base_.describe(v.number);
  const Number image = number(v);
  if (exceeded()) return "a term too large";
  const Antichain& form = forms_[form_of(v.term)];
  const size_t count = atom_count(form);
  if (count == 1) return base_.describe(image);
  return "max of " + std::to_string(form.size()) + " over " + std::to_string(count) + " atoms, " + base_.describe(image);
}

template class Lattice<Field, false>;
template class Lattice<Field, true>;
template class Lattice<ExpPair, false>;
template class Lattice<ExpPair, true>;

}  // namespace tileproof::oracle
