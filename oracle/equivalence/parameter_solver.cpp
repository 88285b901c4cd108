#include "oracle/equivalence/parameter_solver.h"

#include "oracle/interpret/integer_code.h"
#include "oracle/interpret/kinds.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace tileproof::oracle {
namespace {

using ir::Expression;
using ir::Op;
using Wide = WideInteger;

constexpr Wide too_wide = static_cast<Wide>(1) << 96;   // beyond all values that a parameter can meet

bool is_wide(Wide value) { return value > too_wide || value < -too_wide; }

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
    const auto value = [&](size_t operand) { return operand < lines.size() ? lines[operand].constant : 0; };
    if (op == Op::select) return Line{0, value(0) != 0 ? value(1) : value(2), {}};
    constexpr Wide most = std::numeric_limits<int64_t>::max();
    if (value(0) > most || value(0) < -most || value(1) > most || value(1) < -most) return std::nullopt;
    const int64_t result = apply_integer(op, static_cast<int64_t>(value(0)), static_cast<int64_t>(value(1)));
    return result == integer_poison ? std::nullopt : std::optional(Line{0, result, {}});
  }

  std::optional<Wide> constant_of(const Expression& e) const {
    const std::optional<Line> line = line_of(e);
    return line && line->is_constant() ? std::optional(line->constant) : std::nullopt;
  }

  /// A few of the multiples of `step` that `line` passes over the range of the parameter, from its low end on: the first three, the
  /// middle, the last two.
  std::vector<Wide> multiples(const Line& line, Wide step) const {
    const Wide at_low = line.slope * parameter_.low + line.constant, at_high = line.slope * parameter_.high + line.constant;
    const Wide least = -floor_divide(-std::min(at_low, at_high), step), most = floor_divide(std::max(at_low, at_high), step);
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
          meet(e.operands[1 - factor], floor_divide(target, *c));
          if (target % *c != 0) meet(e.operands[1 - factor], floor_divide(target, *c) + 1);
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
    around(floor_divide(target - line.constant, line.slope));
    std::set<Wide> known{1};
    for (const Wide step : line.steps) {
      const Wide length = step < 0 ? -step : step;
      if (length == 0 || !known.insert(length).second) continue;
      Line distance{line.slope, line.constant - target, {}};
      for (const Wide multiple : multiples(distance, length)) around(floor_divide(multiple - distance.constant, line.slope));
    }
  }

  static std::optional<Wide> power_of_two(std::optional<Wide> exponent) {
    return exponent && *exponent >= 0 && *exponent < 63 ? std::optional(static_cast<Wide>(1) << *exponent) : std::nullopt;
  }

  /// a mod c == target.
  void comes_round(const Expression& a, std::optional<Wide> c, Wide target) {
    if (!c || *c <= 0) return;
    const Wide rest = target - *c * floor_divide(target, *c);
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
    Wide first = 0, last = 0;
    if (__builtin_mul_overflow(*c, target, &first) || __builtin_add_overflow(first, *c - 1, &last)) return;
    meet(a, first);
    if (*c > 1) meet(a, last);
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

}  // namespace

std::vector<Wide> solve_parameter(const Expression& e, const ir::Parameter& parameter, const Parameters& others) {
  return Solver(parameter, others).zeros(e);
}

}  // namespace tileproof::oracle
