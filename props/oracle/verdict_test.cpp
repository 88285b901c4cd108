// Verdicts on pairs of single statements that are easy to get wrong: what differs only at one value, or only by how it is rounded.
#include "compiler/ir/text.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tileproof::oracle {
namespace {

struct Row {
  const char* dtype;  ///< of the inputs x and z of 9 elements
  const char* result;  ///< of the output y
  const char* original;  ///< statements
  const char* tiled;
  const char* verdict;  ///< how the report begins
};

class VerdictOnStatements : public testing::TestWithParam<Row> {};

TEST_P(VerdictOnStatements, IsAsExpected) {
  const Row& row = GetParam();
  const auto program = [&](std::string_view body) {
    const auto file = ir::parse(
        fmt::format(
            "tile 1 program p {{ buffer x : {0}[9] dram in  buffer z : {0}[9] dram in  buffer y : {1}[9] dram out\n{2} }}",
            row.dtype, row.result, body),
        "test");
    return file.value().programs.front();
  };
  const ir::Program original = program(row.original), tiled = program(row.tiled);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    CheckOptions options;
    options.seed = seed;
    const auto report = check(original, tiled, options);
    ASSERT_TRUE(report.has_value());
    EXPECT_TRUE(headline(*report).starts_with(row.verdict))
        << headline(*report) << ", not " << row.verdict << ", seed " << seed << "\n  " << row.original << "\n  " << row.tiled;
  }
}

// What a data compare does where two values are equal; a run has to meet it.
INSTANTIATE_TEST_SUITE_P(
    AtOneValue, VerdictOnStatements,
    testing::Values(
        Row{"f32", "f32", "map y[i] = select(x[i] == 0.5, 7, x[i]) over i:9", "map y[i] = x[i] over i:9", "refuted: value"},
        Row{"i8", "i8", "map y[i] = select(x[i] == 37, 7, x[i]) over i:9", "map y[i] = x[i] over i:9", "refuted: value"},
        Row{"i32", "i32", "map y[i] = select(x[i] == 12345, 7, x[i]) over i:9", "map y[i] = x[i] over i:9", "refuted: value"},
        Row{"f32", "f32", "map y[i] = select(x[i] >= 3, x[i], 0) over i:9", "map y[i] = select(x[i] > 3, x[i], 0) over i:9",
            "refuted: value"},
        Row{"bf16", "bf16", "map y[i] = select(x[i] >= 3, x[i], 0) over i:9", "map y[i] = select(x[i] > 3, x[i], 0) over i:9",
            "refuted: value"},
        Row{"u8", "u8", "map y[i] = select(x[i] >= 3, x[i], 0) over i:9", "map y[i] = select(x[i] > 3, x[i], 0) over i:9",
            "refuted: value"},
        Row{"f32", "f32", "map y[i] = sign(x[i]) over i:9", "map y[i] = select(x[i] >= 0, 1, -1) over i:9", "refuted: value"},
        Row{"bf16", "bf16", "map y[i] = select(x[i] == 0, 1, x[i]) over i:9", "map y[i] = x[i] over i:9", "refuted: value"},
        Row{"i32", "bool", "map y[i] = x[i] != 0 over i:9", "map y[i] = 1 over i:9", "refuted: value"},
        Row{"i32", "bool", "map y[i] = x[i] over i:9", "map y[i] = select(x[i] > 0, 1, x[i] < 0) over i:9", "tested: rank"},
        Row{"i32", "i32", "map y[i] = x[i] + (x[i] * x[i] == 1234321) over i:9", "map y[i] = x[i] over i:9", "unsupported"},
        Row{"i32", "i32", "map y[i] = bitand(x[i], 1) + (bitand(x[i], 65535) == 7) over i:9",
            "map y[i] = bitand(x[i], 1) over i:9", "refuted: value"},
        Row{"f32", "f32", "map y[i] = select(x[i] < z[i], x[i], z[i]) over i:9",
            "map y[i] = select(x[i] <= z[i], x[i], z[i]) over i:9", "tested: rank"},
        Row{"f32", "f32", "map y[i] = select(x[i] < z[i], 1, 2) over i:9", "map y[i] = select(x[i] <= z[i], 1, 2) over i:9",
            "refuted: value"}));

// Integers in steps: no number of runs shows that they are equal.
INSTANTIATE_TEST_SUITE_P(
    InSteps, VerdictOnStatements,
    testing::Values(Row{"i32", "i32", "map y[i] = x[i] floordiv 16777216 over i:9", "map y[i] = x[i] floordiv 16777217 over i:9",
                        "unsupported"},
                    Row{"i32", "i8", "map y[i] = min(max(shr(x[i] + 512, 10), -128), 127) over i:9",
                        "map y[i] = min(max(shr(x[i] + 511, 10), -128), 127) over i:9", "unsupported"},
                    Row{"i32", "i8", "map y[i] = min(max(shr(x[i] + 512, 10), -128), 127) over i:9",
                        "map y[i] = min(max(shr(512 + x[i], 10), -128), 127) over i:9", "tested: field"},
                    Row{"i8", "i8", "map y[i] = x[i] * 3 + z[i] * 5 over i:9",
                        "buffer t : i8[9] s map t[i] = z[i] * 5 over i:9 map y[i] = t[i] + 3 * x[i] over i:9",
                        "tested: integers"}));

// Roundings in the accumulate dtype, and narrowings that only rare inputs change.
INSTANTIATE_TEST_SUITE_P(
    Roundings, VerdictOnStatements,
    testing::Values(
        Row{"f32", "f32", "reduce y[i] += x[j] over i:9, j:9 reduce start",
            "reduce y[i] += x[j] over i:9, j:9 reduce start acc bf16", "refuted: rounding-only"},
        Row{"f32", "f32", "reduce y[i] += x[j] * z[j] over i:9, j:9 reduce start",
            "reduce y[i] += x[j] * z[j] over i:9, j:9 reduce start acc f16", "refuted: rounding-only"},
        Row{"f64", "f64", "reduce y[i] += x[j] * z[j] over i:9, j:9 reduce start",
            "reduce y[i] += x[j] * z[j] over i:9, j:9 reduce start acc f32", "refuted: rounding-only"},
        Row{"f32", "f32", "reduce y[i] += x[3*k + j] over i:9, j:3 reduce, k:3 reduce start",
            "for k in 0..3 seq { reduce y[i] += x[3*k + j] over i:9, j:3 reduce start k == 0 acc bf16 }",
            "refuted: rounding-only"},
        Row{"f64", "f64", "map y[i] = x[i] * z[i] over i:9", "map y[i] = x[i] * z[i] over i:9 acc f32", "refuted: rounding-only"},
        Row{"bool", "f32", "reduce y[i] += x[j] over i:9, j:9 reduce start",
            "buffer t : i4[9] s reduce t[i] += x[j] over i:9, j:9 reduce start map y[i] = t[i] over i:9", "refuted: value"},
        Row{"bool", "f32", "reduce y[i] += x[j] - z[j] over i:9, j:9 reduce start",
            "buffer t : i4[9] s reduce t[i] += x[j] - z[j] over i:9, j:9 reduce start map y[i] = t[i] over i:9",
            "unsupported: identity undecided"},
        Row{"bool", "f32", "reduce y[i] += x[j] over i:9, j:7 reduce start",
            "buffer t : i4[9] s reduce t[i] += x[j] over i:9, j:7 reduce start map y[i] = t[i] over i:9", "tested: field"},
        Row{"i8", "f32", "map y[i] = x[i] - z[i] over i:9",
            "buffer t : bf16[9] s map t[i] = x[i] - z[i] over i:9 map y[i] = t[i] over i:9", "tested: field"},
        Row{"i8", "f32", "map y[i] = 2 * x[i] - z[i] over i:9",
            "buffer t : bf16[9] s map t[i] = 2 * x[i] - z[i] over i:9 map y[i] = t[i] over i:9", "refuted: rounding-only"}));

// Definitions of functions, and literals that are congruent modulo the primes of the exact tiers.
INSTANTIATE_TEST_SUITE_P(
    Numbers, VerdictOnStatements,
    testing::Values(
        Row{"f32", "f32", "map y[i] = softplus(x[i]) over i:9", "map y[i] = log(1 + exp(x[i])) over i:9", "tested: field"},
        Row{"f32", "f32", "map y[i] = gelu(x[i]) over i:9", "map y[i] = 0.5 * x[i] * (1 + erf(x[i] / sqrt(2))) over i:9",
            "tested: field"},
        Row{"f32", "f32", "map y[i] = x[i] * 2305843009213693952 over i:9", "map y[i] = x[i] over i:9", "refuted: value"},
        Row{"i64", "i64", "map y[i] = x[i] + 2305843009213693951 over i:9", "map y[i] = x[i] over i:9", "refuted: value"},
        Row{"f32", "f32", "map y[i] = exp(x[i] - 2147483647) over i:9", "map y[i] = exp(x[i]) over i:9", "refuted: value"}));

// Runs that agree are no proof: kinks at few values, ties where both arms are alike, and operands that cancel out.
INSTANTIATE_TEST_SUITE_P(
    RunsAlone, VerdictOnStatements,
    testing::Values(
        Row{"i16", "i16", "map y[i] = 0 over i:9", "map y[i] = max(0, min(x[i] - 1000, 1002 - x[i])) over i:9", "unsupported"},
        Row{"i16", "i16", "map y[i] = x[i] * x[i] over i:9", "map y[i] = x[i] * x[i] + max(0, 1 - x[i] * x[i]) over i:9",
            "refuted: value"},
        Row{"i32", "i32", "map y[i] = select(x[i] * x[i + 0] >= 1, x[i] * x[i], z[i]) over i:9",
            "map y[i] = select(x[i] * x[i] > 1, x[i] * x[i], z[i]) over i:9", "refuted: value"},
        Row{"i32", "i32", "map y[i] = 0 over i:9", "map y[i] = bitxor(x[i], x[i]) over i:9", "unsupported"},
        Row{"f32", "f32", "map y[i] = 0 over i:9  copy y[0] = x[4] over j:1",
            "map y[i] = 0 over i:9  copy y[4611686018427387904*i] = x[i] over i:5 where i mod 4 == 0", "refuted: race"}));

// What an i32 or u32 does not hold wraps in it, and a float saturates: whatever is not a sum or product of it notices.
INSTANTIATE_TEST_SUITE_P(
    Words, VerdictOnStatements,
    testing::Values(
        Row{"u8", "f32", "map y[i] = x[i] - 5 over i:9",
            "buffer t : u32[9] s map t[i] = x[i] - 5 over i:9 map y[i] = t[i] over i:9", "refuted: value"},
        Row{"u32", "f32", "map y[i] = x[i] - 5 over i:9",
            "buffer t : u32[9] s map t[i] = x[i] - 5 over i:9 map y[i] = t[i] over i:9", "refuted: value"},
        Row{"i8", "f32", "map y[i] = x[i] * 67108864 over i:9",
            "buffer t : i32[9] s map t[i] = x[i] * 67108864 over i:9 map y[i] = t[i] over i:9", "refuted: value"},
        Row{"i8", "f32", "reduce y[i] *= x[j] over i:9, j:8 reduce start",
            "buffer t : i32[9] s reduce t[i] *= x[j] over i:9, j:8 reduce start map y[i] = t[i] over i:9", "refuted: value"},
        Row{"f32", "f32", "map y[i] = 3 - 5 over i:9", "buffer t : u32[9] s map t[i] = 3 - 5 over i:9 map y[i] = t[i] over i:9",
            "refuted: value"},
        Row{"i32", "i64", "map y[i] = 4 * x[i] over i:9",
            "buffer t : i32[9] s map t[i] = 4 * x[i] over i:9 map y[i] = t[i] over i:9", "refuted: value"},
        Row{"i32", "f32", "map y[i] = 4 * x[i] over i:9", "map y[i] = cast(i32, 4 * x[i]) over i:9", "refuted: value"},
        Row{"i32", "i32", "map y[i] = select(x[i] + 1 > 5, 1, 0) over i:9",
            "buffer t : i32[9] s map t[i] = x[i] + 1 over i:9 map y[i] = select(t[i] > 5, 1, 0) over i:9", "refuted: value"},
        Row{"i32", "i32", "map y[i] = (x[i] * 4) mod 7 over i:9",
            "buffer t : i32[9] s map t[i] = x[i] * 4 over i:9 map y[i] = t[i] mod 7 over i:9", "refuted: value"},
        Row{"i32", "i32", "reduce y[i] max= 4 * x[j] over i:9, j:9 reduce start",
            "buffer t : i32[9] s map t[j] = 4 * x[j] over j:9 reduce y[i] max= t[j] over i:9, j:9 reduce start",
            "refuted: value"},
        Row{"i32", "i32", "reduce y[i] max= x[j] * z[j] over i:9, j:9 reduce start",
            "for k in 0..3 seq { reduce y[i] max= x[3*k + j] * z[3*k + j] over i:9, j:3 reduce start k == 0 }", "refuted: value"},
        Row{"f32", "f32", "map y[i] = round(x[i]) over i:9",
            "buffer t : i32[9] s map t[i] = round(x[i]) over i:9 map y[i] = t[i] over i:9", "refuted"},
        Row{"f32", "f32", "map y[i] = floor(x[i]) over i:9",
            "buffer t : u32[9] s map t[i] = floor(x[i]) over i:9 map y[i] = t[i] over i:9", "refuted"}));

// Wrapping late is wrapping: partial sums, differences by way of an unsigned tile, and what the ranges of the inputs keep small.
INSTANTIATE_TEST_SUITE_P(
    RightWords, VerdictOnStatements,
    testing::Values(
        Row{"i32", "i8",
            "buffer t : i32[9] s reduce t[i] += x[j] * z[i] over i:9, j:9 reduce start map y[i] = min(max(t[i], -128), 127) over "
            "i:9",
            "buffer t : i32[9] s for k in 0..3 seq { reduce t[i] += x[3*k + j] * z[i] over i:9, j:3 reduce start k == 0 } "
            "map y[i] = min(max(t[i], -128), 127) over i:9",
            "tested: field"},
        Row{"i32", "f32", "buffer t : i32[9] s reduce t[i] += x[j] over i:9, j:9 reduce start map y[i] = 0.5 * t[i] over i:9",
            "buffer t : u32[9] s buffer u : i32[9] s for k in 0..3 seq { reduce t[i] += x[3*k + j] over i:9, j:3 reduce start k "
            "== 0 } "
            "map u[i] = t[i] over i:9 map y[i] = 0.5 * u[i] over i:9",
            "tested: field"},
        Row{"i32", "i32", "map y[i] = x[i] - z[i] over i:9",
            "buffer t : u32[9] s map t[i] = x[i] over i:9 map y[i] = t[i] - z[i] over i:9", "tested: field"},
        Row{"i8", "f32", "reduce y[i] += (x[j] - 3) * z[j] over i:9, j:9 reduce start",
            "buffer t : i32[9] s reduce t[i] += (x[j] - 3) * z[j] over i:9, j:9 reduce start map y[i] = t[i] over i:9",
            "tested: field"},
        Row{"i32", "i32", "map y[i] = x[i] over i:9", "buffer t : f32[9] s map t[i] = x[i] over i:9 map y[i] = t[i] over i:9",
            "tested: field"},
        Row{"f32", "i8", "map y[i] = min(max(round(x[i]), -128), 127) over i:9",
            "buffer t : i32[9] s map t[i] = min(max(round(x[i]), -128), 127) over i:9 map y[i] = t[i] over i:9", "tested"}));

// sign() is -1, 0 or 1: neither a truth value nor an element of an unsigned dtype.
INSTANTIATE_TEST_SUITE_P(
    Signs, VerdictOnStatements,
    testing::Values(Row{"i64", "u8", "reduce y[i] min= sign(x[j]) over i:9, j:9 reduce start",
                        "reduce y[i] min= sign(x[j]) over i:9, j:8 reduce start", "refuted: value"},
                    Row{"f32", "u8", "reduce y[i] max= sign(x[j]) over i:9, j:9 reduce start",
                        "reduce y[i] max= sign(x[j]) over i:9, j:8 reduce start", "refuted: value"},
                    Row{"i64", "i16", "map y[i] = sign(x[i]) over i:9",
                        "buffer t : u8[9] s map t[i] = sign(x[i]) over i:9 map y[i] = t[i] over i:9", "refuted"},
                    Row{"i64", "i16", "map y[i] = sign(x[i]) over i:9",
                        "buffer t : i8[9] s map t[i] = sign(x[i]) over i:9 map y[i] = t[i] over i:9", "tested: field"},
                    Row{"f32", "bf16", "map y[i] = sign(x[i]) over i:9", "map y[i] = sign(x[i]) == 1 over i:9", "refuted: value"},
                    Row{"u8", "u8", "map y[i] = sign(x[i]) over i:9", "map y[i] = x[i] > 0 over i:9", "tested"}));

}  // namespace
}  // namespace tileproof::oracle
