// The reference evaluator, rule by rule: races, and bytes that buffers share.
#include "props/oracle/plain_run.h"

namespace tileproof::oracle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// ---- races ----

TEST(ReferenceRace, IsAnElementThatTwoIterationsWrite) {
  EXPECT_THAT(findings(run("buffer y : f32[1] dram out  for i in 0..2 par { map y[0] = i }")), ElementsAre("race map#1 y[0]"));
  EXPECT_THAT(findings(run("buffer y : f32[1] dram out  for i in 0..2 seq { map y[0] = i }")), IsEmpty());
}

TEST(ReferenceRace, IsFoundOnceForABuffer) {
  EXPECT_THAT(findings(run("buffer y : f32[9] dram out  for i in 0..2 par { map y[j] = i over j:9  map y[j] = j over j:9 }")),
              ElementsAre("race map#1 y[0]"));
}

TEST(ReferenceRace, IsAReadOfWhatAnotherIterationWrote) {
  EXPECT_THAT(findings(run("buffer y : f32[4] dram inout  for i in 1..4 par { map y[i] = y[i - 1] }")),
              ElementsAre("race map#1 y[1]"));
}

TEST(ReferenceRace, IsDecidedByTheFirstDifferenceOfTheTwoPaths) {
  EXPECT_THAT(findings(run("buffer y : f32[1] dram out  for s in 0..2 seq { for i in 0..1 par { map y[0] = s } }")), IsEmpty());
  EXPECT_THAT(findings(run("buffer y : f32[1] dram out  for i in 0..2 par { for s in 0..2 seq { map y[0] = s } }")),
              ElementsAre("race map#1 y[0]"));
  EXPECT_THAT(findings(run("buffer y : f32[2] dram out  for i in 0..2 par { map y[i] = 1  map y[i] = 2 }")), IsEmpty())
      << "one iteration is in order";
}

TEST(ReferenceRace, ForgetsBuffersThatEachIterationHasForItself) {
  EXPECT_THAT(
      findings(run("buffer y : f32[2] dram out  for i in 0..2 par { buffer t : f32[1] dram  map t[0] = i  map y[i] = t[0] }")),
      IsEmpty());
  EXPECT_THAT(
      findings(run("buffer y : f32[2] dram out  buffer t : f32[1] dram  for i in 0..2 par { map t[0] = i  map y[i] = t[0] }")),
      ElementsAre("race map#1 t[0]"));
}

TEST(ReferenceRace, IsTwoPointsOfParallelAxesOnOneElement) {
  EXPECT_THAT(findings(run("buffer y : f32[1] dram out  map y[0] = i over i:2")), ElementsAre("race map#1 y[0]"));
  EXPECT_THAT(findings(run("buffer y : f32[4] dram inout  map y[i] = y[3 - i] over i:4")), ElementsAre("race map#1 y[1]"));
  EXPECT_THAT(findings(run("buffer y : f32[4] dram inout  map y[i] = y[3 - i] over i:4 seq")), IsEmpty());
}

TEST(ReferenceRace, ExemptsAccumulationOverReduceAxes) {
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  reduce y[0] += i over i:2")), ElementsAre("race reduce#1 y[0]"));
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  reduce y[0] += i over i:2 reduce")), IsEmpty());
  EXPECT_THAT(findings(run("buffer y : f32[2] dram inout  scatter y[k mod 2] += 1 over k:4")),
              ElementsAre("race scatter#1 y[0]"));
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  for i in 0..2 par { reduce y[0] += i }")),
              ElementsAre("race reduce#1 y[0]"));
}

TEST(ReferenceRace, IsAReadOfTheElementThatIsBeingAccumulated) {
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  reduce y[0] += y[0] over k:2 reduce")),
              ElementsAre("race reduce#1 y[0]"));
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  reduce y[0] += y[0] over k:1 reduce")), IsEmpty())
      << "there is no second point";
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  reduce y[0] += y[0]")), IsEmpty());
}

TEST(ReferenceRace, IsNotAReadAfterStartByTheOnlyPointThatAdds) {
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  reduce y[0] += y[0] over k:3 reduce where k > 1 start")), IsEmpty());
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  reduce y[0] += y[0] over k:3 reduce where k > 0 start")),
              ElementsAre("race reduce#1 y[0]"));
}

TEST(ReferenceRace, IsOneByteThatTwoIterationsWrite) {
  EXPECT_THAT(findings(run("buffer y : i4[4] dram out  for i in 0..4 par { map y[i] = i }")), ElementsAre("race map#1 y[1]"));
  EXPECT_THAT(findings(run("buffer y : i4[4] dram out  for i in 0..2 par { map y[2*i + j] = i over j:2 }")), IsEmpty());
  EXPECT_THAT(findings(run("buffer y : i4[3 | 1] dram out  for i in 0..3 par { map y[i, 0] = i }")), IsEmpty())
      << "partitions share no byte";
  EXPECT_THAT(findings(run("buffer y : i4[4] dram out  map y[i] = i over i:4")), IsEmpty()) << "axes do not race on bytes";
  EXPECT_THAT(findings(run("buffer y : i4[4] dram out  for i in 0..4 seq { map y[i] = i }")), IsEmpty());
}

TEST(ReferenceOrder, ChangesNothingLegal) {
  const char* const text =
      "buffer x : f32[7] dram in  buffer y : f32[7] dram out  for b in 0..4 par { map y[2*b + i] = x[2*b + i] over i:2 where 2*b "
      "+ i < 7 }";
  const auto expected = elements(run(text));
  for (const Order order : {Order::reversed, Order::shuffled}) {
    RunOptions options;
    options.order = order;
    EXPECT_EQ(elements(run(text, options)), expected) << name(order);
  }
}

TEST(ReferenceOrder, TurnsConcurrentLoopsOnly) {
  RunOptions reversed;
  reversed.order = Order::reversed;
  EXPECT_THAT(elements(run("buffer y : f32[1] dram out  for i in 0..3 par { map y[0] = i }", reversed)), ElementsAre("0"));
  EXPECT_THAT(elements(run("buffer y : f32[1] dram out  for i in 0..3 seq { map y[0] = i }", reversed)), ElementsAre("2"));
}

// ---- bytes ----

TEST(ReferenceOverlap, IsAReadOfBytesThatAnotherBufferTook) {
  const auto text = [](int byte) {
    return fmt::format(
        "buffer a : f32[2] s at 0:0  buffer b : f32[2] s at 0:{}  buffer y : f32[2] dram out"
        "  memset a[i] = 1 over i:2  memset b[i] = 2 over i:2  map y[i] = a[i] over i:2",
        byte);
  };
  EXPECT_THAT(findings(run(text(4))), ElementsAre("overlap map#1 a[1]", "poison-output map#1 y[1]"));
  EXPECT_THAT(findings(run(text(8))), IsEmpty());
}

TEST(ReferenceOverlap, IsNotAReadOfWhatWasNeverWritten) {
  EXPECT_THAT(findings(run("buffer u : f32[2] dram  buffer y : f32[4] dram out  for b in 0..2 seq { buffer t : f32[3] s at 0:0"
                           "  memset t[i] = 1 over i:3 where 3*b + i < 4  map y[3*b + i] = t[i] over i:3 where 3*b + i < 4  map "
                           "u[i] = t[i + 1] over i:2 }")),
              IsEmpty())
      << "the lanes of the tail are undefined, and nobody has lost them";
}

TEST(ReferenceOverlap, EndsWhereABufferWritesAgain) {
  EXPECT_THAT(findings(run("buffer a : f32[1] s at 0:0  buffer b : f32[1] s at 0:0  buffer y : f32[1] dram out"
                           "  memset a[0] = 1  memset b[0] = 2  memset a[0] = 3  map y[0] = a[0]")),
              IsEmpty());
}

TEST(ReferenceOverlap, IsAMatterOfOneSpace) {
  EXPECT_THAT(
      findings(run("buffer a : u8[4] s at 0:0  buffer c : u8[32] u at 0:0  buffer y : f32[4] dram out"
                   "  memset a[i] = 1 over i:4  memset c[i] = 2 over i:32  for k in 0..1 seq {  buffer d : u8[1] u at 0:(k + 40)"
                   "  buffer b : f32[4] s at 0:(16*k + 16)  map b[i] = a[i] + c[i + 20] over i:4  map y[i] = b[i] over i:4 }")),
      IsEmpty());
}

TEST(ReferenceOverlap, IsNotAConditionOfThePointThatWrites) {
  EXPECT_THAT(findings(run("buffer x : i8[3 | 1] dram in at 0:0 range 0..2  buffer y : f32[3 | 1] dram out at 0:0"
                           "  map y[i, 0] = 1 over i:3 where x[i, 0] < 2")),
              IsEmpty());
}

TEST(ReferenceOverlap, OfAByteIsNotMendedByANeighbourInIt) {
  const auto text = [](std::string_view again) {
    return fmt::format(
        "buffer a : i4[4] s at 0:0  buffer b : u8[1] s at 0:0  buffer y : i8[4] dram out"
        "  memset a[i] = 1 over i:4  memset b[0] = 2  memset a[i] = 3 over i:4 where {}  map y[i] = a[i] over i:4",
        again);
  };
  EXPECT_THAT(findings(run(text("i == 0"))), ElementsAre("overlap map#1 a[1]", "poison-output map#1 y[1]"));
  EXPECT_THAT(findings(run(text("i <= 1"))), IsEmpty());
}

TEST(ReferenceOverlap, AllowsInPlaceWorkOfOneWidth) {
  const auto text = [](std::string_view from, std::string_view to) {
    return fmt::format(
        "buffer x : f32[4] dram in  buffer a : {}[4] s at 0:0  buffer b : {}[4] s at 0:0  buffer y : f32[4] dram out"
        "  load a[i] = x[i] over i:4  map b[i] = a[i] over i:4  store y[i] = b[i] over i:4",
        from, to);
  };
  EXPECT_THAT(findings(run(text("f32", "i32"))), IsEmpty());
  EXPECT_THAT(findings(run(text("bf16", "f32"))), ElementsAre("overlap map#1 a[1]", "poison-output store#1 y[1]")) << "widening";
  EXPECT_THAT(findings(run(text("f32", "bf16"))), ElementsAre("overlap map#1 a[0]"))
      << "narrowing: in another order of the points a[0] is lost";
}

TEST(ReferenceClobbers, PoisonTheirBufferAndTakeItsBytes) {
  EXPECT_THAT(findings(run("buffer a : f32[1] s at 0:0  buffer b : f32[1] s at 0:0  buffer y : f32[1] dram out"
                           "  memset a[0] = 1  map y[0] = 2 clobbers b  map y[0] = a[0]")),
              ElementsAre("overlap map#2 a[0]", "poison-output map#2 y[0]"));
}

}  // namespace
}  // namespace tileproof::oracle
