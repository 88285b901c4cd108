#include "fuzz/mutate/edits.h"

#include <algorithm>
#include <limits>
#include <span>

namespace tileproof::fuzz {

namespace {

using ir::Expression;
using ir::Op;

struct Place {
  Expression* expression;
  Use use;
};

/// Every expression and operand of the file.
std::vector<Place> all_places(ir::File& file) {
  std::vector<Place> places;
  each_expression(file, [&](Expression& e, Use use) {
    each_node(e, use, [&](Expression& node, Use inner) { places.push_back({&node, inner}); });
  });
  return places;
}

/// Those for which `is_wanted` holds.
template <class F>
std::vector<Place> places_where(ir::File& file, const F& is_wanted) {
  std::vector<Place> places = all_places(file);
  std::erase_if(places, [&](const Place& place) { return !is_wanted(*place.expression); });
  return places;
}

constexpr int64_t budgets_and_limits[] = {0,
                                          1,
                                          2,
                                          3,
                                          4,
                                          7,
                                          8,
                                          31,
                                          32,
                                          33,
                                          64,
                                          127,
                                          128,
                                          129,
                                          512,
                                          513,
                                          2048,
                                          65536,
                                          int64_t{1} << 31,
                                          std::numeric_limits<int64_t>::max()};

Expression edited_number(const Expression& old, Choices& choices) {
  const int64_t value = to_integer(old.value).value_or(1);
  const bool is_small = value < int64_t{1} << 40;
  switch (choices.below(6)) {
    case 0: return is_small ? number(value + 1) : number(value - 1);
    case 1: return number(value - 1);
    case 2: return is_small ? number(2 * value) : number(value / 2);
    case 3: return number(value / 2);
    case 4: {
      Expression decimal = ir::integer(0);
      decimal.value =
          ir::make_decimal(choices.between(0, 999), static_cast<int32_t>(choices.pick({-1, -3, -45, -390, 3, 38, 390})));
      return decimal;
    }
    default: return number(budgets_and_limits[choices.below(std::size(budgets_and_limits))]);
  }
}

/// Operators that may stand for each other: they have as many operands and are spelled alike.
constexpr Op arithmetic[] = {Op::add, Op::subtract, Op::multiply, Op::divide, Op::floordiv, Op::mod, Op::min, Op::max};
constexpr Op bitwise[] = {Op::bit_and, Op::bit_or, Op::bit_xor, Op::shift_left, Op::shift_right};
constexpr Op comparisons[] = {Op::less, Op::less_equal, Op::greater, Op::greater_equal, Op::equal, Op::not_equal};
constexpr Op logical[] = {Op::logical_and, Op::logical_or};
constexpr Op unary[] = {Op::negate, Op::bit_not, Op::logical_not, Op::exp,      Op::log,  Op::sqrt, Op::rsqrt,
                        Op::tanh,   Op::sigmoid, Op::silu,        Op::softplus, Op::erf,  Op::gelu, Op::sin,
                        Op::cos,    Op::abs,     Op::sign,        Op::floor,    Op::ceil, Op::round};

std::span<const Op> alternatives(Op op) {
  for (const std::span<const Op> group :
       {std::span<const Op>(arithmetic), std::span<const Op>(bitwise), std::span<const Op>(comparisons),
        std::span<const Op>(logical), std::span<const Op>(unary)})
    if (std::ranges::find(group, op) != group.end()) return group;
  return {};
}

Op pick(std::span<const Op> ops, Choices& choices) { return ops[choices.below(ops.size())]; }

}  // namespace

bool edit_number(ir::File& file, Choices& choices) {
  std::vector<Place> numbers = places_where(file, [](const Expression& e) { return e.op == Op::literal; });
  if (numbers.empty()) return false;
  Expression& e = *choices.pick(numbers).expression;
  e = edited_number(e, choices);
  return true;
}

bool edit_operator(ir::File& file, Choices& choices) {
  std::vector<Place> places =
      places_where(file, [](const Expression& e) { return !alternatives(e.op).empty() || e.op == Op::cast; });
  if (places.empty()) return false;
  Expression& e = *choices.pick(places).expression;
  if (e.op == Op::cast) {
    e.dtype = ir::all_dtypes()[choices.below(ir::all_dtypes().size())];
  } else if (e.operands.size() == 2 && choices.chance(30)) {
    std::swap(e.operands[0], e.operands[1]);
  } else {
    e.op = pick(alternatives(e.op), choices);
  }
  return true;
}

bool edit_operand(ir::File& file, Choices& choices) {
  const std::vector<Place> places = all_places(file);
  if (places.empty()) return false;
  const Place to = choices.pick(places);
  Expression old = *to.expression;
  switch (choices.below(6)) {
    case 0: *to.expression = make(pick(unary, choices), {std::move(old)}); break;
    case 1: *to.expression = make(pick(arithmetic, choices), {std::move(old), number(choices.between(1, 4))}); break;
    case 2: *to.expression = ir::cast(choices.pick({ir::Dtype::bf16, ir::Dtype::i8, ir::Dtype::f64}), std::move(old)); break;
    case 3:
      if (!old.operands.empty() && old.op != Op::read) {   // an operand stands for the whole
        *to.expression = old.operands[choices.below(old.operands.size())];
        break;
      }
      [[fallthrough]];
    default: {
      const Expression from = *choices.pick(places).expression;
      *to.expression = from;
      break;
    }
  }
  return true;
}

bool edit_condition(ir::File& file, Choices& choices) {
  std::vector<std::vector<Expression>*> lists;   // those that may be empty
  for (ir::Statement* s : all<ir::Statement>(file)) {
    lists.push_back(&s->where);
    if (s->start) lists.push_back(&s->start->conditions);
    if (s->stop) lists.push_back(&s->stop->conditions);
  }
  if (lists.empty()) return false;
  std::vector<Expression>& conditions = *choices.pick(lists);
  if (!conditions.empty() && choices.chance(40)) {
    conditions.erase(conditions.begin() + static_cast<ptrdiff_t>(choices.below(conditions.size())));
    return true;
  }
  const std::vector<std::string> names = names_of(file);
  if (names.empty()) return false;
  conditions.push_back(make(pick(comparisons, choices), {ir::variable(choices.pick(names)), number(choices.between(0, 130))}));
  return true;
}

}  // namespace tileproof::fuzz
