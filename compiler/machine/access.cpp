#include "compiler/machine/access.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>

namespace tileproof::machine {
namespace {

using ir::Expression;
using ir::Op;

/// What a name stands for: a buffer, or a view of one with its dims and what they index.
struct Declared {
  const ir::Buffer* buffer = nullptr;
  std::vector<std::string> dims;             ///< empty for a buffer itself
  std::vector<Expression> indices;           ///< into `buffer`, over `dims`; only for views
  bool is_view = false;
};

using Substitution = std::map<std::string_view, const Expression*>;

Expression substitute(const Expression& e, const Substitution& values) {
  if (e.op == Op::variable) {
    const auto found = values.find(e.name);
    return found == values.end() ? e : *found->second;
  }
  Expression copy = e;
  for (Expression& operand : copy.operands) operand = substitute(operand, values);
  return copy;
}

/// `indices` into what `declared` names, as indices into its buffer.
std::vector<Expression> compose(const Declared& declared, std::span<const Expression> indices) {
  if (!declared.is_view) return {indices.begin(), indices.end()};
  Substitution values;
  for (size_t i = 0; i < declared.dims.size() && i < indices.size(); ++i) values.emplace(declared.dims[i], &indices[i]);
  std::vector<Expression> composed;
  for (const Expression& index : declared.indices) composed.push_back(substitute(index, values));
  return composed;
}

class Resolver {
 public:
  void block(const ir::Block& items, const ir::Group* instruction) {
    std::vector<std::string_view> declared;
    for (const ir::Item& item : items) {
      std::visit([&](const auto& node) { visit(node, instruction, declared); }, item.node);
    }
    for (const std::string_view name : declared) names_.erase(name);
  }
  std::vector<StatementAccesses> take() { return std::move(statements_); }

 private:
  void visit(const ir::Buffer& buffer, const ir::Group*, std::vector<std::string_view>& declared) {
    names_[buffer.name] = {&buffer, {}, {}, false};
    declared.push_back(buffer.name);
  }
  void visit(const ir::View& view, const ir::Group*, std::vector<std::string_view>& declared) {
    const auto base = names_.find(view.base);
    if (base == names_.end()) return;
    Declared view_of{base->second.buffer, {}, compose(base->second, view.indices), true};
    for (const ir::Axis& dim : view.dims) view_of.dims.push_back(dim.name);
    names_[view.name] = std::move(view_of);
    declared.push_back(view.name);
  }
  void visit(const ir::Statement& statement, const ir::Group* instruction, std::vector<std::string_view>&) {
    StatementAccesses result{&statement, instruction, {}};
    add(result, Access::Place::destination, statement.destination, statement.indices, nullptr, 0);
    collect(result, statement.value, Access::Place::value, 0);
    for (const Expression& condition : statement.where) collect(result, condition, Access::Place::condition, 0);
    for (const auto* claim : {&statement.start, &statement.stop}) {
      if (!*claim) continue;
      for (const Expression& condition : (*claim)->conditions) collect(result, condition, Access::Place::condition, 0);
    }
    // Reads in indices are found when the access that owns them is; indices of indices come after them.
    for (size_t i = 0; i < result.accesses.size(); ++i) {
      const std::span<const Expression> indices = result.accesses[i].indices;
      for (const Expression& index : indices) collect(result, index, Access::Place::index, i);
    }
    statements_.push_back(std::move(result));
  }
  void visit(const ir::Loop& loop, const ir::Group* instruction, std::vector<std::string_view>&) {
    block(loop.body, instruction);
  }
  void visit(const ir::If& branch, const ir::Group* instruction, std::vector<std::string_view>&) {
    block(branch.then_body, instruction);
    block(branch.else_body, instruction);
  }
  void visit(const ir::While& loop, const ir::Group* instruction, std::vector<std::string_view>&) {
    block(loop.body, instruction);
  }
  void visit(const ir::Group& group, const ir::Group* instruction, std::vector<std::string_view>&) {
    block(group.body, group.opcode ? &group : instruction);
  }
  void visit(const ir::Move&, const ir::Group*, std::vector<std::string_view>&) {}
  void visit(const ir::Opaque&, const ir::Group*, std::vector<std::string_view>&) {}

  void add(StatementAccesses& result, Access::Place place, const std::string& name, const std::vector<Expression>& indices,
           const Expression* expression, size_t owner) {
    const auto declared = names_.find(name);
    if (declared == names_.end()) return;
    Access& access = result.accesses.emplace_back(place, declared->second.buffer, name, indices, expression, owner);
    if (!declared->second.is_view) return;
    access.composed = std::make_shared<const std::vector<Expression>>(compose(declared->second, indices));
    access.indices = *access.composed;
  }

  void collect(StatementAccesses& result, const Expression& e, Access::Place place, size_t owner) {
    if (e.op == Op::read) {
      add(result, place, e.name, e.operands, place == Access::Place::value ? &e : nullptr, owner);
      return;
    }
    for (const Expression& operand : e.operands) collect(result, operand, place, owner);
  }

  std::unordered_map<std::string_view, Declared> names_;
  std::vector<StatementAccesses> statements_;
};

}  // namespace

std::vector<StatementAccesses> resolve_accesses(const ir::Program& program) {
  Resolver resolver;
  resolver.block(program.body, nullptr);
  return resolver.take();
}

}  // namespace tileproof::machine
