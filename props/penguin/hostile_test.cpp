// Programs, machines and options that ask more of the tiler than there is: it says so, and what it makes is well formed all the same.
#include "compiler/ir/verify.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"
#include "props/penguin/corpus_program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace tileproof::penguin {
namespace {

using pipeline::Remark;
using pipeline::RemarkKind;
using testing::HasSubstr;

const machine::Machine& trn2() {
  static const machine::Machine machine = *machine::find_machine("trn2");
  return machine;
}

ir::Program program(const std::string& body) {
  const auto file = ir::parse("tile 1\nprogram p {\n" + body + "\n}\n", "p");
  if (!file) throw std::runtime_error(to_string(file.error().front()));
  if (const ir::Diagnostics errors = ir::verify(*file); !errors.empty()) throw std::runtime_error(to_string(errors.front()));
  return file->programs.front();
}

/// "tested", or what the oracle says of the end of the pipeline on the machine.
std::string verdict(const ir::Program& original, const pipeline::Stage& stage, const machine::Machine& machine = trn2()) {
  const auto report = oracle::check(original, stage.program, {.machine = &machine, .keys = 1});
  if (!report) return to_string(report.error().front());
  return report->verdict == oracle::Verdict::tested ? "tested" : oracle::headline(*report);
}

std::vector<std::string> remarks(const pipeline::Stage& stage, std::string_view id) {
  std::vector<std::string> texts;
  for (const Remark& remark : stage.remarks)
    if (remark.id == id) texts.push_back(remark.statement + ": " + remark.text);
  return texts;
}

std::ptrdiff_t declined(const pipeline::Stage& stage) {
  return std::ranges::count(stage.remarks, RemarkKind::declined, &Remark::kind);
}

// ---- what is declined ----

TEST(UnknownDtype, IsNamedWithThoseThatTheMachineTakesThere) {
  const auto said = [](const std::string& body) {
    return remarks(compiled(program(body), "par-axes-annotation", trn2()), "unknown-dtype");
  };
  EXPECT_THAT(said("buffer x : f32[9] dram in\nbuffer y : f64[9] dram out\nmap y[i] = x[i] over i:9"),
              testing::ElementsAre(testing::MatchesRegex("map#1: y is f64; trn2 loads and computes on f32, .*")));
  EXPECT_THAT(said("buffer x : f32[9] dram in\nbuffer y : f32[9] dram out\nmap y[i] = cast(f64, x[i]) over i:9"),
              testing::ElementsAre(testing::MatchesRegex("map#1: it casts to f64; trn2 loads and computes on f32, .*")));
  const std::string tensors = "buffer x : bf16[9] dram in\nbuffer y : bf16[1] dram out\n";
  EXPECT_THAT(said(tensors + "reduce y[0] += x[i] over i:9 reduce start acc bf16"),
              testing::ElementsAre("reduce#1: it accumulates in bf16; `reduce` on trn2 accumulates in f32, i32"));
}

/// As docs/penguin.md says.
TEST(AnOperationInPlace, IsTiledWhereNoPointReadsWhatAnotherOneWrites) {
  const auto expect_tiled = [](const std::string& body) {
    const ir::Program original = program(body);
    const pipeline::Stage stage = compiled(original, "penguin", trn2());
    EXPECT_EQ(declined(stage), 0) << ir::print(stage.program);
    EXPECT_EQ(verdict(original, stage), "tested") << ir::print(stage.program);
  };
  const std::string a = "buffer a : f32[300] dram inout\n", b = "buffer b : f32[9, 140] dram inout\n";
  expect_tiled(a + "map a[i] = a[i] + 1 over i:300");
  expect_tiled(a + "map a[i] += 1 over i:300");
  expect_tiled(a + "map a[i] = a[i] * a[i] + exp(a[i]) over i:300");
  expect_tiled(b + "for i in 1..9 seq {\nmap b[i, j] = b[i - 1, j] + b[i, j] over j:140\n}");
  expect_tiled(b + "for i in 0..9 seq {\nmap b[i, j] = select(i > 0, b[i - 1, 139 - j], 3) over j:140\n}");
  expect_tiled(b + "for i in 1..9 seq {\nmap b[i, j] += b[i - 1, j] over j:140\n}");
  expect_tiled(b + "for i in 1..9 seq {\nreduce b[i, 0] max= b[i - 1, j] over j:140 reduce\n}");
  const auto reads_destination = [](const std::string& body) {
    return !remarks(compiled(program(body), "penguin", trn2()), "reads-destination").empty();
  };
  EXPECT_TRUE(reads_destination(a + "map a[i] = a[i + 1] over i:299"));
  EXPECT_TRUE(reads_destination(a + "map a[i] = a[299 - i] over i:300"));
  EXPECT_TRUE(reads_destination(b + "for i in 1..9 seq {\nmap b[i, j] = b[8 - i, j] over j:140\n}"));
  EXPECT_TRUE(reads_destination(b + "map b[i, j] = b[i - 1, j] over i:9, j:140 where i > 0"));
}

// ---- scans ----

TEST(AScan, IsTiledWhereItReadsItsEarlierPointsAlone) {
  const std::string tensors =
      "buffer x : f32[150, 700] dram in\nbuffer y : f32[150, 700] dram out\nbuffer z : bf16[700, 150] dram out\n";
  const auto stage = [&](const std::string& statement, const machine::Machine& machine) {
    return std::pair{
        program(tensors + "map y[r, t] = x[r, t] over r:150, t:700\nmap z[t, r] = 1 over t:700, r:150\n" + statement),
        compiled(program(tensors + "map y[r, t] = x[r, t] over r:150, t:700\nmap z[t, r] = 1 over t:700, r:150\n" + statement),
                 "penguin", machine)};
  };
  const auto expect_tiled = [&](const std::string& statement) {
    for (const std::string name : {"trn1", "trn2", "trn3"}) {
      const machine::Machine machine = *machine::find_machine(name);
      const auto [original, tiled] = stage(statement, machine);
      EXPECT_EQ(declined(tiled), 0) << ir::print(tiled.program);
      oracle::CheckOptions options;
      options.machine = &machine;
      const auto report = oracle::check(original, tiled.program, options);
      ASSERT_TRUE(report.has_value());
      EXPECT_EQ(report->verdict, oracle::Verdict::tested) << oracle::headline(*report) << ir::print(tiled.program);
    }
  };
  expect_tiled("scan y[r, t] = x[r, t] + select(t > 0, y[r, t - 1], 0) over r:150, t:700 seq");
  expect_tiled("scan z[t, r] = x[r, t] - select(t > 1, z[t - 2, r], 1) * select(t > 0, z[t - 1, r], 2) over r:150, t:700 seq");
  expect_tiled("scan y[r, t] = max(x[r, 699 - t], select(t > 0, y[r, t - 1], -100)) over r:150, t:700 seq where r < 140");
  expect_tiled("scan y[r, t] = x[r, t] over r:150, t:700 seq");
  expect_tiled("for r in 0..150 par {\nscan y[r, t] = x[r, t] + select(t > 0, y[r, t - 1], 0) over t:700 seq\n}");

  const auto refusal = [&](const std::string& statement) {
    const auto [original, tiled] = stage(statement, trn2());
    const auto report = oracle::check(original, tiled.program, {});
    EXPECT_TRUE(report && report->verdict == oracle::Verdict::tested) << ir::print(tiled.program);
    const std::vector<std::string> all = remarks(tiled, "refused");
    return all.empty() ? "tiled" : all.front();
  };
  // Old values, other rows, later points, a part of the dim, a condition on the axis.
  EXPECT_THAT(refusal("scan y[r, t + 1] = y[r, t] + 1 over r:150, t:699 seq"), HasSubstr("destination_varies"));
  EXPECT_THAT(refusal("scan y[r, t] = select(r > 0, y[r - 1, t], x[r, t]) over r:150 seq, t:700 seq"), HasSubstr("tiled"));
  EXPECT_THAT(refusal("scan y[r, t] = select(t < 699, y[r, t + 1], x[r, t]) over r:150, t:700 seq"),
              HasSubstr("reads_destination"));
  EXPECT_THAT(refusal("scan y[r, t] = y[r, t] + 1 over r:150, t:700 seq"), HasSubstr("reads_destination"));
  EXPECT_THAT(refusal("scan y[r, t] = select(t > 0, y[r, t - 1], 0) over r:150, t:600 seq"), HasSubstr("destination_varies"));
  EXPECT_THAT(refusal("scan y[r, t] = select(t > 0, y[r, t - 1], 0) over r:150, t:700 seq where t < 650"),
              HasSubstr("destination_varies"));
}

TEST(AScan, LongerThanAnInstructionTakesIsLeftAlone) {
  const pipeline::Stage stage = compiled(program("buffer x : f32[2, 70000] dram in\nbuffer y : f32[2, 70000] dram out\n"
                                                 "scan y[r, t] = x[r, t] + select(t > 0, y[r, t - 1], 0) over r:2, t:70000 seq"),
                                         "penguin", trn2());
  EXPECT_THAT(remarks(stage, "no-cut"), testing::Contains(HasSubstr("a scan of 70000 elements")));
}

// ---- gathers ----

TEST(AGather, IsTiledWhereverTheIndexStands) {
  const auto expect_tiled = [](const std::string& statement) {
    const ir::Program original = program(
        "buffer table : f32[300, 70] dram in\nbuffer p : i32[150] dram in range 0..70\nbuffer q : i32[150, 9] dram in range "
        "0..300\n"
        "buffer y : f32[150, 9] dram out\nbuffer s : f32[150] dram out\nmap y[i, j] = 0 over i:150, j:9\nmap s[i] = 0 over "
        "i:150\n" +
        statement);
    for (const std::string machine : {"trn1", "trn2-tight", "trn3"}) {
      const machine::Machine target = *machine::find_machine(machine);
      const pipeline::Stage stage = compiled(original, "penguin", target);
      EXPECT_EQ(declined(stage), 0) << ir::print(stage.program);
      oracle::CheckOptions options;
      options.machine = &target;
      const auto report = oracle::check(original, stage.program, options);
      ASSERT_TRUE(report.has_value());
      EXPECT_EQ(report->verdict, oracle::Verdict::tested) << oracle::headline(*report) << ir::print(stage.program);
    }
  };
  expect_tiled("map y[i, j] = table[q[i, j], p[i]] over i:150, j:9");
  expect_tiled("map y[i, j] = table[2 * j, p[i]] - table[q[i, j], 5] * table[i, j] over i:150, j:9");
  expect_tiled("reduce s[i] += table[q[i, j], p[i]] over i:150, j:9 reduce start");
  expect_tiled("reduce s[i] max= table[299 - q[i, j], j + p[i] floordiv 2] over i:150, j:9 reduce start");
  expect_tiled("map s[i] = select(i < 100, table[q[i, 0], p[i]], 3) over i:150");
  expect_tiled("for b in 0..9 par {\nmap y[i, b] = table[q[i, b], b] over i:150\n}");
}

// ---- names ----

TEST(Names, OfTwoGroupsMayBeTheSame) {
  const ir::Program original = program(
      "buffer x : bf16[300, 40] dram in\nbuffer w : bf16[40, 20] dram in\n"
      "buffer y : f32[300, 20] dram out\nbuffer z : bf16[64] dram out\n"
      "group a {\nbuffer t : bf16[300, 40] dram\nmap t[i, j] = exp(x[i, j]) over i:300, j:40\n"
      "matmul y[i, n] += t[i, j] * w[j, n] over i:300, n:20, j:40 reduce start\n}\n"
      "group b {\nbuffer t : i32[64] dram\nmap t[i] = i over i:64\nmap z[i] = t[i] over i:64\n}");
  const pipeline::Stage stage = compiled(original, "penguin", trn2());
  EXPECT_EQ(declined(stage), 0) << ir::print(stage.program);
  EXPECT_EQ(verdict(original, stage), "tested");
  EXPECT_THAT(ir::print(stage.program), HasSubstr(": bf16[40 | 128] sbuf"));  // the stationary tile of t, not i32
  EXPECT_THAT(remarks(stage, "generated"), testing::Contains("matmul#1: contraction"));
}

TEST(Names, OfAGroupAndOfALoopMayBeTheSame) {
  const ir::Program original = program(
      "buffer x : f32[300] dram in\nbuffer y : f32[300] dram out\nbuffer z : f32[2] dram out\n"
      "for b in 0..2 seq {\nbuffer t : bf16[1] dram\nmap t[0] = x[b]\nmap z[b] = t[0]\n}\n"
      "group a {\nbuffer t : f32[300] dram\nmap t[i] = exp(x[i]) over i:300\nmap y[i] = t[i] over i:300\n}");
  const pipeline::Stage stage = compiled(original, "penguin", trn2());
  EXPECT_EQ(remarks(stage, "generated").size(), 4u) << ir::print(stage.program);
  EXPECT_EQ(verdict(original, stage), "tested");
}

// ---- machines ----

machine::Machine without_opcode(const std::string& name) {
  machine::Machine machine = trn2();
  std::erase_if(machine.opcodes, [&](const machine::Opcode& opcode) { return opcode.name == name; });
  return machine;
}

const std::string one_of_each =
    "buffer x : bf16[300, 40] dram in\nbuffer w : bf16[40, 20] dram in\nbuffer y : f32[300, 20] dram out\n"
    "buffer u : f32[300, 40] dram out\nbuffer s : f32[300] dram out\nbuffer c : f32[300, 40] dram out\n"
    "buffer r : i32[300] dram out\n"
    "matmul y[i, n] += x[i, j] * w[j, n] over i:300, n:20, j:40 reduce start\n"
    "map u[i, j] = exp(x[i, j]) over i:300, j:40\n"
    "reduce s[i] += x[i, j] over i:300, j:40 reduce start\n"
    "map c[i, j] = 2 over i:300, j:40\n"
    "map r[i] = i over i:300";

TEST(AMachineWithoutAnOpcode, IsNamedForEachStatementThatNeedsIt) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> needed = {
      {"load", {"matmul#1", "map#1", "reduce#1"}},
      {"store", {"matmul#1", "map#1", "reduce#1", "map#2", "map#3"}},
      {"copy", {"matmul#1"}},
      {"map", {"map#1"}},
      {"reduce", {"reduce#1"}},
      {"memset", {"map#2"}},
      {"iota", {"map#3"}}};
  const ir::Program original = program(one_of_each);
  for (const auto& [opcode, statements] : needed) {
    SCOPED_TRACE(opcode);
    const pipeline::Stage stage = compiled(original, "penguin", without_opcode(opcode));
    std::vector<std::string> expected;
    for (const std::string& statement : statements)
      expected.push_back(
          fmt::format("{}: the machine trn2 has no opcode `{}`, so the statement stays as it is", statement, opcode));
    EXPECT_EQ(remarks(stage, "lacking"), expected);
    EXPECT_EQ(declined(stage), std::ssize(expected));
    EXPECT_EQ(remarks(stage, "generated").size(), 5 - expected.size());
  }
}

TEST(AMachineWithoutAnOpcode, DeclinesNothingThatItCanDoOtherwise) {
  const ir::Program original = program(one_of_each);
  const machine::Machine machine = without_opcode("matmul");
  const pipeline::Stage stage = compiled(original, "penguin", machine);
  EXPECT_EQ(declined(stage), 0);
  EXPECT_EQ(verdict(original, stage, machine), "tested");
}

TEST(AMachineWithoutASpace, IsNamed) {
  machine::Machine machine = trn2();
  std::erase_if(machine.spaces, [](const machine::Space& space) { return space.name == "psum"; });
  const pipeline::Stage stage = compiled(program(one_of_each), "penguin", machine);
  EXPECT_THAT(remarks(stage, "lacking"),
              testing::ElementsAre("matmul#1: the machine trn2 has no space `psum`, so the statement stays as it is"));
}

// ---- options ----

std::string error_of(const std::string& steps) {
  const auto pipeline = pipeline::parse_pipeline(steps, {passes(), {penguin_pipeline()}});
  if (!pipeline) return to_string(pipeline.error().front());
  const ir::Program original = program("buffer x : f32[300] dram in\nbuffer y : f32[300] dram out\nmap y[i] = x[i] over i:300");
  const auto stage = pipeline::run_pipeline(original, *pipeline, &trn2());
  return stage ? "" : to_string(stage.error().diagnostics.front());
}

TEST(PgTileSize, IsAtLeastOneElement) {
  for (const std::string value : {"0", "-1", "2147483649", "9223372036854775808", "-9223372036854775808"})
    EXPECT_THAT(error_of("penguin{pg-tile-size=" + value + "}"),
                HasSubstr(fmt::format("pipeline:1:22: error: option `pg-tile-size` cannot be `{}`", value)));
}

TEST(PgTileSize, IsAtMostWhatAnEngineTakes) {
  EXPECT_EQ(error_of("penguin{pg-tile-size=65536}"), "");
  for (const std::string value : {"65537", "2147483648"})
    EXPECT_THAT(error_of("penguin{pg-tile-size=" + value + "}"),
                HasSubstr(fmt::format("pg-tile-size is {}, and an engine of trn2 takes 65536 elements", value)));
}

TEST(PgTileSize, MakesLegalTilesWhereSbufHoldsLess) {
  const ir::Program original = program(
      "buffer a : f32[2, 70000] dram in\nbuffer b : f32[2, 70000] dram in\nbuffer y : f32[2, 70000] dram out\n"
      "buffer s : bf16[2] dram out\nmap y[i, j] = a[i, j] + b[i, j] over i:2 {P}, j:70000\n"
      "reduce s[i] += a[i, j] * b[i, j] over i:2 {P}, j:70000 reduce start");
  const pipeline::Stage stage = compiled(original, "penguin{pg-tile-size=65536}", trn2());
  // (224 * 1024 - 16392) bytes, a byte or row less for each tile; 3 * 4 bytes an element, and 2 + 4 + 2 * 4.
  EXPECT_THAT(remarks(stage, "capacity"),
              testing::ElementsAre(
                  "map#1: 17748 elements are the most of which all tiles fit into a partition of sbuf; the budget is 65536",
                  "reduce#1: 15212 elements are the most of which all tiles fit into a partition of sbuf; the budget is 65536"));
  EXPECT_EQ(declined(stage), 0);
  EXPECT_EQ(verdict(original, stage), "tested");
}

TEST(PgTileSize, OfAnythingMakesLegalProgramsOrSaysWhyNot) {
  const ir::Program original = program(
      "buffer a : f32[3, 2000] dram in\nbuffer w : f32[40, 700] dram in\nbuffer y : f32[3, 2000] dram out\n"
      "buffer s : f32[3] dram out\nbuffer z : f32[3, 700] dram out\n"
      "map y[i, j] = exp(a[i, j]) over i:3, j:2000\nreduce s[i] += a[i, j] over i:3, j:2000 reduce start\n"
      "matmul z[i, n] += a[i, k] * w[k, n] over i:3, n:700, k:40 reduce start");
  machine::Machine machine = trn2();
  for (const int64_t sbuf : {1, 7, 40, 600, 3000, 100'000}) {
    std::ranges::find(machine.spaces, "sbuf", &machine::Space::name)->bytes = sbuf;
    for (const int size : {1, 7, 512, 65536}) {
      const std::string steps = fmt::format("penguin{{pg-tile-size={}}}", size);
      const pipeline::Stage stage = compiled(original, steps, machine);
      if (declined(stage) > 0) {
        EXPECT_LE(sbuf, 600) << steps;
        continue;
      }
      EXPECT_EQ(verdict(original, stage, machine), "tested") << steps << ", " << sbuf << " bytes";
    }
  }
}

// ---- extents ----

/// Statements that became nests, and those of which it is said why they did not.
void expect_an_answer_for_each_statement(const ir::Program& original, const pipeline::Stage& stage) {
  for (const auto& [statement, label] : ir::labelled_statements(original)) {
    const bool is_answered = std::ranges::any_of(stage.remarks, [&](const Remark& remark) {
      return remark.statement == label && (remark.id == "generated" || remark.kind == RemarkKind::declined);
    });
    EXPECT_TRUE(is_answered) << label << " of\n" << ir::print(original);
  }
}

constexpr int64_t most = std::numeric_limits<int64_t>::max(), half = int64_t{1} << 62;
constexpr auto extents = {int64_t{1},
                          int64_t{2},
                          int64_t{300},
                          (int64_t{1} << 31) - 1,
                          int64_t{1} << 31,
                          (int64_t{1} << 31) + 1,
                          int64_t{1} << 53,
                          half - 1,
                          half,
                          half + 1,
                          most};

TEST(HugeExtents, AreTiledOrDeclinedAndNeverIllFormed) {
  for (const std::string steps : {"penguin", "penguin{pg-tile-size=1}", "penguin{pg-tile-size=65536,align=false}"}) {
    for (const int64_t i : extents) {
      for (const int64_t j : extents) {
        const std::string axes = fmt::format("over i:{}, j:{}", i, j);
        const ir::Program original = program(
            "buffer x : f32[4] dram in\nbuffer y : f32[4, 4] dram out\nbuffer s : i32[1] dram out\nbuffer v : f32[2, 2] dram "
            "out\n"
            "map y[i mod 4, j mod 4] = x[(i + j) mod 4] " +
            axes + "\n" + fmt::format("reduce s[0] max= i mod 4 over i:{} reduce, j:{} reduce start\n", i, j) +
            fmt::format("matmul v[m, n] += x[(m + k) mod 4] * x[(k + n) mod 4] over m:2, n:{}, k:{} reduce start",
                        std::min<int64_t>(j, 2), i));
        SCOPED_TRACE(steps + ", " + axes);
        expect_an_answer_for_each_statement(original, compiled(original, steps, trn2()));  // throws where it is ill-formed
      }
    }
  }
}

TEST(HugeExtents, OfParametersAreTiledOrDeclined) {
  for (const int64_t high : extents) {
    const ir::Program original = program(fmt::format("param n : 1..{}\n", high) +
                                         "buffer x : f32[4] dram in\nbuffer s : f32[1] dram out\n"
                                         "reduce s[0] += x[i mod 4] over i:n reduce start");
    SCOPED_TRACE(high);
    const pipeline::Stage stage = compiled(original, "penguin", trn2());
    expect_an_answer_for_each_statement(original, stage);
    EXPECT_EQ(declined(stage) > 0, high > half);
  }
}

TEST(HugeExtents, ThatAreNotCutStayInTheirStatement) {
  const ir::Program original = program(
      fmt::format("buffer x : f32[1] dram in\nbuffer s : f32[1] dram out\nreduce s[0] += x[0] over i:{} reduce start", most));
  const pipeline::Stage stage = compiled(original, "penguin", trn2());
  EXPECT_THAT(remarks(stage, "no-cut"),
              testing::ElementsAre(HasSubstr("beyond 2^62"), "reduce#1: a cutting pass has left it whole"));
  EXPECT_THAT(ir::print(stage.program), HasSubstr(fmt::format("reduce {{uncut}} s[0] += x[0] over i:{}", most)));
}

}  // namespace
}  // namespace tileproof::penguin
