// Executions that are judged once because their keys are equal must be alike: a watch over the whole run finds what separate
// watches over each pass of the loop find.
#include "props/oracle/walk.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>

namespace tileproof::oracle {
namespace {

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<uint32_t>(n)); }
  std::string pick(std::initializer_list<std::string_view> options) {
    return std::string(options.begin()[below(static_cast<int>(options.size()))]);
  }

 private:
  std::mt19937 engine_;
};

/// An offset that depends on the loop variables.
std::string offset(Random& random) {
  switch (random.below(6)) {
    case 0: return "0";
    case 1: return fmt::format("{}*i", random.below(4));
    case 2: return fmt::format("i floordiv {}", 1 + random.below(3));
    case 3: return fmt::format("{}*i + j", random.below(3));
    case 4: return fmt::format("(i + j) mod {}", 1 + random.below(4));
    default: return fmt::format("min({}*j, i)", 1 + random.below(3));
  }
}

std::string condition(Random& random) {
  const std::string axis = random.pick({"p", "f", "2*f", "-p", "p + f"});
  return fmt::format("{}*i + {} {} {}", random.below(3), axis, random.pick({"<", "<=", ">=", "==", "!="}), random.below(7));
}

/// The body of two nested loops: a statement that may break rules on partitions, banks, packed elements and limits.
std::string body(Random& random) {
  const int partitions = 1 + random.below(5);
  const std::string where = random.below(2) == 0 ? "" : fmt::format(" where {} and {}", condition(random), condition(random));
  switch (random.below(4)) {
    case 0: return fmt::format("memset t[{} + p, f] = 0 over p:{}, f:4{}", offset(random), partitions, where);
    case 1:
      return fmt::format("load n[p, {} + f] = x[p, {} + f] over p:{}, f:{}{}", offset(random), offset(random), partitions,
                         1 + random.below(6), where);
    case 2:
      return fmt::format("map t[{} + p, f] = t[{} + p, f] + 1 over p:{}, f:j + 1{}", offset(random), offset(random), partitions,
                         where);
    default:
      return fmt::format("matmul d[p, {} + f] += s[k, p] * m[k, f] over p:{}, f:{}, k:4 reduce{} start", offset(random),
                         partitions, 1 + random.below(8), where);
  }
}

std::set<std::string> found_in(std::string_view loops, const std::string& statement) {
  const auto found = findings("toy", fmt::format(R"(
    buffer x : i4[8, 64] dram in
    buffer t : f32[8 | 8] pad  buffer n : i4[8 | 32] pad  buffer d : f32[8 | 32] accumulator at 0:0
    buffer s : bf16[8 | 8] pad  buffer m : bf16[8 | 8] pad
    {} {{ {} }} }})",
                                                 loops, statement));
  const std::vector<std::string> all = names(found);
  return {all.begin(), all.end()};
}

TEST(LegalityMemo, FindsWhatSeparateWatchesFind) {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    Random random(seed);
    const std::string statement = body(random);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, statement));
    std::set<std::string> apart;
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 3; ++j)
        apart.merge(found_in(fmt::format("for i in {}..{} seq {{ for j in {}..{} seq", i, i + 1, j, j + 1), statement));
    }
    ASSERT_EQ(found_in("for i in 0..5 seq { for j in 0..3 seq", statement), apart);
  }
}

}  // namespace
}  // namespace tileproof::oracle
