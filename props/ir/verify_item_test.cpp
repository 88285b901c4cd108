// Moves, opaque operations and groups.
#include "props/ir/verified.h"

#include <gtest/gtest.h>

namespace tileproof::ir {
namespace {

Errors errors_with_buffers(const std::string& items) {
  return errors_of(
      "buffer a : f32[8, p] sbuf\nbuffer b : f32[8, p] sbuf\nbuffer c : bf16[8, p] sbuf\nbuffer d : f32[p, 8] sbuf\nbuffer e : "
      "f32[4 + 4, p] sbuf\n"
      "view v[i:8] = a[i, 0]\n" +
      items);
}

// ---- move ----

TEST(VerifyMove, AcceptsASwap) { EXPECT_EQ(errors_with_buffers("move a, b = b, a"), none); }

TEST(VerifyMove, AcceptsExtentsOfEqualValue) { EXPECT_EQ(errors_with_buffers("move a = e"), none); }

TEST(VerifyMove, WantsOneSourceForEachDestination) { EXPECT_EQ(errors_with_buffers("move a, b = b").size(), 1U); }

TEST(VerifyMove, RefusesAnotherDtype) {
  EXPECT_EQ(errors_with_buffers("move a = c"), Errors{"t:13:1: error: `a` is f32[8, p] and `c` is bf16[8, p]; a move needs equal "
                                                      "dtypes and extents: convert with a statement"});
}

TEST(VerifyMove, RefusesOtherExtents) { EXPECT_EQ(errors_with_buffers("move a = d").size(), 1U); }

TEST(VerifyMove, RefusesTwoMovesToOneBuffer) { EXPECT_EQ(errors_with_buffers("move a, a = b, b").size(), 1U); }

TEST(VerifyMove, RefusesToWriteAnInBuffer) { EXPECT_EQ(errors_with_buffers("move x = y").size(), 1U); }

TEST(VerifyMove, RefusesAView) {
  EXPECT_EQ(errors_with_buffers("move v = v").at(0),
            "t:13:1: error: `move` takes whole buffers, and `v` is a view; name the buffer `a`");
}

// ---- opaque ----

TEST(VerifyOpaque, AcceptsInInoutAndOut) { EXPECT_EQ(errors_with_buffers("opaque rng(in x, inout a, out y)"), none); }

TEST(VerifyOpaque, RefusesAnArgumentTwice) { EXPECT_EQ(errors_with_buffers("opaque rng(in a, out a)").size(), 1U); }

TEST(VerifyOpaque, RefusesToWriteAnInBuffer) {
  EXPECT_EQ(errors_with_buffers("opaque rng(out x)").size(), 1U);
  EXPECT_EQ(errors_with_buffers("opaque rng(inout x)").size(), 1U);
}

TEST(VerifyOpaque, WantsAResult) { EXPECT_EQ(errors_with_buffers("opaque rng(in a, in b)").size(), 1U); }

TEST(VerifyOpaque, RefusesAView) { EXPECT_EQ(errors_with_buffers("opaque rng(in v, out a)").size(), 1U); }

// ---- groups ----

TEST(VerifyGroup, AcceptsAnOpcodeThatIsAnOperatorsName) { EXPECT_EQ(errors_with_buffers("group g as select { }"), none); }

TEST(VerifyGroup, LetsSeveralGroupsShareAName) { EXPECT_EQ(errors_with_buffers("group g { } group g { }"), none); }

}  // namespace
}  // namespace tileproof::ir
