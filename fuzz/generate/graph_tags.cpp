#include "fuzz/generate/graph_tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tileproof::fuzz {

void tag_axes(std::vector<ir::Statement>& statements, Choices& choices) {
  if (!choices.chance(30)) return;
  for (ir::Statement& s : statements) {
    std::vector<ir::Axis*> parallel;
    for (ir::Axis& axis : s.axes)
      if (axis.kind == ir::AxisKind::parallel) parallel.push_back(&axis);
    const size_t on_partitions = parallel.empty() ? 0 : choices.below(parallel.size());
    const bool next_too = choices.chance(10);
    for (size_t i = 0; i < parallel.size(); ++i) {
      const bool is_p = i == on_partitions || (next_too && i == on_partitions + 1);
      parallel[i]->tags.push_back({is_p ? "P" : "F", {}});
    }
    for (ir::Axis& axis : s.axes)
      if (axis.kind == ir::AxisKind::reduce && s.opcode == "reduce") axis.tags.push_back({"F", {}});
  }
}

ir::Block grouped(std::vector<ir::Statement> statements, Choices& choices) {
  ir::Block items;
  int64_t number = 0;
  for (size_t i = 0; i < statements.size();) {
    if (i + 1 == statements.size() || !choices.chance(15)) {
      items.push_back({std::move(statements[i++])});
      continue;
    }
    const size_t length = 2 + choices.below(std::min<size_t>(3, statements.size() - i - 1));
    const size_t principal = i + choices.below(length);
    const ir::Tag tag{"fuse_group", {++number}};
    const bool is_bracket = choices.chance(50);
    ir::Group group;
    group.name = fmt::format("fused{}", number);
    group.tags = {tag};
    for (const size_t end = i + length; i < end; ++i) {
      if (!is_bracket) statements[i].tags.push_back(tag);
      if (i == principal) statements[i].tags.push_back({"principal", {}});
      (is_bracket ? group.body : items).push_back({std::move(statements[i])});
    }
    if (is_bracket) items.push_back({std::move(group)});
  }
  return items;
}

}  // namespace tileproof::fuzz
