#include "oracle/prove/obligation.h"

#include <gtest/gtest.h>

#include <random>

namespace tileproof::prove {
namespace {

constexpr ProverOptions unhurried{.timeout_seconds = 120, .jobs = 2, .patience = 5};

penguin::CutStatement cut_of(std::vector<int64_t> extents, int64_t cut_size, penguin::CutOptions options = {}) {
  penguin::CutStatement cut{std::move(extents), cut_size, options, {}};
  cut.cut = penguin::compute_cut(cut.extents, cut_size, options).value();
  return cut;
}

TEST(Obligations, OfTheWorkedExamplesAreDischarged) {
  const std::vector<penguin::CutStatement> cuts{cut_of({4, 2, 2, 2, 128}, 512),
                                                cut_of({4, 2, 2, 2, 8}, 512),
                                                cut_of({8192, 2}, 512),
                                                cut_of({448, 16}, 512),
                                                cut_of({16, 8192}, 512),
                                                cut_of({}, 512),
                                                cut_of({100, 56}, 512),
                                                cut_of({100}, 64, {.uniform = true}),
                                                cut_of({3, 100}, 128, {.multiple = 32})};
  ProofCache cache;
  const Discharge first = discharge(cuts, cache, unhurried);
  EXPECT_EQ(first.verdict, Verdict::proved) << first.obligation << ": " << first.reason;
  EXPECT_LT(first.classes, first.proved);
  EXPECT_EQ(cache.size(), first.classes);
  EXPECT_EQ(first.each.size(), first.classes);
  for (const Discharged& each : first.each) EXPECT_EQ(each.verdict, Verdict::proved) << each.name;
}

TEST(Obligations, AreProvedOnceForAClass) {
  ProofCache cache;
  const std::vector<penguin::CutStatement> one{cut_of({448, 16}, 512)}, other{cut_of({2, 300, 7}, 700)};
  ASSERT_EQ(discharge(one, cache, unhurried).verdict, Verdict::proved);
  const ProverOptions no_time{.timeout_seconds = 1e-6, .jobs = 1, .patience = 1};
  EXPECT_EQ(discharge(other, cache, no_time).verdict, Verdict::proved) << "known from the first";
  ProofCache empty;
  EXPECT_EQ(discharge(other, empty, no_time).verdict, Verdict::timeout);
  EXPECT_TRUE(empty.empty()) << "a timeout is not remembered";
}

TEST(Obligations, OfAnyCutThatIsMadeHold) {
  std::mt19937_64 random(7);
  for (int tries = 0; tries < 10'000; ++tries) {
    std::vector<int64_t> extents(random() % 5);
    for (int64_t& extent : extents) extent = 1 + static_cast<int64_t>(random() % (random() % 2 == 0 ? 4 : 300));
    const penguin::CutOptions options{.uniform = random() % 3 == 0,
                                      .multiple = random() % 3 == 0 ? 1 + static_cast<int64_t>(random() % 40) : 1};
    const penguin::CutStatement cut = cut_of(extents, 1 + static_cast<int64_t>(random() % 600), options);
    ASSERT_EQ(first_broken(cut), "") << testing::PrintToString(extents) << " " << cut.cut_size;
  }
}

TEST(Obligations, OfAWrongCutAreBroken) {
  penguin::CutStatement cut = cut_of({8192, 2}, 512);
  cut.cut.tile = 513;
  EXPECT_EQ(first_broken(cut), "budget");
  cut.cut.tile = 256;   // a smaller tile than fits
  EXPECT_NE(first_broken(cut), "");
  penguin::CutStatement whole = cut_of({448, 16}, 512);
  whole.cut.dim = 1;   // seed 000's literal pseudocode
  EXPECT_NE(first_broken(whole), "");
  penguin::CutStatement nothing = whole;
  nothing.cut = {};
  EXPECT_EQ(first_broken(nothing), "budget");
  penguin::CutStatement ragged = cut_of({100}, 64, {.uniform = true});
  ragged.cut.tile = 64;
  EXPECT_EQ(first_broken(ragged), "uniform");
  ProofCache cache;
  EXPECT_EQ(discharge(std::vector{ragged}, cache, unhurried).verdict, Verdict::refuted);
}

}  // namespace
}  // namespace tileproof::prove
