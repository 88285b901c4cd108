#include "oracle/pipeline/declined.h"

#include <algorithm>
#include <utility>

namespace tileproof::oracle {
namespace {

/// nullptr: no statement has this label.
const ir::Statement* labelled(const ir::Program& program, const std::string& label) {
  for (const auto& [statement, name] : ir::labelled_statements(program))
    if (name == label) return statement;
  return nullptr;
}

ir::Statement without_tags(ir::Statement statement) {
  statement.tags.clear();
  for (ir::Axis& axis : statement.axes) axis.tags.clear();
  return statement;
}

}  // namespace

std::vector<Declined> declined_statements(const ir::Program& before, const pipeline::Stage& stage) {
  std::vector<Declined> declined;
  for (const pipeline::Remark& remark : stage.remarks) {
    if (remark.kind != pipeline::RemarkKind::declined) continue;
    if (const ir::Statement* const statement = labelled(before, remark.statement))
      declined.push_back({remark, without_tags(*statement)});
  }
  return declined;
}

std::optional<Declined> declined_for(const CheckReport& report, const ir::Program& end, std::span<const Declined> declined) {
  if (report.verdict != Verdict::refuted) return std::nullopt;
  std::optional<Declined> first;
  for (const Finding& finding : report.findings) {
    if (finding.id < FindingId::capacity) return std::nullopt;
    const ir::Statement* const statement = labelled(end, finding.statement);
    if (statement == nullptr) return std::nullopt;
    const auto found = std::ranges::find(declined, without_tags(*statement), &Declined::statement);
    if (found == declined.end()) return std::nullopt;
    if (!first) first = *found;
  }
  return first;
}

}  // namespace tileproof::oracle
