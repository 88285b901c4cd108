// Which parameter values a check runs: a program that is wrong at one of them is caught.
#include "oracle/equivalence/parameter_values.h"

#include "compiler/ir/text.h"
#include "oracle/equivalence/check.h"
#include "oracle/interpret/kinds.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tileproof::oracle {
namespace {

using testing::Contains;
using testing::IsSupersetOf;
using testing::Le;
using testing::SizeIs;

ir::Program program(std::string_view parameters, std::string_view body, std::string_view extent = "8") {
  return ir::parse(fmt::format("tile 1 program p {{ {} buffer x : f32[{}] dram in buffer y : f32[{}] dram out {} }}", parameters,
                               extent, extent, body),
                   "test")
      .value()
      .programs.front();
}

ParameterValues values_of(std::string_view parameters, std::string_view body) {
  const ir::Program plain = program(parameters, ""), other = program(parameters, body);
  return parameter_values(plain, other, common_kinds(plain, other));
}

/// The values of the only parameter, all of them.
std::set<int64_t> values(std::string_view range, std::string_view body) {
  const ParameterValues found = values_of(fmt::format("param n : {}", range), body);
  std::set<int64_t> result;
  for (const auto* list : {&found.first, &found.more}) {
    for (const Parameters& parameters : *list) result.insert(parameters.at("n"));
  }
  return result;
}

std::string scaled_where(std::string_view condition) {
  return fmt::format("map y[i] = select({}, 1, 2) * x[i] over i:8", condition);
}

TEST(ParameterValues, AreAllOfThemWhereTheyAreFew) {
  const ParameterValues found = values_of("param n : 0..40", "");
  EXPECT_EQ(found.combinations, 41U);
  EXPECT_EQ(found.first.size() + found.more.size(), 41U);
  EXPECT_THAT(values("0..40", ""), SizeIs(41));
}

TEST(ParameterValues, AreAllCombinationsWhereTheyAreFew) {
  const ParameterValues found = values_of("param n : 0..40 param m : -5..4", "");
  std::set<Parameters> distinct(found.first.begin(), found.first.end());
  distinct.insert(found.more.begin(), found.more.end());
  EXPECT_EQ(found.combinations, 410U);
  EXPECT_THAT(distinct, SizeIs(410));
}

TEST(ParameterValues, IsOneEmptyCombinationWithoutParameters) {
  const ParameterValues found = values_of("", "");
  EXPECT_EQ(found.first, std::vector<Parameters>{{}});
  EXPECT_TRUE(found.more.empty());
  EXPECT_EQ(found.combinations, 1U);
}

TEST(ParameterValues, BeginWithTheEndsAndTheMiddle) {
  const ParameterValues found = values_of("param n : 1..999999", scaled_where("n == 77"));
  EXPECT_EQ(found.first[0].at("n"), 1);
  EXPECT_EQ(found.first[1].at("n"), 999999);
  EXPECT_EQ(found.first[2].at("n"), 500000);
  EXPECT_EQ(found.first[3].at("n"), 77);
}

TEST(ParameterValues, MeetAComparisonAndItsNeighboursWhereverItStands) {
  const std::vector<std::string> bodies{
      scaled_where("n == 12345"),
      scaled_where("2*n == 24690"),
      scaled_where("n + 7 > 12352"),
      scaled_where("0 - 3*n < 0 - 37035"),
      scaled_where("(n < 5 or not n == 12345)"),
      scaled_where("n - 12345"),
      scaled_where("cast(i32, n) == 12345"),
      "if 3*n == 37035 { map y[i] = x[i] over i:8 }",
      "while n < 12345 max 3 { map y[i] = x[i] over i:8 }",
      "map y[i] = x[i] over i:8 where n != 12345",
      "map y[i] += x[i] over i:8, j:4 reduce start n >= 12345",
      "map y[i] += x[i] over i:8 stop 12345 - n > 0",
      "map y[i] = x[i] over i:min(n, 12345)",
      "map y[i] = x[i] over i:n - 12345",
      "map y[i] = max(n, 12345) * x[i] over i:8",
      "for i in 12345..n seq { map y[j] = x[j] over j:8 }",
      "buffer t : f32[max(n, 12345)] s",
      "map y[i] = x[select(n == 12345, 0, i)] over i:8",
  };
  for (const std::string& body : bodies) EXPECT_THAT(values("1..1000000", body), IsSupersetOf({12344, 12345, 12346})) << body;
}

TEST(ParameterValues, MeetFractionsOnBothSides) {
  EXPECT_THAT(values("1..1000000", scaled_where("2*n < 24691")), IsSupersetOf({12345, 12346}));
}

TEST(ParameterValues, MeetMultiplesOfADivisor) {
  EXPECT_THAT(values("0..1000000", "for b in 0..(n + 127) floordiv 128 par { map y[0] = x[0] }"),
              IsSupersetOf({1, 0, 2, 128, 129, 130, 257, 999937, 999936, 999938}));
}

TEST(ParameterValues, MeetEveryRemainderThatIsAskedFor) {
  EXPECT_THAT(values("0..1000000", scaled_where("n mod 1000 == 217")), IsSupersetOf({217, 218, 216, 1217, 999217}));
  EXPECT_THAT(values("0..1000000", scaled_where("n floordiv 1000 == 217")), IsSupersetOf({217000, 217999, 216999, 218000}));
  EXPECT_THAT(values("0..1000000", scaled_where("bitand(n, 1023) == 217")), Contains(217));
  EXPECT_THAT(values("0..1000000", scaled_where("shr(n, 4) == 217")), Contains(217 * 16));
}

TEST(ParameterValues, MeetTheStepsOfALoopVariable) {
  EXPECT_THAT(values("0..1000000", "for b in 0..9 seq { map y[i] = x[i] over i:8 where 100*b + i + 17 < n }"),
              IsSupersetOf({17, 117, 217, 118, 116}));
}

TEST(ParameterValues, MeetWhatIsNoLine) {
  EXPECT_THAT(values("0..1000000", scaled_where("n*n == 15129")), Contains(123));
  EXPECT_THAT(values("-1000000..0", scaled_where("n*n*n == 0 - 1860867")), Contains(-123));
}

bool holds_somewhere(const ParameterValues& found, const auto& condition) {
  return std::ranges::any_of(found.first, condition) || std::ranges::any_of(found.more, condition);
}

TEST(ParameterValues, RelateTwoParametersOneOffEitherWay) {
  const ParameterValues found = values_of("param n : 0..100000 param m : 0..100000", scaled_where("n != m + 3"));
  for (const int64_t distance : {2, 3, 4}) {
    EXPECT_TRUE(holds_somewhere(found, [&](const Parameters& p) { return p.at("n") - p.at("m") == distance; })) << distance;
  }
}

TEST(ParameterValues, MeetAProductOfTwoParameters) {
  const ParameterValues found = values_of("param n : 1..5000 param m : 7..7000", scaled_where("n*m == 21007"));
  EXPECT_TRUE(holds_somewhere(found, [](const Parameters& p) { return p.at("n") * p.at("m") == 21007; }));
}

TEST(ParameterValues, MeetConditionsOnTwoParametersAtOnce) {
  for (const std::string& body : {scaled_where("n == 1234 and m == 77"), scaled_where("m == 77 and n == m + 1157")}) {
    const ParameterValues found = values_of("param n : 1..5000 param m : 1..5000", body);
    EXPECT_TRUE(holds_somewhere(found, [](const Parameters& p) { return p.at("n") == 1234 && p.at("m") == 77; })) << body;
  }
}

TEST(ParameterValues, AreBoundedDistinctAndInTheirRange) {
  std::string body;
  for (int i = 0; i < 3000; ++i) body += fmt::format("if n == {} {{ map y[i] = x[i] over i:8 }} ", 7 * i);
  const ParameterValues found = values_of("param n : -9223372036854775807..9223372036854775807 param m : 1..3", body);
  EXPECT_THAT(found.first, SizeIs(32));
  EXPECT_THAT(found.more, SizeIs(Le(480U)));
  EXPECT_EQ(found.combinations, uint64_t{1} << 63);
  std::set<Parameters> distinct(found.first.begin(), found.first.end());
  distinct.insert(found.more.begin(), found.more.end());
  EXPECT_EQ(distinct.size(), found.first.size() + found.more.size());
  for (const Parameters& parameters : distinct) EXPECT_THAT(parameters.at("m"), testing::AllOf(testing::Ge(1), Le(3)));
}

TEST(ParameterValues, SurviveNumbersThatFitNowhere) {
  const std::string big = "9223372036854775807";
  for (const std::string& body :
       {scaled_where(fmt::format("n * {} * {} == 3", big, big)), scaled_where(fmt::format("(n mod {}) * {} == 3", big, big)),
        scaled_where("n / 0 == 3"), scaled_where("n mod (n - n) == 3"), scaled_where("shl(n, n) == 3"), scaled_where("n == 0.5"),
        scaled_where("n * x[i] < nan"), scaled_where(fmt::format("(n floordiv {}) floordiv {} == 1", big, big))}) {
    EXPECT_THAT(values(fmt::format("-{}..{}", big, big), body), Contains(0)) << body;
  }
}

// ---- what a check makes of them ----

CheckReport check_scaled(std::string_view parameters, std::string_view condition) {
  return check(program(parameters, "map y[i] = 2 * x[i] over i:8"), program(parameters, scaled_where(condition)), {}).value();
}

TEST(CheckOfParameters, RefutesWhatIsWrongAtOneOfFew) {
  const CheckReport report = check_scaled("param n : 0..40", "bitxor(n, 5) == 18");
  EXPECT_EQ(report.verdict, Verdict::refuted);
  EXPECT_EQ(report.failing_parameters, (Parameters{{"n", 23}}));
}

TEST(CheckOfParameters, RefutesWhatIsWrongAtOneOfMany) {
  EXPECT_EQ(check_scaled("param n : 0..1000000", "3*n == 69").failing_parameters, (Parameters{{"n", 23}}));
  EXPECT_EQ(check_scaled("param n : 0..1000000 param m : 0..1000000", "n == m + 3").verdict, Verdict::refuted);
}

TEST(CheckOfParameters, CountsTheCombinationsThatItLeavesOut) {
  const CheckReport few = check_scaled("param n : 0..40", "n == 50");
  EXPECT_EQ(few.verdict, Verdict::tested);
  EXPECT_THAT(few.parameters, SizeIs(41));
  EXPECT_FALSE(few.counted.contains("parameter combinations left out"));
  const CheckReport many = check_scaled("param n : 0..4999", "n == 5000");
  EXPECT_EQ(many.verdict, Verdict::tested);
  EXPECT_EQ(many.counted.at("parameter combinations left out"), 5000 - many.parameters.size());
}

TEST(CheckOfParameters, StopsAtItsBudgetOfPoints) {
  const ir::Program wide = program("param n : 1..1000", "add y[i] += x[i] over i:8, j:200000 reduce start");
  const CheckReport report = check(wide, wide, {}).value();
  EXPECT_EQ(report.verdict, Verdict::tested);
  EXPECT_LT(report.parameters.size(), 60U);
  EXPECT_EQ(report.counted.at("parameter combinations left out"), 1000 - report.parameters.size());
}

TEST(CheckOfParameters, TakesTheSameOnesAgain) {
  const auto once = check_scaled("param n : 0..1000000 param m : 0..9", "n == 10000000");
  EXPECT_EQ(once.parameters, check_scaled("param n : 0..1000000 param m : 0..9", "n == 10000000").parameters);
}

}  // namespace
}  // namespace tileproof::oracle
