// How many keys a check takes, and that they are enough where many narrow dtypes share the bits of a word.
#include "compiler/ir/text.h"
#include "oracle/domain/narrow_sets.h"
#include "oracle/equivalence/check.h"

#include <gtest/gtest.h>

namespace tileproof::oracle {
namespace {

using ir::Dtype;

int keys_for(std::vector<Dtype> dtypes) {
  Signature signature;
  signature.dtypes = std::move(dtypes);
  return sufficient_keys(signature);
}

TEST(SufficientKeys, AreThreeForAFewNarrowDtypes) {
  EXPECT_EQ(keys_for({}), 3);
  EXPECT_EQ(keys_for({Dtype::f32, Dtype::i32}), 3);
  EXPECT_EQ(keys_for({Dtype::f32, Dtype::bf16, Dtype::f16}), 3);
  EXPECT_EQ(keys_for({Dtype::f64, Dtype::f32, Dtype::bf16, Dtype::f16}), 3) << "f32 is narrow beside f64; 13 bits each";
}

TEST(SufficientKeys, MakeUpForNarrowGroups) {
  EXPECT_EQ(keys_for({Dtype::f32, Dtype::bf16, Dtype::f16, Dtype::i8}), 4) << "three dtypes and the integers, 10 bits each";
  EXPECT_EQ(keys_for({Dtype::f32, Dtype::bf16, Dtype::f16, Dtype::e4m3, Dtype::e5m2, Dtype::tf32}), 5) << "8 bits each";
  for (size_t count = 0; count <= ir::all_dtypes().size(); ++count) {
    Signature signature;
    signature.dtypes.assign(ir::all_dtypes().begin(), ir::all_dtypes().begin() + static_cast<std::ptrdiff_t>(count));
    const int width = NarrowSets(signature).group_width();
    EXPECT_TRUE(width == 0 || width * sufficient_keys(signature) >= 39) << count;
  }
}

/// Eight narrow dtypes, one misplaced rounding of one element.
TEST(SufficientKeys, SeeAMisplacedRoundingAmongManyNarrowDtypes) {
  const auto program = [](std::string_view carrier) {
    const std::string text = std::string(R"(tile 1 program p {
      buffer a : bf16[1] dram in  buffer b : f16[1] dram in  buffer c : e4m3[1] dram in  buffer d : e5m2[1] dram in
      buffer e : i8[1] dram in    buffer f : i16[1] dram in  buffer g : e4m3fn[1] dram in  buffer h : tf32[1] dram in
      buffer y : f32[1] dram out  buffer t : )") +
                             std::string(carrier) + R"([1] lram
      map t[0] = a[0] * b[0] + c[0] * d[0]  map y[0] = t[0] * e[0] + f[0] * g[0] + h[0] })";
    return ir::parse(text, "test").value().programs.front();
  };
  const ir::Program original = program("f32"), tiled = program("tf32");
  int missed_by_one_key = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    CheckOptions options;
    options.seed = seed;
    options.threads = 1;
    const auto report = check(original, tiled, options);
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->verdict, Verdict::refuted) << "seed " << seed;
    options.keys = 1;
    missed_by_one_key += check(original, tiled, options)->verdict != Verdict::refuted;
  }
  EXPECT_GT(missed_by_one_key, 0) << "one key alone misses one in 2^4: nine sets share 40 bits";
}

}  // namespace
}  // namespace tileproof::oracle
