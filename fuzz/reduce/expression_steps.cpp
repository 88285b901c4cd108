// Steps that make expressions shorter.
#include "fuzz/reduce/fold.h"
#include "fuzz/reduce/steps.h"
#include "fuzz/reduce/walk.h"

#include <algorithm>
#include <set>

namespace tileproof::fuzz {
namespace {

using ir::Op;

/// An operator whose operands are values or integers of the same kind as its own result, more or less: the verifier decides.
bool is_operator(const ir::Expression& e) { return e.op != Op::read && !e.operands.empty(); }

void keep_operand(ir::Expression& e, size_t operand) {
  ir::Expression kept = std::move(e.operands[operand]);
  e = std::move(kept);
}

std::vector<ir::Expression*> value_operators(ir::Program& program) {
  std::vector<ir::Expression*> nodes;
  each_node(program, [&](ir::Expression& e, Use use) {
    if (use == Use::value && is_operator(e)) nodes.push_back(&e);
  });
  return nodes;
}

/// In values, innermost first.
template <class F>
void edit_values(ir::Expression& e, const F& f) {
  if (e.op != Op::read)
    for (ir::Expression& operand : e.operands) edit_values(operand, f);
  f(e);
}

template <class F>
void edit_all_values(Subject& subject, const F& f) {
  for (ir::Program& program : subject.programs) each<ir::Statement>(program, [&](ir::Statement& s) { edit_values(s.value, f); });
}

}  // namespace

void take_operands_alike(Subject& subject, Places& places) {
  std::set<Op> operators;
  std::set<std::string> inputs;
  std::set<ir::Decimal> literals;
  edit_all_values(subject, [&](ir::Expression& e) {
    if (is_operator(e)) operators.insert(e.op);
    if (e.op == Op::literal && e.value != ir::make_decimal(1, 0)) literals.insert(e.value);
  });
  each<ir::Buffer>(subject.programs.front(), [&](ir::Buffer& buffer) {   // the same one in both programs of a pair
    if (buffer.role != ir::Role::none || subject.programs.size() == 1) inputs.insert(buffer.name);
  });
  for (const Op op : operators) {
    const size_t operands = op == Op::cast ? 1 : ir::arity(op);
    for (size_t k = 0; k < operands; ++k) {
      if (!places.next()) continue;
      return edit_all_values(subject, [&](ir::Expression& e) {
        if (e.op == op) keep_operand(e, k);
      });
    }
  }
  for (const std::string& input : inputs) {
    if (!places.next()) continue;
    return edit_all_values(subject, [&](ir::Expression& e) {
      if (e.op == Op::read && e.name == input) e = ir::integer(1);
    });
  }
  for (const ir::Decimal literal : literals) {
    if (!places.next()) continue;
    return edit_all_values(subject, [&](ir::Expression& e) {
      if (e.op == Op::literal && e.value == literal) e = ir::integer(1);
    });
  }
}

void take_operands_in_pair(Subject& subject, Places& places) {
  if (subject.programs.size() != 2) return;
  for (ir::Expression* one : value_operators(subject.programs[0])) {
    for (ir::Expression* other : value_operators(subject.programs[1])) {
      if (one->op != other->op) continue;
      for (size_t k = 0; k < one->operands.size(); ++k) {
        if (!places.next()) continue;
        keep_operand(*one, k);
        return keep_operand(*other, k);
      }
    }
  }
}

void take_operand(ir::Program& program, Places& places) {
  each_node(program, [&](ir::Expression& e, Use use) {
    if (!is_operator(e) || ((use == Use::condition) && ir::is_comparison(e.op))) return;
    for (size_t k = 0; k < e.operands.size(); ++k)
      if (places.next()) return keep_operand(e, k);
  });
}

void lower_literal(ir::Program& program, Places& places) {
  each_node(program, [&](ir::Expression& e, Use use) {
    if (e.op != Op::literal) return;
    const std::optional<int64_t> v = ir::to_integer(e.value);
    std::vector<int64_t> lower;
    if (!v) lower = {1};
    if (v && *v > 1) lower = {1, *v / 2, *v - 1};
    if (v && *v > 0 && use != Use::size) lower.insert(lower.begin(), 0);
    for (const int64_t value : lower)
      if (places.next()) return void(e = ir::integer(value));
  });
}

void fold_integers(Subject& subject, Places& places) {
  if (!places.next()) return;
  for (ir::Program& program : subject.programs) {
    each_node(program, [](ir::Expression& e, Use use) {
      if (use != Use::value) fold(e);
    });
    each<ir::Statement>(program, [](ir::Statement& s) {
      std::erase_if(s.where, always_holds);
      if (s.start) std::erase_if(s.start->conditions, always_holds);
      if (s.stop) std::erase_if(s.stop->conditions, always_holds);
    });
  }
}

}  // namespace tileproof::fuzz
