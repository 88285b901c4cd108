#include "compiler/ir/program.h"

#include "compiler/ir/name_hash.h"

#include <array>
#include <unordered_map>

namespace tileproof::ir {

// Every == compares all but the location.

bool Parameter::operator==(const Parameter& other) const { return name == other.name && low == other.low && high == other.high; }

bool Buffer::operator==(const Buffer& other) const {
  return name == other.name && tags == other.tags && dtype == other.dtype && extents == other.extents &&
         partition_rank == other.partition_rank && space == other.space && role == other.role && address == other.address &&
         valid == other.valid && range == other.range;
}

bool Axis::operator==(const Axis& other) const {
  return name == other.name && extent == other.extent && kind == other.kind && tags == other.tags;
}

bool View::operator==(const View& other) const {
  return name == other.name && tags == other.tags && dims == other.dims && partition_rank == other.partition_rank &&
         base == other.base && indices == other.indices;
}

bool Statement::operator==(const Statement& other) const {
  return opcode == other.opcode && tags == other.tags && destination == other.destination && indices == other.indices &&
         update == other.update && value == other.value && axes == other.axes && where == other.where && start == other.start &&
         stop == other.stop && accumulate == other.accumulate && clobbers == other.clobbers;
}

bool Loop::operator==(const Loop& other) const {
  return name == other.name && tags == other.tags && range == other.range && kind == other.kind && body == other.body;
}

bool If::operator==(const If& other) const {
  return conditions == other.conditions && then_body == other.then_body && else_body == other.else_body;
}

bool While::operator==(const While& other) const {
  return conditions == other.conditions && limit == other.limit && body == other.body;
}

bool Group::operator==(const Group& other) const {
  return name == other.name && opcode == other.opcode && tags == other.tags && body == other.body;
}

bool Move::operator==(const Move& other) const { return destinations == other.destinations && sources == other.sources; }

bool Opaque::operator==(const Opaque& other) const { return name == other.name && arguments == other.arguments; }

bool Item::operator==(const Item& other) const { return node == other.node; }

bool Program::operator==(const Program& other) const {
  return name == other.name && kind == other.kind && machine == other.machine && tags == other.tags &&
         parameters == other.parameters && body == other.body;
}

std::string_view name(LoopKind kind) {
  static constexpr std::array<std::string_view, 4> names{"seq", "par", "shard", "thread"};
  return names[static_cast<size_t>(kind)];
}

std::string_view name(AxisKind kind) {
  static constexpr std::array<std::string_view, 3> names{"parallel", "reduce", "seq"};
  return names[static_cast<size_t>(kind)];
}

std::string_view name(Role role) {
  static constexpr std::array<std::string_view, 4> names{"none", "in", "out", "inout"};
  return names[static_cast<size_t>(role)];
}

std::string_view name(ProgramKind kind) {
  static constexpr std::array<std::string_view, 7> names{"plain", "incore", "aic", "aiv", "group", "orchestration", "opaque"};
  return names[static_cast<size_t>(kind)];
}

std::string_view spelling(Update update) {
  static constexpr std::array<std::string_view, 8> signs{"=", "+=", "*=", "max=", "min=", "and=", "or=", "xor="};
  return signs[static_cast<size_t>(update)];
}

namespace {

struct Labeller {
  std::unordered_map<std::string_view, size_t, NameHash> seen;
  std::vector<std::pair<const Statement*, std::string>> labels;

  void block(const Block& body) {
    for (const Item& item : body) {
      if (const auto* statement = std::get_if<Statement>(&item.node)) {
        const size_t place = ++seen[statement->opcode];
        labels.emplace_back(statement, statement->opcode).second.append("#").append(std::to_string(place));
      } else if (const auto* loop = std::get_if<Loop>(&item.node)) {
        block(loop->body);
      } else if (const auto* branch = std::get_if<If>(&item.node)) {
        block(branch->then_body);
        block(branch->else_body);
      } else if (const auto* repeat = std::get_if<While>(&item.node)) {
        block(repeat->body);
      } else if (const auto* group = std::get_if<Group>(&item.node)) {
        block(group->body);
      }
    }
  }
};

}  // namespace

std::vector<std::pair<const Statement*, std::string>> labelled_statements(const Program& program) {
  Labeller labeller;
  labeller.block(program.body);
  return std::move(labeller.labels);
}

}  // namespace tileproof::ir
