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
  images_.emplace_back();
  if ((entries_.size() & 63) == 0) check_memory();
  return static_cast<Ref>(entries_.size() - 1) << 1;
}

/// An atom or image that has this number, negated where the number is; 0: none.
template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::known_term(Value v) const -> Ref {
  if (v.term != 0) return v.term;
  const uint64_t code = first(v.number);
  const Ref found = by_number_.find(Base::Modulus::magnitude(code));
  return found == 0 ? 0 : found ^ static_cast<Ref>(Base::Modulus::is_negative(code));
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
  by_number_.insert(Base::Modulus::magnitude(code), ref);
  return ref ^ static_cast<Ref>(negative);
}

/// The index of a new atom. Precondition: not negative.
template <class Base, bool Distribute>
uint32_t Lattice<Base, Distribute>::add_atom(Number positive) {
  atoms_.push_back(positive);
  ranges_.push(base_.real_range(positive));
  return static_cast<uint32_t>(atoms_.size() - 1);
}

template <class Base, bool Distribute>
AtomRef Lattice<Base, Distribute>::atom_of(Number number) {
  const Ref ref = ref_of(plain(number));
  if (is_atom(ref)) return atom_ref(ref);
  // The image of another term, met inside a sum or rounding of atoms: an atom like any other, whose inner order is not looked
  // into.
  const uint64_t code = first(number);
  const bool negative = Base::Modulus::is_negative(code);
  uint32_t index = hidden_atoms_.find(Base::Modulus::magnitude(code));
  if (index == 0) {
    index = add_atom(negative ? base_.negate(number) : number) + 1;
    hidden_atoms_.insert(Base::Modulus::magnitude(code), index);
  }
  return (index - 1) << 1 | static_cast<AtomRef>(negative);
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::max(Value a, Value b) -> Value {
  if (!is_operand(a) || !is_operand(b)) {
    // At least one symbol: the result is a symbol or the other operand, which need not be looked at.
    const auto symbol = [](Value v) { return is_operand(v) ? uint64_t{0} : first(v.number); };
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

/// The operands of a max (of a min, if `ref` is a negation): what is joined by max alone is gathered without recursion, each term
/// once.
template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::gather(Ref ref) -> std::vector<Ref> {
  const Ref sign = ref & 1;
  std::vector<Ref> stack{ref}, operands;
  ++mark_;
  while (!stack.empty()) {
    const Ref top = stack.back();
    stack.pop_back();
    Entry& entry = at(top);
    if (entry.kind != Kind::max || (top & 1) != sign || (top != ref && entry.forms[sign] != 0)) {
      operands.push_back(top);
      continue;
    }
    if (entry.mark == mark_) continue;
    entry.mark = mark_;
    stack.push_back(entry.left ^ sign);
    stack.push_back(entry.right ^ sign);
  }
  std::ranges::sort(operands);
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  return operands;
}

/// The index of a term's normal form. Precondition: no atom.
template <class Base, bool Distribute>
uint32_t Lattice<Base, Distribute>::form_of(Ref ref) {
  if (const uint32_t known = at(ref).forms[ref & 1]; known != 0) return known - 1;
  if (++depth_ > max_depth) exceed("max and min alternate too often in a term of the lattice tier");
  const uint32_t form = exceeded() ? forms_.add_min(Clause{0}) : compute_form(ref);
  --depth_;
  at(ref).forms[ref & 1] = form + 1;
  return form;
}

template <class Base, bool Distribute>
uint32_t Lattice<Base, Distribute>::compute_form(Ref ref) {
  const bool is_max = (ref & 1) == 0;
  Clause atoms;
  std::vector<Antichain> composites;
  for (const Ref operand : gather(ref)) {
    if (is_atom(operand))
      atoms.push_back(atom_ref(operand));
    else
      composites.push_back(antichain_of(operand));
    if (exceeded()) return forms_.add_min(Clause{0});
  }
  if (!atoms.empty()) is_max ? keep_greatest(atoms, ranges_) : keep_least(atoms, ranges_);
  if (composites.empty() && atoms.size() <= max_atoms) return is_max ? forms_.add_max(atoms) : forms_.add_min(atoms);

  Antichain of_atoms;
  if (is_max) {
    for (const AtomRef one : atoms) of_atoms.push_back({one});
  } else {
    of_atoms.push_back(std::move(atoms));
  }
  std::vector<const Antichain*> parts;
  if (is_max || !of_atoms.front().empty()) parts.push_back(&of_atoms);
  for (const Antichain& part : composites) parts.push_back(&part);
  const std::optional<Antichain> result =
      is_max ? join(parts, ranges_, max_atoms, comparisons_) : meet(parts, ranges_, max_atoms, comparisons_);
  bound_comparisons();
  if (result) return forms_.add(*result);
  exceed("a max or min has more than " + std::to_string(max_atoms) + " atoms");
  return forms_.add_min(Clause{0});
}

template <class Base, bool Distribute>
Antichain Lattice<Base, Distribute>::antichain_of(Ref ref) {
  return is_atom(ref) ? Antichain{{atom_ref(ref)}} : forms_.antichain(form_of(ref));
}

/// Of the numbers, not of the references: both programs must have the same image.
template <class Base, bool Distribute>
uint64_t Lattice<Base, Distribute>::hash_of(uint32_t form) const {
  uint64_t sum = forms_.clause_count(form);
  forms_.for_each_clause(form, [&](std::span<const AtomRef> clause) {
    uint64_t inner = clause.size();
    for (const AtomRef ref : clause) inner += hash_(first(atom(ref)), 1);
    sum += hash_(inner, 2);
  });
  return hash_(sum, 3);
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::number(Value v) -> Number {
  if (v.term == 0) return v.number;
  if (is_atom(v.term)) return atom(atom_ref(v.term));
  if (exceeded()) return base_.integer(0);
  const Ref positive = v.term & ~Ref{1};
  Number& image = images_[positive >> 1];
  if (!at(positive).has_image) {
    const uint32_t plus = form_of(positive), minus = form_of(positive | 1);
    if (exceeded()) return base_.integer(0);
    if (forms_.atom_count(plus) == 1) {
      image = atom(forms_.atoms(plus)[0]);
    } else {
      image = base_.subtract(base_.from_digest(hash_of(plus)), base_.from_digest(hash_of(minus)));
      const uint64_t code = first(image);
      by_number_.insert(Base::Modulus::magnitude(code), positive ^ static_cast<Ref>(Base::Modulus::is_negative(code)));
    }
    at(positive).has_image = true;
  }
  return v.term != positive ? base_.negate(image) : image;
}

/// A term of two normal forms, of itself and of its negation.
template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::term_of(uint32_t form, uint32_t negation) -> Ref {
  Entry entry;
  entry.kind = Kind::form;
  entry.forms = {form + 1, negation + 1};
  return push(entry);
}

/// The form with f applied to each atom, and f monotone; nullopt: an atom went to a symbol.
template <class Base, bool Distribute>
template <class F>
std::optional<uint32_t> Lattice<Base, Distribute>::map_form(uint32_t form, const F& f) {
  bool changed = false;
  const auto map = [&](Clause& atoms) {
    for (AtomRef& ref : atoms) {
      const Number before = atom(ref), after = f(before);
      if (first(after) == first(before)) continue;
      if (!is_number(after)) return false;
      changed = true;
      ref = atom_of(after);
    }
    return true;
  };
  if (forms_.is_flat(form)) {
    const std::span<const AtomRef> old = forms_.atoms(form);
    Clause atoms(old.begin(), old.end());
    if (!map(atoms)) return std::nullopt;
    if (!changed) return form;
    const bool is_min = forms_.clause_count(form) == 1;
    is_min ? keep_least(atoms, ranges_) : keep_greatest(atoms, ranges_);
    return is_min ? forms_.add_min(atoms) : forms_.add_max(atoms);
  }
  Antichain clauses = forms_.antichain(form);
  for (Clause& clause : clauses)
    if (!map(clause)) return std::nullopt;
  if (!changed) return form;
  clauses = absorb(std::move(clauses), ranges_, comparisons_);
  bound_comparisons();
  return forms_.add(clauses);
}

template <class Base, bool Distribute>
template <class F>
auto Lattice<Base, Distribute>::map_atoms(Ref ref, const F& f) -> std::optional<Value> {
  const uint32_t plus = form_of(ref), minus = form_of(ref ^ 1);
  if (exceeded()) return plain(base_.integer(0));
  const std::optional<uint32_t> new_plus = map_form(plus, f);
  const std::optional<uint32_t> new_minus = map_form(minus, [&](Number x) { return base_.negate(f(base_.negate(x))); });
  if (!new_plus || !new_minus) return std::nullopt;
  return *new_plus == plus ? Value{{}, ref} : Value{{}, term_of(*new_plus, *new_minus)};
}

/// Whether wrapping leaves a term alone: it lies in the range of the dtype, or each of its atoms stays what it is.
template <class Base, bool Distribute>
bool Lattice<Base, Distribute>::is_kept_by_wrapping(Ref ref, const Narrowing& narrowing) {
  const Antichain form = antichain_of(ref);
  if (exceeded()) return true;
  const RealRange range = range_of(form, ranges_);
  const auto fits_in = [&](ir::Dtype dtype) {
    if (!ir::is_integer(dtype)) return false;
    return !base_.sets().is_narrow(dtype) ||
           (range.low >= static_cast<double>(ir::lowest(dtype)) && range.high <= static_cast<double>(ir::highest(dtype)));
  };
  if (fits_in(narrowing.to) && fits_in(narrowing.from)) return true;
  const auto stays = [&](AtomRef at) { return first(base_.narrow(atom(at), narrowing)) == first(atom(at)); };
  return std::ranges::all_of(form, [&](const Clause& clause) { return std::ranges::all_of(clause, stays); });
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::narrow(Value v, const Narrowing& narrowing) -> Value {
  if (!is_operand(v)) return plain(base_.narrow(v.number, narrowing));
  if (!base_.projects(narrowing) || exceeded()) return v;
  const Ref ref = known_term(v);
  const auto narrowed = [&](Number x) { return base_.narrow(x, narrowing); };
  if (!is_composite(ref)) return plain(narrowed(number(v)));
  const auto wraps_to = [&](ir::Dtype dtype) {
    return ir::is_integer(dtype) && !narrowing.from_float && base_.sets().is_narrow(dtype);
  };
  if (wraps_to(narrowing.to) || wraps_to(narrowing.from)) {
    if (is_kept_by_wrapping(ref, narrowing)) return {{}, ref};
  } else if (const std::optional<Value> mapped = map_atoms(ref, narrowed)) {
    return *mapped;
  }
  return plain(narrowed(number({{}, ref})));
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::distribute_sum(Ref a, Ref b) -> Value {
  std::array<uint32_t, 2> sums{};
  for (Ref side = 0; side < 2; ++side) {
    const Antichain left = antichain_of(a ^ side), right = antichain_of(b ^ side);
    if (exceeded()) return plain(base_.integer(0));
    if (atom_count(left) * atom_count(right) > max_atoms) {
      exceed("a sum of max and min has more than " + std::to_string(max_atoms) + " atoms");
      return plain(base_.integer(0));
    }
    Antichain sum;
    for (const Clause& x : left)
      for (const Clause& y : right) {
        Clause& clause = sum.emplace_back();
        for (const AtomRef p : x)
          for (const AtomRef q : y) clause.push_back(atom_of(base_.add(atom(p), atom(q))));
      }
    sums[side] = forms_.add(absorb(std::move(sum), ranges_, comparisons_));
    bound_comparisons();
  }
  return {{}, term_of(sums[0], sums[1])};
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::add(Value a, Value b, ir::Dtype dtype) -> Value {
  if constexpr (Distribute) {
    if (is_operand(a) && is_operand(b) && !exceeded() && (is_composite(known_term(a)) || is_composite(known_term(b)))) {
      if (first(base_.add(number(a), number(b))) == 0) return plain(base_.integer(0));  // m - m
      return distribute_sum(ref_of(a), ref_of(b));
    }
  }
  return plain(base_.add(number(a), number(b), dtype));
}

template <class Base, bool Distribute>
auto Lattice<Base, Distribute>::multiply(Value a, Value b, ir::Dtype dtype) -> Value {
  if constexpr (Distribute) {
    for (const auto& [term, factor] : {std::pair(a, b), std::pair(b, a)}) {
      if (exceeded() || !is_operand(term) || factor.term != 0 || !is_number(factor.number)) continue;
      const Ref ref = known_term(term);
      if (!is_composite(ref)) continue;
      const symbols::Sign sign = base_.sign(factor.number);
      if (sign != symbols::Sign::positive && sign != symbols::Sign::negative) continue;
      const bool positive = sign == symbols::Sign::positive;
      const Number size = positive ? factor.number : base_.negate(factor.number);
      if (const auto mapped = map_atoms(ref, [&](Number x) { return base_.multiply(x, size); }))
        return positive ? *mapped : negate(*mapped);
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
  if (const auto result = accumulate_arithmetic(*this, update, old, value, dtype)) return *result;
  return plain(base_.accumulate(update, number(old), number(value), dtype));
}

template <class Base, bool Distribute>
std::string Lattice<Base, Distribute>::describe(Value v) {
  const Number image = number(v);
  if (exceeded()) return "a term too large";
  if (v.term == 0 || is_atom(v.term) || forms_.atom_count(form_of(v.term)) == 1) return base_.describe(image);
  const uint32_t form = form_of(v.term);
  return "max of " + std::to_string(forms_.clause_count(form)) + " over " + std::to_string(forms_.atom_count(form)) + " atoms, " +
         base_.describe(image);
}

template class Lattice<Field, false>;
template class Lattice<Field, true>;
template class Lattice<ExpPair, false>;
template class Lattice<ExpPair, true>;

}  // namespace tileproof::oracle
