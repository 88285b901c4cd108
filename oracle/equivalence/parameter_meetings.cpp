#include "oracle/equivalence/parameter_meetings.h"

#include "compiler/ir/text.h"

#include <algorithm>
#include <set>
#include <variant>

namespace tileproof::oracle {
namespace {

using ir::Expression;
using ir::Op;

constexpr size_t most_meetings = 1024;       // places of the programs that are looked at

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

}  // namespace

std::vector<Expression> parameter_meetings(const ir::Program& original, const ir::Program& tiled) {
  Meetings meetings(original.parameters);
  meetings.add(original);
  meetings.add(tiled);
  return std::move(meetings.zeros);
}

}  // namespace tileproof::oracle
