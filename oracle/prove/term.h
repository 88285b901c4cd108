// Integer terms and formulas with symbolic sizes: what a lemma says, for the solver to prove and for numbers to try.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::prove {

enum class Kind : uint8_t {
  integer,
  variable,
  add,
  subtract,
  multiply,
  quotient,
  remainder,   // rounded down; the divisor is to be at least 1, which the prover proves too
  min,
  max,
  choose,
  truth,
  less,
  less_equal,
  equal,
  both,
  either,
  negation,
};

/// A node of a term or formula; shared, never changed.
struct Node {
  Kind kind = Kind::integer;
  int64_t value = 0;                                   ///< of an integer or a truth (0, 1)
  std::string name;                                    ///< of a variable
  std::vector<std::shared_ptr<const Node>> operands;
};
using NodePtr = std::shared_ptr<const Node>;

class Formula;

/// An integer, unbounded. The arithmetic of the compiler that is written for any number type runs on terms as it does on int64_t.
class Term {
 public:
  template <std::integral Integer>
  Term(Integer value) : Term(Node{Kind::integer, static_cast<int64_t>(value), {}, {}}) {}  // implicit: literals in formulas
  explicit Term(Node node) : node_(std::make_shared<const Node>(std::move(node))) {}
  static Term variable(std::string name) { return Term(Node{Kind::variable, 0, std::move(name), {}}); }

  const NodePtr& node() const { return node_; }

  friend Term operator+(const Term& a, const Term& b) { return of(Kind::add, a, b); }
  friend Term operator-(const Term& a, const Term& b) { return of(Kind::subtract, a, b); }
  friend Term operator*(const Term& a, const Term& b) { return of(Kind::multiply, a, b); }
  /// Rounded down: for the operands of cuts, which are not negative, what `/` and `%` are on int64_t.
  friend Term operator/(const Term& a, const Term& b) { return of(Kind::quotient, a, b); }
  friend Term operator%(const Term& a, const Term& b) { return of(Kind::remainder, a, b); }
  friend Term min(const Term& a, const Term& b) { return of(Kind::min, a, b); }
  friend Term max(const Term& a, const Term& b) { return of(Kind::max, a, b); }

 private:
  static Term of(Kind kind, const Term& a, const Term& b) { return Term(Node{kind, 0, {}, {a.node_, b.node_}}); }
  NodePtr node_;
};

class Formula {
 public:
  Formula(bool value) : Formula(Node{Kind::truth, value ? 1 : 0, {}, {}}) {}
  explicit Formula(Node node) : node_(std::make_shared<const Node>(std::move(node))) {}
  explicit Formula(NodePtr node) : node_(std::move(node)) {}

  const NodePtr& node() const { return node_; }

  friend Formula operator&&(const Formula& a, const Formula& b) { return of(Kind::both, a.node_, b.node_); }
  friend Formula operator||(const Formula& a, const Formula& b) { return of(Kind::either, a.node_, b.node_); }
  friend Formula operator!(const Formula& a) { return Formula(Node{Kind::negation, 0, {}, {a.node_}}); }

 private:
  static Formula of(Kind kind, const NodePtr& a, const NodePtr& b) { return Formula(Node{kind, 0, {}, {a, b}}); }
  NodePtr node_;
};

inline Formula operator<(const Term& a, const Term& b) { return Formula(Node{Kind::less, 0, {}, {a.node(), b.node()}}); }
inline Formula operator<=(const Term& a, const Term& b) { return Formula(Node{Kind::less_equal, 0, {}, {a.node(), b.node()}}); }
inline Formula operator==(const Term& a, const Term& b) { return Formula(Node{Kind::equal, 0, {}, {a.node(), b.node()}}); }
inline Formula operator>(const Term& a, const Term& b) { return b < a; }
inline Formula operator>=(const Term& a, const Term& b) { return b <= a; }
inline Formula operator!=(const Term& a, const Term& b) { return !(a == b); }

inline Formula implies(const Formula& a, const Formula& b) { return !a || b; }
inline Formula same_truth(const Formula& a, const Formula& b) { return implies(a, b) && implies(b, a); }
/// `yes` where `condition` holds, `no` elsewhere. Both are to be defined everywhere.
inline Term choose(const Formula& condition, const Term& yes, const Term& no) {
  return Term(Node{Kind::choose, 0, {}, {condition.node(), yes.node(), no.node()}});
}

/// A value for each variable.
using Sizes = std::map<std::string, int64_t>;

/// The value for these sizes; nullopt: a variable has none, a divisor is below 1, or the value leaves 64 bits.
std::optional<int64_t> evaluate(const Term& term, const Sizes& sizes);
std::optional<bool> evaluate(const Formula& formula, const Sizes& sizes);

/// The names of the variables in `formula`, sorted.
std::vector<std::string> variables(const Formula& formula);

/// The parts that `&&` joins at the top, in order.
std::vector<Formula> conjuncts(const Formula& formula);

/// As a person writes it: "t * c <= m && 1 <= t".
std::string to_string(const Formula& formula);
std::string to_string(const Term& term);

}  // namespace tileproof::prove
