// Finds of the oracle, reduced.
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/machine/machine.h"
#include "fuzz/reduce/same_finding.h"
#include "fuzz/retile/retile.h"
#include "fuzz/slip/slip.h"
#include "oracle/equivalence/report.h"
#include "tool/corpus_file.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tileproof {
namespace {

oracle::CheckOptions on_one_thread() {
  oracle::CheckOptions options;
  options.threads = 1;
  return options;
}

/// A retiled pair of at least ten operations in which one slip was made and found.
struct SlippedPair {
  fuzz::Subject subject;
  fuzz::Judgement judgement;
};
std::vector<SlippedPair> slipped_pairs(size_t count) {
  std::vector<SlippedPair> pairs;
  for (uint64_t seed = 0; pairs.size() < count; ++seed) {
    fuzz::Choices choices = fuzz::Choices::from_seed(seed);
    fuzz::RetiledPair pair = fuzz::retile(choices, {.identity_percent = 0});
    if (!fuzz::make_slip(pair.tiled, choices)) continue;
    fuzz::Subject subject{.programs = {std::move(pair.original), std::move(pair.tiled)}, .pipeline = {}};
    if (fuzz::size_of(subject).operations < 10) continue;
    fuzz::Judgement judgement = fuzz::pair_judge(on_one_thread())(subject);
    if (judgement.report && judgement.report->verdict == oracle::Verdict::refuted)
      pairs.push_back({std::move(subject), std::move(judgement)});
  }
  return pairs;
}

fuzz::Reduction reduce_find(const fuzz::Subject& subject, const fuzz::Judgement& judgement, const oracle::CheckOptions& options,
                            uint64_t tests) {
  const fuzz::FindingTrait trait = fuzz::trait_of(judgement);
  fuzz::ReduceLimits limits;
  limits.tests = tests;
  limits.may_stand_for = fuzz::same_meaning(trait, options);
  return fuzz::reduce(subject, fuzz::same_finding(trait, fuzz::pair_judge(options)), limits);
}

TEST(ReduceFinding, MakesPairsOfTenOperationsSmallerAndKeepsWhatWasFound) {
  uint64_t operations = 0, left = 0;
  for (const auto& [subject, judgement] : slipped_pairs(6)) {
    const fuzz::Reduction result = reduce_find(subject, judgement, on_one_thread(), 2'000);
    const auto after = oracle::check(result.subject.programs[0], result.subject.programs[1], on_one_thread());
    ASSERT_TRUE(after);
    EXPECT_EQ(after->verdict, judgement.report->verdict);
    ASSERT_FALSE(after->findings.empty());
    EXPECT_EQ(after->findings.front().id, judgement.report->findings.front().id);
    operations += fuzz::size_of(subject).operations;
    left += fuzz::size_of(result.subject).operations;
  }
  EXPECT_LE(2 * left, operations);
}

TEST(ReduceFinding, KeepsTheFindingsOfTheCorpus) {
  std::vector<std::string> files = tool::corpus_files({"corpus/bad"}).value();
  std::erase_if(files, [](const std::string& f) { return tool::is_original(f) || f.contains("/right/"); });
  constexpr size_t sample = 20;
  ASSERT_GE(files.size(), sample);
  uint64_t before = 0, after = 0;
  for (size_t i = 0; i < sample; ++i) {
    const std::string& file = files[i * files.size() / sample];
    const auto stored = tool::load_corpus_case(file);
    ASSERT_TRUE(stored) << file;
    oracle::CheckOptions options = on_one_thread();
    options.machine = stored->machine.get();
    const fuzz::Subject subject{.programs = {stored->programs.original.program, stored->programs.tiled.program}, .pipeline = {}};
    const fuzz::Judgement judgement = fuzz::pair_judge(options)(subject);
    ASSERT_TRUE(judgement.report) << file;
    constexpr uint64_t many_points = 200'000;   // of a test that has to be quick
    if (judgement.report->points > many_points) continue;
    const fuzz::Reduction result = reduce_find(subject, judgement, options, 400);
    EXPECT_TRUE(fuzz::trait_of(judgement).is_kept_by(fuzz::trait_of(fuzz::pair_judge(options)(result.subject))))
        << file << "\n"
        << fuzz::print(result.subject);
    before += fuzz::size_of(subject).bytes;
    after += fuzz::size_of(result.subject).bytes;
  }
  EXPECT_LT(3 * after, 2 * before);   // in few steps; these programs are small already
}

TEST(ReduceFinding, DoesNotPutAnotherMistakeInThePlaceOfTheOneThatWasFound) {
  // The tail is right; what is wrong is the 3.
  const auto file = ir::parse(R"(tile 1
program p {
  buffer x : f32[50] dram in
  buffer y : f32[50] dram out
  map y[i] = exp(x[i]) + 2 over i:50
}
tile 1
program p {
  buffer x : f32[50] dram in
  buffer y : f32[50] dram out
  for b in 0..4 par {
    buffer t : f32[16] sbuf
    load t[i] = x[16*b + i] over i:16 where 16*b + i < 50
    map y[16*b + i] = exp(t[i]) + 3 over i:16 where 16*b + i < 50
  }
}
)",
                              "test");
  ASSERT_TRUE(file);
  const fuzz::Subject subject{.programs = file->programs, .pipeline = {}};
  const fuzz::Judgement judgement = fuzz::pair_judge(on_one_thread())(subject);
  const fuzz::Reduction result = reduce_find(subject, judgement, on_one_thread(), 20'000);
  EXPECT_EQ(fuzz::print(result.subject), R"(tile 1
program p {
  buffer a : f32[1] dram out
  map a[0] = 2
}
tile 1
program p {
  buffer a : f32[1] dram out
  map a[0] = 3
}
)");
}

/// A tiler that loses the last element of what is longer than its tile.
std::expected<ir::Program, ir::Diagnostics> without_last(const ir::Program& program, const pipeline::Context& context) {
  ir::Program tiled = program;
  auto* map = tiled.body.empty() ? nullptr : std::get_if<ir::Statement>(&tiled.body.back().node);
  if (map == nullptr || map->axes.empty()) return program;
  const int64_t extent = ir::to_integer(map->axes.back().extent.value).value_or(0);
  if (extent > context.options.integer("size")) map->axes.back().extent = ir::integer(extent - 1);
  return tiled;
}

pipeline::Registry a_wrong_pass_and_a_right_one() {
  pipeline::Registry registry;
  const auto unchanged = [](const ir::Program& program, const pipeline::Context&) {
    return std::expected<ir::Program, ir::Diagnostics>(program);
  };
  registry.passes = {
      {.name = "warm", .summary = "", .needs = "", .ensures = "", .options = {}, .vocabulary = {}, .run = unchanged},
      {.name = "cut",
       .summary = "",
       .needs = "",
       .ensures = "",
       .options = {{.name = "size", .default_value = int64_t{1000}, .low = 1, .words = {}, .help = ""}},
       .vocabulary = {},
       .run = without_last}};
  return registry;
}

TEST(ReduceFinding, MakesAProgramSmallerWithThePipelineThatTilesItWrongly) {
  const auto file = ir::parse(R"(tile 1
program p {
  buffer x : f32[20, 50] dram in
  buffer y : f32[20, 50] dram out
  buffer z : f32[20, 50] dram
  map z[r, c] = x[r, c] * 3 over r:20, c:50
  map y[r, c] = exp(z[r, c]) over r:20, c:50
}
)",
                              "test");
  ASSERT_TRUE(file);
  const fuzz::Subject subject{.programs = file->programs, .pipeline = "warm,cut{size=16}"};
  const fuzz::Judge judge = fuzz::pipeline_judge(a_wrong_pass_and_a_right_one(), on_one_thread());
  const fuzz::Judgement judgement = judge(subject);
  EXPECT_EQ(judgement.pass, "cut");
  const fuzz::Reduction result = fuzz::reduce(subject, fuzz::same_finding(fuzz::trait_of(judgement), judge));
  EXPECT_EQ(fuzz::print(result.subject),
            "tile 1\n"
            "program p {\n"
            "  buffer a : f32[2] dram out\n"
            "  map a[i] = 0 over i:2\n"
            "}\n"
            "# pipeline cut{size=1}\n");
}

fuzz::FindingTrait trait_of(const std::string& pair, const machine::Machine* machine = nullptr) {
  const auto file = ir::parse("tile 1\n" + pair, "test");
  if (!file || !ir::verify(*file).empty()) {
    ADD_FAILURE() << pair;
    return {};
  }
  oracle::CheckOptions options = on_one_thread();
  options.machine = machine;
  return fuzz::trait_of(fuzz::pair_judge(options)({.programs = file->programs, .pipeline = {}}));
}

constexpr std::string_view copied = R"(program p {
  buffer x : f32[6] dram in
  buffer y : f32[6] dram out
  map y[i] = x[i] over i:6
}
)";
std::string copied_as(const std::string& statements) {
  return std::string(copied) + "program q {\n  buffer x : f32[6] dram in\n  buffer y : f32[6] dram out\n" + statements + "}\n";
}

TEST(FindingTrait, TellsWhatIsWrongHereFromWhatIsWrongEverywhere) {
  const fuzz::FindingTrait last = trait_of(copied_as("  map y[i] = select(i < 5, x[i], 7) over i:6\n"));
  const fuzz::FindingTrait all = trait_of(copied_as("  map y[i] = 7 over i:6\n"));
  EXPECT_FALSE(last.differs_everywhere);
  EXPECT_TRUE(all.differs_everywhere);
  EXPECT_FALSE(last.is_kept_by(all));
  EXPECT_FALSE(all.is_kept_by(last));
}

TEST(FindingTrait, TellsTilesInOneSpaceFromTilesInAnother) {
  const auto overlaid = [](const std::string& space) {
    return trait_of(copied_as("  buffer t : f32[6] " + space + " at 0:0\n  buffer u : f32[6] " + space +
                              " at 0:0\n  map t[i] = x[i] over i:6\n  map u[i] = 0 over i:6\n  map y[i] = t[i] over i:6\n"));
  };
  EXPECT_EQ(overlaid("sbuf").space, "sbuf");
  EXPECT_FALSE(overlaid("sbuf").is_kept_by(overlaid("psum")));
}

TEST(FindingTrait, TellsTheLimitsOfAMachineApart) {
  const auto machine = machine::find_machine("trn2");
  ASSERT_TRUE(machine);
  const auto tile = [&](const std::string& extents) {
    return trait_of(copied_as("  buffer t : f32[" + extents + "] sbuf\n  load t[0, 0] = x[0]\n  map y[i] = x[i] over i:6\n"),
                    &*machine);
  };
  const fuzz::FindingTrait many = tile("129 | 1"), more = tile("500 | 1");
  EXPECT_EQ(many.finding, oracle::FindingId::partitions);
  EXPECT_TRUE(many.is_kept_by(more)) << many.reason << "\n" << more.reason;
  EXPECT_FALSE(many.reason.empty());
  EXPECT_FALSE(many.reason.contains('t' + std::string(" "))) << many.reason;
}

TEST(FindingTrait, TellsAFaultOfOnePassFromThatOfAnother) {
  fuzz::FindingTrait one = trait_of(copied_as("  map y[i] = 7 over i:6\n")), other = one;
  EXPECT_TRUE(one.is_kept_by(other));
  other.pass = "cut";
  EXPECT_FALSE(one.is_kept_by(other));
}

}  // namespace
}  // namespace tileproof
