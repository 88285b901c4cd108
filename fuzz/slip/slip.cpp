#include "fuzz/slip/slip.h"

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "fuzz/generate/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tileproof::fuzz {

using ir::Op;

namespace {

/// Everything that a slip may happen in.
struct Places {
  std::vector<ir::Statement*> statements;
  std::vector<ir::Buffer*> buffers;
  std::vector<ir::Loop*> loops;
  std::vector<std::vector<ir::Expression>*> accesses;     // the indices of reads and destinations
  std::vector<std::vector<ir::Expression>*> conditions;   // of `where` and `if`, not empty
  std::vector<ir::Expression*> values;                    // and their parts, indices left out
  std::vector<std::string> names;                         // of loops and axes

  explicit Places(ir::Program& program) { block(program.body); }

 private:
  void block(ir::Block& items) {
    for (ir::Item& item : items) std::visit([&](auto& node) { visit(node); }, item.node);
  }
  void value(ir::Expression& e, bool in_index) {
    if (!in_index) values.push_back(&e);
    if (e.op == Op::read) accesses.push_back(&e.operands);
    for (ir::Expression& operand : e.operands) value(operand, in_index || e.op == Op::read);
  }
  void visit(ir::Buffer& node) { buffers.push_back(&node); }
  void visit(ir::View& node) { accesses.push_back(&node.indices); }
  void visit(ir::Statement& node) {
    statements.push_back(&node);
    accesses.push_back(&node.indices);
    if (!node.where.empty()) conditions.push_back(&node.where);
    for (const ir::Axis& axis : node.axes) names.push_back(axis.name);
    value(node.value, false);
  }
  void visit(ir::Loop& node) {
    loops.push_back(&node);
    names.push_back(node.name);
    block(node.body);
  }
  void visit(ir::If& node) {
    conditions.push_back(&node.conditions);
    block(node.then_body);
    block(node.else_body);
  }
  void visit(ir::While& node) { block(node.body); }
  void visit(ir::Group& node) { block(node.body); }
  void visit(ir::Move&) {}
  void visit(ir::Opaque&) {}
};

class SlipWriter {
 public:
  SlipWriter(ir::Program& program, Choices& choices) : choices_(choices), places_(program) {}

  /// What was done; empty: there is no place for a slip of this kind.
  std::string write(SlipKind kind) {
    switch (kind) {
      case SlipKind::index: return index();
      case SlipKind::condition: return condition();
      case SlipKind::bound: return bound();
      case SlipKind::operation: return operation();
      case SlipKind::address: return address();
      case SlipKind::start: return start();
      case SlipKind::dtype: return dtype();
    }
    return {};
  }

 private:
  Choices& choices_;
  Places places_;

  static std::string text(const ir::Expression& e) { return ir::print(e); }
  int64_t one() { return choices_.chance(50) ? 1 : -1; }

  /// The parts of an index expression, itself included; not what is inside of reads.
  static void parts(ir::Expression& e, std::vector<ir::Expression*>& list) {
    list.push_back(&e);
    if (e.op == Op::read) return;
    for (ir::Expression& operand : e.operands) parts(operand, list);
  }
  ir::Expression* part(ir::Expression& e, bool (*wanted)(const ir::Expression&)) {
    std::vector<ir::Expression*> list;
    parts(e, list);
    std::erase_if(list, [&](const ir::Expression* each) { return !wanted(*each); });
    return list.empty() ? nullptr : choices_.pick(list);
  }

  /// One mistake in an index expression.
  void distort(ir::Expression& e) {
    switch (choices_.below(5)) {
      case 0: break;
      case 1:   // a factor, an offset, a divisor
        if (ir::Expression* literal = part(e, [](const ir::Expression& each) { return constant(each).has_value(); })) {
          *literal = number(*constant(*literal) + one());
          return;
        }
        break;
      case 2:   // a variable for another
        if (ir::Expression* variable = part(e, [](const ir::Expression& each) { return each.op == Op::variable; });
            variable != nullptr && !places_.names.empty()) {
          *variable = ir::variable(choices_.pick(places_.names));
          return;
        }
        break;
      case 3:   // a term
        if (ir::Expression* sum = part(e, [](const ir::Expression& each) { return each.op == Op::add; })) {
          const ir::Expression kept = sum->operands[choices_.below(2)];
          *sum = kept;
          return;
        }
        break;
      default:
        if (ir::Expression* extreme = part(e, [](const ir::Expression& each) {
              return each.op == Op::min || each.op == Op::floordiv || each.op == Op::mod;
            })) {
          const ir::Expression kept = extreme->operands[0];
          *extreme = kept;
          return;
        }
        break;
    }
    e = plus(std::move(e), one());
  }

  std::string index() {
    if (places_.accesses.empty()) return {};
    std::vector<ir::Expression>& indices = *choices_.pick(places_.accesses);
    if (indices.empty()) return {};
    if (indices.size() > 1 && choices_.chance(20)) {
      const size_t first = choices_.below(indices.size() - 1);
      std::swap(indices[first], indices[first + 1]);
      return fmt::format("the indices {} and {} changed places", text(indices[first + 1]), text(indices[first]));
    }
    ir::Expression& e = choices_.pick(indices);
    const std::string before = text(e);
    distort(e);
    return fmt::format("the index {} became {}", before, text(e));
  }

  std::string condition() {
    if (places_.conditions.empty()) return {};
    std::vector<ir::Expression>& list = *choices_.pick(places_.conditions);
    const size_t at = choices_.below(list.size());
    const std::string before = text(list[at]);
    if (list.size() > 1 || choices_.chance(60)) {
      if (choices_.chance(50)) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
        return fmt::format("the condition {} was dropped", before);
      }
    }
    ir::Expression& e = list[at];
    switch (choices_.below(3)) {
      case 0: e.operands[1] = plus(std::move(e.operands[1]), one()); break;
      case 1: e.op = choices_.pick({Op::less_equal, Op::greater_equal, Op::not_equal, Op::less, Op::equal}); break;
      default: distort(e.operands[0]); break;
    }
    return fmt::format("the condition {} became {}", before, text(e));
  }

  std::string bound() {
    const bool of_loop = !places_.loops.empty() && choices_.chance(50);
    if (of_loop) {
      ir::Loop& loop = *choices_.pick(places_.loops);
      ir::Expression& end = choices_.chance(70) ? loop.range.high : loop.range.low;
      const std::string before = text(end);
      end = plus(std::move(end), one());
      return fmt::format("a bound {} of the loop {} became {}", before, loop.name, text(end));
    }
    std::vector<ir::Axis*> axes;
    for (ir::Statement* s : places_.statements)
      for (ir::Axis& axis : s->axes) axes.push_back(&axis);
    if (axes.empty()) return {};
    ir::Axis& axis = *choices_.pick(axes);
    const std::string before = text(axis.extent);
    axis.extent = plus(std::move(axis.extent), one());
    return fmt::format("the extent {} of the axis {} became {}", before, axis.name, text(axis.extent));
  }

  std::string operation() {
    if (places_.statements.empty()) return {};
    if (choices_.chance(35)) {
      using enum ir::Update;
      ir::Statement& s = *choices_.pick(places_.statements);
      const ir::Update before = s.update;
      s.update = choices_.pick({assign, add, max, min, multiply, bit_and, bit_or, bit_xor});
      if (s.update == assign) {   // the axes and clauses that = does not have
        s.start.reset();
        s.stop.reset();
        for (ir::Axis& axis : s.axes)
          if (axis.kind == ir::AxisKind::reduce) axis.kind = ir::AxisKind::seq;
      }
      return before == s.update ? std::string()
                                : fmt::format("{} {} became {}", s.opcode, ir::spelling(before), ir::spelling(s.update));
    }
    std::vector<ir::Expression*> candidates;
    for (ir::Expression* e : places_.values) {
      if (e->op != Op::literal && e->op != Op::variable && e->op != Op::read) candidates.push_back(e);
    }
    if (candidates.empty()) return {};
    ir::Expression& e = *choices_.pick(candidates);
    const std::string before = text(e);
    if (e.operands.size() == 1) {   // negations, casts, functions
      const ir::Expression kept = e.operands[0];
      e = kept;
    } else if (ir::is_comparison(e.op)) {
      e.op = choices_.pick({Op::less, Op::less_equal, Op::greater, Op::greater_equal, Op::equal, Op::not_equal});
    } else if (e.op == Op::select) {
      std::swap(e.operands[1], e.operands[2]);
    } else if (choices_.chance(20)) {
      std::swap(e.operands[0], e.operands[1]);
    } else {
      e.op = choices_.pick({Op::add, Op::subtract, Op::multiply, Op::max, Op::min});
    }
    return fmt::format("the value {} became {}", before, text(e));
  }

  std::string address() {
    std::vector<ir::Buffer*> with;
    for (ir::Buffer* buffer : places_.buffers)
      if (buffer->address) with.push_back(buffer);
    if (with.empty()) return {};
    ir::Buffer& buffer = *choices_.pick(with);
    const std::string before = fmt::format("{}:{}", text(buffer.address->partition), text(buffer.address->byte));
    // Most often a neighbour in the text, which is likely to be alive at the same time.
    const auto at = static_cast<size_t>(std::ranges::find(with, &buffer) - with.begin());
    const size_t beside = at == 0 || (at + 1 < with.size() && choices_.chance(50)) ? at + 1 : at - 1;
    const ir::Buffer& other = *(choices_.chance(80) && beside < with.size() ? with[beside] : choices_.pick(with));
    switch (choices_.below(4)) {
      case 0:
      case 1:
        if (&other == &buffer) return {};
        buffer.space = other.space;
        buffer.address = other.address;
        if (choices_.chance(30)) buffer.address->byte = plus(buffer.address->byte, choices_.between(1, 4));
        break;
      case 2: buffer.address->byte = plus(std::move(buffer.address->byte), choices_.pick({-1, 1, -2, -4, 4})); break;
      default: buffer.address->partition = plus(std::move(buffer.address->partition), 1); break;
    }
    return fmt::format("the address {} of {} became {}:{}", before, buffer.name, text(buffer.address->partition),
                       text(buffer.address->byte));
  }

  std::string start() {
    std::vector<ir::Statement*> sums;
    for (ir::Statement* s : places_.statements)
      if (s->update != ir::Update::assign) sums.push_back(s);
    if (sums.empty()) return {};
    ir::Statement& s = *choices_.pick(sums);
    if (!s.start) {
      s.start.emplace();
      return fmt::format("{} into {} begins anew", s.opcode, s.destination);
    }
    std::vector<ir::Expression>& list = s.start->conditions;
    if (list.empty() || choices_.chance(30)) {
      s.start.reset();
      return fmt::format("{} into {} lost its start", s.opcode, s.destination);
    }
    const size_t at = choices_.below(list.size());
    const std::string before = text(list[at]);
    if (choices_.chance(50)) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
      return fmt::format("the start condition {} was dropped", before);
    }
    if (choices_.chance(50))
      list[at].operands[1] = plus(std::move(list[at].operands[1]), one());
    else
      list[at].op = choices_.pick({Op::not_equal, Op::less_equal, Op::greater_equal});
    return fmt::format("the start condition {} became {}", before, text(list[at]));
  }

  /// Words are the likeliest carriers of integers, and of floats that were rounded to one.
  ir::Dtype another(ir::Dtype dtype) {
    using enum ir::Dtype;
    if (ir::is_float(dtype) && choices_.chance(70)) return choices_.pick({f32, bf16, f16, tf32, f64});
    return choices_.chance(60) ? choices_.pick({i32, u32}) : choices_.pick({i64, i16, u16, i8, u8});
  }

  std::string dtype() {
    std::vector<ir::Dtype*> places;
    for (ir::Buffer* buffer : places_.buffers)
      if (buffer->role == ir::Role::none) places.push_back(&buffer->dtype);
    for (ir::Expression* e : places_.values)
      if (e->op == Op::cast) places.push_back(&e->dtype);
    for (ir::Statement* s : places_.statements)
      if (s->accumulate) places.push_back(&*s->accumulate);
    if (places.empty()) return {};
    ir::Dtype& place = *choices_.pick(places);
    const ir::Dtype before = std::exchange(place, another(place));
    return fmt::format("the dtype {} became {}", ir::name(before), ir::name(place));
  }
};

}  // namespace

std::string_view name(SlipKind kind) {
  constexpr std::array<std::string_view, 7> names{"index", "condition", "bound", "operator", "address", "start", "dtype"};
  return names[static_cast<size_t>(kind)];
}

std::optional<Slip> make_slip(ir::Program& program, Choices& choices) {
  constexpr uint64_t most_draws = 64;
  Slip slip;
  for (uint64_t draw = 0; draw < most_draws; ++draw) {
    ir::Program changed = program;
    slip.kind = all_slip_kinds[choices.below(all_slip_kinds.size())];
    slip.what = SlipWriter(changed, choices).write(slip.kind);
    slip.rejected = draw;
    if (slip.what.empty() || changed == program || !ir::verify(changed, "-").empty()) continue;
    program = std::move(changed);
    return slip;
  }
  return std::nullopt;
}

}  // namespace tileproof::fuzz
