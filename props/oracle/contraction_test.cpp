// Contractions by panels: the same numbers as point by point, in the field exactly, in f32 within the bounds of both.
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "oracle/domain/field.h"
#include "oracle/domain/real.h"
#include "oracle/equivalence/signature.h"
#include "oracle/interpret/reference.h"
#include "oracle/interpret/run_program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

namespace tileproof::oracle {
namespace {

/// A statement of more points than the panels need, with axes in any order, and sums that begin anew, go on, or both.
std::string contraction(uint32_t seed) {
  std::mt19937 random(seed);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<uint32_t>(high - low + 1));
  };
  const int m = between(1, 5), n = between(16, 45), k = between(8, 40), l = between(1, 3), b = between(1, 2);
  const int more = std::max(1, 5000 / (m * n * k * l * b));   // a second batch
  const bool transposed = between(0, 1) == 1, window = between(0, 3) == 0;
  std::vector<std::string> axes{fmt::format("m:{}", m),        fmt::format("n:{}", n),
                                fmt::format("k:{} reduce", k), fmt::format("l:{} reduce", l),
                                fmt::format("b:{}", b),        fmt::format("c:{}{}", more, between(0, 1) == 1 ? " seq" : "")};
  std::shuffle(axes.begin(), axes.end(), random);
  const std::string w = transposed ? "w[n, l, k, b]" : "w[b, l, k, n]";
  const std::string start = std::array{"", "start", "start c == 0", "start g == 0"}[static_cast<size_t>(between(0, 3))];
  const std::string where =
      std::array{"", " where k < 9", " where k + l < 9", " where m + n < 30"}[static_cast<size_t>(between(0, 3))];
  return fmt::format(
      "tile 1 program t {{ buffer x : f32[{}, {}, {}, {}] dram in  buffer w : f32[{}] dram in  buffer y : f32[{}, {}, {}, {}] "
      "dram inout\n"
      " for g in 0..2 seq {{ matmul y[c, b, {}, m] += {} over {}{} {} }} }}",
      more, m + 2, k, l, transposed ? fmt::format("{}, {}, {}, {}", n, l, k, b) : fmt::format("{}, {}, {}, {}", b, l, k, n), more,
      b, n, m, "n", between(0, 1) == 1 ? "x[c, m" + std::string(window ? " + 2" : "") + ", k, l] * " + w : w + " * x[c, m, k, l]",
      fmt::join(axes, ", "), where, start);
}

ir::Program parsed(const std::string& text) {
  const auto file = ir::parse(text, "test");
  EXPECT_TRUE(file.has_value()) << text << (file ? "" : ir::to_string(file.error().front()));
  for (const ir::Diagnostic& wrong : ir::verify(*file)) ADD_FAILURE() << ir::to_string(wrong) << "\n" << text;
  return file->programs.front();
}

TEST(Contraction, IsExactInTheField) {
  for (uint32_t seed = 0; seed < 24; ++seed) {
    const std::string text = contraction(seed);
    const ir::Program program = parsed(text);
    const Signature signature = signature_of(program, program, {});
    Field one(signature, {}, seed), other(signature, {}, seed);
    const auto reference = evaluate_reference(program, one, {});
    const auto fast = run_program(program, other, {});
    EXPECT_EQ(reference.points, fast.points) << text;
    ASSERT_EQ(reference.outputs.size(), 1U) << text;
    EXPECT_TRUE(reference.outputs[0].values == fast.outputs.at(0).values) << text;
  }
}

TEST(Contraction, KeepsItsBoundsInF32) {
  for (uint32_t seed = 0; seed < 24; ++seed) {
    const std::string text = contraction(seed);
    const ir::Program program = parsed(text);
    const Plan plan{seed % 3 == 0 ? Plan::Inputs::full_range : Plan::Inputs::normal, 1, {}};
    Real one({}, plan, seed), other({}, plan, seed);
    const auto reference = evaluate_reference(program, one, {});
    const auto fast = run_program(program, other, {});
    ASSERT_EQ(reference.outputs.size(), 1U) << text;
    for (size_t i = 0; i < reference.outputs[0].values.size(); ++i) {
      const RealValue a = reference.outputs[0].values[i], b = fast.outputs.at(0).values[i];
      EXPECT_NE(Real::agreement(a, b), Real::Agreement::differ) << text << "\nelement " << i;
      EXPECT_TRUE(plan.inputs != Plan::Inputs::normal || b.error <= 16 * a.error + 1e-30)
          << text << "\nelement " << i << ": " << b.error << " against " << a.error;
    }
  }
}

TEST(Contraction, PassesOnWhatIsNoNumber) {
  const ir::Program program = parsed(
      "tile 1 program t { buffer x : f32[8, 40] dram in buffer w : f32[40, 24] dram in buffer p : f32[8, 40] s buffer y : f32[8, "
      "24] dram out\n"
      " map p[i, k] = select(k == 3, select(i == 2, inf, x[i, k]), x[i, k]) over i:8, k:40\n"
      " matmul y[i, j] += p[i, k] * w[k, j] over i:8, j:24, k:40 reduce start }");
  const Signature signature = signature_of(program, program, {});
  Field one(signature, {}, 1), other(signature, {}, 1);
  EXPECT_TRUE(evaluate_reference(program, one, {}).outputs.at(0).values == run_program(program, other, {}).outputs.at(0).values);
  Real left({}, {}, 1), right({}, {}, 1);
  const auto a = evaluate_reference(program, left, {}), b = run_program(program, right, {});
  for (size_t i = 0; i < a.outputs.at(0).values.size(); ++i)
    EXPECT_NE(Real::agreement(a.outputs[0].values[i], b.outputs.at(0).values[i]), Real::Agreement::differ);
}

}  // namespace
}  // namespace tileproof::oracle
