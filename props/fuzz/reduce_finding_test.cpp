// Finds of the oracle, reduced.
#include "compiler/ir/text.h"
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
  oracle::CheckReport report;
};
std::vector<SlippedPair> slipped_pairs(size_t count) {
  std::vector<SlippedPair> pairs;
  for (uint64_t seed = 0; pairs.size() < count; ++seed) {
    fuzz::Choices choices = fuzz::Choices::from_seed(seed);
    fuzz::RetiledPair pair = fuzz::retile(choices, {.identity_percent = 0});
    if (!fuzz::make_slip(pair.tiled, choices)) continue;
    fuzz::Subject subject{.programs = {std::move(pair.original), std::move(pair.tiled)}, .pipeline = {}};
    if (fuzz::size_of(subject).operations < 10) continue;
    auto report = oracle::check(subject.programs[0], subject.programs[1], on_one_thread());
    if (report && report->verdict == oracle::Verdict::refuted) pairs.push_back({std::move(subject), std::move(*report)});
  }
  return pairs;
}

fuzz::Reduction reduce_find(const fuzz::Subject& subject, const oracle::CheckReport& report, oracle::CheckOptions options,
                            uint64_t tests) {
  const fuzz::FindingTrait trait = fuzz::trait_of(report, subject.programs[1]);
  fuzz::ReduceLimits limits;
  limits.tests = tests;
  limits.may_stand_for = fuzz::same_meaning(trait, options);
  return fuzz::reduce(subject, fuzz::same_finding(trait, options), limits);
}

TEST(ReduceFinding, MakesPairsOfTenOperationsSmallerAndKeepsWhatWasFound) {
  uint64_t operations = 0, left = 0;
  for (const auto& [subject, report] : slipped_pairs(6)) {
    const fuzz::Reduction result = reduce_find(subject, report, on_one_thread(), 2'000);
    const auto after = oracle::check(result.subject.programs[0], result.subject.programs[1], on_one_thread());
    ASSERT_TRUE(after);
    EXPECT_EQ(after->verdict, report.verdict);
    ASSERT_FALSE(after->findings.empty());
    EXPECT_EQ(after->findings.front().id, report.findings.front().id);
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
    const auto report = oracle::check(subject.programs[0], subject.programs[1], options);
    ASSERT_TRUE(report) << file;
    constexpr uint64_t many_points = 200'000;   // of a test that has to be quick
    if (report->points > many_points) continue;
    const fuzz::Reduction result = reduce_find(subject, *report, options, 400);
    const auto last = oracle::check(result.subject.programs[0], result.subject.programs[1], options);
    ASSERT_TRUE(last) << file;
    EXPECT_TRUE(fuzz::trait_of(*report, subject.programs[1]).is_kept_by(fuzz::trait_of(*last, result.subject.programs[1])))
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
  const auto report = oracle::check(subject.programs[0], subject.programs[1], on_one_thread());
  ASSERT_TRUE(report);
  const fuzz::Reduction result = reduce_find(subject, *report, on_one_thread(), 20'000);
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

TEST(ReduceFinding, TakesAProgramAndItsPipelineForASubject) {
  // A tiler that loses the last element of what is longer than its tile.
  const auto tile = [](const ir::Program& program, const std::string& pipeline) -> std::optional<ir::Program> {
    const size_t equals = pipeline.find("size=");
    if (equals == std::string::npos) return program;
    ir::Program tiled = program;
    auto* map = tiled.body.empty() ? nullptr : std::get_if<ir::Statement>(&tiled.body.back().node);
    if (map == nullptr || map->axes.empty()) return program;
    const int64_t extent = ir::to_integer(map->axes.back().extent.value).value_or(0);
    if (extent > std::stoll(pipeline.substr(equals + 5))) map->axes.back().extent = ir::integer(extent - 1);
    return tiled;
  };
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
  const ir::Program tiled = tile(subject.programs[0], subject.pipeline).value();
  const auto report = oracle::check(subject.programs[0], tiled, on_one_thread());
  ASSERT_TRUE(report);
  const fuzz::Reduction result = fuzz::reduce(subject, fuzz::same_finding(fuzz::trait_of(*report, tiled), on_one_thread(), tile));
  EXPECT_EQ(fuzz::print(result.subject),
            "tile 1\n"
            "program p {\n"
            "  buffer a : f32[2] dram out\n"
            "  map a[i] = 0 over i:2\n"
            "}\n"
            "# pipeline cut{size=1}\n");
}

}  // namespace
}  // namespace tileproof
