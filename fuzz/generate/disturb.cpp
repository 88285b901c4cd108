#include "fuzz/generate/disturb.h"

#include "compiler/ir/verify.h"
#include "fuzz/generate/terms.h"

#include <algorithm>

namespace tileproof::fuzz {

using ir::Op;

namespace {

/// Pointers to all parts of a program that a change may begin at. They dangle after the first change of a block.
struct Parts {
  std::vector<ir::Block*> blocks;
  std::vector<ir::Buffer*> buffers;
  std::vector<ir::View*> views;
  std::vector<ir::Statement*> statements;
  std::vector<ir::Loop*> loops;
  std::vector<ir::While*> whiles;
  std::vector<std::pair<ir::Block*, ir::Block*>> nested;   // a block, and the one that holds it
  std::vector<ir::Expression*> indices;                    // of reads, destinations and views
  std::vector<ir::Expression*> values;                     // values and their parts
  std::vector<std::string> names;                          // of loop variables, axes and parameters

  explicit Parts(ir::Program& program) {
    for (const ir::Parameter& p : program.parameters) names.push_back(p.name);
    block(program.body);
  }

 private:
  void block(ir::Block& items) {
    blocks.push_back(&items);
    for (ir::Item& item : items) std::visit([&](auto& node) { visit(node, items); }, item.node);
  }
  void inner(ir::Block& items, ir::Block& outer) {
    nested.emplace_back(&items, &outer);
    block(items);
  }
  void value(ir::Expression& e) {
    values.push_back(&e);
    for (ir::Expression& operand : e.operands) {
      if (e.op == Op::read)
        indices.push_back(&operand);
      else
        value(operand);
    }
  }
  void visit(ir::Buffer& node, ir::Block&) { buffers.push_back(&node); }
  void visit(ir::View& node, ir::Block&) {
    views.push_back(&node);
    for (ir::Expression& e : node.indices) indices.push_back(&e);
  }
  void visit(ir::Statement& node, ir::Block&) {
    statements.push_back(&node);
    for (ir::Expression& e : node.indices) indices.push_back(&e);
    for (const ir::Axis& axis : node.axes) names.push_back(axis.name);
    value(node.value);
  }
  void visit(ir::Loop& node, ir::Block& outer) {
    loops.push_back(&node);
    names.push_back(node.name);
    inner(node.body, outer);
  }
  void visit(ir::If& node, ir::Block& outer) {
    inner(node.then_body, outer);
    inner(node.else_body, outer);
  }
  void visit(ir::While& node, ir::Block& outer) {
    whiles.push_back(&node);
    inner(node.body, outer);
  }
  void visit(ir::Group& node, ir::Block& outer) { inner(node.body, outer); }
  void visit(ir::Move&, ir::Block&) {}
  void visit(ir::Opaque&, ir::Block&) {}
};

class Disturbance {
 public:
  Disturbance(ir::Program& program, Choices& choices) : choices_(choices), parts_(program) {}

  void apply() {
    switch (choices_.below(12)) {
      case 0: return change_index();
      case 1:
      case 2: return change_statement();
      case 3: return change_loop();
      case 4:
      case 5: return change_buffer();
      case 6:
      case 7: return change_block();
      case 8: return hoist();
      case 9: return change_value();
      case 10: return change_claim();
      default: return change_view_or_while();
    }
  }

 private:
  Choices& choices_;
  Parts parts_;

  void shift(ir::Expression& e) { e = plus(std::move(e), choices_.pick({1, -1, 2, -2, 7})); }

  void change_index() {
    if (parts_.indices.empty()) return;
    ir::Expression& e = *choices_.pick(parts_.indices);
    switch (choices_.below(4)) {
      case 1: e = ir::integer(choices_.between(0, 3)); break;
      case 2:
        if (!parts_.names.empty()) e = ir::variable(choices_.pick(parts_.names));
        break;
      case 3: e = binary(Op::floordiv, std::move(e), ir::integer(2)); break;
      default: shift(e); break;
    }
  }

  void change_statement() {
    if (parts_.statements.empty()) return;
    ir::Statement& s = *choices_.pick(parts_.statements);
    switch (choices_.below(9)) {
      case 0:
        if (!s.where.empty()) s.where.erase(s.where.begin() + static_cast<std::ptrdiff_t>(choices_.below(s.where.size())));
        break;
      case 1:
        if (!s.axes.empty())
          s.axes[choices_.below(s.axes.size())].kind =
              choices_.pick({ir::AxisKind::parallel, ir::AxisKind::seq, ir::AxisKind::reduce});
        break;
      case 2:
        if (!s.axes.empty()) shift(s.axes[choices_.below(s.axes.size())].extent);
        break;
      case 3:
        if (s.start)
          s.start.reset();
        else
          s.start.emplace();
        break;
      case 4: s.update = choices_.pick({ir::Update::add, ir::Update::assign, ir::Update::max, ir::Update::multiply}); break;
      case 5:
        if (s.start && !s.start->conditions.empty()) s.start->conditions.pop_back();
        break;
      case 6:
        if (!s.where.empty()) shift(choices_.pick(s.where).operands[1]);
        break;
      case 7:
        if (!parts_.buffers.empty()) s.clobbers.push_back(choices_.pick(parts_.buffers)->name);
        break;
      default: choices_.shuffle(s.axes); break;
    }
  }

  /// An accumulation that claims to go on, or a buffer that claims to be defined.
  void change_claim() {
    std::vector<ir::Statement*> sums;
    for (ir::Statement* s : parts_.statements)
      if (s->update != ir::Update::assign) sums.push_back(s);
    if (!sums.empty() && choices_.chance(70)) {
      ir::Statement& s = *choices_.pick(sums);
      if (s.stop && !s.stop->conditions.empty() && choices_.chance(50)) return shift(s.stop->conditions.back().operands[1]);
      s.stop.emplace();
      const std::string name = parts_.names.empty() || choices_.chance(30) ? "" : choices_.pick(parts_.names);
      ir::Expression left = name.empty() ? ir::integer(0) : ir::variable(name);
      s.stop->conditions.push_back(compare(Op::equal, std::move(left), ir::integer(choices_.between(0, 1))));
      return;
    }
    if (parts_.buffers.empty()) return;
    ir::Buffer& buffer = *choices_.pick(parts_.buffers);
    buffer.valid.clear();
    for (const ir::Expression& extent : buffer.extents) buffer.valid.push_back({ir::integer(0), extent});
  }

  void change_loop() {
    if (parts_.loops.empty()) return;
    ir::Loop& loop = *choices_.pick(parts_.loops);
    if (choices_.chance(70)) {
      loop.kind = choices_.pick({ir::LoopKind::par, ir::LoopKind::seq, ir::LoopKind::shard, ir::LoopKind::thread});
    } else {
      shift(choices_.chance(50) ? loop.range.low : loop.range.high);
    }
  }

  void change_buffer() {
    if (parts_.buffers.empty()) return;
    ir::Buffer& buffer = *choices_.pick(parts_.buffers);
    switch (choices_.below(7)) {
      case 1: buffer.address.reset(); break;
      case 2:
      case 6: {   // somewhere, often on top of another
        const ir::Buffer& other = *choices_.pick(parts_.buffers);
        buffer.space = other.space;
        buffer.address = other.address ? *other.address : ir::Address{ir::integer(0), ir::integer(0)};
        if (choices_.chance(30)) buffer.address->byte = plus(buffer.address->byte, choices_.between(0, 5));
        break;
      }
      case 3:
        if (buffer.range) shift(buffer.range->high);
        break;
      case 4:
        if (buffer.extents.size() > 1) buffer.partition_rank = buffer.partition_rank ? std::nullopt : std::optional<size_t>(1);
        break;
      case 5: shift(buffer.extents[choices_.below(buffer.extents.size())]); break;
      default:
        buffer.dtype =
            choices_.pick({ir::Dtype::i4, ir::Dtype::f32, ir::Dtype::bf16, ir::Dtype::i8, ir::Dtype::i32, ir::Dtype::f64});
        break;
    }
  }

  void change_block() {
    ir::Block& block = *choices_.pick(parts_.blocks);
    if (block.empty()) return;
    const auto at = block.begin() + static_cast<std::ptrdiff_t>(choices_.below(block.size()));
    switch (choices_.below(3)) {
      case 0: block.erase(at); break;
      case 1: block.insert(at, ir::Item(*at)); break;
      default: std::iter_swap(at, block.begin() + static_cast<std::ptrdiff_t>(choices_.below(block.size()))); break;
    }
  }

  /// A declaration out of its loop.
  void hoist() {
    if (parts_.nested.empty()) return;
    const auto [from, to] = choices_.pick(parts_.nested);
    const auto buffer =
        std::ranges::find_if(*from, [](const ir::Item& item) { return std::holds_alternative<ir::Buffer>(item.node); });
    if (buffer == from->end()) return;
    ir::Item item = std::move(*buffer);
    from->erase(buffer);
    std::get<ir::Buffer>(item.node).valid.clear();
    to->insert(to->begin(), std::move(item));
  }

  void change_value() {
    if (parts_.values.empty()) return;
    ir::Expression& e = *choices_.pick(parts_.values);
    ir::Expression old = e;
    switch (choices_.below(6)) {
      case 0: e = ir::make(Op::exp, {std::move(old)}); break;
      case 1: e = ir::make(Op::infinity, {}); break;
      case 2: e = binary(Op::divide, std::move(old), ir::integer(choices_.between(0, 2))); break;
      case 3: e = binary(Op::floordiv, ir::integer(7), ir::integer(choices_.between(1, 3))); break;
      case 4:
        if (!parts_.statements.empty()) {   // the element that a statement writes
          const ir::Statement& s = *choices_.pick(parts_.statements);
          e = binary(Op::add, std::move(old), ir::read(s.destination, s.indices));
        }
        break;
      default: e = ir::cast(choices_.pick({ir::Dtype::bf16, ir::Dtype::i32, ir::Dtype::i8}), std::move(old)); break;
    }
  }

  void change_view_or_while() {
    if (!parts_.whiles.empty() && choices_.chance(60)) {
      ir::While& loop = *choices_.pick(parts_.whiles);
      return shift(choices_.chance(50) ? loop.limit : loop.conditions[0].operands[1]);
    }
    if (parts_.views.empty()) return;
    ir::View& view = *choices_.pick(parts_.views);
    ir::Axis& dim = view.dims[choices_.below(view.dims.size())];
    shift(dim.extent);
  }
};

}  // namespace

void disturb(ir::Program& program, Choices& choices) {
  ir::Program changed = program;
  Disturbance(changed, choices).apply();
  if (ir::verify(changed, "-").empty()) program = std::move(changed);
}

}  // namespace tileproof::fuzz
