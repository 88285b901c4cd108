#include "oracle/equivalence/parameter_values.h"

#include "compiler/ir/text.h"
#include "oracle/interpret/order.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <variant>

namespace tileproof::oracle {
namespace {

using ir::Expression;
using ir::Op;
__extension__ using Wide = __int128;

constexpr size_t most_first = 32;            // whatever they cost
constexpr size_t most_interesting = 512;     // in all
constexpr uint64_t most_enumerated = 2000;   // combinations, all of which are run
constexpr size_t most_meetings = 1024;       // places of the programs that are looked at
constexpr size_t most_own = 8;               // values of a parameter that others and products are combined with
constexpr Wide too_wide = static_cast<Wide>(1) << 96;   // beyond all values that a parameter can meet

bool is_wide(Wide value) { return value > too_wide || value < -too_wide; }

Wide floor_of(Wide a, Wide b) {
  const Wide quotient = a / b;
  return quotient - ((a % b != 0 && (a % b < 0) != (b < 0)) ? 1 : 0);
}

// ---- where something changes ----

/// Finds expressions that are 0 where one of the programs does something else.
class Meetings {
 public:
  explicit Meetings(const std::vector<ir::Parameter>& parameters) : parameters_(parameters) {}

  std::vector<Expression> zeros;

  void add(const ir::Program& program) { block(program.body); }

 private:
  const std::vector<ir::Parameter>& parameters_;
  std::set<std::string> known_;   // by their text

  bool mentions_parameter(const Expression& e) const {
    if (e.op == Op::variable) return std::ranges::find(parameters_, e.name, &ir::Parameter::name) != parameters_.end();
    return std::ranges::any_of(e.operands, [this](const Expression& operand) { return mentions_parameter(operand); });
  }

  void zero(Expression e) {
    if (zeros.size() < most_meetings && mentions_parameter(e) && known_.insert(ir::print(e)).second)
      zeros.push_back(std::move(e));
  }

  /// What is asked whether it is true.
  void truth(const Expression& e) {
    if (!ir::is_comparison(e.op) && e.op != Op::logical_and && e.op != Op::logical_or && e.op != Op::logical_not) zero(e);
  }

  void look(const Expression& e) {
    for (const Expression& operand : e.operands) look(operand);
    switch (e.op) {
      case Op::min:
      case Op::max: zero(ir::make(Op::subtract, e.operands)); break;
      case Op::floordiv:
      case Op::mod: zero(ir::make(Op::mod, e.operands)); break;
      case Op::select: truth(e.operands[0]); break;
      case Op::logical_and:
      case Op::logical_or:
      case Op::logical_not: std::ranges::for_each(e.operands, [this](const Expression& operand) { truth(operand); }); break;
      default:
        if (ir::is_comparison(e.op)) zero(ir::make(Op::subtract, e.operands));
    }
  }
  void look(const std::vector<Expression>& list) {
    for (const Expression& e : list) look(e);
  }
  void extent(const Expression& e) {
    look(e);
    zero(e);
  }

  void block(const ir::Block& items) {
    for (const ir::Item& item : items) std::visit([this](const auto& node) { this->visit(node); }, item.node);
  }
  void visit(const ir::Buffer& buffer) {
    for (const Expression& e : buffer.extents) extent(e);
    for (const ir::Range& range : buffer.valid) look(range.low), look(range.high);
    if (buffer.range) look(buffer.range->low), look(buffer.range->high);
    if (buffer.address) look(buffer.address->partition), look(buffer.address->byte);
  }
  void visit(const ir::View& view) {
    for (const ir::Axis& dim : view.dims) extent(dim.extent);
    look(view.indices);
  }
  void visit(const ir::Statement& statement) {
    for (const ir::Axis& axis : statement.axes) extent(axis.extent);
    look(statement.indices);
    look(statement.where);
    if (statement.start) look(statement.start->conditions);
    if (statement.stop) look(statement.stop->conditions);
    look(statement.value);
  }
  void visit(const ir::Loop& loop) {
    look(loop.range.low);
    look(loop.range.high);
    zero(ir::make(Op::subtract, {loop.range.high, loop.range.low}));
    block(loop.body);
  }
  void visit(const ir::If& branch) {
    look(branch.conditions);
    block(branch.then_body);
    block(branch.else_body);
  }
  void visit(const ir::While& loop) {
    look(loop.conditions);
    extent(loop.limit);
    block(loop.body);
  }
  void visit(const ir::Group& group) { block(group.body); }
  static void visit(const ir::Move&) {}
  static void visit(const ir::Opaque&) {}
};

// ---- for which value of one parameter, the others fixed ----

/// slope * parameter + constant + any multiples of the steps (loop variables, axes and reads, which take what values they like).
struct Line {
  Wide slope = 0, constant = 0;
  std::vector<Wide> steps;
  bool is_constant() const { return slope == 0 && steps.empty(); }
};

class Solver {
 public:
  Solver(const ir::Parameter& parameter, const Parameters& others) : parameter_(parameter), others_(others) {}

  /// Values of the parameter near which `e` is 0, the likeliest first; some may lie outside of the range.
  std::vector<Wide> zeros(const Expression& e) {
    meet(e, 0);
    if (found_.empty()) bisect(e);
    return std::move(found_);
  }

 private:
  const ir::Parameter& parameter_;
  const Parameters& others_;
  std::vector<Wide> found_;

  void around(Wide value) {
    for (const int delta : {0, 1, -1}) found_.push_back(value + delta);
  }

  std::optional<Line> line_of(const Expression& e) const {
    if (e.op == Op::literal) {
      const std::optional<int64_t> value = ir::to_integer(e.value);
      return value ? std::optional(Line{0, *value, {}}) : std::nullopt;
    }
    if (e.op == Op::variable && e.name == parameter_.name) return Line{1, 0, {}};
    if (e.op == Op::variable) {
      if (const auto other = others_.find(e.name); other != others_.end()) return Line{0, other->second, {}};
    }
    if (e.op == Op::variable || e.op == Op::read) return Line{0, 0, {1}};
    std::vector<Line> lines;
    for (const Expression& operand : e.operands) {
      std::optional<Line> line = line_of(operand);
      if (!line) return std::nullopt;
      lines.push_back(std::move(*line));
    }
    if (lines.empty()) return std::nullopt;
    Line& a = lines[0];
    if (e.op == Op::cast) return a;
    if (e.op == Op::negate) return times(a, -1);
    if (e.op == Op::add || e.op == Op::subtract) {
      const std::optional<Line> b = e.op == Op::add ? std::optional(lines[1]) : times(lines[1], -1);
      if (!b) return std::nullopt;
      a.slope += b->slope;
      a.constant += b->constant;
      a.steps.insert(a.steps.end(), b->steps.begin(), b->steps.end());
      return is_wide(a.slope) || is_wide(a.constant) ? std::nullopt : std::optional(std::move(a));
    }
    if (e.op == Op::multiply && lines[1].is_constant()) return times(a, lines[1].constant);
    if (e.op == Op::multiply && a.is_constant()) return times(lines[1], a.constant);
    if (std::ranges::all_of(lines, &Line::is_constant)) return folded(e.op, lines);
    return std::nullopt;
  }

  static std::optional<Line> times(Line line, Wide factor) {
    std::vector<Wide*> parts{&line.slope, &line.constant};
    for (Wide& step : line.steps) parts.push_back(&step);
    for (Wide* part : parts) {
      if (__builtin_mul_overflow(*part, factor, part) || is_wide(*part)) return std::nullopt;
    }
    return line;
  }

  static std::optional<Line> folded(Op op, const std::vector<Line>& lines) {
    const Wide a = lines[0].constant, b = lines.size() > 1 ? lines[1].constant : 0;
    switch (op) {
      case Op::floordiv: return b == 0 ? std::nullopt : std::optional(Line{0, floor_of(a, b), {}});
      case Op::mod: return b == 0 ? std::nullopt : std::optional(Line{0, a - b * floor_of(a, b), {}});
      case Op::min: return Line{0, std::min(a, b), {}};
      case Op::max: return Line{0, std::max(a, b), {}};
      case Op::select: return Line{0, a != 0 ? b : lines[2].constant, {}};
      case Op::less: return Line{0, a < b, {}};
      case Op::less_equal: return Line{0, a <= b, {}};
      case Op::greater: return Line{0, a > b, {}};
      case Op::greater_equal: return Line{0, a >= b, {}};
      case Op::equal: return Line{0, a == b, {}};
      case Op::not_equal: return Line{0, a != b, {}};
      case Op::logical_and: return Line{0, a != 0 && b != 0, {}};
      case Op::logical_or: return Line{0, a != 0 || b != 0, {}};
      case Op::logical_not: return Line{0, a == 0, {}};
      default: return std::nullopt;
    }
  }

  std::optional<Wide> constant_of(const Expression& e) const {
    const std::optional<Line> line = line_of(e);
    return line && line->is_constant() ? std::optional(line->constant) : std::nullopt;
  }

  /// A few of the multiples of `step` that `line` passes over the range of the parameter, from its low end on: the first three, the
  /// middle, the last two.
  std::vector<Wide> multiples(const Line& line, Wide step) const {
    const Wide at_low = line.slope * parameter_.low + line.constant, at_high = line.slope * parameter_.high + line.constant;
    const Wide least = -floor_of(-std::min(at_low, at_high), step), most = floor_of(std::max(at_low, at_high), step);
    const Wide first = line.slope < 0 ? most : least, last = line.slope < 0 ? least : most, on = line.slope < 0 ? -1 : 1;
    std::vector<Wide> result;
    for (const Wide k : {first, first + on, first + 2 * on, least + (most - least) / 2, last, last - on}) {
      if (k >= least && k <= most && std::ranges::find(result, k * step) == result.end()) result.push_back(k * step);
    }
    return result;
  }

  /// Adds the values of the parameter near which `e` is `target`.
  void meet(const Expression& e, Wide target) {
    if (is_wide(target)) return;
    if (const std::optional<Line> line = line_of(e)) {
      meet(*line, target);
      return;
    }
    const auto constant = [&](size_t operand) { return constant_of(e.operands[operand]); };
    switch (e.op) {
      case Op::negate: meet(e.operands[0], -target); break;
      case Op::add:
      case Op::subtract:
        if (const std::optional<Wide> b = constant(1)) {
          meet(e.operands[0], e.op == Op::add ? target - *b : target + *b);
        } else if (const std::optional<Wide> a = constant(0)) {
          meet(e.operands[1], e.op == Op::add ? target - *a : *a - target);
        }
        break;
      case Op::multiply:
        for (const size_t factor : {size_t{0}, size_t{1}}) {
          const std::optional<Wide> c = constant(factor);
          if (!c || *c == 0) continue;
          meet(e.operands[1 - factor], floor_of(target, *c));
          if (target % *c != 0) meet(e.operands[1 - factor], floor_of(target, *c) + 1);
          break;
        }
        break;
      case Op::divide:
        if (const std::optional<Wide> c = constant(1); c && !is_wide(*c) && target < too_wide / (1 + (*c < 0 ? -*c : *c)))
          meet(e.operands[0], target * *c);
        break;
      case Op::mod: comes_round(e.operands[0], constant(1), target); break;
      case Op::floordiv: steps_to(e.operands[0], constant(1), target); break;
      case Op::shift_right: steps_to(e.operands[0], power_of_two(constant(1)), target); break;
      case Op::bit_and:
        if (const std::optional<Wide> mask = constant(1); mask && *mask > 0 && (*mask & (*mask + 1)) == 0)
          comes_round(e.operands[0], *mask + 1, target);
        break;
      case Op::min:
      case Op::max:
        meet(e.operands[0], target);
        meet(e.operands[1], target);
        break;
      case Op::select:
        meet(e.operands[1], target);
        meet(e.operands[2], target);
        break;
      case Op::abs:
        meet(e.operands[0], target);
        if (target != 0) meet(e.operands[0], -target);
        break;
      case Op::cast:
      case Op::sign:
      case Op::floor:
      case Op::ceil:
      case Op::round: meet(e.operands[0], target); break;
      default: break;
    }
  }

  void meet(const Line& line, Wide target) {
    if (line.slope == 0) return;
    around(floor_of(target - line.constant, line.slope));
    std::set<Wide> known{1};
    for (const Wide step : line.steps) {
      const Wide length = step < 0 ? -step : step;
      if (length == 0 || !known.insert(length).second) continue;
      Line distance{line.slope, line.constant - target, {}};
      for (const Wide multiple : multiples(distance, length)) around(floor_of(multiple - distance.constant, line.slope));
    }
  }

  static std::optional<Wide> power_of_two(std::optional<Wide> exponent) {
    return exponent && *exponent >= 0 && *exponent < 63 ? std::optional(static_cast<Wide>(1) << *exponent) : std::nullopt;
  }

  /// a mod c == target.
  void comes_round(const Expression& a, std::optional<Wide> c, Wide target) {
    if (!c || *c <= 0) return;
    const Wide rest = target - *c * floor_of(target, *c);
    if (std::optional<Line> line = line_of(a)) {
      line->constant -= rest;
      for (const Wide multiple : multiples(*line, *c)) meet(a, multiple + rest);
    } else {
      for (const Wide k : {0, 1, 2, 3}) meet(a, k * *c + rest);
    }
  }

  /// a floordiv c == target.
  void steps_to(const Expression& a, std::optional<Wide> c, Wide target) {
    if (!c || *c <= 0 || *c > (static_cast<Wide>(1) << 63) || is_wide(target * (static_cast<Wide>(1) << 24))) return;
    meet(a, *c * target);
    if (*c > 1) meet(a, *c * target + *c - 1);
  }

  /// For what is no line, such as n * n: between samples of different signs.
  void bisect(const Expression& e) {
    const auto sign_at = [&](Wide value) -> std::optional<int> {
      Parameters fixed = others_;
      fixed[parameter_.name] = static_cast<int64_t>(value);
      static const ir::Parameter nobody{"", 0, 0, {}};
      const std::optional<Wide> at = Solver(nobody, fixed).constant_of(e);
      return at ? std::optional((*at > 0) - (*at < 0)) : std::nullopt;
    };
    constexpr int samples = 16;
    const Wide length = static_cast<Wide>(parameter_.high) - parameter_.low;
    std::optional<int> before;
    Wide low = parameter_.low;
    for (int i = 0; i <= samples; ++i) {
      Wide high = parameter_.low + length / samples * i + length % samples * i / samples;
      const std::optional<int> here = sign_at(high);
      if (!here) return;
      const Wide next = high;
      if (before && *before != *here) {
        while (high - low > 1) {
          const Wide middle = low + (high - low) / 2;
          const std::optional<int> sign = sign_at(middle);
          if (!sign) return;
          (*sign == *before ? low : high) = middle;
        }
        around(high);
      }
      before = here;
      low = next;
    }
  }
};

// ---- the order ----

class Chooser {
 public:
  explicit Chooser(const std::vector<ir::Parameter>& parameters) : parameters_(parameters) {
    for (const ir::Parameter& parameter : parameters_) {
      lowest_[parameter.name] = parameter.low;
      highest_[parameter.name] = parameter.high;
      middle_[parameter.name] = between(parameter, 1, 2);
      const Wide count = static_cast<Wide>(parameter.high) - parameter.low + 1;
      constexpr Wide most = static_cast<Wide>(1) << 63;
      if (static_cast<Wide>(combinations_) > most / count)
        combinations_ = static_cast<uint64_t>(most);
      else
        combinations_ *= static_cast<uint64_t>(count);
    }
  }

  ParameterValues choose(const std::vector<Expression>& zeros, const Kinds& kinds) {
    add(lowest_);
    add(highest_);
    add(middle_);
    add_meetings(zeros);
    add_in_between();
    add_borders(kinds);
    add_products();
    if (combinations_ <= most_enumerated) add_all();
    ParameterValues result;
    const auto end = values_.begin() + static_cast<ptrdiff_t>(std::min(most_first, values_.size()));
    result.first.assign(values_.begin(), end);
    result.more.assign(end, values_.end());
    result.combinations = combinations_;
    return result;
  }

 private:
  const std::vector<ir::Parameter>& parameters_;
  Parameters lowest_, highest_, middle_;
  uint64_t combinations_ = 1;
  std::vector<Parameters> values_;
  std::set<std::vector<int64_t>> known_;
  std::map<std::string, std::vector<int64_t>> own_;  // interesting values of each parameter, the others in the middle

  static int64_t between(const ir::Parameter& parameter, int64_t part, int64_t of) {
    return static_cast<int64_t>(parameter.low + (static_cast<Wide>(parameter.high) - parameter.low) * part / of);
  }

  bool add(const Parameters& candidate, size_t most = most_interesting) {
    if (values_.size() >= most) return false;
    std::vector<int64_t> key;
    for (const auto& [name, value] : candidate) key.push_back(value);
    if (known_.insert(std::move(key)).second) values_.push_back(candidate);
    return true;
  }

  /// In turn over the lists, so that the bound leaves some for each.
  void add_in_turn(const std::vector<std::vector<Parameters>>& lists) {
    for (size_t turn = 0;; ++turn) {
      bool any = false;
      for (const std::vector<Parameters>& list : lists) {
        if (turn >= list.size()) continue;
        any = true;
        if (!add(list[turn])) return;
      }
      if (!any) return;
    }
  }

  static bool mentions(const Expression& e, const std::string& name) {
    if (e.op == Op::variable) return e.name == name;
    return std::ranges::any_of(e.operands, [&](const Expression& operand) { return mentions(operand, name); });
  }

  /// `base` with the parameter where `e` is 0.
  std::vector<Parameters> solutions(const Expression& e, const ir::Parameter& parameter, const Parameters& base) const {
    Parameters others = base;
    others.erase(parameter.name);
    std::vector<Parameters> list;
    for (const Wide value : Solver(parameter, others).zeros(e)) {
      if (value < parameter.low || value > parameter.high) continue;
      Parameters candidate = base;
      candidate[parameter.name] = static_cast<int64_t>(value);
      list.push_back(std::move(candidate));
    }
    return list;
  }

  void add_meetings(const std::vector<Expression>& zeros) {
    std::vector<std::vector<Parameters>> lists;
    std::vector<std::pair<const Expression*, std::vector<const ir::Parameter*>>> joint;  // of several parameters
    for (const Expression& e : zeros) {
      std::vector<const ir::Parameter*> mentioned;
      for (const ir::Parameter& parameter : parameters_) {
        if (mentions(e, parameter.name)) mentioned.push_back(&parameter);
      }
      for (const ir::Parameter* parameter : mentioned) {
        lists.push_back(solutions(e, *parameter, middle_));
        std::vector<int64_t>& own = own_[parameter->name];
        for (const Parameters& solution : lists.back()) {
          const int64_t value = solution.at(parameter->name);
          if (mentioned.size() == 1 && own.size() < most_own && std::ranges::find(own, value) == own.end()) own.push_back(value);
        }
      }
      if (mentioned.size() > 1) joint.emplace_back(&e, std::move(mentioned));
    }
    for (const auto& [e, mentioned] : joint) {
      for (const ir::Parameter* parameter : mentioned) {
        lists.push_back(solutions(*e, *parameter, lowest_));
        lists.push_back(solutions(*e, *parameter, highest_));
        for (const ir::Parameter* other : mentioned) {
          if (other == parameter) continue;
          for (const int64_t value : own_[other->name]) {
            Parameters base = middle_;
            base[other->name] = value;
            lists.push_back(solutions(*e, *parameter, base));
          }
        }
      }
    }
    add_in_turn(lists);
  }

  /// Programs that compute with a parameter may agree at all the others by chance.
  void add_in_between() {
    for (const int64_t part : {382, 786}) {
      Parameters candidate;
      for (const ir::Parameter& parameter : parameters_)
        candidate[parameter.name] = between(parameter, part + static_cast<int64_t>(hash_name(parameter.name) % 97), 1000);
      add(candidate);
    }
  }

  void add_borders(const Kinds& kinds) {
    for (const int64_t border : kinds.borders) {
      for (const ir::Parameter& parameter : parameters_) {
        if (border < parameter.low || border > parameter.high) continue;
        Parameters candidate = middle_;
        candidate[parameter.name] = border;
        add(candidate);
      }
    }
  }

  /// Conditions on different parameters may have to hold at once.
  void add_products() {
    std::vector<Parameters> products{{}};
    for (const ir::Parameter& parameter : parameters_) {
      std::vector<int64_t> own = own_[parameter.name];
      for (const int64_t value : {parameter.low, parameter.high, middle_[parameter.name]}) own.push_back(value);
      std::vector<Parameters> longer;
      for (const int64_t value : own) {
        for (const Parameters& product : products) {
          if (longer.size() >= most_interesting) break;
          longer.push_back(product);
          longer.back()[parameter.name] = value;
        }
      }
      products = std::move(longer);
    }
    for (const Parameters& product : products) add(product);
  }

  /// Those that are left, in an order that spreads them over the ranges.
  void add_all() {
    uint64_t step = std::max<uint64_t>(1, combinations_ * 618 / 1000);
    while (std::gcd(step, combinations_) != 1) ++step;
    for (uint64_t i = 0; i < combinations_; ++i) {
      uint64_t rest = i * step % combinations_;
      Parameters candidate;
      for (const ir::Parameter& parameter : parameters_) {
        const auto count = static_cast<uint64_t>(static_cast<Wide>(parameter.high) - parameter.low + 1);
        candidate[parameter.name] = parameter.low + static_cast<int64_t>(rest % count);
        rest /= count;
      }
      add(candidate, most_enumerated);
    }
  }
};

}  // namespace

ParameterValues parameter_values(const ir::Program& original, const ir::Program& tiled, const Kinds& kinds) {
  Meetings meetings(original.parameters);
  meetings.add(original);
  meetings.add(tiled);
  return Chooser(original.parameters).choose(meetings.zeros, kinds);
}

}  // namespace tileproof::oracle
