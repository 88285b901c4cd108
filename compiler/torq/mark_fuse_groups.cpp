#include "compiler/torq/mark_fuse_groups.h"

#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/operation.h"
#include "compiler/penguin/partition_groups.h"
#include "compiler/penguin/tiling_pass.h"
#include "compiler/torq/fuse_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tileproof::torq {
namespace {

using penguin::find_tag;

void collect_reads(const ir::Expression& e, std::vector<const ir::Expression*>& reads) {
  if (e.op == ir::Op::read) reads.push_back(&e);
  for (const ir::Expression& operand : e.operands) collect_reads(operand, reads);
}

std::vector<const ir::Expression*> reads_of(const ir::Statement& s) {
  std::vector<const ir::Expression*> reads;
  for (const std::vector<ir::Expression>* list : {&s.indices, &s.where})
    for (const ir::Expression& e : *list) collect_reads(e, reads);
  collect_reads(s.value, reads);
  return reads;
}

/// Of each statement that whole_tensor_statements lists, the loop's or the branch's block that it stands in; groups are open.
std::vector<const ir::Block*> blocks_of(const ir::Program& program) {
  std::vector<const ir::Block*> blocks;
  const auto walk = [&](const auto& self, const ir::Block& items, const ir::Block* around) -> void {
    for (const ir::Item& item : items) {
      if (std::holds_alternative<ir::Statement>(item.node)) blocks.push_back(around);
      if (const auto* group = std::get_if<ir::Group>(&item.node); group != nullptr && penguin::is_open(*group))
        self(self, group->body, around);
      if (const auto* loop = std::get_if<ir::Loop>(&item.node)) self(self, loop->body, &loop->body);
      if (const auto* branch = std::get_if<ir::If>(&item.node)) {
        self(self, branch->then_body, &branch->then_body);
        self(self, branch->else_body, &branch->else_body);
      }
    }
  };
  walk(walk, program.body, &program.body);
  return blocks;
}

/// The statements of a program with who writes and who reads their tensors.
class Chains {
 public:
  explicit Chains(const ir::Program& program)
      : statements_(penguin::whole_tensor_statements(program)),
        tensors_(penguin::tensors_of(program)),
        blocks_(blocks_of(program)) {
    for (size_t i = 0; i < statements_.size(); ++i) {
      std::set<const ir::Buffer*> read;
      for (const ir::Expression* each : reads_of(*statements_[i])) read.insert(tensors_[i].find(each->name));
      for (const ir::Buffer* tensor : read) readers_[tensor].push_back(i);
      writers_[tensors_[i].find(statements_[i]->destination)].push_back(i);
    }
  }

  const std::vector<const ir::Statement*>& statements() const { return statements_; }

  /// Fill, principal, epilogue, up to what is marked already. Precondition: the statement has a reduced axis.
  std::vector<size_t> chain_of(size_t principal, const std::set<size_t>& marked) const {
    std::vector<size_t> chain;
    if (const auto fill = fill_of(principal); fill && !marked.contains(*fill)) chain.push_back(*fill);
    chain.push_back(principal);
    for (size_t last = principal;;) {
      const auto next = follower_of(last);
      if (!next || marked.contains(*next)) return chain;
      chain.push_back(*next);
      last = *next;
    }
  }

 private:
  std::vector<const ir::Statement*> statements_;
  std::vector<penguin::Tensors> tensors_;
  std::vector<const ir::Block*> blocks_;
  std::map<const ir::Buffer*, std::vector<size_t>> readers_, writers_;

  const ir::Buffer* written(size_t statement) const { return tensors_[statement].find(statements_[statement]->destination); }
  bool is_plain(size_t statement) const {
    const ir::Statement& s = *statements_[statement];
    return s.clobbers.empty() && !tensors_[statement].is_view(s.destination) &&
           std::ranges::all_of(s.axes, [](const ir::Axis& axis) { return axis.kind == ir::AxisKind::parallel; });
  }

  std::optional<size_t> fill_of(size_t principal) const {
    const ir::Statement& s = *statements_[principal];
    if (s.update == ir::Update::assign || s.start) return std::nullopt;
    const std::vector<size_t>& writers = writers_.at(written(principal));
    const auto at = std::ranges::find(writers, principal);
    if (at == writers.begin()) return std::nullopt;
    const size_t before = *std::prev(at);
    if (blocks_[before] != blocks_[principal]) return std::nullopt;
    const bool is_fill =
        is_plain(before) && statements_[before]->update == ir::Update::assign && reads_of(*statements_[before]).empty();
    return is_fill ? std::optional(before) : std::nullopt;
  }

  std::optional<size_t> follower_of(size_t last) const {
    const ir::Buffer* tensor = written(last);
    if (tensor == nullptr || !penguin::is_local(*tensor) || tensors_[last].is_view(statements_[last]->destination))
      return std::nullopt;
    const auto readers = readers_.find(tensor);
    if (readers == readers_.end() || readers->second.size() != 1 || writers_.at(tensor).back() != last) return std::nullopt;
    const size_t next = readers->second.front();
    const ir::Statement& s = *statements_[next];
    if (next < last || blocks_[next] != blocks_[last] || !is_plain(next) || s.update != ir::Update::assign) return std::nullopt;
    for (const ir::Expression* read : reads_of(s))
      if (tensors_[next].find(read->name) == tensor && (tensors_[next].is_view(read->name) || read->operands != s.indices))
        return std::nullopt;
    return next;
  }
};

std::optional<int64_t> number_of(const ir::Statement& s) {
  const ir::Tag* id = find_tag(s.tags, "fuse_group_id");
  const auto* number = id == nullptr ? nullptr : std::get_if<int64_t>(&id->value.value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

/// The numbers of statements and groups that a program has already.
std::set<int64_t> taken_numbers(const std::vector<const ir::Statement*>& statements, const ir::Program& program) {
  std::set<int64_t> taken;
  for (const auto& [number, group] : fuse_groups(program)) taken.insert(number);
  for (const ir::Statement* s : statements)
    if (const auto number = number_of(*s)) taken.insert(*number);
  return taken;
}

std::expected<ir::Program, ir::Diagnostics> run(const ir::Program& original, const pipeline::Context& context) {
  ir::Program program = original;
  const std::vector<ir::Statement*> statements = penguin::whole_tensor_statements(program);
  const Chains chains(original);
  const penguin::Remarks remarks(original, context);
  std::set<size_t> marked;
  for (const auto& [number, group] : fuse_groups(original)) marked.insert(group.members.begin(), group.members.end());

  const std::set<int64_t> taken = taken_numbers(chains.statements(), original);
  int64_t next = 0;
  for (ir::Statement* s : statements) {
    if (number_of(*s)) continue;
    while (taken.contains(next)) ++next;
    penguin::set_tag(s->tags, "fuse_group_id", {next++});
  }
  for (size_t i = 0; i < statements.size(); ++i) {
    const ir::Statement& s = *statements[i];
    const bool reduces = std::ranges::find(s.axes, ir::AxisKind::reduce, &ir::Axis::kind) != s.axes.end();
    if (!reduces || marked.contains(i)) continue;
    const std::vector<size_t> chain = chains.chain_of(i, marked);
    const int64_t number = *number_of(s);
    for (const size_t member : chain) {
      std::vector<std::variant<int64_t, std::string>> list;
      for (const int64_t group : groups_of(*statements[member])) list.emplace_back(group);
      list.emplace_back(number);
      penguin::set_tag(statements[member]->tags, "fuse_group", {std::move(list)});
    }
    penguin::set_tag(statements[i]->tags, "principal");
    remarks.add(*chains.statements()[i], "marked",
                fmt::format("group {} of {} statement{}", number, chain.size(), chain.size() == 1 ? "" : "s"));
  }
  return program;
}

}  // namespace

pipeline::Pass mark_fuse_groups() {
  return {"mark-fuse-groups",
          "marks the chains of operations that are to be tiled and lowered together",
          "nothing; what stands in a `while` or an instruction has no part in it",
          "every statement has a number, and each that reduces is the principal of a group, or was marked before",
          {},
          {{"marked", pipeline::RemarkKind::applied, "it is the principal of a fuse group"}},
          run};
}

}  // namespace tileproof::torq
