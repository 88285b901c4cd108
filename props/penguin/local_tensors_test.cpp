// Tensors that stay on chip: which do, in which layout, what is transposed between layouts, and why others go through DRAM.
#include "compiler/analysis/cost.h"
#include "compiler/ir/text.h"
#include "compiler/penguin/infer_nonlocal.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"
#include "props/penguin/corpus_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tileproof::penguin {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const machine::Machine& machine_named(const std::string& name) {
  static std::map<std::string, machine::Machine> machines;
  const auto found = machines.find(name);
  return found == machines.end() ? machines.emplace(name, *machine::find_machine(name)).first->second : found->second;
}

ir::Program program(const std::string& body) {
  const auto file = ir::parse("tile 1\nprogram p {\n" + body + "\n}\n", "p");
  if (!file) throw std::runtime_error(to_string(file.error().front()));
  return file->programs.front();
}

const std::string to_locals =
    "par-axes-annotation,ag-ordering,p-compute-cutting,bf-compute-cutting,loop-splitting,infer-nonlocal";

pipeline::Stage inferred(const std::string& body, const std::string& machine = "trn2") {
  return compiled(program(body), to_locals, machine_named(machine));
}
std::string tiled(const std::string& body, const std::string& machine = "trn2") {
  return ir::print(compiled(program(body), "penguin", machine_named(machine)).program);
}

/// The text of the remark of this word; empty: there is none.
std::string remark(const pipeline::Stage& stage, std::string_view id) {
  const auto found = std::ranges::find(stage.remarks, id, &pipeline::Remark::id);
  return found == stage.remarks.end() ? "" : found->text;
}

void expect_right_and_legal(const std::string& body, const std::string& machine = "trn2") {
  const ir::Program original = program(body);
  const ir::Program end = compiled(original, "penguin", machine_named(machine)).program;
  const auto report = oracle::check(original, end, {.machine = &machine_named(machine), .keys = 1});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict, oracle::Verdict::tested) << oracle::headline(*report) << ir::print(end);
}

// ---- layouts ----

/// The layout of t in `map t[INDICES] = 1 over AXES`, where the axes called p and q lie on the partitions.
std::optional<LocalLayout> layout(const std::string& dims, const std::string& indices, const std::string& axes) {
  const ir::Program all = program("buffer t : f32[" + dims + "] dram out\nmap t[" + indices + "] = 1 over " + axes);
  const auto& s = std::get<ir::Statement>(all.body[1].node);
  Names lanes;
  for (const ir::Axis& axis : s.axes)
    if (axis.name[0] == 'p' || axis.name[0] == 'q') lanes.push_back(axis.name);
  return layout_of(s.indices, lanes, s, std::get<ir::Buffer>(all.body[0].node));
}
using Lanes = std::vector<LaneDim>;

TEST(LocalLayout, IsReadFromTheIndices) {
  EXPECT_EQ(layout("300, 7", "128*b + p, f", "b:3, p:128, f:7 where 128*b + p < 300")->lanes, (Lanes{{0, 128, 1}}));
  EXPECT_EQ(layout("7, 90", "f, p", "p:90, f:7")->lanes, (Lanes{{1, 90, 1}}));
  EXPECT_EQ(layout("3, 5, 7", "q, f, p", "p:7, q:3, f:5")->lanes, (Lanes{{2, 7, 1}, {0, 3, 1}}));
  EXPECT_EQ(layout("60000", "480*p + f", "p:125, f:480")->lanes, (Lanes{{0, 125, 480}}));
  EXPECT_EQ(layout("60000", "480*p + 200*b + f", "p:125, b:3, f:200 where 200*b + f < 480")->lanes, (Lanes{{0, 125, 480}}));
  EXPECT_EQ(layout("4, 9", "0, f", "f:9")->lanes, Lanes{});
  EXPECT_EQ(layout("1, 9", "p, f", "p:1, f:9")->lanes, Lanes{}) << "an axis of one element takes no partitions";
}

TEST(LocalLayout, IsNoneWhereLanesDoNotFollowEachOtherEvenly) {
  EXPECT_EQ(layout("300, 9", "p, f", "p:128, f:9")->lanes, (Lanes{{0, 128, 1}})) << "the first block of three";
  for (const auto& [dims, indices, axes] :
       std::initializer_list<std::array<std::string, 3>>{{"129", "p + 1", "p:128"},  // not from a lane on
                                                         {"300", "100*b + p", "b:2, p:128"},  // blocks that overlap
                                                         {"64, 64", "p, p", "p:64"},  // a diagonal
                                                         {"64", "p + q", "p:32, q:32"},  // two axes in one dim
                                                         {"60000", "480*p + f", "p:125, f:481"},  // rows that overlap
                                                         {"60000", "480*p + 200*b + f", "p:124, b:3, f:200"},  // ... at the end
                                                         {"64, 64", "f, 0", "p:64, f:64"}}) {  // each partition would hold all
    EXPECT_FALSE(layout(dims, indices, axes).has_value()) << indices;
  }
}

TEST(LocalLayout, CountsTheElementsOfOnePartition) {
  const ir::Program all = program("buffer t : f32[300, 7, 96] dram");
  const auto& tensor = std::get<ir::Buffer>(all.body[0].node);
  const Extents extents(all);
  EXPECT_EQ(elements_of_a_partition(tensor, {Lanes{{0, 128, 1}}}, extents), 3 * 7 * 96);
  EXPECT_EQ(elements_of_a_partition(tensor, {Lanes{{2, 24, 4}}}, extents), 300 * 7 * 4);
  EXPECT_EQ(elements_of_a_partition(tensor, {Lanes{{1, 7, 1}, {2, 16, 1}}}, extents), 300 * 6);
  EXPECT_EQ(elements_of_a_partition(tensor, {}, extents), 300 * 7 * 96);
}

// ---- what stays ----

const std::string chain =
    "buffer x : f32[300, 700] dram in\nbuffer y : f32[300, 700] dram out\nbuffer t : f32[300, 700] dram\n"
    "map t[i, j] = exp(x[i, j]) over i:300, j:700\nmap y[i, j] = 2 * t[i, j] over i:300, j:700";

TEST(InferNonlocal, TagsTheLayoutAndSaysWhatItTakes) {
  const pipeline::Stage stage = inferred(chain);
  EXPECT_THAT(ir::print(stage.program), HasSubstr("buffer t {local=[0, 128, 1]} : f32[300, 700] dram"));
  EXPECT_EQ(remark(stage, "local"), "t: 128 lanes of dim 0, 8400 bytes in a partition");  // 3 * 700 * 4
}

TEST(MacroGeneration, ReadsAndWritesATensorOnChipWhereItLies) {
  const std::string text = tiled(chain);
  EXPECT_THAT(text, HasSubstr("buffer t : f32[128 | 3, 700] sbuf"));
  EXPECT_THAT(text, HasSubstr("map t[i, ib, 512*jb + j] = exp(xt[i, j])"));
  EXPECT_THAT(text, HasSubstr("map yt[i, j] = 2 * t[i, ib1, 512*jb1 + j]"));
  EXPECT_THAT(text, Not(HasSubstr("store t")));
  expect_right_and_legal(chain);
}

// Spec passes 1.4: 60000 = 125 * 480 elements are rows of 1,920 bytes.
TEST(InferNonlocal, KeepsALongVectorAsRows) {
  const std::string vector =
      "buffer x : f32[60000] dram in\nbuffer y : f32[60000] dram out\nbuffer t : f32[60000] dram\n"
      "map t[i] = exp(x[i]) over i:60000\nmap y[i] = 2 * t[i] over i:60000";
  EXPECT_EQ(remark(inferred(vector), "local"), "t: 125 lanes of dim 0, 1920 bytes in a partition");
  EXPECT_THAT(tiled(vector), HasSubstr("buffer t : f32[125 | 480] sbuf"));
  expect_right_and_legal(vector);
}

// Spec passes 1.4: 60000 f32 in a partition are 240,000 bytes, of which trn2 has 212,984.
TEST(InferNonlocal, LeavesATensorInDramThatIsTooLargeForAPartition) {
  const auto rows = [](const std::string& dtype) {
    return "buffer x : f32[128, 60000] dram in\nbuffer y : f32[128, 60000] dram out\nbuffer t : " + dtype +
           "[128, 60000] dram\n" +
           "map t[i, j] = exp(x[i, j]) over i:128, j:60000\nmap y[i, j] = 2 * t[i, j] over i:128, j:60000";
  };
  EXPECT_THAT(remark(inferred(rows("f32")), "too-large"),
              StartsWith("t: 128 lanes of dim 0, 240000 bytes in a partition; the tiles leave 20"));
  EXPECT_EQ(remark(inferred(rows("bf16")), "local"), "t: 128 lanes of dim 0, 120000 bytes in a partition");
}

TEST(InferNonlocal, LeavesTheLargestInDramWhereAllAreTooLarge) {
  std::string body = "buffer x : f32[128, 20000] dram in\nbuffer y : f32[128, 20000] dram out\n";
  for (const std::string name : {"a", "b", "c"}) body += "buffer " + name + " : f32[128, 20000] dram\n";
  body += "buffer d : bf16[128, 20000] dram\n";
  for (const std::string step : {"a[i, j] = exp(x[i, j])", "b[i, j] = exp(a[i, j])", "c[i, j] = exp(b[i, j])",
                                 "d[i, j] = exp(c[i, j])", "y[i, j] = exp(d[i, j])"})
    body += "map " + step + " over i:128, j:20000\n";
  const std::string text = ir::print(inferred(body).program);  // 80,000 bytes each, and 40,000 of d, in some 200,000
  for (const std::string name : {"a", "b", "d"}) EXPECT_THAT(text, HasSubstr("buffer " + name + " {local="));
  EXPECT_THAT(text, HasSubstr("buffer c : "));
}

/// Of a program with a tensor t that goes through DRAM, the word of the remark.
struct Reason {
  std::string word, body;
};
void PrintTo(const Reason& reason, std::ostream* stream) { *stream << reason.word; }
class WhyATensorGoes : public testing::TestWithParam<Reason> {};

TEST_P(WhyATensorGoes, IsRemarked) {
  const pipeline::Stage stage = inferred(GetParam().body);
  EXPECT_THAT(remark(stage, GetParam().word), StartsWith("t: ")) << ir::print(stage.program);
  EXPECT_THAT(ir::print(stage.program), Not(HasSubstr("buffer t {local")));
  const ir::Program original = program(GetParam().body);
  const auto report = oracle::check(original, compiled(original, "penguin", machine_named("trn2")).program, {.keys = 1});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict, oracle::Verdict::tested) << oracle::headline(*report);
}

const std::string xty = "buffer x : f32[64, 32] dram in\nbuffer y : f32[64, 32] dram out\nbuffer t : f32[64, 32] dram\n";
const std::string t_of_x = "map t[i, j] = exp(x[i, j]) over i:64, j:32\n", y_of_t = "map y[i, j] = 2 * t[i, j] over i:64, j:32";

INSTANTIATE_TEST_SUITE_P(
    InferNonlocal, WhyATensorGoes,
    testing::Values(
        Reason{"seen-elsewhere", xty + "view v[i:64, j:32] = t[i, j]\n" + t_of_x + "map y[i, j] = 2 * v[i, j] over i:64, j:32"},
        Reason{"left-whole", xty + t_of_x + y_of_t +
                                 "\nbuffer z : f32[8] dram out\nmap z[i] = 0 over i:8\n"
                                 "scatter z[i mod 8] += t[i, j] over i:64 reduce, j:32 reduce"},
        Reason{"indirect",
               "buffer x : i32[64] dram in range 0..64\nbuffer y : i32[64] dram out\nbuffer t : i32[64] dram\n"
               "map t[i] = x[i] over i:64\ngather y[i] = x[t[i]] over i:64"},
        Reason{"in-place", xty + t_of_x + "map t[i, j] = t[i, j] + 1 over i:64, j:32\n" + y_of_t},
        Reason{"across-units", xty + t_of_x + "for s in 0..2 shard { map y[32*s + i, j] = 2 * t[32*s + i, j] over i:32, j:32 }"},
        Reason{"layouts-differ",
               "buffer x : f32[32] dram in\nbuffer y : f32[64, 32] dram out\nbuffer t : f32[32] dram\n"
               "map t[j] = exp(x[j]) over j:32\nmap y[i, j] = 2 * t[j] over i:64, j:32"},
        Reason{"partly-written", xty +
                                     "map t[i, j] = exp(x[i, j]) over i:64 {P}, j:20 {F}\n"
                                     "map t[i, 20 + j] = x[i, 20 + j] over i:64 {P}, j:12 {F}\nbuffer z : f32[32] dram out\n"
                                     "reduce z[j] += t[i, j] over i:64 reduce, j:32 {P} start\n" +
                                     y_of_t},
        Reason{"too-large",
               "buffer x : f32[2, 70000] dram in\nbuffer y : f32[2, 70000] dram out\nbuffer t : f32[2, 70000] dram\n"
               "map t[i, j] = exp(x[i, j]) over i:2 {P}, j:70000 {F}\nmap y[i, j] = 2 * t[i, j] over i:2 {P}, j:70000 {F}"}),
    [](const auto& one) {
      std::string name = one.param.word;
      std::ranges::replace(name, '-', '_');
      return name;
    });

// ---- bridges ----

// Spec passes 11.5: T[200, 96], written with m on the partitions, read with n there: tiles of 128 x 96 and of 72 x 96.
const std::string meeting =
    "buffer x : f32[200, 96] dram in\nbuffer y : f32[96] dram out\nbuffer t : f32[200, 96] dram\n"
    "map t[m, n] = exp(x[m, n]) over m:200 {P}, n:96 {F}\nreduce y[n] max= t[m, n] over m:200 reduce, n:96 {P} start";

TEST(InferNonlocal, TransposesWhereTwoLayoutsMeet) {
  const pipeline::Stage stage = inferred(meeting);
  EXPECT_THAT(ir::print(stage.program), HasSubstr(R"(
  buffer t {local=[0, 128, 1]} : f32[200, 96] dram
  buffer t_turned {local=[1, 96, 1]} : f32[200, 96] dram
)"));
  EXPECT_THAT(ir::print(stage.program), HasSubstr(R"(
  transpose {pf} t_turned[128*mb1 + m, n] = t[128*mb1 + m, n] over mb1:2 {B ag=0}, m:128 {P ag=0}, n:96 {F ag=1}
         where 128*mb1 + m < 200
  reduce y[n] max= t_turned[m, n])"));
  EXPECT_EQ(remark(stage, "local-transposed"),  // 2 * 96 * 4 and 200 * 4
            "t: 128 lanes of dim 0, 1568 bytes in a partition, 1 transposed copies among them");
  expect_right_and_legal(meeting);
}

TEST(InferNonlocal, MakesOneCopyForAllReadersOfALayout) {
  const std::string body = meeting + "\nbuffer z : f32[96] dram out\nreduce z[n] min= t[m, n] over m:200 reduce, n:96 {P} start";
  const std::string text = ir::print(inferred(body).program);
  EXPECT_EQ(text.find("transpose {pf}"), text.rfind("transpose {pf}"));
  EXPECT_THAT(text, HasSubstr("z[n] min= t_turned[m, n]"));
  expect_right_and_legal(body);
}

TEST(InferNonlocal, CopiesBehindEachWriter) {
  const std::string body = meeting +
                           "\nmap t[m, n] = 3 * x[m, n] over m:200 {P}, n:96 {F}\nbuffer z : f32[96] dram out\n"
                           "reduce z[n] min= t[m, n] over m:200 reduce, n:96 {P} start";
  const std::string text = ir::print(inferred(body).program);
  EXPECT_NE(text.find("transpose {pf}"), text.rfind("transpose {pf}"));
  expect_right_and_legal(body);
}

TEST(InferNonlocal, CopiesAnewInEachIterationOfALoopAround) {
  const std::string body =
      "buffer x : f32[3, 20, 9] dram in\nbuffer y : f32[3, 9] dram out\nbuffer t : f32[20, 9] dram\n"
      "for s in 0..3 seq {\n  map t[m, n] = exp(x[s, m, n]) over m:20 {P}, n:9 {F}\n"
      "  reduce y[s, n] max= t[m, n] over m:20 reduce, n:9 {P} start\n}";
  EXPECT_THAT(remark(inferred(body), "local-transposed"), StartsWith("t: "));
  expect_right_and_legal(body);
  expect_right_and_legal(body, "trn2-tight");
}

TEST(InferNonlocal, TransposesNothingThatNoInstructionTransposes) {
  std::string narrow = meeting;  // the PE array of trn1 transposes f32 only, its Vector engine 32 x 32 elements
  narrow.replace(narrow.find("buffer t : f32"), 14, "buffer t : bf16");
  EXPECT_THAT(remark(inferred(narrow, "trn1"), "layouts-differ"), StartsWith("t: "));
  EXPECT_THAT(remark(inferred(narrow, "trn2"), "local-transposed"), StartsWith("t: "));
  expect_right_and_legal(narrow, "trn1");
  expect_right_and_legal(narrow, "trn2");
}

// ---- nests ----

TEST(MacroGeneration, TakesATensorBackToDramThatAWholeStatementUses) {
  const std::string body = chain +
                           "\nbuffer z : f32[300, 700] dram out\nmap z[i, j] = 0 over i:300, j:700\n"
                           "map z[i, j] = t[i, j] over i:300, j:700 where i >= 5";
  const pipeline::Stage stage = compiled(program(body), "penguin", machine_named("trn2"));
  EXPECT_EQ(remark(stage, "demoted"), "t: the statement stays whole");
  EXPECT_THAT(remark(stage, "masked-partitions"), Not(testing::IsEmpty()));
  EXPECT_THAT(ir::print(stage.program), HasSubstr("store t["));
}

/// A tag that no access agrees with is no reason to put a tensor anywhere.
TEST(MacroGeneration, KeepsNothingOnChipByATagOfAnotherLayout) {
  for (const std::string tag :
       {"local=[1, 700, 1]", "local=[0, 100, 1]", "local=[0, 128, 2]", "local=[5, 2, 1]", "local=7", "local=[0]"}) {
    std::string body = chain;
    body.replace(body.find("buffer t :"), 10, "buffer t {" + tag + "} :");
    const std::string steps = "par-axes-annotation,ag-ordering,p-compute-cutting,bf-compute-cutting,macro-generation";
    EXPECT_THAT(ir::print(compiled(program(body), steps, machine_named("trn2")).program), HasSubstr("store t[")) << tag;
  }
}

TEST(MacroGeneration, CopiesWhatIsReadInAnArmOfASelect) {
  const std::string body =
      "buffer x : f32[64, 32] dram in\nbuffer y : f32[64, 32] dram out\nbuffer t : f32[64, 32] dram\n"
      "map t[i, j] = exp(x[i, j]) over i:64 {P}, j:32 {F}\nmap y[i, j] = select(j > 0, t[i, j - 1], 0) over i:64 {P}, j:32 {F}";
  EXPECT_THAT(tiled(body), HasSubstr("copy tt[i, j] = t[i, j - 1]"));
  expect_right_and_legal(body);
}

TEST(MacroGeneration, WidensAnOperandOnTheWayFromTheChip) {
  const std::string body =
      "buffer x : bf16[64, 32] dram in\nbuffer w : f32[32, 48] dram in\nbuffer y : f32[64, 48] dram out\n"
      "buffer t : bf16[64, 32] dram\nmap t[i, k] = exp(x[i, k]) over i:64 {F}, k:32 {P}\n"
      "matmul y[i, n] += t[i, k] * w[k, n] over i:64, n:48, k:32 reduce start";
  EXPECT_THAT(tiled(body), HasSubstr("copy tt[k, i] = t[k, i]"));
  expect_right_and_legal(body);
}

// ---- the order of dims ----

// Spec passes 2.2: T[p, a, b], walked with a innermost, lies as [p, b, a]. The inputs weigh more than t.
const std::string walked =
    "buffer x : f32[128, 96, 4] dram in\nbuffer y : f32[128, 96, 4] dram out\nbuffer t : bf16[128, 4, 96] dram\n"
    "map t[p, a, b] = exp(x[p, b, a]) over p:128 {P}, a:4 {F}, b:96 {F}\nmap y[p, b, a] = 2 * t[p, a, b] over p:128 {P}, b:96 "
    "{F}, a:4 {F}";

TEST(StaticTranspose, PutsTheHighestAxisGroupInnermost) {
  const pipeline::Stage stage = compiled(program(walked), to_locals + ",static-transpose", machine_named("trn2"));
  EXPECT_THAT(ir::print(stage.program), HasSubstr("buffer t {local=[0, 128, 1]} : bf16[128, 96, 4] dram"));
  EXPECT_EQ(remark(stage, "permuted"), "t: 98304 of its elements are walked next to each other, and were 0");  // 2 * 128 * 96 * 4
  EXPECT_THAT(tiled(walked), HasSubstr("buffer t : bf16[128 | 96, 4] sbuf"));
  expect_right_and_legal(walked);
}

TEST(StaticTranspose, LeavesTensorsInDramAlone) {
  std::string body = walked;
  body.replace(body.find("bf16[128, 4, 96] dram"), 21, "bf16[128, 4, 96] dram out");
  EXPECT_THAT(tiled(body), HasSubstr("buffer t : bf16[128, 4, 96] dram out"));
  expect_right_and_legal(body);
}

// What a loop around takes may be negative, whatever a condition says of its other end.
TEST(LocalTensors, DoNotLieByARestThatMayBeNegative) {
  const std::string body = R"(buffer x : f32[256] dram in
buffer y : f32[256] dram out
buffer z : f32[512] dram
for c in 1..2 seq { for i in -1..1 seq {
  map z[256*c + 2*m + i] = x[2*m + i + 1] + 1 over m:128 where i < 2
  map y[2*m + i + 1] = z[256*c + 2*m + i] * 2 over m:128 where i < 2
} })";
  EXPECT_THAT(remark(inferred(body), "layouts-differ"), StartsWith("z"));
  expect_right_and_legal(body);
}

// 25,000 f32 of the program's own leave no room for 30,000 more beside the tiles.
TEST(LocalTensors, LeaveRoomForWhatTheProgramHasOnChip) {
  const std::string body = R"(buffer x : f32[128, 45000] dram in
buffer w : f32[128, 30000] dram in
buffer y : f32[128, 30000] dram out
buffer z : f32[128, 30000] dram
buffer t : f32[128 | 25000] sbuf
load t[c, i] = w[c, i] over c:128, i:25000
map z[c, i] = x[c, i] + 1 over c:128, i:30000
map y[c, i] = z[c, i] * 2 over c:128, i:30000
store y[c, i] = t[c, i] over c:128, i:25000)";
  EXPECT_THAT(remark(inferred(body), "too-large"), StartsWith("z"));
}

// The tiles of statistics that are made before are there as well.
TEST(LocalTensors, LeaveRoomForTilesOfStatistics) {
  expect_right_and_legal(R"(buffer x : f32[8, 400] dram in
buffer a : f32[8, 180] dram in
buffer y : f32[8, 180] dram out
buffer mo : f32[8] dram out
buffer vo : f32[8] dram out
buffer z : f32[8, 180] dram
buffer s : f32[8] dram
buffer q : f32[8] dram
map z[c, i] = a[c, i] + 1 over c:8, i:180
reduce s[c] += x[c, i] over c:8, i:400 reduce start
map mo[c] = s[c] / 400 over c:8
reduce q[c] += (x[c, i] - mo[c]) * (x[c, i] - mo[c]) over c:8, i:400 reduce start
map vo[c] = q[c] / 400 over c:8
map y[c, i] = z[c, i] * 2 over c:8, i:180)",
                         "trn2-tight");
}

TEST(LocalTensors, DoNotLieByAQuotientThatMayBeNegative) {
  const std::string body = R"(buffer x : f32[8, 3] dram in
buffer y : f32[8, 3] dram out
buffer z : f32[64] dram
map z[32 + 4*m + (2*a - 3) floordiv 2] = x[m, a] + 1 over m:8 {P}, a:3 {F}
map y[m, a] = z[32 + 4*m + (2*a - 3) floordiv 2] * 2 over m:8 {P}, a:3 {F})";
  EXPECT_THAT(remark(inferred(body), "layouts-differ"), StartsWith("z"));
  expect_right_and_legal(body);
}

TEST(Transpositions, ByHandOnMoreLanesThanThereAreAreRefused) {
  const pipeline::Stage stage = compiled(program("buffer x : f32[100, 200] dram in\nbuffer y : f32[100, 200] dram out\n"
                                                 "transpose {pf} y[i, j] = x[i, j] over i:100 {P}, j:200 {F}"),
                                         "penguin", machine_named("trn2"));
  EXPECT_THAT(remark(stage, "refused"), HasSubstr("200 lanes, and sbuf has 128 partitions"));
}

}  // namespace
}  // namespace tileproof::penguin
