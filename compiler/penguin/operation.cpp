#include "compiler/penguin/operation.h"

#include "compiler/ir/name_hash.h"
#include "compiler/ir/verify.h"
#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/upper_bound.h"
#include "compiler/transform/each_body.h"
#include "compiler/transform/fold.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <unordered_map>
#include <utility>

namespace tileproof::penguin {
namespace {

struct Word {
  std::string_view name, meaning;
};
constexpr std::array<Word, untileable_count> words{{
    {"inside-of-a-nest", "it stands in a `while` or an instruction"},
    {"sequential-axis", "several seq axes, or one beside a reduced axis or in an accumulation"},
    {"indirect-access", "it scatters, or reads by an index that is itself read by an index"},
    {"data-condition", "a condition reads a buffer"},
    {"on-chip", "a tensor lies in an on-chip memory already, or is a view"},
    {"reads-destination", "it reads other elements of the tensor that it writes"},
    {"scatters", "the destination depends on a reduced axis"},
    {"clobbers", "it has scratch of its own"},
    {"unknown-dtype", "the machine does not load elements of this dtype, or does not compute on them"},
}};

bool has_read(const ir::Expression& e) { return e.op == ir::Op::read || std::ranges::any_of(e.operands, has_read); }

/// Whether a read in it has an index that reads a buffer.
bool reads_indirectly(const ir::Expression& e) {
  return (e.op == ir::Op::read && std::ranges::any_of(e.operands, has_read)) || std::ranges::any_of(e.operands, reads_indirectly);
}

void collect_reads(const ir::Expression& e, std::vector<const ir::Expression*>& reads) {
  if (e.op == ir::Op::read) reads.push_back(&e);
  for (const ir::Expression& operand : e.operands) collect_reads(operand, reads);
}

template <class Block, class Statement>
void collect_statements(Block& items, std::vector<Statement*>& statements) {
  for (auto& item : items) {
    if (auto* statement = std::get_if<ir::Statement>(&item.node)) statements.push_back(statement);
    each_open_body(item, [&](auto& body) { collect_statements(body, statements); });
  }
}

/// Whether a form of the opcode fits. That a machine does not have it at all is for macro-generation to say.
bool any_form(const machine::Machine& machine, std::string_view opcode_name, const auto& fits) {
  bool is_known = false;
  for (const machine::Opcode& opcode : machine.opcodes) {
    if (opcode.name != opcode_name) continue;
    if (fits(opcode)) return true;
    is_known = true;
  }
  return !is_known;
}

/// Whether the list of a rule admits the dtype: an empty one admits all.
bool admits(const std::vector<ir::Dtype>& dtypes, ir::Dtype dtype) {
  return dtypes.empty() || std::ranges::find(dtypes, dtype) != dtypes.end();
}

/// Whether an instruction writes such elements.
bool writes(const machine::Machine& machine, std::string_view opcode_name, ir::Dtype dtype) {
  return any_form(machine, opcode_name, [&](const machine::Opcode& opcode) {
    const machine::RoleRule* role = opcode.formulas.empty() ? nullptr : opcode.role(opcode.formulas[0].shapes[0].role);
    return role == nullptr || admits(role->dtypes, dtype);
  });
}

/// The elements that the machine loads and computes on. A statement has more operands than dtypes, so those found are kept.
class Loaded {
 public:
  explicit Loaded(const machine::Machine& machine) : machine_(machine) {}

  bool contains(ir::Dtype dtype) {
    const auto place = static_cast<size_t>(dtype);
    if (!found_[place]) found_[place] = writes(machine_, "load", dtype) && writes(machine_, "map", dtype);
    return found_[place];
  }
  /// A dtype that some cast is to and that is not loaded.
  std::optional<ir::Dtype> cast_beyond(const ir::Expression& e) {
    if (e.op == ir::Op::cast && !contains(e.dtype)) return e.dtype;
    for (const ir::Expression& operand : e.operands)
      if (const auto dtype = cast_beyond(operand)) return dtype;
    return std::nullopt;
  }

 private:
  const machine::Machine& machine_;
  std::bitset<1 << 8> found_;   // by dtype
};

/// Whether a form of the opcode accumulates in this dtype.
bool accumulates(const machine::Machine& machine, std::string_view opcode_name, ir::Dtype dtype) {
  return any_form(machine, opcode_name, [&](const machine::Opcode& opcode) { return admits(opcode.accumulate, dtype); });
}

/// The names of the dtypes for which `is_taken`.
template <class Taken>
std::string dtypes_where(const Taken& is_taken) {
  std::vector<std::string_view> names;
  for (const ir::Dtype dtype : ir::all_dtypes())
    if (is_taken(dtype)) names.push_back(ir::name(dtype));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

bool reduces(const ir::Statement& s) { return std::ranges::find(s.axes, ir::AxisKind::reduce, &ir::Axis::kind) != s.axes.end(); }

/// What is wrong with the dtypes of a statement on tensors in DRAM; nullopt: nothing.
std::optional<std::string> dtype_fault(const ir::Statement& s, const std::vector<const ir::Expression*>& reads,
                                       const Tensors& tensors, const machine::Machine& machine) {
  Loaded loaded(machine);
  const auto untaken = [&](std::string_view what, ir::Dtype dtype) {
    return fmt::format("{} {}; {} loads and computes on {}", what, ir::name(dtype), machine.name,
                       dtypes_where([&](ir::Dtype each) { return loaded.contains(each); }));
  };
  const auto is_untaken = [&](const std::string& tensor) {
    const ir::Buffer* buffer = tensors.find(tensor);
    return buffer != nullptr && !loaded.contains(buffer->dtype);
  };
  if (is_untaken(s.destination)) return untaken(s.destination + " is", tensors.find(s.destination)->dtype);
  for (const ir::Expression* read : reads)
    if (is_untaken(read->name)) return untaken(read->name + " is", tensors.find(read->name)->dtype);
  if (const auto dtype = loaded.cast_beyond(s.value)) return untaken("it casts to", *dtype);
  if (s.update == ir::Update::assign && !s.accumulate.has_value()) return std::nullopt;
  const std::string_view opcode = reduces(s) ? "reduce" : "map";
  const ir::Dtype in = ir::accumulate_dtype(s, tensors.dtypes());
  if (accumulates(machine, opcode, in)) return std::nullopt;
  return fmt::format("it accumulates in {}; `{}` on {} accumulates in {}", ir::name(in), opcode, machine.name,
                     dtypes_where([&](ir::Dtype each) { return accumulates(machine, opcode, each); }));
}

/// Whether no point of the statement reads what another one writes: some dimension is read at a constant distance from where it is written,
/// in every execution of the statement the same.
bool are_apart(const ir::Statement& s, const ir::Expression& read) {
  const auto names_an_axis = [&](const ir::Expression& e) {
    return std::ranges::any_of(s.axes, [&](const ir::Axis& axis) { return names_axis(e, axis.name); });
  };
  for (size_t dim = 0; dim < s.indices.size() && dim < read.operands.size(); ++dim) {
    if (names_an_axis(s.indices[dim]) || names_an_axis(read.operands[dim])) continue;
    const auto ahead = [](const ir::Expression& a, const ir::Expression& b) {
      return transform::constant(transform::fold(transform::binary(ir::Op::subtract, a, b))).value_or(0) > 0;
    };
    if (ahead(s.indices[dim], read.operands[dim]) || ahead(read.operands[dim], s.indices[dim])) return true;
  }
  return false;
}

std::optional<Contraction> contraction_of(const ir::Statement& s, const Tensors& tensors, const machine::Machine& machine) {
  const ir::Expression& value = s.value;
  if (s.update != ir::Update::add || value.op != ir::Op::multiply) return std::nullopt;
  // A group in PSUM begins with nothing: what was copied there is no partial sum to the machine.
  if (!s.start || !s.start->conditions.empty()) return std::nullopt;
  std::array<ir::Dtype, 2> dtypes{};
  for (size_t side = 0; side < 2; ++side) {
    const ir::Expression& read = value.operands[side];
    if (read.op != ir::Op::read || reads_indirectly(read)) return std::nullopt;
    dtypes[side] = tensors.find(read.name)->dtype;
  }
  const auto in_tiles = operand_dtypes(dtypes[0], dtypes[1], machine);
  if (!in_tiles) return std::nullopt;
  if (ir::accumulate_dtype(s, tensors.dtypes()) != ir::Dtype::f32) return std::nullopt;
  // Any other mask would begin or end at another lane in each column.
  const auto is_reduced_axis = [&](const std::string& axis_name) {
    const auto axis = std::ranges::find(s.axes, axis_name, &ir::Axis::name);
    return axis != s.axes.end() && axis->kind == ir::AxisKind::reduce;
  };
  for (const ir::Expression& condition : s.where) {
    const bool masks = std::ranges::any_of(transform::names_in(condition), is_reduced_axis);
    if (masks && !is_upper_bound(condition, is_reduced_axis, is_reduced_axis)) return std::nullopt;
  }
  Contraction result;
  result.dtypes = *in_tiles;
  std::array<std::vector<size_t>, 2> own;
  bool names_partition = false;
  for (size_t i = 0; i < s.axes.size(); ++i) {
    const ir::Axis& axis = s.axes[i];
    const bool in_first = names_axis(value.operands[0], axis.name), in_second = names_axis(value.operands[1], axis.name);
    const bool is_reduced = axis.kind == ir::AxisKind::reduce;
    if (is_reduced ? !(in_first && in_second) : !(in_first || in_second)) return std::nullopt;
    if (in_first && in_second) {
      (is_reduced ? result.contracted : result.batch).push_back(i);
      continue;
    }
    own[in_second].push_back(i);
    if (class_of(axis) == AxisClass::partition && !names_partition) {
      result.stationary_operand = in_second;
      names_partition = true;
    }
  }
  if (result.contracted.empty() || (own[0].empty() && own[1].empty())) return std::nullopt;
  if (own[result.stationary_operand].empty()) result.stationary_operand = 1 - result.stationary_operand;
  result.stationary = own[result.stationary_operand];
  result.moving = own[1 - result.stationary_operand];
  const auto none_is = [&](const std::vector<size_t>& axes, std::initializer_list<AxisClass> classes) {
    return std::ranges::none_of(axes, [&](size_t i) {
      return std::ranges::any_of(classes, [&](AxisClass each) { return class_of(s.axes[i]) == each; });
    });
  };
  const bool classes_fit = none_is(result.contracted, {AxisClass::free}) && none_is(result.stationary, {AxisClass::free}) &&
                           none_is(result.moving, {AxisClass::partition}) &&
                           none_is(result.batch, {AxisClass::partition, AxisClass::free});
  return classes_fit ? std::optional(result) : std::nullopt;
}

}  // namespace

std::string_view spelling(OperationKind kind) {
  return std::array<std::string_view, 4>{"elementwise", "reduction", "scan", "contraction"}[static_cast<size_t>(kind)];
}

bool is_open(const ir::Group& group) { return !group.opcode && find_tag(group.tags, "tiled") == nullptr; }

bool takes(const machine::Machine& machine, ir::Dtype dtype) {
  return writes(machine, "load", dtype) && writes(machine, "map", dtype);
}

std::vector<const ir::Expression*> reads_in(const ir::Expression& value) {
  std::vector<const ir::Expression*> reads;
  reads.reserve(4);  // seldom are there more
  collect_reads(value, reads);
  return reads;
}

std::string_view name(Untileable reason) { return words[static_cast<size_t>(reason)].name; }
std::string_view meaning(Untileable reason) { return words[static_cast<size_t>(reason)].meaning; }

/// What one block declares.
struct Tensors::Scope {
  struct Name {
    const ir::Buffer* buffer = nullptr;
    bool is_view = false;
  };
  std::shared_ptr<const Scope> around;
  std::unordered_map<std::string_view, Name, ir::NameHash> names = {};

  const Name* find(const std::string& name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->around.get())
      if (const auto found = scope->names.find(name); found != scope->names.end()) return &found->second;
    return nullptr;
  }
};

const ir::Buffer* Tensors::find(const std::string& name) const {
  const Scope::Name* found = scope_->find(name);
  return found == nullptr ? nullptr : found->buffer;
}

bool Tensors::is_view(const std::string& name) const {
  const Scope::Name* found = scope_->find(name);
  return found != nullptr && found->is_view;
}

std::vector<Tensors> tensors_of(const ir::Program& program) {
  std::vector<Tensors> tensors;
  const auto block = [&](const auto& self, const ir::Block& items, std::shared_ptr<const Tensors::Scope> around) -> void {
    const auto scope = std::make_shared<Tensors::Scope>(Tensors::Scope{std::move(around)});
    for (const ir::Item& item : items) {
      if (const auto* buffer = std::get_if<ir::Buffer>(&item.node)) {
        scope->names[buffer->name] = {buffer, false};
      } else if (const auto* view = std::get_if<ir::View>(&item.node)) {
        const Tensors::Scope::Name* base = scope->find(view->base);
        scope->names[view->name] = {base == nullptr ? nullptr : base->buffer, true};
      } else if (std::holds_alternative<ir::Statement>(item.node)) {
        tensors.emplace_back().scope_ = scope;
      }
      each_open_body(item, [&](const ir::Block& body) { self(self, body, scope); });
    }
  };
  block(block, program.body, nullptr);
  return tensors;
}

std::vector<const ir::Statement*> whole_tensor_statements(const ir::Program& program) {
  std::vector<const ir::Statement*> statements;
  collect_statements(program.body, statements);
  return statements;
}
std::vector<ir::Statement*> whole_tensor_statements(ir::Program& program) {
  std::vector<ir::Statement*> statements;
  collect_statements(program.body, statements);
  return statements;
}

std::set<const ir::Statement*> tiled_statements(const ir::Program& program) {
  std::set<const ir::Statement*> statements;
  const auto walk = [&](const auto& self, const ir::Block& block, bool is_tiled) -> void {
    for (const ir::Item& item : block) {
      if (const auto* s = std::get_if<ir::Statement>(&item.node); s != nullptr && is_tiled) statements.insert(s);
      const auto* group = std::get_if<ir::Group>(&item.node);
      const bool inside = is_tiled || (group != nullptr && find_tag(group->tags, "tiled") != nullptr);
      transform::each_body(item, [&](const ir::Block& body) { self(self, body, inside); });
    }
  };
  walk(walk, program.body, false);
  return statements;
}

std::optional<std::array<ir::Dtype, 2>> operand_dtypes(ir::Dtype first, ir::Dtype second, const machine::Machine& machine) {
  const auto takes = [](const machine::Opcode& opcode, std::string_view role, ir::Dtype dtype) {
    const machine::RoleRule* rule = opcode.role(role);
    return rule == nullptr || admits(rule->dtypes, dtype);
  };
  const auto multiplies = [&](ir::Dtype a, ir::Dtype b) {
    return std::ranges::any_of(machine.opcodes, [&](const machine::Opcode& opcode) {
      if (opcode.name != "matmul" || opcode.formulas.empty() || opcode.formulas[0].shapes.size() != 3) return false;
      const auto& shapes = opcode.formulas[0].shapes;
      return takes(opcode, shapes[1].role, a) && takes(opcode, shapes[2].role, b);
    });
  };
  if (multiplies(first, second) && (first == second || multiplies(second, first))) return std::array{first, second};
  for (const ir::Dtype dtype : {first, second}) {
    const bool holds = ir::holds_every_value(dtype, first) && ir::holds_every_value(dtype, second);
    if (holds && multiplies(dtype, dtype)) return std::array{dtype, dtype};
  }
  return std::nullopt;
}

std::expected<Operation, Untileable> operation_of(const ir::Statement& s, const Tensors& tensors,
                                                  const machine::Machine& machine) {
  const auto seq_axes = std::ranges::count(s.axes, ir::AxisKind::seq, &ir::Axis::kind);
  const bool scans = seq_axes > 0;
  if (seq_axes > 1 || (scans && (reduces(s) || s.update != ir::Update::assign)))
    return std::unexpected(Untileable::sequential_axis);
  if (!s.clobbers.empty()) return std::unexpected(Untileable::clobbers);
  if (std::ranges::any_of(s.where, has_read)) return std::unexpected(Untileable::data_condition);
  if (s.start && std::ranges::any_of(s.start->conditions, has_read)) return std::unexpected(Untileable::data_condition);
  if (std::ranges::any_of(s.indices, has_read)) return std::unexpected(Untileable::indirect_access);
  for (const ir::Axis& axis : s.axes) {
    if (axis.kind != ir::AxisKind::reduce) continue;
    if (std::ranges::any_of(s.indices, [&](const ir::Expression& index) { return names_axis(index, axis.name); }))
      return std::unexpected(Untileable::scatters);
  }
  const std::vector<const ir::Expression*> reads = reads_in(s.value);
  const auto tensor = [&](const std::string& buffer_name) {
    const ir::Buffer* buffer = tensors.find(buffer_name);
    return buffer != nullptr && buffer->space == "dram" ? buffer : nullptr;
  };
  const ir::Buffer* destination = tensor(s.destination);
  if (destination == nullptr || tensors.is_view(s.destination)) return std::unexpected(Untileable::on_chip);
  for (const ir::Expression* read : reads) {
    const ir::Buffer* source = tensor(read->name);
    if (source == nullptr) return std::unexpected(Untileable::on_chip);
    if (std::ranges::any_of(read->operands, reads_indirectly)) return std::unexpected(Untileable::indirect_access);
    // What a scan may read of its own points, transform::localize_scan says.
    if (source == destination && !scans && (read->name != s.destination || !(read->operands == s.indices || are_apart(s, *read))))
      return std::unexpected(Untileable::reads_destination);
  }
  if (dtype_fault(s, reads, tensors, machine)) return std::unexpected(Untileable::unknown_dtype);
  Operation operation;
  if (scans) operation.kind = OperationKind::scan;
  if (!reduces(s)) return operation;
  operation.kind = OperationKind::reduction;
  if (auto contraction = contraction_of(s, tensors, machine)) {
    operation.kind = OperationKind::contraction;
    operation.contraction = std::move(*contraction);
  }
  return operation;
}

std::string explanation(Untileable reason, const ir::Statement& s, const Tensors& tensors, const machine::Machine& machine) {
  std::string general(meaning(reason));
  if (reason != Untileable::unknown_dtype) return general;
  return dtype_fault(s, reads_in(s.value), tensors, machine).value_or(std::move(general));
}

}  // namespace tileproof::penguin
