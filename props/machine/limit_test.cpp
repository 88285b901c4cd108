// Limits of opcodes: the terms that they are made of, and what is said of a broken one.
#include "compiler/machine/limit.h"
#include "props/machine/unify_case.h"

namespace tileproof::machine {
namespace {

TEST(Limits, SpeakOfExtentsBytesAndDimensions) {
  const auto outcome = [](std::string_view limit) {
    return Case(fmt::format("opcode map {{ D[p | f] = any(A[p | (f)]) limit {} }}", limit),
                "map d3[p, g, f] = 2 * m[p, 128*g + f] over p:128, g:4, f:64")
        .outcome();
  };
  EXPECT_EQ(outcome("f <= 256"), "p: p; f: g f");
  EXPECT_EQ(outcome("f <= 255"), "f (g, f) has 256 elements; takes at most 255");
  EXPECT_EQ(outcome("f * bytes(D) <= 1024"), "p: p; f: g f");
  EXPECT_EQ(outcome("f * bytes(D) < 1024"), "f * bytes(D) is 1024; needs f * bytes(D) < 1024");
  EXPECT_EQ(outcome("bits(A) == 16"), "p: p; f: g f");
  EXPECT_EQ(outcome("points <= 32768"), "p: p; f: g f");
  EXPECT_EQ(outcome("points <= 32767"), "points is 32768; needs points <= 32767");
  EXPECT_EQ(outcome("dims(D) <= 2"), "p: p; f: g f");
  EXPECT_EQ(outcome("dims(D) <= 1"), "dims(D) is 2; needs dims(D) <= 1");
  EXPECT_EQ(outcome("f mod 3 == 0"), "f mod 3 is 1; needs f mod 3 == 0");
  EXPECT_EQ(outcome("rank(D) <= 3"), "p: p; f: g f");
  EXPECT_EQ(outcome("rank(D) <= 2"), "rank(D) is 3; needs rank(D) <= 2");
  EXPECT_EQ(outcome("row(D) == 512 "), "p: p; f: g f");
  EXPECT_EQ(outcome("row(D) mod 1024 == 0"), "row(D) mod 1024 is 512; needs row(D) mod 1024 == 0");
  EXPECT_EQ(outcome("max(p, f) floordiv 2 != 127"), "p: p; f: g f");
}

TEST(Limits, ContiguousDimensionsOfAPatternAreMerged) {
  EXPECT_EQ(Case("opcode map { D[p | f] = any(A[p | (f)]) limit dims(D) <= 1 limit dims(A) <= 1 }",
                 "map d3[p, g, f] = m[p, 128*g + f] over p:128, g:4, f:128")
                .outcome(),
            "p: p; f: g f");
}

TEST(LargerFactor, IsThatOfTheMostEvenSplit) {
  EXPECT_EQ(larger_factor(12), 4);
  EXPECT_EQ(larger_factor(36), 6);
  EXPECT_EQ(larger_factor(1), 1);
  EXPECT_EQ(larger_factor(13), 13);
  EXPECT_EQ(larger_factor(32771),
            32771);   // a prime: spec/torq.md 1.2, the first length that two counters up to 32767 cannot count
  EXPECT_LE(larger_factor(65536), 32767);
  EXPECT_EQ(larger_factor(0), 0);
}

}  // namespace
}  // namespace tileproof::machine
