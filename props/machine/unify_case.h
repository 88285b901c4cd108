// For tests of unification: statements on buffers that all cases share, and a machine with the opcodes of the case.
#pragma once

#include "compiler/ir/text.h"
#include "compiler/machine/unify.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace tileproof::machine {

/// A program whose statements stand at top level after some buffers, on a machine with the given opcodes.
class Case {
 public:
  Case(std::string_view opcodes, std::string_view body) {
    auto parsed_machine = parse_machine(fmt::format("machine 1 machine m {{ space dram space pad {{ partitions 128 bytes 65536 "
                                                    "}} space acc2 {{ partitions 128 bytes 16384 bank 2048 }}\n{}\n}}",
                                                    opcodes),
                                        "m");
    EXPECT_TRUE(parsed_machine) << (parsed_machine ? "" : ir::to_string(parsed_machine.error().front()));
    if (parsed_machine) machine_ = *parsed_machine;
    auto parsed = ir::parse(fmt::format("tile 1 program p {{\n{}\n{}\n}}", buffers, body), "p");
    EXPECT_TRUE(parsed) << (parsed ? "" : ir::to_string(parsed.error().front()));
    if (parsed) file_ = std::move(*parsed);
    texts_ = resolve_accesses(file_.programs.at(0));
    for (const StatementAccesses& text : texts_) {
      std::vector<int64_t> extents;
      for (const ir::Axis& axis : text.statement->axes) extents.push_back(form_of(axis.extent, {}, {}, lookup_).constant);
      operations_.push_back(make_operation(text, extents, lookup_));
    }
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  Judgement judge_first() const {
    return judge({&operations_.front(), 1}, machine_.alternatives(operations_.front().statement().opcode), machine_);
  }
  Judgement judge_as(std::string_view opcode) const { return judge(operations_, machine_.alternatives(opcode), machine_); }

  /// "p: m; f: n" for a legal statement, or the first reason against it.
  std::string outcome() const { return describe(judge_first()); }
  std::string outcome_as(std::string_view opcode) const { return describe(judge_as(opcode)); }

 private:
  std::string describe(const Judgement& judgement) const {
    if (!judgement.reasons.empty()) return judgement.reasons.front().fact + "; " + judgement.reasons.front().rule;
    std::vector<std::string> letters;
    for (const BoundLetter& letter : judgement.binding->letters) {
      std::vector<std::string_view> axes;
      for (const uint32_t axis : letter.axes) axes.push_back(operations_[letter.operation].statement().axes[axis].name);
      letters.push_back(fmt::format("{}: {}", letter.letter, fmt::join(axes, " ")));
    }
    return fmt::format("{}", fmt::join(letters, "; "));
  }

  static constexpr std::string_view buffers = R"(
    buffer x : bf16[300, 800] dram in
    buffer y : f32[300, 800] dram out
    buffer s : bf16[128 | 128] pad
    buffer m : bf16[128 | 512] pad
    buffer m3 : bf16[128 | 4, 128] pad
    buffer r : bf16[1 | 512] pad
    buffer c : f32[128 | 1] pad
    buffer d : f32[128 | 512] acc2
    buffer d3 : f32[128 | 4, 128] acc2
    buffer q : bf16[128 | 512] pad
    buffer i : i32[128 | 1] pad
    buffer b2 : bf16[2, 64 | 128] pad)";

  const Lookup lookup_ = [](std::string_view name) { return name == "kb" ? int64_t{3} : int64_t{0}; };
  Machine machine_;
  ir::File file_;
  std::vector<StatementAccesses> texts_;
  std::vector<Operation> operations_;
};

}  // namespace tileproof::machine
