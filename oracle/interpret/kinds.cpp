#include "oracle/interpret/kinds.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

namespace tileproof::oracle {
namespace {

using ir::Expression;

/// One fact of the flow: what is assigned to `destination` was computed from `sources`.
struct Flow {
  const ir::Buffer* destination;
  std::vector<const ir::Buffer*> sources;
  bool is_real;   ///< an operator on the way, or the accumulate dtype, leaves the integers
};

/// To an ascending list, each number once. There are few.
void add(std::vector<int64_t>& numbers, int64_t number) {
  const auto place = std::ranges::lower_bound(numbers, number);
  if (place == numbers.end() || *place != number) numbers.insert(place, number);
}

/// Whether an expression leaves the integers by itself, whatever it reads.
bool leaves_integers(const Expression& e) {
  using ir::Op;
  const bool real = (e.op == Op::literal && !ir::to_integer(e.value)) || e.op == Op::infinity || e.op == Op::nan ||
                    e.op == Op::divide || ir::is_function(e.op) || (e.op == Op::cast && ir::is_float(e.dtype));
  if (real || e.op == Op::read) return real;
  return std::ranges::any_of(e.operands, leaves_integers);
}

class Analysis {
 public:
  explicit Analysis(const ir::Program& program) { block(program.body); }

  std::set<const ir::Buffer*> seeds;      // read in an index, a condition, an extent or a bound
  std::vector<Flow> flows;
  std::vector<std::pair<const ir::Buffer*, const ir::Buffer*>> same;   // a move makes both of one kind
  std::set<const ir::Buffer*> foreign;                                 // written by an opaque kernel
  std::vector<const ir::Buffer*> top_level;
  std::vector<int64_t> constants;   // of indices, conditions, extents and bounds, as often as they stand there
  std::vector<int64_t> compared;    // those that stand in one expression with a read: `mark[i] == 3`

 private:
  // Buffers and views, both to their root buffer. No name hides a visible one, so names of blocks that have ended may stay.
  std::unordered_map<std::string_view, const ir::Buffer*> scope;

  void reads(const Expression& e, std::vector<const ir::Buffer*>& into) {
    if (e.op == ir::Op::read) {
      into.push_back(scope.at(e.name));
      for (const Expression& index : e.operands) index_expression(index);
      return;
    }
    for (const Expression& operand : e.operands) reads(operand, into);
  }

  void index_expression(const Expression& e) {
    if (e.op == ir::Op::read) seeds.insert(scope.at(e.name));
    if (e.op == ir::Op::literal) {
      if (const auto value = ir::to_integer(e.value)) constants.push_back(*value);
    }
    for (const Expression& operand : e.operands) index_expression(operand);
    if (ir::is_comparison(e.op) && reads_something(e)) compare(e);
  }

  static bool reads_something(const Expression& e) {
    return e.op == ir::Op::read || std::ranges::any_of(e.operands, reads_something);
  }

  void compare(const Expression& e) {
    if (e.op == ir::Op::literal) {
      if (const auto value = ir::to_integer(e.value)) add(compared, *value);
    }
    for (const Expression& operand : e.operands) compare(operand);
  }

  void index_expressions(const std::vector<Expression>& list) {
    for (const Expression& e : list) index_expression(e);
  }

  void block(const ir::Block& items) {
    for (const ir::Item& item : items) std::visit([this](const auto& node) { visit(node); }, item.node);
  }

  void visit(const ir::Buffer& buffer) {
    scope[buffer.name] = &buffer;
    if (buffer.role != ir::Role::none) top_level.push_back(&buffer);
    index_expressions(buffer.extents);
    for (const ir::Range& range : buffer.valid) {
      index_expression(range.low);
      index_expression(range.high);
    }
    if (buffer.address) {
      index_expression(buffer.address->partition);
      index_expression(buffer.address->byte);
    }
  }
  void visit(const ir::View& view) {
    index_expressions(view.indices);
    scope[view.name] = scope.at(view.base);
  }
  void visit(const ir::Statement& statement) {
    for (const ir::Axis& axis : statement.axes) index_expression(axis.extent);
    index_expressions(statement.indices);
    index_expressions(statement.where);
    if (statement.start) index_expressions(statement.start->conditions);
    if (statement.stop) index_expressions(statement.stop->conditions);
    const bool is_real = statement.accumulate && ir::is_float(*statement.accumulate);
    Flow flow{scope.at(statement.destination), {}, is_real || leaves_integers(statement.value)};
    reads(statement.value, flow.sources);
    flows.push_back(std::move(flow));
  }
  void visit(const ir::Loop& loop) {
    index_expression(loop.range.low);
    index_expression(loop.range.high);
    block(loop.body);
  }
  void visit(const ir::If& branch) {
    index_expressions(branch.conditions);
    block(branch.then_body);
    block(branch.else_body);
  }
  void visit(const ir::While& loop) {
    index_expressions(loop.conditions);
    index_expression(loop.limit);
    block(loop.body);
  }
  void visit(const ir::Group& group) { block(group.body); }
  void visit(const ir::Move& move) {
    for (size_t i = 0; i < move.sources.size(); ++i) same.emplace_back(scope.at(move.destinations[i]), scope.at(move.sources[i]));
  }
  void visit(const ir::Opaque& opaque) {
    for (const auto& argument : opaque.arguments) {
      if (argument.role != ir::Role::in) foreign.insert(scope.at(argument.buffer));
    }
  }
};

ProgramKinds solve(const Analysis& analysis, const std::vector<std::string>& inputs) {
  ProgramKinds kinds{analysis.seeds, {}};
  for (const ir::Buffer* buffer : analysis.top_level) {
    if (std::ranges::find(inputs, buffer->name) != inputs.end()) kinds.index.insert(buffer);
  }
  for (bool grew = true; grew;) {
    const size_t before = kinds.index.size();
    for (const Flow& flow : analysis.flows) {
      if (!kinds.index.contains(flow.destination)) continue;
      if (flow.is_real) kinds.unsupported = "the index buffer " + flow.destination->name + " is computed with real numbers";
      for (const ir::Buffer* source : flow.sources) {
        if (ir::is_float(source->dtype)) {
          kinds.unsupported = "the index buffer " + flow.destination->name + " is computed from the data buffer " + source->name;
        } else {
          kinds.index.insert(source);
        }
      }
    }
    for (const auto& [a, b] : analysis.same) {
      if (kinds.index.contains(a)) kinds.index.insert(b);
      if (kinds.index.contains(b)) kinds.index.insert(a);
    }
    grew = kinds.index.size() != before;
  }
  for (const ir::Buffer* buffer : analysis.foreign) {
    if (kinds.index.contains(buffer)) kinds.unsupported = "the index buffer " + buffer->name + " is written by an opaque kernel";
  }
  return kinds;
}

std::vector<int64_t> borders_of(std::span<Analysis> analyses) {
  std::vector<int64_t> borders;
  for (Analysis& analysis : analyses) {
    std::ranges::sort(analysis.constants);
    const auto repeated = std::ranges::unique(analysis.constants);
    analysis.constants.erase(repeated.begin(), repeated.end());
    for (const int64_t constant : analysis.constants) {
      for (const int64_t multiple : {1, 2, 3}) {
        if (borders.size() >= 512) break;   // our choice: enough for every constant that a person writes
        if (constant > (int64_t{1} << 40) || constant < -(int64_t{1} << 40)) continue;
        for (const int64_t delta : {-1, 0, 1}) add(borders, constant * multiple + delta);
      }
    }
  }
  return borders;
}

}  // namespace

ProgramKinds kinds_of(const ir::Program& program, const Kinds& common) {
  if (common.index_inputs.empty() && !common.index_reads) return {};
  return solve(Analysis(program), common.index_inputs);
}

Kinds common_kinds(const ir::Program& original, const ir::Program& tiled) {
  std::array analyses{Analysis(original), Analysis(tiled)};
  std::set<std::string> inputs;
  for (bool grew = true; grew;) {
    const size_t before = inputs.size();
    for (const Analysis& analysis : analyses) {
      const ProgramKinds kinds = solve(analysis, {inputs.begin(), inputs.end()});
      for (const ir::Buffer* buffer : analysis.top_level) {
        if (buffer->role != ir::Role::out && kinds.index.contains(buffer)) inputs.insert(buffer->name);
      }
    }
    grew = inputs.size() != before;
  }
  std::vector<int64_t> borders, levels;
  if (!inputs.empty() || !original.parameters.empty()) borders = borders_of(analyses);
  for (const Analysis& analysis : analyses) {
    for (const int64_t constant : analysis.compared) {
      if (levels.size() < 16) add(levels, constant);   // our choice: each is a run of its own
    }
  }
  const bool index_reads = !analyses[0].seeds.empty() || !analyses[1].seeds.empty();
  return {{inputs.begin(), inputs.end()}, std::move(borders), std::move(levels), index_reads};
}

std::vector<int64_t> borders_of(const ir::Program& original, const ir::Program& tiled) {
  std::array analyses{Analysis(original), Analysis(tiled)};
  return borders_of(analyses);
}

}  // namespace tileproof::oracle
