// The lattice tier (rule 3): max and min as terms of the free distributive lattice over the elements of a base tier.
//
//   Lattice<Field, false>     tier (b): idempotence, absorption, clamps, monotone rounding
//   Lattice<ExpPair, false>   tier (c)
//   Lattice<Field, true>      tier (d): + and multiplication by a number of known sign distribute over max and min
//
// A value is a number of the base, or a term in an arena. Only max and min keep terms; for arithmetic a term turns into its
// image, an element of the base that is drawn by its normal form: h(T) - h(-T), which is odd, so that m - m = 0. Images are
// remembered: a term that comes back as a number (x*1 + 0) is that term again. Monotone roundings map over the atoms; wrapping is
// no rounding, and keeps a term only where nothing wraps.
#pragma once

#include "oracle/domain/antichain.h"
#include "oracle/domain/domain.h"
#include "oracle/domain/exp_pair.h"
#include "oracle/domain/field.h"
#include "oracle/domain/form_store.h"
#include "oracle/domain/number_map.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::oracle {

template <class Number>
struct LatticeValue {
  Number number{};  ///< where `term` is 0
  uint32_t term = 0;  ///< otherwise twice an index into the arena, plus 1 for the negation
};

template <class Base, bool Distribute>
class Lattice {
 public:
  using Number = typename Base::Value;
  using Value = LatticeValue<Number>;
  static constexpr size_t max_atoms = 4096;  ///< in one term, rule 3

  /// `max_bytes` bounds the arena. Past it, or past max_atoms or max_comparisons, `exceeded()` holds, and values mean nothing.
  Lattice(const Signature& signature, const Projection& projection, uint64_t key, uint64_t max_bytes)
      : base_(signature, projection, key), hash_keys_(key ^ 0x6c61'7474), hash_(hash_keys_), max_bytes_(max_bytes) {
    entries_.emplace_back();  // 0 is no term
    images_.emplace_back();
  }

  static Value poison() { return {Base::poison(), 0}; }
  static bool is_poison(Value v) { return v.term == 0 && Base::is_poison(v.number); }
  bool is_nan(Value v) const { return v.term == 0 && base_.is_nan(v.number); }
  Value input(const InputElement& at) const { return plain(base_.input(at)); }
  Value integer(int64_t value) const { return plain(base_.integer(value)); }
  Value literal(ir::Decimal decimal) const { return plain(base_.literal(decimal)); }
  Value infinity() const { return plain(base_.infinity()); }
  Value nan() const { return plain(base_.nan()); }

  Value negate(Value a) const { return a.term != 0 ? Value{{}, a.term ^ 1} : plain(base_.negate(a.number)); }
  Value add(Value a, Value b, ir::Dtype dtype = {});
  Value subtract(Value a, Value b, ir::Dtype dtype = {}) { return add(a, negate(b), dtype); }
  Value multiply(Value a, Value b, ir::Dtype dtype = {});
  Value divide(Value a, Value b, ir::Dtype dtype = {});
  Value max(Value a, Value b);
  Value min(Value a, Value b) { return negate(max(negate(a), negate(b))); }
  Value compare(ir::Op op, Value a, Value b) { return plain(base_.compare(op, number(a), number(b))); }
  Value select(Value c, Value a, Value b) { return plain(base_.select(number(c), number(a), number(b))); }
  Value apply(ir::Op op, std::span<const Value> operands, ir::Dtype dtype = {});
  Value narrow(Value v, const Narrowing& narrowing);
  Value identity(ir::Update update) const { return plain(base_.identity(update)); }
  Value accumulate(ir::Update update, Value old, Value value, ir::Dtype dtype = {});
  uint64_t digest(Value v) { return base_.digest(number(v)); }
  Value from_digest(uint64_t digest) const { return plain(base_.from_digest(digest)); }

  bool exceeded() const { return !reason_.empty(); }
  const std::string& reason() const { return reason_; }
  std::string describe(Value v);

  /// The base's element: the number, the one atom of the term, or the image of its normal form.
  Number number(Value v);
  /// Bytes of the arena.
  uint64_t bytes() const {
    return entries_.capacity() * (sizeof(Entry) + sizeof(Number)) + atoms_.capacity() * (sizeof(Number) + sizeof(RealRange)) +
           forms_.bytes() + by_number_.bytes() + hidden_atoms_.bytes();
  }

 private:
  using Ref = uint32_t;  ///< as Value::term
  enum class Kind : uint8_t { atom, max, form };
  struct Entry {
    Kind kind = Kind::atom;
    bool has_image = false;
    Ref left = 0, right = 0;  ///< atom: its index, and none; max: the two terms; form: none
    std::array<uint32_t, 2> forms{};  ///< of the term and of its negation, plus 1; 0: not known yet
    uint32_t mark = 0;  ///< the gathering that has met it last
  };

  static Value plain(Number number) { return {number, 0}; }
  static uint64_t first(Number number) { return Base::first(number); }
  static bool is_number(Number number) { return symbols::is_number(first(number)); }
  static bool is_operand(Value v) { return v.term != 0 || is_number(v.number); }  // not a symbol

  Entry& at(Ref ref) { return entries_[ref >> 1]; }
  bool is_atom(Ref ref) const { return entries_[ref >> 1].kind == Kind::atom; }
  bool is_composite(Ref ref) const { return ref != 0 && !is_atom(ref); }
  AtomRef atom_ref(Ref ref) const { return entries_[ref >> 1].left << 1 | (ref & 1); }
  Number atom(AtomRef ref) const { return (ref & 1) != 0 ? base_.negate(atoms_[ref >> 1]) : atoms_[ref >> 1]; }
  Ref push(Entry entry);
  Ref known_term(Value v) const;
  Ref ref_of(Value v);
  AtomRef atom_of(Number number);
  uint32_t add_atom(Number positive);

  std::vector<Ref> gather(Ref ref);
  uint32_t form_of(Ref ref);
  uint32_t compute_form(Ref ref);
  Antichain antichain_of(Ref ref);
  uint64_t hash_of(uint32_t form) const;
  Ref term_of(uint32_t form, uint32_t negation);
  template <class F>
  std::optional<Value> map_atoms(Ref ref, const F& f);
  template <class F>
  std::optional<uint32_t> map_form(uint32_t form, const F& f);
  bool is_kept_by_wrapping(Ref ref, const Narrowing& narrowing);
  Value distribute_sum(Ref a, Ref b);

  void bound_comparisons() {
    if (comparisons_ > max_comparisons)
      exceed("the lattice tier makes more than " + std::to_string(max_comparisons) + " comparisons");
  }
  void exceed(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
  }
  void check_memory() {
    if (bytes() > max_bytes_) exceed("the terms of the lattice tier need more than " + std::to_string(max_bytes_ >> 20) + " MiB");
  }

  Base base_;
  KeyStream hash_keys_;
  KeyedHash hash_;
  uint64_t max_bytes_;
  std::string reason_;
  std::vector<Entry> entries_;
  std::vector<Number> images_;  ///< by entry, as far as they are known
  std::vector<Number> atoms_;  ///< none of them negative (above half the modulus)
  uint64_t comparisons_ = 0;
  AtomRanges ranges_;
  FormStore forms_;
  NumberMap by_number_;  ///< atoms and images, by the magnitude of their number
  NumberMap hidden_atoms_;  ///< atoms (plus 1) whose number is also an image, by its magnitude
  int depth_ = 0;
  uint32_t mark_ = 0;
};

extern template class Lattice<Field, false>;
extern template class Lattice<Field, true>;
extern template class Lattice<ExpPair, false>;
extern template class Lattice<ExpPair, true>;

static_assert(Domain<Lattice<Field, false>> && Domain<Lattice<ExpPair, true>>);

}  // namespace tileproof::oracle
