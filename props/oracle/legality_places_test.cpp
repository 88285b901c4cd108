// Where buffers lie and accesses begin: partitions, start partitions, addresses, packed elements.
#include "props/oracle/walk.h"

#include <gmock/gmock.h>

#include <fstream>

namespace tileproof::oracle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// ---- partitions ----

TEST(LegalityPartitions, ABufferHasAtMostThoseOfItsSpace) {
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pad memset t[p, f] = 0 over p:8, f:4"), IsEmpty());
  EXPECT_THAT(on_toy("buffer t : f32[9 | 4] pad memset t[p, f] = 0 over p:8, f:4"), ElementsAre("partitions - t"));
  EXPECT_THAT(on_toy("buffer t : f32[3, 3 | 4] pad memset t[0, p, f] = 0 over p:2, f:4"), ElementsAre("partitions - t"));
}
TEST(LegalityPartitions, BarsStandWhereTheSpaceHasPartitions) {
  EXPECT_THAT(on_toy("buffer t : f32[8, 4] pad"), ElementsAre("partitions - t"));
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] dram"), ElementsAre("partitions - t"));
}

std::vector<std::string> starts_on_toy(int count, int start, std::string_view address = "") {
  return on_toy(fmt::format("buffer t : f32[8 | 4] pad {} memset t[{} + p, f] = 0 over p:{}, f:4", address, start, count));
}
TEST(LegalityStarts, FollowTheCountOfPartitions) {
  EXPECT_THAT(starts_on_toy(2, 2), IsEmpty());
  EXPECT_THAT(starts_on_toy(2, 1), ElementsAre("start-partition memset#1 t"));
  EXPECT_THAT(starts_on_toy(3, 4), IsEmpty());
  EXPECT_THAT(starts_on_toy(3, 2), ElementsAre("start-partition memset#1 t"));
  EXPECT_THAT(starts_on_toy(5, 0), IsEmpty());
  EXPECT_THAT(starts_on_toy(5, 2), ElementsAre("start-partition memset#1 t"));
}
TEST(LegalityStarts, CountFromTheAddress) {
  EXPECT_THAT(on_toy("buffer t : f32[2 | 4] pad at 2:0 memset t[p, f] = 0 over p:2, f:4"), IsEmpty());
  EXPECT_THAT(on_toy("buffer t : f32[2 | 4] pad at 3:0 memset t[p, f] = 0 over p:2, f:4"),
              ElementsAre("start-partition memset#1 t"));
}
TEST(LegalityStarts, AConditionShortensTheAccess) {
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pad memset t[4 + p, f] = 0 over p:8, f:4 where p < 4"), IsEmpty());
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pad memset t[3 + p, f] = 0 over p:8, f:4 where p >= 1 and p < 5"), IsEmpty());
}
TEST(LegalityStarts, PartitionsAreNeighbours) {
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pad memset t[2*p, f] = 0 over p:4, f:4"), ElementsAre("start-partition memset#1 t"));
}
TEST(LegalityStarts, DoNotBindTransfers) {
  EXPECT_THAT(on_toy("buffer x : f32[3, 4] dram in buffer t : f32[8 | 4] pad load t[2*p + 1, f] = x[p, f] over p:3, f:4"),
              IsEmpty());
}
TEST(LegalityStarts, OfTrn2) {   // spec/neuron.md 4.5
  const auto program = [](int count, int start) {
    return fmt::format("buffer t : f32[128 | 4] sbuf memset t[{} + p, f] = 0 over p:{}, f:4", start, count);
  };
  EXPECT_THAT(on_trn2(program(32, 96)), IsEmpty());
  EXPECT_THAT(on_trn2(program(33, 96)), ElementsAre("start-partition memset#1 t"));
  EXPECT_THAT(on_trn2(program(64, 64)), IsEmpty());
  EXPECT_THAT(on_trn2(program(64, 32)), ElementsAre("start-partition memset#1 t"));
  EXPECT_THAT(on_trn2(program(65, 0)), IsEmpty());
  EXPECT_EQ(detail("trn2", program(48, 32)),
            "t is accessed on partitions 32..79; 48 partitions of sbuf begin at 0 or 64 on trn2");
}

// ---- addresses ----

std::vector<std::string> placed(std::string_view extents, std::string_view at) {
  return on_toy(fmt::format("buffer t : f32[{}] pad at {}", extents, at));
}
TEST(LegalityAddresses, EndWithinTheSpace) {
  EXPECT_THAT(placed("8 | 4", "0:240"), IsEmpty());
  EXPECT_THAT(placed("8 | 4", "0:244"), ElementsAre("capacity - t"));
  EXPECT_THAT(placed("8 | 4", "0:256"), ElementsAre("address - t"));
}
TEST(LegalityAddresses, EndWithinThePartitions) {
  EXPECT_THAT(placed("4 | 4", "4:0"), IsEmpty());
  EXPECT_THAT(placed("4 | 4", "5:0"), ElementsAre("address - t"));
}
TEST(LegalityAddresses, AreAligned) {
  EXPECT_THAT(placed("8 | 4", "0:8"), IsEmpty());
  EXPECT_THAT(placed("8 | 4", "0:6"), ElementsAre("alignment - t"));
}
TEST(LegalityAddresses, MayDependOnLoops) {
  EXPECT_THAT(on_toy("for i in 0..3 seq { buffer t : f32[8 | 4] pad at 0:(120*i) memset t[p, f] = 0 over p:8, f:4 }"), IsEmpty());
  EXPECT_THAT(on_toy("for i in 0..3 seq { buffer t : f32[8 | 4] pad at 0:(122*i) memset t[p, f] = 0 over p:8, f:4 }"),
              ElementsAre("alignment - t", "capacity - t"));
}
TEST(LegalityAddresses, UnknownSpacesAreNamed) { EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pat"), ElementsAre("unknown - t")); }

TEST(LegalityRows, AreMultiplesOfTheRowOfTheSpace) {
  const std::string path = ::testing::TempDir() + "rows.machine";
  std::ofstream(path) << "machine 1 machine rows { space dram space vec { row 32 } }";
  EXPECT_THAT(names(findings(path, "buffer t : bf16[4, 16] vec")), IsEmpty());
  EXPECT_THAT(names(findings(path, "buffer t : bf16[4, 8] vec")), ElementsAre("alignment - t"));
}

// ---- packed elements ----

TEST(LegalityPacking, AWindowBeginsWithAByte) {
  const auto program = [](std::string_view index) {
    return fmt::format("buffer x : i4[8, 16] dram in buffer t : i4[8 | 8] pad load t[p, f] = x[p, {}] over p:8, f:4", index);
  };
  EXPECT_THAT(on_toy(program("f")), IsEmpty());
  EXPECT_THAT(on_toy(program("2 + f")), IsEmpty());
  EXPECT_THAT(on_toy(program("3 + f")), ElementsAre("alignment load#1 x"));
  EXPECT_THAT(on_toy(program("2*f")), IsEmpty());
}
TEST(LegalityPacking, EveryRowBeginsWithAByte) {
  EXPECT_THAT(on_toy("buffer x : i4[8, 5] dram in buffer t : i4[8 | 8] pad load t[p, f] = x[p, f] over p:8, f:4"),
              ElementsAre("alignment load#1 x"));
  // Whole rows follow each other: one run.
  EXPECT_THAT(on_toy("buffer x : i4[8, 5] dram in buffer t : i4[8 | 8] pad load t[p, f] = x[p, f] over p:8, f:5"), IsEmpty());
}

}  // namespace
}  // namespace tileproof::oracle
