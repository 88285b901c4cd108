// What the reducer promises whatever it is told to keep.
#include "fuzz/reduce/reduce.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "fuzz/reduce/steps.h"
#include "fuzz/reduce/walk.h"

#include <gtest/gtest.h>

namespace tileproof {
namespace {

ir::Program program_of(const std::string& text) {
  auto file = ir::parse("tile 1\n" + text, "test");
  if (!file || !ir::verify(*file).empty()) {
    ADD_FAILURE() << text;
    return {};
  }
  return file->programs.at(0);
}

/// Twelve operations, one after the other, and a second output.
fuzz::Subject chain() {
  std::string text =
      "program chain machine trn2 {\n  param n : 3..90\n  buffer x : bf16[n, 100] dram in\n  buffer y : bf16[n, 100] dram out\n"
      "  buffer second : f32[100] dram out\n";
  std::string from = "x";
  for (int i = 0; i < 10; ++i) {
    const std::string to = i == 9 ? "y" : "middle" + std::to_string(i);
    if (i < 9) text += "  buffer " + to + " : f32[n, 100] dram\n";
    const std::string element = from + "[row, column]";
    const std::string value = i == 4 ? "exp(" + element + ") - 7" : element + " * 2.5 + 1";
    text += "  map {ag=3} " + to + "[row, column] = " + value + " over row:n, column:100\n";
    from = to;
  }
  text +=
      "  buffer sum : f32[100] dram\n  reduce sum[column] += x[row, column] over row:n reduce, column:100 start\n"
      "  map second[column] = sum[column] over column:100\n}\n";
  return {.programs = {program_of(text)}, .pipeline = "first,second{size=256,greedy=true}"};
}

bool computes_exp(const fuzz::Subject& subject) { return ir::print(subject.programs[0]).contains("exp("); }

fuzz::Reduction reduced(const fuzz::Interesting& interesting, const fuzz::ReduceLimits& limits = {}) {
  return fuzz::reduce(chain(), interesting, limits);
}

TEST(Reduce, LeavesOneOfTwelveOperationsWhereOneMatters) {
  const fuzz::Reduction result = reduced(computes_exp);
  EXPECT_EQ(result.end, fuzz::Reduction::End::smallest);
  EXPECT_TRUE(computes_exp(result.subject));
  EXPECT_EQ(ir::print(result.subject.programs[0]),
            "tile 1\n"
            "program chain {\n"
            "  buffer a : f32[1] dram out\n"
            "  map a[0] = exp(0)\n"
            "}\n");
}

TEST(Reduce, DropsThePassesAndOptionsThatDoNotMatter) {
  const auto keeps_size = [](const fuzz::Subject& s) { return s.pipeline.contains("size=") && !s.pipeline.contains("size=1,"); };
  EXPECT_EQ(reduced(keeps_size).subject.pipeline, "second{size=1}");
  const auto large = [](const fuzz::Subject& s) { return s.pipeline.contains("{size=1") && s.pipeline.contains("greedy"); };
  EXPECT_EQ(reduced([&](const fuzz::Subject& s) { return s == chain() || large(s); }).subject.pipeline,
            "second{size=1,greedy=true}");
}

TEST(Reduce, ShrinksAnExtentWithAllThatIsTiedToIt) {
  const fuzz::Subject tiled{.programs = {program_of(R"(program p {
    buffer x : f32[300] dram in
    buffer y : f32[300] dram out
    for b in 0..3 par {
      buffer t : f32[128] sbuf
      load t[i] = x[128*b + i] over i:128 where 128*b + i < 300
      store y[128*b + i] = t[i] over i:128 where 128*b + i < 300
    }
  })")},
                            .pipeline = {}};
  // It still has the loop, both statements and their tails.
  const auto has_a_tail = [](const fuzz::Subject& s) {
    int tails = 0, loops = 0;
    fuzz::Subject copy = s;
    fuzz::each<ir::Statement>(copy.programs[0], [&](ir::Statement& each) {
      tails += each.where.size() == 1 && ir::print(each.where[0]).contains('*') && each.axes.size() == 1;
    });
    fuzz::each<ir::Loop>(copy.programs[0], [&](ir::Loop& loop) { loops += ir::print(loop.range.high) != "1"; });
    return tails == 2 && loops == 1;
  };
  const fuzz::Reduction result = fuzz::reduce(tiled, has_a_tail);
  EXPECT_EQ(result.end, fuzz::Reduction::End::smallest);
  EXPECT_LE(fuzz::size_of(result.subject).points, 8U) << fuzz::print(result.subject);
}

TEST(Reduce, NeverMakesAnythingBiggerAndAsksOnlyAboutWellFormedPrograms) {
  uint64_t asked = 0, kept = 0;
  fuzz::Size best = fuzz::size_of(chain());
  std::string text = fuzz::print(chain());
  const fuzz::Reduction result = reduced([&](const fuzz::Subject& s) {
    ++asked;
    for (const ir::Program& program : s.programs) EXPECT_TRUE(ir::verify(program, "-").empty()) << ir::print(program);
    const fuzz::Size size = fuzz::size_of(s);
    EXPECT_LE(size.operations, best.operations);
    EXPECT_LE(size.points, best.points);
    EXPECT_LE(size.bytes, best.bytes);
    if (asked > 1) {
      EXPECT_TRUE(size < best || (size == best && fuzz::print(s) < text));
    }
    if (!computes_exp(s)) return false;
    best = size;
    text = fuzz::print(s);
    ++kept;
    return true;
  });
  EXPECT_EQ(asked, result.tests);
  EXPECT_EQ(kept, result.kept + 1);   // the subject as given is asked about too
  EXPECT_EQ(fuzz::size_of(result.subject), best);
}

TEST(Reduce, LeavesNoStatementThatCanBeDropped) {
  // Three statements that do not depend on one another.
  const auto interesting = [](const fuzz::Subject& s) {
    const std::string text = ir::print(s.programs[0]);
    return text.contains("exp(") && text.contains("reduce") && text.contains("second");
  };
  const fuzz::Reduction result = reduced(interesting);
  fuzz::Places none(0, 0);
  fuzz::Subject counted = result.subject;
  fuzz::drop_items(counted.programs[0], none);
  ASSERT_GT(none.seen(), 0U);
  for (size_t i = 0; i < none.seen(); ++i) {
    fuzz::Subject without = result.subject;
    fuzz::Places one(i, 1);
    fuzz::drop_items(without.programs[0], one);
    EXPECT_FALSE(ir::verify(without.programs[0], "-").empty() && interesting(without)) << fuzz::print(without);
  }
}

TEST(Reduce, GivesTheSameResultEveryTime) {
  const fuzz::Reduction one = reduced(computes_exp), other = reduced(computes_exp);
  EXPECT_EQ(one.subject, other.subject);
  EXPECT_EQ(one.tests, other.tests);
}

TEST(Reduce, ReturnsWhatIsNotInterestingAsItIs) {
  const fuzz::Reduction result = reduced([](const fuzz::Subject&) { return false; });
  EXPECT_EQ(result.end, fuzz::Reduction::End::not_interesting);
  EXPECT_EQ(result.subject, chain());
  EXPECT_EQ(result.tests, 1U);
}

TEST(Reduce, ReturnsWhatItHasWhenItIsInterrupted) {
  for (const uint64_t tests : std::initializer_list<uint64_t>{1, 2, 5, 20}) {
    fuzz::ReduceLimits limits;
    limits.tests = tests;
    const fuzz::Reduction result = reduced(computes_exp, limits);
    EXPECT_EQ(result.end, fuzz::Reduction::End::tests);
    EXPECT_EQ(result.tests, tests);
    EXPECT_TRUE(computes_exp(result.subject));
    if (tests > 2) {
      EXPECT_LT(fuzz::size_of(result.subject), fuzz::size_of(chain()));
    }
  }
  int asked = 0;
  fuzz::ReduceLimits limits;
  limits.stop = [&] { return asked >= 3; };
  const fuzz::Reduction result = reduced([&](const fuzz::Subject& s) { return ++asked, computes_exp(s); }, limits);
  EXPECT_EQ(result.end, fuzz::Reduction::End::stopped);
  EXPECT_EQ(result.tests, 3U);
  EXPECT_TRUE(computes_exp(result.subject));
}

TEST(Reduce, ChangesOneProgramOfAPairOnlyToWhatMayStandForIt) {
  fuzz::Subject pair = chain();
  pair.programs.push_back(pair.programs[0]);
  const auto in_both = [](const fuzz::Subject& s) {
    return ir::print(s.programs[0]).contains("exp(") && ir::print(s.programs[1]).contains("exp(");
  };
  fuzz::ReduceLimits limits;
  uint64_t refused = 0;
  limits.may_stand_for = [&](const ir::Program& program, const ir::Program& edited) {
    EXPECT_NE(program, edited);
    ++refused;
    return false;
  };
  const fuzz::Reduction result = fuzz::reduce(pair, in_both, limits);
  EXPECT_TRUE(in_both(result.subject));
  EXPECT_LE(fuzz::size_of(result.subject).operations, 6U) << fuzz::print(result.subject);   // of 24
  EXPECT_GT(refused, 0U);
}

}  // namespace
}  // namespace tileproof
