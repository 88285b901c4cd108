#include "oracle/explain/written.h"

#include "compiler/machine/access.h"
#include "oracle/explain/writer_domain.h"
#include "oracle/interpret/run_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tileproof::oracle {
namespace {

constexpr size_t most_executions = size_t{1} << 22;   // our choice: some hundred megabytes at most

/// Numbers the executions of statements that write an output.
class Numbering final : public Observer {
 public:
  Numbering(const ir::Program& program, const std::vector<NestedStatement>& statements) : statements_(statements) {
    for (const machine::StatementAccesses& text : machine::resolve_accesses(program)) {
      const ir::Role role = text.accesses.empty() ? ir::Role::none : text.accesses.front().buffer->role;
      writes_output_.push_back(role == ir::Role::out || role == ir::Role::inout);
    }
  }

  uint32_t current = WriterValue::untracked;
  bool exceeded = false;
  std::vector<Execution> executions;

  void execute(const ir::Statement&, Site site, std::span<const int64_t>, const Environment& environment) override {
    current = WriterValue::untracked;
    if (site >= writes_output_.size() || !writes_output_[site]) return;
    exceeded = exceeded || executions.size() >= most_executions;
    if (exceeded) return;
    Execution& execution = executions.emplace_back();
    execution.site = site;
    for (const ir::Loop* loop : statements_[site].loops) execution.loops.push_back(environment.value(loop->name));
    current = WriterValue::first + static_cast<uint32_t>(executions.size()) - 1;
  }
  void declare(Instance, const ir::Buffer&, std::span<const int64_t>, std::optional<std::pair<int64_t, int64_t>>) override {}
  void access(Instance, bool) override {}
  void release(Instance) override {}

 private:
  const std::vector<NestedStatement>& statements_;
  std::vector<bool> writes_output_;
};

bool is_inout(const ir::Program& program, std::string_view name) {
  return std::ranges::any_of(program.body, [&](const ir::Item& item) {
    const auto* buffer = std::get_if<ir::Buffer>(&item.node);
    return buffer != nullptr && buffer->name == name && buffer->role == ir::Role::inout;
  });
}

}  // namespace

const WrittenBuffer* Written::find(std::string_view buffer) const {
  const auto found = std::ranges::find(buffers, buffer, &WrittenBuffer::buffer);
  return found == buffers.end() ? nullptr : &*found;
}

std::string failure_of(RunStatus status, const std::string& reason, const RunOptions& options) {
  switch (status) {
    case RunStatus::done: return {};
    case RunStatus::out_of_points: return fmt::format("a run needs more than {} points", options.limits.points);
    case RunStatus::out_of_time: return "the time is over";
    default: return reason;
  }
}

Written trace_writes(const ir::Program& program, const LoweredProgram& code, const RunOptions& options) {
  Written written;
  written.statements = nested_statements(program);
  Numbering numbering(program, written.statements);
  Writer domain(numbering.current);
  const Run<WriterValue> run = run_program(code, domain, options, &numbering);
  written.failure = failure_of(run.status, run.reason, options);
  if (numbering.exceeded) written.failure = fmt::format("more than {} executions write outputs", most_executions);
  if (!written.failure.empty()) return written;
  written.executions = std::move(numbering.executions);
  std::map<uint32_t, uint32_t> by_statement;   // for index-kind buffers: an execution that stands for all of a statement
  for (const Output<WriterValue>& output : run.outputs) {
    WrittenBuffer buffer{output.buffer, output.extents, !output.is_index, {}};
    const bool keeps_input = is_inout(program, output.buffer);
    for (size_t i = 0; i < output.writers.size(); ++i) {
      const uint32_t site = output.writers[i];   // 0: nobody, a move or an opaque
      if (!output.is_index) {
        const uint32_t value = output.values[i].code;
        const bool is_untouched = value == WriterValue::fresh || (value == WriterValue::input && keeps_input);
        buffer.writer.push_back(site != 0 && value >= WriterValue::first ? value - WriterValue::first
                                : is_untouched                           ? WrittenBuffer::nobody
                                                                         : WrittenBuffer::whole);
      } else if (site == 0) {
        buffer.writer.push_back(output.integers[i] == integer_poison ? WrittenBuffer::nobody : WrittenBuffer::whole);
      } else {
        const auto [number, is_first] = by_statement.try_emplace(site, static_cast<uint32_t>(written.executions.size()));
        if (is_first) written.executions.push_back({site - 1, {}});
        buffer.writer.push_back(number->second);
      }
    }
    written.buffers.push_back(std::move(buffer));
  }
  return written;
}

}  // namespace tileproof::oracle
