#include "oracle/legality/legality.h"

#include "compiler/ir/suggestion.h"
#include "compiler/machine/unify.h"
#include "oracle/legality/buffer_rules.h"
#include "oracle/legality/execution_key.h"
#include "oracle/legality/occupancy.h"
#include "oracle/legality/report.h"
#include "oracle/legality/window_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace tileproof::oracle {
namespace {

using machine::Operation;

struct HashKey {
  size_t operator()(const std::vector<int64_t>& key) const {
    uint64_t hash = 0x9E3779B97F4A7C15U;
    for (const int64_t part : key) hash = (hash ^ static_cast<uint64_t>(part)) * 0xFF51AFD7ED558CCDU, hash ^= hash >> 32;
    return hash;
  }
};
/// Bounds the memory of executions that are all different.
constexpr size_t most_keys = size_t{1} << 16;
using Judged = std::unordered_set<std::vector<int64_t>, HashKey>;

/// A statement, or the statements of a `group ... as OPCODE`.
struct Instruction {
  std::string opcode;
  std::vector<size_t> members;
  const ir::Group* group = nullptr;
  bool has_control_flow = false;
  std::span<const machine::Opcode* const> alternatives;
  Judged judged;
};

struct Watched {
  machine::StatementAccesses text;
  std::string label;
  std::optional<ExecutionKey> key;  ///< nullopt: it executes once at most
  size_t instruction = 0;
};

/// Appends for each statement, in the order of the text, whether it stands in a loop.
void note_loops(const ir::Block& body, bool in_loop, std::vector<bool>& repeats) {
  for (const ir::Item& item : body) {
    if (std::holds_alternative<ir::Statement>(item.node)) repeats.push_back(in_loop);
    if (const auto* loop = std::get_if<ir::Loop>(&item.node)) note_loops(loop->body, true, repeats);
    if (const auto* loop = std::get_if<ir::While>(&item.node)) note_loops(loop->body, true, repeats);
    if (const auto* group = std::get_if<ir::Group>(&item.node)) note_loops(group->body, in_loop, repeats);
    if (const auto* branch = std::get_if<ir::If>(&item.node)) {
      note_loops(branch->then_body, in_loop, repeats);
      note_loops(branch->else_body, in_loop, repeats);
    }
  }
}

/// Statements, declarations and plain brackets only.
bool is_straight(const ir::Block& body) {
  return std::ranges::all_of(body, [](const ir::Item& item) {
    if (const auto* group = std::get_if<ir::Group>(&item.node)) return !group->opcode && is_straight(group->body);
    return std::holds_alternative<ir::Statement>(item.node) || std::holds_alternative<ir::Buffer>(item.node) ||
           std::holds_alternative<ir::View>(item.node);
  });
}

FindingId finding_of(machine::Reason::Kind kind) {
  switch (kind) {
    case machine::Reason::Kind::space: return FindingId::operand_space;
    case machine::Reason::Kind::dtype: return FindingId::operand_dtype;
    case machine::Reason::Kind::limit: return FindingId::limit;
    case machine::Reason::Kind::bank: return FindingId::bank;
    default: return FindingId::opcode;
  }
}

}  // namespace

struct Legality::State {
  State(const ir::Program& program, const machine::Machine& m) : machine(m), occupancy(m) {
    std::vector<std::pair<const ir::Statement*, std::string>> labels = ir::labelled_statements(program);
    std::vector<machine::StatementAccesses> texts = machine::resolve_accesses(program);   // in the same order
    std::unordered_map<const ir::Group*, size_t> of_group;
    std::vector<bool> repeats;
    note_loops(program.body, false, repeats);
    watched.reserve(texts.size());
    for (machine::StatementAccesses& text : texts) {
      const ir::Statement* statement = text.statement;
      const ir::Group* group = text.instruction;
      size_t instruction = instructions.size();
      if (group != nullptr) instruction = of_group.try_emplace(group, instruction).first->second;
      if (instruction == instructions.size()) {
        Instruction fresh;
        fresh.opcode = group != nullptr ? *group->opcode : statement->opcode;
        fresh.group = group;
        fresh.has_control_flow = group != nullptr && !is_straight(group->body);
        const auto [known, is_first] = alternatives.try_emplace(fresh.opcode);
        if (is_first) known->second = machine.alternatives(fresh.opcode);
        fresh.alternatives = known->second;
        instructions.push_back(std::move(fresh));
      }
      const size_t site = watched.size();
      instructions[instruction].members.push_back(site);
      std::optional<ExecutionKey> execution_key;
      if (repeats[site]) execution_key.emplace(text, machine);
      watched.push_back({std::move(text), std::move(labels[site].second), std::move(execution_key), instruction});
    }
  }

  void execute(const ir::Statement& statement, Site site, std::span<const int64_t> extents, const machine::Lookup& lookup) {
    if (site >= watched.size() || watched[site].text.statement != &statement) return;
    current = site;
    const Watched& executed = watched[current];
    occupancy.advance(&executed.label);
    Instruction& instruction = instructions[executed.instruction];
    // A group is judged when its first statement executes.
    if (instruction.members.front() != current) return;
    if (executed.key) {
      key.clear();
      append_key(instruction, extents, lookup);
      if (instruction.judged.contains(key)) return;
      if (instruction.judged.size() >= most_keys) instruction.judged.clear();   // judged again: that costs time, not truth
      instruction.judged.insert(key);
    }
    judge(instruction, extents, lookup);
  }

  /// Extents of a member of an instruction; those of the executing statement are given.
  std::vector<int64_t> extents_of(size_t member, std::span<const int64_t> given, const machine::Lookup& lookup) const {
    if (member == current) return {given.begin(), given.end()};
    std::vector<int64_t> extents;
    for (const ir::Axis& axis : watched[member].text.statement->axes)
      extents.push_back(machine::form_of(axis.extent, {}, {}, lookup).constant);
    return extents;
  }

  void append_key(const Instruction& instruction, std::span<const int64_t> extents, const machine::Lookup& lookup) {
    if (instruction.members.size() == 1) {
      watched[current].key->append(extents, lookup, key);
    } else if (!instruction.has_control_flow) {
      for (const size_t member : instruction.members)
        watched[member].key->append(extents_of(member, extents, lookup), lookup, key);
    }
  }

  void judge(const Instruction& instruction, std::span<const int64_t> extents, const machine::Lookup& lookup) {
    if (instruction.alternatives.empty()) {
      report_unknown(instruction);
      return;
    }
    if (instruction.has_control_flow) {
      add(FindingId::opcode, instruction, "-",
          fmt::format("group {} holds more than statements, buffers and views; {} on {} is one instruction",
                      instruction.group->name, instruction.opcode, machine.name));
      return;
    }
    std::vector<Operation> operations;
    for (const size_t member : instruction.members) {
      operations.push_back(machine::make_operation(watched[member].text, extents_of(member, extents, lookup), lookup));
    }
    const auto is_idle = [](const Operation& operation) { return operation.executed.is_empty(); };
    if (std::ranges::all_of(operations, is_idle)) return;
    for (Operation& operation : operations) {
      if (is_idle(operation))
        operation.executed = operation.box;   // a part of a group that is masked out has its place in it all the same
    }
    const machine::Judgement judgement = machine::judge(operations, instruction.alternatives, machine);
    for (const machine::Reason& reason : judgement.reasons) report_reason(instruction, reason);
    const machine::Opcode& opcode = judgement.binding ? *judgement.binding->opcode : *instruction.alternatives.front();
    for (size_t i = 0; i < operations.size(); ++i) {
      const std::string& label = watched[instruction.members[i]].label;
      if (!opcode.any_partition) judge_partitions(operations[i], machine, label, report);
      judge_packing(operations[i], label, report);
    }
  }

  void report_unknown(const Instruction& instruction) {
    const std::vector<std::string> names = machine.opcode_names();
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    add(FindingId::unknown, instruction, "-",
        fmt::format("{} has no opcode {}; {}", machine.name, ir::quoted(instruction.opcode),
                    ir::suggestion(instruction.opcode, candidates, fmt::format("it has {}", fmt::join(names, ", ")))));
  }

  void report_reason(const Instruction& instruction, const machine::Reason& reason) {
    const size_t forms = instruction.alternatives.size();
    const auto member =
        std::ranges::find_if(instruction.members, [&](size_t m) { return watched[m].text.statement == reason.statement; });
    const Watched& at = watched[member == instruction.members.end() ? instruction.members.front() : *member];
    report.add({finding_of(reason.kind),
                at.label,
                reason.buffer.empty() ? "-" : reason.buffer,
                {},
                at.text.statement->location,
                fmt::format("{}; {} on {} {}{}", reason.fact, instruction.opcode, machine.name, reason.rule,
                            forms > 1 ? fmt::format(" (the nearest of its {} forms)", forms) : "")},
               reason.letter);
  }

  void add(FindingId id, const Instruction& instruction, std::string buffer, std::string detail) {
    const Watched& at = watched[instruction.members.front()];
    report.add({id, at.label, std::move(buffer), {}, at.text.statement->location, std::move(detail)});
  }

  /// Moves and opaques come without an execution of their own: an access that the last statement does not make is one of theirs.
  bool is_of_current(const ir::Buffer& buffer) const {
    if (current >= watched.size()) return false;
    const machine::StatementAccesses& text = watched[current].text;
    return std::ranges::any_of(text.accesses, [&](const machine::Access& access) { return access.buffer == &buffer; }) ||
           std::ranges::find(text.statement->clobbers, buffer.name) != text.statement->clobbers.end();
  }

  const machine::Machine& machine;
  std::vector<Watched> watched;  // by site: statements in textual order
  std::unordered_map<std::string, std::vector<const machine::Opcode*>> alternatives;  // by opcode
  std::vector<Instruction> instructions;
  std::unordered_set<const ir::Buffer*> judged_buffers;  // without an address: a buffer has the same extents in each life
  std::vector<int64_t> key;
  size_t current = static_cast<size_t>(-1);  // the statement that executed last
  Occupancy occupancy;
  Report report;
};

Legality::Legality(const ir::Program& program, const machine::Machine& machine)
    : state_(std::make_unique<State>(program, machine)) {}
Legality::~Legality() = default;

void Legality::declare(Instance instance, const ir::Buffer& buffer, std::span<const int64_t> extents,
                       std::optional<std::pair<int64_t, int64_t>> address) {
  if (address || state_->judged_buffers.insert(&buffer).second)
    judge_buffer(buffer, extents, address, state_->machine, state_->report);
  if (address) return;
  state_->occupancy.declare(instance, buffer, extents);
}

void Legality::execute(const ir::Statement& statement, Site site, std::span<const int64_t> extents,
                       const Environment& environment) {
  const machine::Lookup lookup = [&environment](std::string_view name) { return environment.value(name); };
  state_->execute(statement, site, extents, lookup);
}

void Legality::access(Instance instance, bool is_write) {
  Occupancy::Life* life = state_->occupancy.find(instance);
  if (life == nullptr) return;
  if (!state_->is_of_current(*life->buffer)) {
    state_->occupancy.advance(nullptr);
    state_->current = static_cast<size_t>(-1);
  }
  state_->occupancy.access(*life, is_write);
}

void Legality::release(Instance instance) { state_->occupancy.release(instance); }

std::vector<Finding> Legality::finish() {
  state_->occupancy.finish(state_->report);
  return state_->report.take();
}

}  // namespace tileproof::oracle
