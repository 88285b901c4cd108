#include "compiler/torq/fuse_groups.h"

#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/operation.h"

#include <algorithm>
#include <set>

namespace tileproof::torq {
namespace {

std::vector<int64_t> numbers_of(const ir::Tags& tags) {
  std::vector<int64_t> numbers;
  const ir::Tag* tag = penguin::find_tag(tags, "fuse_group");
  if (tag == nullptr) return numbers;
  if (const auto* number = std::get_if<int64_t>(&tag->value.value)) numbers.push_back(*number);
  if (const auto* list = std::get_if<std::vector<std::variant<int64_t, std::string>>>(&tag->value.value))
    for (const auto& each : *list)
      if (const auto* number = std::get_if<int64_t>(&each)) numbers.push_back(*number);
  return numbers;
}

bool reads(const ir::Expression& e, const penguin::Tensors& tensors, const ir::Buffer* tensor) {
  return (e.op == ir::Op::read && tensors.find(e.name) == tensor) ||
         std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return reads(operand, tensors, tensor); });
}

}  // namespace

std::vector<int64_t> groups_of(const ir::Statement& statement) { return numbers_of(statement.tags); }

std::map<int64_t, FuseGroup> fuse_groups(const ir::Program& program) {
  const std::vector<const ir::Statement*> statements = penguin::whole_tensor_statements(program);
  const std::vector<penguin::Tensors> tensors = penguin::tensors_of(program);
  std::map<int64_t, FuseGroup> groups;
  size_t next = 0;
  const auto block = [&](const auto& self, const ir::Block& items, const std::set<int64_t>& around) -> void {
    for (const ir::Item& item : items) {
      if (const auto* group = std::get_if<ir::Group>(&item.node); group != nullptr && !group->opcode) {
        std::set<int64_t> inside = around;
        for (const int64_t number : numbers_of(group->tags)) inside.insert(number);
        self(self, group->body, inside);
      }
      if (const auto* loop = std::get_if<ir::Loop>(&item.node)) self(self, loop->body, around);
      if (const auto* branch = std::get_if<ir::If>(&item.node)) {
        self(self, branch->then_body, around);
        self(self, branch->else_body, around);
      }
      const auto* statement = std::get_if<ir::Statement>(&item.node);
      if (statement == nullptr) continue;
      std::set<int64_t> numbers = around;
      for (const int64_t number : groups_of(*statement)) numbers.insert(number);
      for (const int64_t number : numbers) groups[number].members.push_back(next);
      ++next;
    }
  };
  block(block, program.body, {});
  for (auto& [number, group] : groups) {
    for (const std::string_view tag : {"fuse_group_id", "principal"})   // the number outweighs the word
      for (const size_t member : group.members)
        if (const ir::Tag* found = penguin::find_tag(statements[member]->tags, tag);
            found != nullptr && !group.principal && (tag == "principal" || found->value == ir::TagValue{number}))
          group.principal = member;
    for (const size_t member : group.members) {
      const ir::Buffer* written = tensors[member].find(statements[member]->destination);
      const auto uses = [&](size_t other) {
        const ir::Statement& s = *statements[other];
        if (other <= member) return false;
        return reads(s.value, tensors[other], written) ||
               (s.update != ir::Update::assign && tensors[other].find(s.destination) == written);
      };
      if (std::ranges::none_of(group.members, uses)) group.outputs.push_back(member);
    }
  }
  return groups;
}

}  // namespace tileproof::torq
