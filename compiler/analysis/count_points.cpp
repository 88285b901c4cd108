#include "compiler/analysis/count_points.h"

#include "compiler/ir/floor_divide.h"
#include "compiler/ir/interval.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace tileproof::analysis {
namespace {

using ir::Expression;
using ir::Op;

bool mentions(const Expression& e, std::string_view name) {
  if (e.op == Op::variable) return e.name == name;
  return std::ranges::any_of(e.operands, [&](const Expression& operand) { return mentions(operand, name); });
}

bool reads_data(const Expression& e) { return e.op == Op::read || std::ranges::any_of(e.operands, reads_data); }

/// `name` occurs in sums and in products with what does not mention it, and nowhere else.
bool is_affine_in(const Expression& e, std::string_view name) {
  if (e.op == Op::variable || !mentions(e, name)) return true;
  switch (e.op) {
    case Op::negate:
    case Op::add:
    case Op::subtract:
      return std::ranges::all_of(e.operands, [&](const Expression& operand) { return is_affine_in(operand, name); });
    case Op::multiply:
      return mentions(e.operands[0], name) != mentions(e.operands[1], name) && is_affine_in(e.operands[0], name) &&
             is_affine_in(e.operands[1], name);
    default: return false;
  }
}

bool bounds_an_interval_of(const Expression& condition, std::string_view name) {
  return ir::is_comparison(condition.op) && condition.op != Op::not_equal && is_affine_in(condition.operands[0], name) &&
         is_affine_in(condition.operands[1], name);
}

struct Interval {
  int64_t low, high;   // half-open
  int64_t size() const { return std::max<int64_t>(high - low, 0); }
};

/// The dimensions that conditions and ranges tie together, and these conditions.
struct Component {
  std::vector<const Dimension*> dimensions;   // in the order of the nest
  std::vector<const Expression*> conditions;
};

class Counter {
 public:
  explicit Counter(const ParameterValues& parameters) : parameters_(parameters) {}

  PointCount count(const Component& component) {
    choose(component);
    steps_ = 0;
    std::optional<int64_t> points = level(0);
    if (points) return {*points, true};
    return {bound(component), false};
  }

  /// A condition that names no dimension; nullopt: it cannot be evaluated.
  std::optional<bool> holds(const Expression& e) const {
    if (e.op == Op::logical_not) {
      const auto inner = holds(e.operands[0]);
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    if (e.op == Op::logical_and || e.op == Op::logical_or) {
      const auto a = holds(e.operands[0]), b = holds(e.operands[1]);
      if (!a || !b) return std::nullopt;
      return e.op == Op::logical_and ? *a && *b : *a || *b;
    }
    if (!ir::is_comparison(e.op)) return std::nullopt;
    const auto a = value(e.operands[0]), b = value(e.operands[1]);
    if (!a || !b) return std::nullopt;
    switch (e.op) {
      case Op::less: return *a < *b;
      case Op::less_equal: return *a <= *b;
      case Op::greater: return *a > *b;
      case Op::greater_equal: return *a >= *b;
      case Op::equal: return *a == *b;
      default: return *a != *b;
    }
  }

 private:
  struct Bound {
    std::string_view name;
    ir::Interval values;
  };

  std::optional<ir::Interval> range_of(std::string_view name) const {
    const auto bound = std::ranges::find(environment_, name, &Bound::name);
    if (bound != environment_.end()) return bound->values;
    const auto parameter = parameters_.find(name);
    return parameter == parameters_.end() ? std::nullopt : std::optional(ir::Interval{parameter->second, parameter->second});
  }

  std::optional<ir::Interval> interval(const Expression& e) const {
    return ir::interval(e, [this](std::string_view name) { return range_of(name); });
  }

  std::optional<int64_t> value(const Expression& e) const {
    const auto found = interval(e);
    return found && found->is_point() ? std::optional(found->low) : std::nullopt;
  }

  std::optional<Interval> range(const Dimension& dimension) const {
    const auto low = value(dimension.range.low), high = value(dimension.range.high);
    if (!low || !high) return std::nullopt;
    return Interval{*low, *high};
  }

  /// Which dimension is counted as an interval, and at which level of the enumeration of the others a condition is decided.
  void choose(const Component& component) {
    environment_.clear();
    last_ = nullptr;
    int64_t most = -1;
    for (const Dimension* candidate : component.dimensions) {
      const bool free = std::ranges::none_of(component.dimensions, [&](const Dimension* other) {
        return mentions(other->range.low, candidate->name) || mentions(other->range.high, candidate->name);
      });
      const bool affine = std::ranges::all_of(component.conditions, [&](const Expression* condition) {
        return !mentions(*condition, candidate->name) || bounds_an_interval_of(*condition, candidate->name);
      });
      // A range over other dimensions has no size yet; such a one is best where no other is free.
      const int64_t size = range(*candidate).value_or(Interval{0, 0}).size();
      if (!free || !affine || size <= most) continue;
      most = size;
      last_ = candidate;
    }
    enumerated_.clear();
    for (const Dimension* dimension : component.dimensions) {
      if (dimension != last_) enumerated_.push_back(dimension);
    }
    decided_.assign(enumerated_.size() + 1, {});
    bounding_.clear();
    for (const Expression* condition : component.conditions) {
      if (last_ != nullptr && mentions(*condition, last_->name)) {
        bounding_.push_back(condition);
        continue;
      }
      size_t at = enumerated_.size();
      while (at > 0 && !mentions(*condition, enumerated_[at - 1]->name)) --at;
      decided_[at].push_back(condition);
    }
  }

  /// Points of the dimensions from `depth` on, with those before fixed; nullopt: too many steps, or not an integer expression.
  std::optional<int64_t> level(size_t depth) {
    if (++steps_ > most_steps) return std::nullopt;
    for (const Expression* condition : decided_[depth]) {
      const auto holding = holds(*condition);
      if (!holding) return std::nullopt;
      if (!*holding) return 0;
    }
    if (depth == enumerated_.size()) return last_ == nullptr ? 1 : inside();
    const std::optional<Interval> values = range(*enumerated_[depth]);
    if (!values) return std::nullopt;
    int64_t points = 0;
    environment_.push_back({enumerated_[depth]->name, {}});
    for (int64_t at = values->low; at < values->high; ++at) {
      environment_[depth].values = {at, at};
      const std::optional<int64_t> inner = level(depth + 1);
      if (!inner) return std::nullopt;
      points += *inner;
    }
    environment_.pop_back();
    return points;
  }

  /// How many values of the last dimension all conditions leave.
  std::optional<int64_t> inside() {
    std::optional<Interval> values = range(*last_);
    if (!values) return std::nullopt;
    for (const Expression* condition : bounding_) {
      const auto at0 = difference_at(*condition, 0), at1 = difference_at(*condition, 1);
      if (!at0 || !at1) return std::nullopt;
      const int64_t slope = *at1 - *at0;
      const Op op = condition->op;
      // The condition reads slope * v + at0 <op> 0.
      if (op == Op::less) at_most(*values, slope, -*at0 - 1);
      if (op == Op::less_equal || op == Op::equal) at_most(*values, slope, -*at0);
      if (op == Op::greater) at_most(*values, -slope, *at0 - 1);
      if (op == Op::greater_equal || op == Op::equal) at_most(*values, -slope, *at0);
    }
    return values->size();
  }

  /// Left side minus right side where the last dimension is `at`.
  std::optional<int64_t> difference_at(const Expression& condition, int64_t at) {
    environment_.push_back({last_->name, {at, at}});
    const auto left = value(condition.operands[0]), right = value(condition.operands[1]);
    environment_.pop_back();
    if (!left || !right) return std::nullopt;
    constexpr int64_t far = int64_t{1} << 60;   // nothing that is exact comes near
    if (std::max(std::abs(*left), std::abs(*right)) > far) return std::nullopt;
    return *left - *right;
  }

  /// Keeps those with slope * v <= most.
  static void at_most(Interval& values, int64_t slope, int64_t most) {
    if (slope > 0) values.high = std::min(values.high, ir::floor_divide(most, slope) + 1);
    if (slope < 0) values.low = std::max(values.low, -ir::floor_divide(most, -slope));
    if (slope == 0 && most < 0) values.high = values.low;
  }

  /// The product of the longest ranges, as if no condition were there.
  int64_t bound(const Component& component) {
    environment_.clear();
    int64_t points = 1;
    for (const Dimension* dimension : component.dimensions) {
      const auto low = interval(dimension->range.low), high = interval(dimension->range.high);
      if (!low || !high) return std::numeric_limits<int64_t>::max();
      points = ir::multiply_saturating(points, std::max<int64_t>(ir::combine(Op::subtract, *high, *low)->high, 0));
      environment_.push_back({dimension->name, {low->low, std::max(high->high - 1, low->low)}});
    }
    return points;
  }

  const ParameterValues& parameters_;
  const Dimension* last_ = nullptr;                          // counted as an interval
  std::vector<const Dimension*> enumerated_;                 // the others
  std::vector<std::vector<const Expression*>> decided_;      // by the number of dimensions that are fixed
  std::vector<const Expression*> bounding_;                  // those that name the last dimension
  std::vector<Bound> environment_;
  int64_t steps_ = 0;
};

/// Which dimensions are tied together: disjoint sets.
class Ties {
 public:
  explicit Ties(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  size_t root(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void tie(size_t a, size_t b) { parent_[root(a)] = root(b); }

 private:
  std::vector<size_t> parent_;
};

}  // namespace

PointCount count_points(std::span<const Dimension> dimensions, std::span<const Expression> conditions,
                        const ParameterValues& parameters) {
  Ties ties(dimensions.size());
  /// Ties all dimensions that `e` mentions to `first`, or to the first of them; what they are tied to.
  const auto tie_all = [&](const Expression& e, std::optional<size_t> first) {
    for (size_t i = 0; i < dimensions.size(); ++i) {
      if (!mentions(e, dimensions[i].name)) continue;
      if (first) ties.tie(i, *first);
      first = i;
    }
    return first;
  };
  for (size_t i = 0; i < dimensions.size(); ++i) {
    tie_all(dimensions[i].range.low, i);
    tie_all(dimensions[i].range.high, i);
  }
  Counter counter(parameters);
  PointCount total{1, true};
  std::vector<std::pair<const Expression*, size_t>> tied;   // a condition, and a dimension that it mentions
  for (const Expression& condition : conditions) {
    if (reads_data(condition)) {
      total.exact = false;
    } else if (const auto first = tie_all(condition, std::nullopt)) {
      tied.emplace_back(&condition, *first);
    } else {
      const std::optional<bool> holding = counter.holds(condition);
      if (holding == false) return {0, true};
      if (!holding) total.exact = false;
    }
  }
  std::map<size_t, Component> components;
  for (size_t i = 0; i < dimensions.size(); ++i) components[ties.root(i)].dimensions.push_back(&dimensions[i]);
  for (const auto& [condition, dimension] : tied) components[ties.root(dimension)].conditions.push_back(condition);
  for (const auto& [root, component] : components) {
    const PointCount part = counter.count(component);
    if (part.points == 0 && part.exact) return {0, true};
    total.points = ir::multiply_saturating(total.points, part.points);
    total.exact = total.exact && part.exact;
  }
  return total;
}

std::optional<int64_t> value(const Expression& expression, const ParameterValues& parameters) {
  const auto found = ir::interval(expression, [&](std::string_view name) -> std::optional<ir::Interval> {
    const auto parameter = parameters.find(name);
    if (parameter == parameters.end()) return std::nullopt;
    return ir::Interval{parameter->second, parameter->second};
  });
  return found && found->is_point() ? std::optional(found->low) : std::nullopt;
}

}  // namespace tileproof::analysis
