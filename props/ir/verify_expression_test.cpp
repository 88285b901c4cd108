// Indices, conditions and values.
#include "props/ir/verified.h"

#include <gtest/gtest.h>

namespace tileproof::ir {
namespace {

Errors errors_of_index(const std::string& index) {
  return errors_of("for l in 0..2 seq { map y[i, j] = x[" + index + ", 0] over i:8, j:8 }");
}
Errors errors_of_condition(const std::string& condition) { return errors_of("map y[i, j] = 1 over i:8, j:8 where " + condition); }
Errors errors_of_value(const std::string& value) { return errors_of("map y[i, 0] = " + value + " over i:8"); }

// ---- indices ----

TEST(VerifyIndex, AcceptsQuasiAffineExpressions) {
  for (const char* index :
       {"4*l + i", "i*4", "p*i + l", "(p + 1)*i", "(i + j) floordiv 2", "(4*l + i) mod p", "i floordiv (p + 2)", "min(i, 7)",
        "max(i - 1, 0)", "-i + 7", "n[i, j]", "n[n[i, 0], j] + 1", "select(i < 4 and not j == l, i, 0)", "i mod (2*p)"}) {
    EXPECT_EQ(errors_of_index(index), none) << index;
  }
}

TEST(VerifyIndex, RefusesAProductOfVariables) {
  EXPECT_EQ(errors_of_index("i*j"),
            Errors{"t:7:37: error: an index multiplies two variables: `i*j`; one factor must be made of numbers and parameters"});
}

TEST(VerifyIndex, RefusesAProductWithAGather) { EXPECT_EQ(errors_of_index("i * n[0, 0]").size(), 1U); }

TEST(VerifyIndex, RefusesADivisorThatVaries) { EXPECT_EQ(errors_of_index("i mod l").size(), 1U); }

TEST(VerifyIndex, RefusesADivisorThatIsNotPositive) {
  for (const char* index : {"i floordiv 0", "i mod -2", "i mod (p - 1)", "i floordiv (p - 9)"})
    EXPECT_EQ(errors_of_index(index).size(), 1U) << index;
}

TEST(VerifyIndex, RefusesAGatherFromFloats) {
  EXPECT_EQ(errors_of_index("x[i, j]"), Errors{"t:7:37: error: an index reads `x`, whose elements are f32; read an integer "
                                               "buffer: only those may steer an index or a condition"});
}

TEST(VerifyIndex, RefusesOperatorsThatAreNotAffine) {
  for (const char* index : {"i / 2", "exp(i)", "bitand(i, 3)", "shl(i, 2)", "cast(i32, i)", "abs(i)", "i < 3", "inf"}) {
    EXPECT_EQ(errors_of_index(index).size(), 1U) << index;
  }
}

TEST(VerifyIndex, RefusesAFraction) { EXPECT_EQ(errors_of_index("0.5*i").size(), 1U); }

// ---- conditions ----

TEST(VerifyCondition, AcceptsComparisonsOfIndices) {
  EXPECT_EQ(errors_of_condition("i < j and n[i, j] != 0 and i mod 2 == 1 and p >= 3"), none);
}

TEST(VerifyCondition, RefusesWhatIsNotAComparison) {
  for (const char* condition : {"i", "not i < 3", "(i < 3 and j < 3)", "max(i, j)", "n[i, j]"})
    EXPECT_EQ(errors_of_condition(condition).size(), 1U) << condition;
}

TEST(VerifyCondition, RefusesToCompareFloats) { EXPECT_EQ(errors_of_condition("x[i, j] > 0").size(), 1U); }

TEST(VerifyCondition, JudgesIfAndWhile) {
  EXPECT_EQ(errors_of("if x[0, 0] > 0 { }").size(), 1U);
  EXPECT_EQ(errors_of("while x[0, 0] > 0 max 3 { }").size(), 1U);
  EXPECT_EQ(errors_of("if n[0, 0] > 0 { }\nwhile n[0, 0] > p max (p + 1) { }"), none);
}

TEST(VerifyCondition, RefusesANegativeLimit) { EXPECT_EQ(errors_of("while n[0, 0] > 0 max (-1) { }").size(), 1U); }

TEST(VerifyLoop, AcceptsBoundsThatReadIntegers) {
  EXPECT_EQ(errors_of("for i in n[0, 0]..n[0, 1] + p seq { for j in i..8 par { } }"), none);
}

TEST(VerifyLoop, AcceptsAnEmptyRange) { EXPECT_EQ(errors_of("for i in 5..3 seq { }"), none); }

TEST(VerifyLoop, RefusesItsOwnVariableInItsBounds) { EXPECT_EQ(errors_of("for i in 0..i seq { }").size(), 1U); }

// ---- values ----

TEST(VerifyValue, AcceptsEveryOperator) {
  for (const char* value : {"x[i, 0] * x[i, 1] / (x[0, 0] - 2)", "-inf", "nan", "i + p", "max(min(x[i, 0], 6), 0)",
                            "exp(log(sqrt(rsqrt(tanh(sigmoid(x[i, 0]))))))", "silu(softplus(erf(gelu(sin(cos(x[i, 0]))))))",
                            "abs(sign(floor(ceil(round(x[i, 0])))))", "cast(bf16, x[i, 0])", "select(x[i, 0] > 0, x[i, 0], 0)",
                            "select(i < 3, x[i, 0], 0)", "n[i, 0] floordiv n[i, 1] + n[i, 0] mod 4",
                            "bitand(n[i, 0], bitor(1, bitxor(2, bitnot(3))))", "shl(n[i, 0], 2) + shr(n[i, 0], 1)",
                            "x[i, 0] < 1 and not n[i, 0] == 2 or n[i, 1]", "x[n[i, 0], 1] * x[i, 2]", "select(n[i, 0], 1, 2)"}) {
    EXPECT_EQ(errors_of_value(value), none) << value;
  }
}

TEST(VerifyValue, RefusesIntegerOperatorsOnFloats) {
  EXPECT_EQ(
      errors_of_value("x[i, 0] floordiv 2"),
      Errors{"t:7:15: error: `floordiv` needs integers, and an operand is a float: `x[i, 0] floordiv 2`; write `floor(a / b)`"});
  for (const char* value :
       {"x[i, 0] mod 2", "bitand(x[i, 0], 1)", "bitnot(0.5)", "shl(1, x[i, 0])", "shr(exp(1), 2)", "5 mod (i / 2)"}) {
    EXPECT_EQ(errors_of_value(value).size(), 1U) << value;
  }
}

TEST(VerifyValue, RefusesLogicalOperatorsOnFloats) {
  for (const char* value : {"x[i, 0] and 1", "not x[i, 0]", "0.5 or 1", "select(x[i, 0], 1, 2)"})
    EXPECT_EQ(errors_of_value(value).size(), 1U) << value;
}

TEST(VerifyValue, AcceptsAFloatThatIsCastToAnInteger) { EXPECT_EQ(errors_of_value("cast(i32, x[i, 0]) mod 2"), none); }

TEST(VerifyValue, RefusesADivisionByTheLiteralZero) {
  EXPECT_EQ(errors_of_value("n[i, 0] mod 0").size(), 1U);
  EXPECT_EQ(errors_of_value("n[i, 0] floordiv 0").size(), 1U);
}

TEST(VerifyValue, RefusesTreesThatTextCannotHold) {
  const auto errors = [](Expression value) {
    Program program = parse("tile 1 program t { buffer y : f32[1] dram out map y[0] = 1 }", "t")->programs[0];
    std::get<Statement>(program.body[1].node).value = std::move(value);
    return verify(program, "t").size();
  };
  EXPECT_EQ(errors(make(Op::add, {integer(1)})), 1U);
  EXPECT_EQ(errors(make(Op::select, {})), 1U);
  EXPECT_EQ(errors(read("y", {})), 1U);
  EXPECT_EQ(errors(variable("not a name")), 1U);
  Expression negative;
  negative.value = {-3, 0};
  EXPECT_EQ(errors(negative), 1U);
  Expression high = integer(1);
  for (int i = 0; i < 300; ++i) high = make(Op::negate, {high});
  EXPECT_EQ(errors(high), 1U);
}

}  // namespace
}  // namespace tileproof::ir
