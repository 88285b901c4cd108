// The pass that turns a mean and a variance into statistics of tiles, on the worked examples of the sources and on what it leaves alone.
#include "compiler/analysis/cost.h"
#include "compiler/ir/text.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"
#include "props/penguin/corpus_program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tileproof::penguin {
namespace {

using testing::HasSubstr;
using testing::Not;

const machine::Machine& machine_named(const std::string& name) {
  static std::map<std::string, machine::Machine> machines;
  const auto found = machines.find(name);
  return found == machines.end() ? machines.emplace(name, *machine::find_machine(name)).first->second : found->second;
}
constexpr auto machine_names = {"trn1", "trn2", "trn3", "trn1-tight", "trn2-tight", "trn3-tight"};

ir::Program program(const std::string& body) {
  const auto file = ir::parse("tile 1\nprogram p {\n" + body + "\n}\n", "p");
  EXPECT_TRUE(file.has_value()) << body;
  return file->programs.front();
}

/// Mean and variance of the rows of x, with one of the lines replaced, or with one added behind it.
struct Rows {
  int64_t rows = 64, columns = 1025;
  std::string buffers = {}, s = "f32", m = "f32", role = "out", dtype = "bf16", x = "in";
  std::string first = {}, second = {}, third = {};  // behind the sum, the mean, the squares
  std::string sum_clauses = " start", divisor = {}, squares_divisor = {};

  std::string text() const {
    const std::string over = fmt::format(" over c:{}", rows), all = fmt::format(" over c:{}, i:{} reduce", rows, columns);
    const auto by = [&](const std::string& given) { return given.empty() ? std::to_string(columns) : given; };
    std::string body = fmt::format("buffer x : {}[{}, {}] dram {}\n", dtype, rows, columns, x);
    for (const auto& [name, of, as] :
         {std::tuple{"s", s, role == "out" ? "" : role}, {"m", m, "out"}, {"q", "f32", ""}, {"v", "f32", "out"}})
      body += fmt::format("buffer {} : {}[{}] dram {}\n", name, of, rows, as);
    return body + buffers + "reduce s[c] += x[c, i]" + all + sum_clauses + "\n" + first + "map m[c] = s[c] / " + by(divisor) +
           over + "\n" + second + "reduce q[c] += (x[c, i] - m[c]) * (x[c, i] - m[c])" + all + " start\n" + third +
           "map v[c] = q[c] / " + by(squares_divisor) + over + "\n";
  }
};

pipeline::Stage statistics_of(const ir::Program& original, const std::string& machine = "trn2", const std::string& options = "") {
  return compiled(original, "bn-mean-var" + options, machine_named(machine));
}
pipeline::Stage statistics_of(const Rows& rows, const std::string& options = "") {
  return statistics_of(program(rows.text()), "trn2", options);
}

/// The text of the remark of this word; "(none)": there is none.
std::string remark(const pipeline::Stage& stage, std::string_view id) {
  const auto found = std::ranges::find(stage.remarks, id, &pipeline::Remark::id);
  return found == stage.remarks.end() ? "(none)" : found->text;
}

void expect_right_and_legal(const ir::Program& original, const std::string& machine, const std::string& pipeline = "penguin") {
  oracle::CheckOptions options{.machine = &machine_named(machine)};
  const ir::Program tiled = compiled(original, pipeline, machine_named(machine)).program;
  const auto report = oracle::check(original, tiled, options);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict, oracle::Verdict::tested) << oracle::headline(*report) << ir::print(tiled);
}

const std::string always = "penguin{always=true}";

// Spec neuron 5, row 22: [128, 1024] as 2 x 512, bn_aggr over 12 values.
TEST(BnMeanVar, MakesTwoTilesOfTheSourcesExample) {
  const pipeline::Stage stage = statistics_of(corpus_program("batchnorm_stats_128x1024"));
  const std::string text = ir::print(stage.program);
  EXPECT_THAT(text, HasSubstr("buffer statistics : f32[128 | 2, 6] sbuf"));
  EXPECT_THAT(text, HasSubstr("for ib {B from=i tile=512} in 0..2 par"));
  EXPECT_THAT(text, Not(HasSubstr("buffer s ")));
  EXPECT_EQ(remark(stage, "statistics"), "2 tiles of 512 elements: 3 trips, of the four statements 6");
  const auto cost = analysis::cost(compiled(corpus_program("batchnorm_stats_128x1024"), "penguin", machine_named("trn2")).program,
                                   &machine_named("trn2"));
  EXPECT_EQ(cost.dma_in, 128 * 1024 * 2);  // each element once
  EXPECT_EQ(cost.executions.at("bn_stats"), 2);
  EXPECT_EQ(cost.executions.at("bn_aggr"), 1);
}

// Spec passes 3.5: 1568 = 3 * 512 + 32, 24 values for each channel; the last tile has 16 even and 16 odd elements.
TEST(BnMeanVar, CountsTheElementsThatTheLastTileHas) {
  const std::string text = ir::print(statistics_of(Rows{.rows = 64, .columns = 1568}).program);
  EXPECT_THAT(text, HasSubstr("statistics : f32[64 | 4, 6]"));
  EXPECT_THAT(text, HasSubstr("statistics[c, ib, 3] = min(512, 1568 - 512*ib) floordiv 2 over"));
  EXPECT_THAT(text, HasSubstr("where 512*ib + 2*odd + 1 < 1568 start"));
}

// 8 x 14 x 14 elements of each channel: two of the eight planes are 392 elements, and no tile is ragged.
TEST(BnMeanVar, TakesWholeInnerAxesAsElementsInARow) {
  const ir::Program original = program(R"(buffer x : f32[8, 64, 14, 14] dram in
    buffer s : f32[64] dram
    buffer m : f32[64] dram out
    buffer q : f32[64] dram
    buffer v : bf16[64] dram out
    reduce s[c] += x[n, c, h, w] over n:8 reduce, c:64, h:14 reduce, w:14 reduce start
    map m[c] = s[c] / 1568 over c:64
    reduce q[d] += (x[b, d, i, j] - m[d]) * (x[b, d, i, j] - m[d]) over d:64, b:8 reduce, i:14 reduce, j:14 reduce start
    map v[e] = 2 * rsqrt(q[e] / 1568 + 1e-5) over e:64)");
  const std::string text = ir::print(statistics_of(original).program);
  EXPECT_THAT(text, HasSubstr("load xt[c, 196*n + 14*h + w] = x[2*nb + n, c, h, w]"));
  EXPECT_THAT(text, HasSubstr("statistics : f32[64 | 4, 6]"));
  EXPECT_THAT(text, HasSubstr("map vt[c, 0] = 2 * rsqrt(moments[c, 1] + 1e-5)"));
  for (const std::string machine : {"trn1", "trn2", "trn3"}) expect_right_and_legal(original, machine);
}

TEST(BnMeanVar, IsRightAndLegalForRaggedExtentsOnEachMachine) {
  for (const int64_t rows : {1, 3, 64, 129})
    for (const int64_t columns : {2, 3, 17, 511, 513, 1023})
      for (const std::string machine : machine_names) {
        if (rows == 129 && columns > 600 && machine != "trn2") continue;  // a second for each
        SCOPED_TRACE(fmt::format("{} x {} on {}", rows, columns, machine));
        const ir::Program original = program(Rows{.rows = rows, .columns = columns}.text());
        expect_right_and_legal(original, machine, always);
      }
}

TEST(BnMeanVar, MakesAsManyStatisticsAsTheSourceOfOneChannelWhereItIsTold) {
  const ir::Program original = corpus_program("instancenorm_359712");
  EXPECT_EQ(remark(statistics_of(original), "dearer"), "704 trips, of the four statements 16");
  EXPECT_EQ(statistics_of(original).program, original);
  const ir::Program told = compiled(original, always, machine_named("trn2")).program;
  EXPECT_EQ(analysis::cost(told, &machine_named("trn2")).executions.at("bn_stats"), 703);  // spec passes 3.5
}

TEST(BnMeanVar, StatesItsCutsAsObligations) {
  const pipeline::Stage stage = statistics_of(Rows{.rows = 129, .columns = 1025});
  ASSERT_EQ(stage.obligations.size(), 2u);
  for (const pipeline::Obligation& obligation : stage.obligations) EXPECT_EQ(obligation.statement, "reduce#1");
}

TEST(BnMeanVar, LetsTilesDivideWhereItIsTold) {
  const std::string text = ir::print(statistics_of(Rows{.rows = 64, .columns = 1568}, "{uniform-tile=true}").program);
  EXPECT_THAT(text, HasSubstr("for ib {B from=i tile=392} in 0..4 par"));
  EXPECT_THAT(text, Not(HasSubstr("where")));
}

struct LeftAlone {
  std::string word;
  Rows rows;
};

TEST(BnMeanVar, SaysWhyItLeavesStatementsAlone) {
  const std::string z = "buffer z : f32[64] dram out\n";
  const std::vector<LeftAlone> cases{
      {"sums-used", {.role = "out", .first = ""}},  // replaced below: the sum is an output
      {"sums-used", {.buffers = z, .role = "", .first = "map z[c] = s[c] over c:64\n"}},
      {"rounded-sums", {.s = "bf16", .role = ""}},
      {"rounded-sums", {.m = "bf16", .role = ""}},
      {"written-between", {.role = "", .x = "inout", .second = "map x[c, i] = x[c, i] + 1 over c:64, i:1025\n"}},
      {"written-between", {.role = "", .third = "map m[c] = 0 over c:64\n"}},
      {"written-between", {.buffers = z, .role = "", .first = "map v[c] = 1 over c:64\nmap z[c] = v[c] over c:64\n"}},
      {"masked", {.role = "", .sum_clauses = " where i < 1000 start"}},
      {"few-elements", {.columns = 1, .role = ""}},
      {"other-count", {.role = "", .divisor = "1024"}},
      {"other-count", {.role = "", .squares_divisor = "1024"}},
      {"dearer", {.rows = 1, .columns = 100'000, .role = ""}},
      {"no-room", {.rows = 128, .columns = 6'000'000, .role = ""}},
  };
  for (const LeftAlone& each : cases) {
    std::string text = each.rows.text();
    if (&each == &cases.front()) text.replace(text.find("buffer s : f32[64] dram "), 24, "buffer s : f32[64] dram out");
    SCOPED_TRACE(each.word + "\n" + text);
    const ir::Program original = program(text);
    const pipeline::Stage stage = statistics_of(original);
    EXPECT_NE(remark(stage, each.word), "(none)");
    EXPECT_EQ(stage.program, original);
  }
}

TEST(BnMeanVar, SaysNothingOfOtherSums) {
  for (const std::string body :
       {"buffer x : f32[4, 40] dram in\nbuffer s : f32[4] dram out\nreduce s[c] += x[c, i] * x[c, i] over c:4, i:40 reduce start",
        "buffer x : f32[4, 40] dram in\nbuffer m : f32[4] dram in\nbuffer s : f32[4] dram out\n"
        "reduce s[c] += (x[c, i] - m[c]) * (x[c, i] - m[c]) over c:4, i:40 reduce start"})
    EXPECT_TRUE(statistics_of(program(body)).remarks.empty());
}

TEST(BnMeanVar, SaysOfAMachineWithoutStatisticsThatItHasNone) {
  EXPECT_THAT(remark(statistics_of(program(Rows{.role = ""}.text()), "inf1"), "no-statistics"),
              HasSubstr("inf1 has no bn_stats"));
}

/// Other readers of the results stay where they are.
TEST(BnMeanVar, LeavesWhatReadsMeanAndVarianceInPlace) {
  const Rows rows{.buffers = "buffer z : f32[64] dram out\n", .role = "", .second = "map z[c] = m[c] + 1 over c:64\n"};
  const pipeline::Stage stage = statistics_of(rows);
  EXPECT_NE(remark(stage, "statistics"), "(none)");
  EXPECT_THAT(ir::print(stage.program), HasSubstr("map z[c] = m[c] + 1 over c:64"));
  expect_right_and_legal(program(rows.text()), "trn2");
}

TEST(BnMeanVar, WorksInsideOfLoops) {
  const ir::Program original = program(R"(buffer x : bf16[3, 64, 600] dram in
    buffer m : f32[3, 64] dram out
    buffer v : f32[3, 64] dram out
    for b in 0..3 seq {
      buffer s : f32[64] dram
      buffer q : f32[64] dram
      reduce s[c] += x[b, c, i] over c:64, i:600 reduce start
      map m[b, c] = s[c] / 600 over c:64
      reduce q[c] += (x[b, c, i] - m[b, c]) * (x[b, c, i] - m[b, c]) over c:64, i:600 reduce start
      map v[b, c] = q[c] / 600 over c:64
    })");
  EXPECT_NE(remark(statistics_of(original), "statistics"), "(none)");
  expect_right_and_legal(original, "trn2");
}

}  // namespace
}  // namespace tileproof::penguin
