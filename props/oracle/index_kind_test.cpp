// Integers that steer: they are true integers, combined in 64 bits, rounded once to the accumulate dtype and once to the buffer's.
#include "oracle/interpret/code_range.h"
#include "oracle/interpret/lower.h"
#include "props/oracle/plain_run.h"

namespace tileproof::oracle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The elements of y, which steers, after `body`; `x` holds what `pattern` puts there.
std::vector<std::string> steering(std::string_view x, std::string_view y, std::string_view body,
                                  Pattern pattern = Pattern::lowest) {
  RunOptions options;
  options.pattern = pattern;
  const Result result = run(fmt::format("buffer x : {} dram in  buffer y : {} dram out  buffer z : f32[1] dram out  {}"
                                        "  set z[0] = 0  set z[0] = 1 where y[0] > 5",
                                        x, y, body),
                            options);
  EXPECT_THAT(findings(result), IsEmpty());
  EXPECT_TRUE(result.outputs.at(0).is_index);
  return elements(result);
}

/// Whether a condition on x, which holds what `pattern` puts there, holds.
bool holds(std::string_view x, std::string_view condition, Pattern pattern) {
  RunOptions options;
  options.pattern = pattern;
  const Result result =
      run(fmt::format("buffer x : {} dram in  buffer z : i32[1] dram out  set z[0] = 0  set z[0] = 1 where {}", x, condition),
          options);
  EXPECT_THAT(findings(result), IsEmpty());
  return elements(result) == std::vector<std::string>{"1"};
}

// ---- accumulation ----

TEST(SteeringSum, WrapsToTheAccumulateDtype) {
  EXPECT_THAT(steering("i32[1]", "i32[1]", "sum y[0] += x[0] start acc i16", Pattern::highest), ElementsAre("-1"));
  EXPECT_THAT(steering("i32[1]", "i32[1]", "sum y[0] += x[0] start acc u16", Pattern::highest), ElementsAre("65535"));
  EXPECT_THAT(steering("i32[1]", "bool[1]", "sum y[0] += x[0] start acc i16"), ElementsAre("0")) << "-2^31 is 0 in i16";
}

TEST(SteeringSum, IsNotComputedInFloats) {
  EXPECT_EQ(run("buffer x : i32[1] dram in  buffer y : i32[1] dram out  buffer z : f32[1] dram out"
                "  sum y[0] += x[0] start acc f32  set z[0] = 0  set z[0] = 1 where y[0] > 5")
                .status,
            RunStatus::unsupported);
}

TEST(SteeringMaximum, BeginsWithNothing) {
  EXPECT_THAT(steering("i8[2] ", "u32[1]", "max y[0] max= x[k] over k:2 reduce start"), ElementsAre("4294967168"));
  EXPECT_THAT(steering("i64[1]", "i8[1]", "min y[0] min= x[0] start", Pattern::highest), ElementsAre("-1"));
  EXPECT_THAT(steering("i64[1]", "i64[1]", "max y[0] max= x[0] start"), ElementsAre("-9223372036854775808"));
}

TEST(SteeringMaximum, OfNothingIsTheLowestOfItsBuffer) {
  const auto of_nothing = [](std::string_view y, std::string_view update, std::string_view clause) {
    return steering("i32[1]", y, fmt::format("max y[0] {}= x[0] over k:0 reduce start {}", update, clause)).at(0);
  };
  EXPECT_EQ(of_nothing("i32[1]", "max", "acc i16"), "-2147483648");
  EXPECT_EQ(of_nothing("i32[1]", "min", "acc i16"), "2147483647");
  EXPECT_EQ(of_nothing("u8[1]", "max", ""), "0");
  EXPECT_EQ(of_nothing("bool[1]", "max", ""), "0");
  EXPECT_EQ(of_nothing("bool[1]", "min", ""), "1");
  EXPECT_EQ(of_nothing("i64[1]", "max", ""), "-9223372036854775808");
}

TEST(SteeringBits, AreCombinedBeforeTheyBecomeABool) {
  EXPECT_THAT(steering("u8[2]", "bool[1]", "all y[0] and= x[k] over k:2 reduce start", Pattern::highest), ElementsAre("1"));
  EXPECT_THAT(steering("u8[2]", "bool[1]", "all y[0] and= 2 over k:2 reduce start"), ElementsAre("1"));
}

// ---- the lowest i64 ----

TEST(LowestInteger, IsAValueLikeAnyOther) {
  EXPECT_TRUE(holds("i64[1]", "x[0] < 1", Pattern::lowest));
  EXPECT_FALSE(holds("i64[1]", "x[0] + 1 > 5", Pattern::highest)) << "2^63 - 1 + 1 wraps";
  EXPECT_TRUE(holds("i64[1]", "x[0] == -9223372036854775807 - 1", Pattern::lowest));
  EXPECT_TRUE(holds("i64[1]", "x[0] mod 3 == 1", Pattern::lowest));
  EXPECT_THAT(steering("i64[1]", "i64[2]", "map y[i] = i * (-9223372036854775807 - 1) over i:2"),
              ElementsAre("0", "-9223372036854775808"));
}

// ---- comparisons ----

TEST(Comparison, IsOfTheTwoSidesEachOfWhichWraps) {
  EXPECT_TRUE(holds("i64[1]", "x[0] > -3", Pattern::highest));
  EXPECT_TRUE(holds("i64[1]", "min(x[0], 5) < 9223372036854775807", Pattern::lowest));
  EXPECT_TRUE(holds("i64[1]", "x[0] != -1", Pattern::highest));
  EXPECT_TRUE(holds("i64[1]", "x[0] * 2 < 0", Pattern::highest)) << "-2";
}

TEST(Comparison, OfAxesWrapsWhereTheirSidesDo) {
  const auto points = [](std::string_view where) {
    return elements(run(fmt::format("buffer y : i32[4] dram out  set y[i] = 0 over i:4  set y[i] = 1 over i:4 where {}", where)));
  };
  EXPECT_THAT(points("4611686018427387904 * i < 1"), ElementsAre("1", "0", "1", "1"));  // 0, 2^62, -2^63, -2^62
  EXPECT_THAT(points("i - 9223372036854775807 < i + 1"), ElementsAre("1", "1", "1", "1"));
  EXPECT_THAT(points("i < 2"), ElementsAre("1", "1", "0", "0"));
}

TEST(Comparison, OfParametersIsOfTheirValues) {
  RunOptions options;
  options.parameters["n"] = -9'000'000'000'000'000'000;
  const auto y =
      elements(run("param n : -9000000000000000000..9000000000000000000  buffer y : i32[1] dram out  set y[0] = 0"
                   "  set y[0] = 1 where min(n, 5) > -400000000000000000",
                   options));
  EXPECT_THAT(y, ElementsAre("0"));
}

TEST(Condition, ThatNamesAReduceAxisRestrictsWhatIsAddedEvenIfTheAxisCancels) {
  const auto sums = [](std::string_view where) {
    return elements(run(fmt::format("buffer y : f32[4] dram out  sum y[i] += 1 over i:4, k:6 reduce where {} start", where)));
  };
  EXPECT_THAT(sums("i + 0*k < 2"), ElementsAre("6", "6", "0", "0"));
  EXPECT_THAT(sums("k - k == 1"), ElementsAre("0", "0", "0", "0"));
}

// ---- opaque operations ----

TEST(OpaqueArgument, IsWhatItHoldsWhetherItSteersOrNot) {
  const auto result_of = [](std::string_view argument) {
    return elements(
        run(fmt::format("buffer m : i32[4] dram in range -3..4  buffer u : f32[1] dram out  buffer z : f32[1] dram out"
                        "  buffer t : i32[4] sbuf  copy t[i] = m[i] over i:4  opaque f(in {}, out u)"
                        "  set z[0] = 0  set z[0] = 1 where m[0] == 0",
                        argument)));
  };
  EXPECT_EQ(result_of("m"), result_of("t"));
}

// ---- bounds of integer codes ----

IntegerCode combine(ir::Op op, std::vector<IntegerCode> operands, ir::Dtype cast_to = ir::Dtype::i64) {
  return oracle::combine(op, std::span(operands), cast_to);
}

ir::Interval bounds(const IntegerCode& code, ir::Interval slot) {
  return range_of(code, {slot}, [](uint32_t) { return ir::Dtype::i8; });
}

TEST(RangeOfACode, FollowsItsOperators) {
  const IntegerCode x = slot_code(0);
  EXPECT_EQ(bounds(combine(ir::Op::add, {combine(ir::Op::multiply, {constant_code(128), x}), constant_code(3)}), {0, 2}),
            (ir::Interval{3, 259}));
  EXPECT_EQ(bounds(combine(ir::Op::min, {x, constant_code(7)}), {0, 100}), (ir::Interval{0, 7}));
  EXPECT_EQ(bounds(combine(ir::Op::less, {x, constant_code(7)}), {0, 100}), (ir::Interval{0, 1}));
  EXPECT_EQ(bounds(combine(ir::Op::cast, {x}, ir::Dtype::u8), {-1, 2}), (ir::Interval{0, 255}));
  EXPECT_EQ(bounds(read_code(0, {}), {0, 0}), (ir::Interval{-128, 127}));
}

TEST(RangeOfACode, IsAllIntegersWhereItMayWrap) {
  const IntegerCode x = slot_code(0);
  const int64_t half = int64_t{1} << 62;
  EXPECT_EQ(bounds(combine(ir::Op::multiply, {x, constant_code(4)}), {0, half}), all_integers());
  EXPECT_EQ(
      bounds(combine(ir::Op::subtract, {constant_code(0), combine(ir::Op::max, {x, constant_code(INT64_MIN)})}), all_integers()),
      all_integers());
  EXPECT_EQ(bounds(combine(ir::Op::bit_xor, {x, x}), {0, 1}), all_integers());
}

TEST(LoweredCondition, IsADifferenceOnlyWhereThatCannotWrap) {
  const auto is_affine = [](std::string_view blocks, std::string_view where) {
    const std::string text = fmt::format(
        "tile 1 program t {{ buffer m : i64[3] dram in  buffer y : f32[300] dram inout"
        "  for c in 0..3 seq {{ for b in {} seq {{ set y[i] = 1 over i:128 where {} }} }} }}",
        blocks, where);
    const ir::Program program = ir::parse(text, "test").value().programs.front();
    const Kinds kinds = common_kinds(program, program);
    return lower(program, {}, kinds).value().statements.at(0).where.at(0).code.affine;
  };
  EXPECT_TRUE(is_affine("0..3", "128*b + i < 300"));
  EXPECT_TRUE(is_affine("2*c..min(2*c + 2, 5)", "128*b + i < 300"));
  EXPECT_FALSE(is_affine("0..m[c]", "128*b + i < 300"));
  EXPECT_FALSE(is_affine("0..3", "4611686018427387904 * b + i < 300"));
  EXPECT_FALSE(is_affine("0..3", "b + i > -9223372036854775807"));
}

}  // namespace
}  // namespace tileproof::oracle
