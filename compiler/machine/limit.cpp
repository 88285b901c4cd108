#include "compiler/machine/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tileproof::machine {
namespace {

using ir::Op;

/// Figures saturate here: beyond it they break every limit anyway.
constexpr int64_t most = int64_t{1} << 61;
/// Larger numbers are not factored.
constexpr int64_t most_factored = int64_t{1} << 40;

std::optional<int64_t> apply(Op op, int64_t a, int64_t b) {
  switch (op) {
    case Op::add: return std::clamp(a + b, -most, most);   // of two saturated figures: cannot overflow
    case Op::subtract: return std::clamp(a - b, -most, most);
    case Op::multiply: {
      int64_t product = 0;
      if (__builtin_mul_overflow(a, b, &product)) return (a < 0) != (b < 0) ? -most : most;
      return std::clamp(product, -most, most);
    }
    case Op::min: return std::min(a, b);
    case Op::max: return std::max(a, b);
    case Op::floordiv: return b <= 0 ? std::nullopt : std::optional(a >= 0 ? a / b : -((-a + b - 1) / b));
    case Op::mod: return b <= 0 ? std::nullopt : std::optional((a % b + b) % b);
    default: return std::nullopt;
  }
}

bool holds(Op relation, int64_t left, int64_t right) {
  switch (relation) {
    case Op::less: return left < right;
    case Op::less_equal: return left <= right;
    case Op::greater: return left > right;
    case Op::greater_equal: return left >= right;
    case Op::equal: return left == right;
    default: return left != right;
  }
}

class Evaluator {
 public:
  Evaluator(std::span<const Operation> operations, const Binding& binding) : operations_(operations), binding_(binding) {}

  std::optional<int64_t> value(const Limit::Term& term) const {
    using Kind = Limit::Term::Kind;
    switch (term.kind) {
      case Kind::integer: return std::clamp(term.value, -most, most);
      case Kind::letter: {
        const BoundLetter* letter = binding_.letter(term.name);
        return letter == nullptr ? 1 : std::min(letter->extent, most);
      }
      case Kind::points: {
        int64_t points = 0;
        for (const Operation& operation : operations_) points = std::max(points, operation.box.points());
        return std::min(points, most);
      }
      case Kind::bits:
        return of_role(term.name,
                       [](const Operation& o, size_t access) { return int64_t{ir::bits(o.access(access).buffer->dtype)}; });
      case Kind::bytes:
        return of_role(term.name, [](const Operation& o, size_t access) {
          return int64_t{(ir::bits(o.access(access).buffer->dtype) + 7) / 8};
        });
      case Kind::rank:
        return of_role(term.name, [](const Operation& o, size_t access) {
          return static_cast<int64_t>(o.placements[access].extents.size());
        });
      case Kind::row:
        return of_role(term.name, [](const Operation& o, size_t access) {
          const int64_t last = std::clamp<int64_t>(o.placements[access].extents.back(), 0, most / 64);
          return (last * ir::bits(o.access(access).buffer->dtype) + 7) / 8;
        });
      case Kind::dims: return of_role(term.name, pattern_dims);
      case Kind::factor: {
        const auto n = value(term.operands[0]);
        return n ? std::optional(larger_factor(*n)) : std::nullopt;
      }
      case Kind::operation: break;
    }
    const auto left = value(term.operands[0]), right = value(term.operands[1]);
    return left && right ? apply(term.op, *left, *right) : std::nullopt;
  }

 private:
  /// The greatest among the accesses that play the role.
  template <class Figure>
  std::optional<int64_t> of_role(const std::string& role, Figure figure) const {
    std::optional<int64_t> greatest;
    for (const BoundRole& bound : binding_.roles) {
      if (bound.role != role) continue;
      const int64_t value = figure(operations_[bound.operation], bound.access);
      greatest = std::max(greatest.value_or(value), value);
    }
    return greatest;
  }

  std::span<const Operation> operations_;
  const Binding& binding_;
};

/// The first letter or role that a term speaks of; roles before letters, since they are the more precise.
const Limit::Term* subject(const Limit::Term& term) {
  using Kind = Limit::Term::Kind;
  const bool is_of_role = term.kind == Kind::bits || term.kind == Kind::bytes || term.kind == Kind::rank ||
                          term.kind == Kind::row || term.kind == Kind::dims;
  if (term.kind == Kind::letter || is_of_role) return &term;
  const Limit::Term* first = nullptr;
  for (const Limit::Term& operand : term.operands) {
    const Limit::Term* part = subject(operand);
    if (part != nullptr && (first == nullptr || (first->kind == Kind::letter && part->kind != Kind::letter))) first = part;
  }
  return first;
}

/// The access that a broken limit is blamed on: one of the role that it names, or the first operand (before the destination)
/// that the letter indexes.
const BoundRole* culprit(const Limit::Term& term, std::span<const Operation> operations, const Binding& binding) {
  const Limit::Term* about = subject(term);
  if (about == nullptr) return nullptr;
  if (about->kind == Limit::Term::Kind::dims) {
    const BoundRole* worst = nullptr;
    const auto dims = [&](const BoundRole& bound) { return pattern_dims(operations[bound.operation], bound.access); };
    for (const BoundRole& bound : binding.roles) {
      if (bound.role == about->name && (worst == nullptr || dims(bound) > dims(*worst))) worst = &bound;
    }
    return worst;
  }
  if (about->kind != Limit::Term::Kind::letter) return binding.role(about->name);
  const BoundRole* destination = nullptr;
  for (const BoundRole& bound : binding.roles) {
    const std::vector<Form>& dims = operations[bound.operation].placements[bound.access].dims;
    const bool indexed = std::ranges::any_of(binding.letters, [&](const BoundLetter& letter) {
      return letter.letter == about->name && letter.operation == bound.operation &&
             std::ranges::any_of(letter.axes, [&](uint32_t axis) {
               return std::ranges::any_of(dims, [&](const Form& form) { return form.depends_on(axis); });
             });
    });
    if (!indexed) continue;
    if (bound.access != 0) return &bound;
    if (destination == nullptr) destination = &bound;
  }
  return destination;
}

}  // namespace

std::optional<int64_t> term_value(const Limit::Term& term, std::span<const Operation> operations, const Binding& binding) {
  return Evaluator(operations, binding).value(term);
}

int64_t larger_factor(int64_t n) {
  if (n <= 0 || n > most_factored) return n;
  for (auto small = static_cast<int64_t>(std::sqrt(static_cast<double>(n))) + 1; small > 1; --small) {
    if (n % small == 0) return std::max(small, n / small);
  }
  return n;
}

std::optional<Reason> broken_limit(const Limit& limit, std::span<const Operation> operations, const Binding& binding) {
  const auto left = term_value(limit.left, operations, binding), right = term_value(limit.right, operations, binding);
  if (!left || !right || holds(limit.relation, *left, *right)) return std::nullopt;
  Reason reason{Reason::Kind::limit, {}, {}, {}, &operations.front().statement(), {}, {}};
  if (const BoundRole* bound = culprit(limit.left, operations, binding)) {
    reason.role = bound->role;
    reason.buffer = operations[bound->operation].access(bound->access).name;
    reason.statement = &operations[bound->operation].statement();
  }
  const BoundLetter* letter = limit.left.kind == Limit::Term::Kind::letter ? binding.letter(limit.left.name) : nullptr;
  if (letter != nullptr) reason.letter = letter->letter;
  if (letter != nullptr && limit.relation == Op::less_equal) {
    std::vector<std::string_view> axes;
    for (const uint32_t axis : letter->axes) axes.push_back(operations[letter->operation].statement().axes[axis].name);
    const std::string axis_names =
        axes.size() == 1 && axes.front() == letter->letter ? "" : fmt::format(" ({})", fmt::join(axes, ", "));
    reason.fact = letter->on_partitions ? fmt::format("{}{} spans {} partitions", letter->letter, axis_names, *left)
                                        : fmt::format("{}{} has {} elements", letter->letter, axis_names, *left);
    reason.rule = fmt::format("takes at most {}", *right);
  } else {
    const bool is_figure = limit.right.kind == Limit::Term::Kind::integer;
    reason.fact = fmt::format("{} is {}", limit.left_text, *left);
    reason.rule = fmt::format("needs {} {} {}", limit.left_text, ir::spelling(limit.relation),
                              is_figure ? fmt::format("{}", *right) : fmt::format("{}, which is {}", limit.right_text, *right));
  }
  return reason;
}

}  // namespace tileproof::machine
