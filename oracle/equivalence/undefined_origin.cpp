#include "oracle/equivalence/undefined_origin.h"

#include "compiler/ir/verify.h"
#include "oracle/domain/undefined.h"
#include "oracle/interpret/run_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tileproof::oracle {
namespace {

int64_t row_major(const std::vector<int64_t>& indices, const std::vector<int64_t>& extents) {
  int64_t element = 0;
  for (size_t i = 0; i < indices.size(); ++i) element = element * extents[i] + indices[i];
  return element;
}

void collect_reads(const ir::Expression& e, std::vector<std::string_view>& names) {
  if (e.op == ir::Op::read && std::ranges::find(names, e.name) == names.end()) names.push_back(e.name);
  for (const ir::Expression& operand : e.operands) collect_reads(operand, names);
}

/// "an element of t or u": the buffers that the statement reads, but those that the program is given.
std::string undefined_element(const ir::Statement& s, const ir::Program& program) {
  std::vector<std::string_view> names;
  collect_reads(s.value, names);
  std::erase_if(names, [&](std::string_view name) {
    return std::ranges::any_of(program.body, [&](const ir::Item& item) {
      const auto* buffer = std::get_if<ir::Buffer>(&item.node);
      return buffer != nullptr && buffer->name == name && (buffer->role == ir::Role::in || buffer->role == ir::Role::inout);
    });
  });
  return names.empty() ? "an element" : fmt::format("an element of {}", fmt::join(names, " or "));
}

}  // namespace

void explain_undefined(std::vector<Finding>& findings, const ir::Program& program, const LoweredProgram& code,
                       const RunOptions& options) {
  const auto is_undefined = [](const Finding& finding) { return finding.id == FindingId::poison_output; };
  if (std::ranges::none_of(findings, is_undefined)) return;
  Undefined domain;
  const Run<UndefinedValue> run = run_program(code, domain, options);
  if (run.status != RunStatus::done) return;
  const auto statements = ir::labelled_statements(program);
  for (Finding& finding : findings) {
    if (!is_undefined(finding)) continue;
    for (const auto& output : run.outputs) {
      if (output.buffer != finding.buffer || output.is_index) continue;
      const UndefinedValue v = output.values[static_cast<size_t>(row_major(finding.element, output.extents))];
      if (v.site >= statements.size() || v.cause == UndefinedValue::Cause::none || v.cause == UndefinedValue::Cause::unknown)
        continue;
      const auto& [statement, label] = statements[v.site];
      finding.detail +=
          fmt::format("; it comes from {} in line {}, which {}", label, statement->location.line,
                      v.cause == UndefinedValue::Cause::old
                          ? std::string("accumulates onto an element that nothing has written: is a `start` missing?")
                          : fmt::format("reads {} that is undefined", undefined_element(*statement, program)));
    }
  }
}

}  // namespace tileproof::oracle
