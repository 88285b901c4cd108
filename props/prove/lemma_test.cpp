// Every lemma has the verdict that the catalogue expects; a lemma that says something else has another.
#include "oracle/prove/catalogue.h"
#include "oracle/prove/prover.h"
#include "oracle/prove/seed_pseudocode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tileproof::prove {
namespace {

using testing::HasSubstr;

// Wall clock that a busy machine needs, too.
constexpr ProverOptions unhurried{.timeout_seconds = 120, .jobs = 1, .patience = 5};

Proof prove_one(std::vector<Goal> goals, const ProverOptions& options = unhurried) {
  const std::vector<std::vector<Goal>> lists{std::move(goals)};
  Proof result;
  prove_apart(lists, options, [&](size_t, const Proof& proof) {
    result = proof;
    return true;
  });
  return result;
}

class EachLemma : public testing::TestWithParam<Lemma> {};

TEST_P(EachLemma, HasTheExpectedVerdict) {
  const Proof proof = prove_one(GetParam().goals());
  EXPECT_EQ(proof.verdict, GetParam().expected) << proof.reason << proof.claim;
}

class EachTrueLemma : public testing::TestWithParam<Lemma> {};

TEST_P(EachTrueLemma, HoldsForSmallNumbers) {
  for (const Goal& goal : GetParam().goals()) {
    const std::vector<std::string> names = variables(goal.assumption && goal.claim);
    uint64_t state = 1, met = 0;
    Sizes sizes;
    for (int tries = 0; tries < 20'000 || (met == 0 && tries < 3'000'000); ++tries) {   // equations are seldom met
      for (const std::string& name : names) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        sizes[name] = static_cast<int64_t>((state >> 33) % 9) - 1;
      }
      if (evaluate(goal.assumption, sizes) != true) continue;
      ++met;
      ASSERT_EQ(evaluate(goal.claim, sizes), true) << goal.sizes << " at try " << tries;
    }
    EXPECT_GT(met, 0U) << goal.sizes << ": no small numbers meet the assumption";
  }
}

std::string test_name(const testing::TestParamInfo<Lemma>& information) {
  std::string name(information.param.name);
  for (char& letter : name) letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
}

std::vector<Lemma> true_lemmas() {
  std::vector<Lemma> lemmas(catalogue().begin(), catalogue().end());
  std::erase_if(lemmas, [](const Lemma& lemma) { return lemma.expected != Verdict::proved; });
  return lemmas;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EachLemma, testing::ValuesIn(catalogue()), test_name);
INSTANTIATE_TEST_SUITE_P(Catalogue, EachTrueLemma, testing::ValuesIn(true_lemmas()), test_name);

TEST(Catalogue, HasAtLeastTwentyTrueLemmasWithNamesAndStatementsOfTheirOwn) {
  std::set<std::string_view> names, statements;
  size_t truths = 0;
  for (const Lemma& lemma : catalogue()) {
    names.insert(lemma.name);
    statements.insert(lemma.statement);
    if (lemma.expected == Verdict::proved) ++truths;
    EXPECT_FALSE(lemma.function.empty() || lemma.sizes.empty()) << lemma.name;
  }
  EXPECT_GE(truths, 20U);
  EXPECT_EQ(names.size(), catalogue().size());
  EXPECT_EQ(statements.size(), catalogue().size());
}

const Term x = Term::variable("x"), y = Term::variable("y");

TEST(Prove, RefutesAMutatedLemmaWithNumbersThatShowIt) {
  const Formula sizes = x >= 1 && y >= 1;
  EXPECT_EQ(prove_one({{"", sizes, ((x - 1) / y + 1) * y >= x}}).verdict, Verdict::proved);
  const Proof mutated =
      prove_one({{"", sizes, (x / y + 1) * y <= x + y - 1}});   // trips as x / y + 1: one too many where y divides
  ASSERT_EQ(mutated.verdict, Verdict::refuted);
  EXPECT_EQ(evaluate(sizes, mutated.counterexample), true);
  EXPECT_EQ(evaluate((x / y + 1) * y <= x + y - 1, mutated.counterexample), false);
}

TEST(Prove, RefutesEachLemmaOfTheCutWithOneSliceMore) {
  const Term c = Term::variable("c"), budget = Term::variable("B");
  const Proof proof = prove_one({{"", c >= 1 && c <= budget, c * (penguin::arithmetic::tile_of(budget, c) + 1) <= budget}});
  EXPECT_EQ(proof.verdict, Verdict::refuted);
}

TEST(Prove, RefutesWhereADivisorCanBeBelowOne) {
  const Proof proof = prove_one({{"", x >= 0 && y >= 0, x / y <= x}});
  EXPECT_EQ(proof.verdict, Verdict::refuted);
  EXPECT_THAT(proof.claim, HasSubstr("1 <= y"));
}

TEST(Prove, CallsALemmaThatNoNumbersMeetAnError) {
  EXPECT_EQ(prove_one({{"", x >= 1 && x <= 0, x == 7}}).verdict, Verdict::error);
  EXPECT_EQ(prove_one({}).verdict, Verdict::error);
}

TEST(Prove, CallsALemmaThatHasNoTimeATimeout) {
  const ProverOptions hurried{.timeout_seconds = 1e-6, .jobs = 1, .patience = 1};
  EXPECT_EQ(prove_one(find_lemma("flatten.bijection")->goals(), hurried).verdict, Verdict::timeout);
}

TEST(Prove, CallsALemmaTimeoutThatTheSolverHasNoTimeFor) {
  // Fermat's last theorem for cubes.
  const Term z = Term::variable("z");
  const Proof proof = prove_one({{"", x >= 1 && y >= 1 && z >= 1, x * x * x + y * y * y != z * z * z}},
                                {.timeout_seconds = 60, .jobs = 1, .patience = 0.05});
  EXPECT_EQ(proof.verdict, Verdict::timeout) << proof.reason;
}

TEST(Seed, ComputeCutPutsFourteenTimesTheBudgetIntoTheTile) {
  const std::vector<int64_t> shape{448, 16};
  const auto cut = seed::compute_cut<int64_t>(shape, 512, seed::Scan::left_to_right);
  EXPECT_EQ(cut.dim, 1);   // seed 000 expects (0, None)
  EXPECT_EQ(cut.tile, 0);
  EXPECT_EQ(seed::elements(shape, cut), 7168);
}

TEST(Seed, ComputeCutFromTheRightDoesToo) {
  const std::vector<int64_t> shape{16, 8192};
  const auto cut = seed::compute_cut<int64_t>(shape, 512, seed::Scan::right_to_left);
  EXPECT_EQ(cut.dim, 1);   // seed 000 expects (1, 32)
  EXPECT_EQ(cut.tile, 512);
  EXPECT_EQ(seed::elements(shape, cut), 8192);
}

TEST(Seed, CounterexamplesAreWhatThePseudocodeComputes) {
  const Proof proof = prove_one(find_lemma("seed.compute-cut")->goals());
  ASSERT_EQ(proof.verdict, Verdict::refuted);
  const std::vector<int64_t> shape{proof.counterexample.at("x0"), proof.counterexample.at("x1")};
  const int64_t budget = proof.counterexample.at("B");
  const auto cut = seed::compute_cut<int64_t>(shape, budget, seed::Scan::left_to_right);
  EXPECT_EQ(cut.dim, proof.counterexample.at("dim"));
  EXPECT_EQ(cut.tile, proof.counterexample.at("tile"));
  EXPECT_GT(seed::elements(shape, cut), budget);
}

}  // namespace
}  // namespace tileproof::prove
