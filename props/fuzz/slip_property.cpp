// Slips are single, well formed, and of every kind.
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "fuzz/retile/retile.h"
#include "fuzz/slip/slip.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

namespace tileproof {
namespace {

RC_GTEST_PROP(Slips, ChangeTheProgramAndLeaveItWellFormed, (uint64_t seed)) {
  fuzz::Choices choices = fuzz::Choices::from_seed(seed);
  ir::Program program = fuzz::retile(choices).tiled;
  const ir::Program before = program;
  const auto slip = fuzz::make_slip(program, choices);
  RC_ASSERT(slip.has_value() == (program != before));
  const ir::Diagnostics diagnostics = ir::verify(program, "slipped");
  if (!diagnostics.empty()) RC_FAIL(ir::to_string(diagnostics.front()) + "\n" + ir::print(program));
  if (slip) RC_ASSERT(!slip->what.empty());
}

TEST(Slips, AreOfEveryKindAndSeldomRejected) {
  std::map<fuzz::SlipKind, int> kinds;
  uint64_t rejected = 0;
  int made = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    fuzz::Choices choices = fuzz::Choices::from_seed(seed);
    ir::Program program = fuzz::retile(choices, {.identity_percent = 0}).tiled;
    const auto slip = fuzz::make_slip(program, choices);
    if (!slip) continue;
    ++made;
    ++kinds[slip->kind];
    rejected += slip->rejected;
  }
  EXPECT_GE(made, 1990);
  for (const fuzz::SlipKind kind : fuzz::all_slip_kinds) EXPECT_GE(kinds[kind], 120) << fuzz::name(kind);
  EXPECT_LE(rejected, 2000U);
}

}  // namespace
}  // namespace tileproof
