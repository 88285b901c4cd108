// How much is live at one time.
#include "oracle/legality/peak.h"
#include "props/oracle/walk.h"

#include <gmock/gmock.h>

#include <random>

namespace tileproof::oracle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// ---- capacity ----

TEST(LegalityCapacity, ASingleBuffer) {
  EXPECT_THAT(on_toy("buffer t : f32[8 | 64] pad memset t[p, f] = 0 over p:8, f:8"), IsEmpty());
  EXPECT_THAT(on_toy("buffer t : f32[8 | 65] pad memset t[p, f] = 0 over p:8, f:8"), ElementsAre("capacity - t"));
}

TEST(LegalityCapacity, ThePeakOfLiveBuffers) {
  const auto program = [](int columns) {
    return fmt::format(R"(buffer a : f32[8 | 32] pad buffer b : f32[8 | {}] pad
      memset a[p, f] = 0 over p:8, f:8
      map b[p, f] = a[p, f] over p:8, f:8)",
                       columns);
  };
  EXPECT_THAT(on_toy(program(32)), IsEmpty());
  EXPECT_THAT(on_toy(program(33)), ElementsAre("capacity - b"));
  EXPECT_EQ(detail("toy", program(33)),
            "260 bytes in each partition are live when b is first written by map#1; pad of toy has 256");
}

TEST(LegalityCapacity, ALifeGoesFromTheFirstWriteToTheLastRead) {
  EXPECT_THAT(on_toy(R"(buffer a : f32[8 | 32] pad buffer b : f32[8 | 32] pad buffer c : f32[8 | 32] pad
      memset a[p, f] = 0 over p:8, f:8
      map b[p, f] = a[p, f] over p:8, f:8
      map c[p, f] = b[p, f] over p:8, f:8)"),
              IsEmpty());
  EXPECT_THAT(on_toy(R"(buffer a : f32[8 | 32] pad buffer b : f32[8 | 32] pad buffer c : f32[8 | 32] pad
      memset a[p, f] = 0 over p:8, f:8
      map b[p, f] = a[p, f] over p:8, f:8
      map c[p, f] = b[p, f] + a[p, f] over p:8, f:8)"),
              ElementsAre("capacity - c"));
}

TEST(LegalityCapacity, BanksAreTakenWhole) {
  EXPECT_THAT(on_toy(R"(buffer a : f32[8 | 1] accumulator buffer b : f32[8 | 1] accumulator buffer c : f32[8 | 1] pad
      map a[p, f] = 0 over p:8, f:1
      map b[p, f] = a[p, f] over p:8, f:1
      map c[p, f] = a[p, f] + b[p, f] over p:8, f:1)"),
              IsEmpty());
  EXPECT_THAT(on_toy(R"(buffer a : f32[8 | 1] accumulator buffer b : f32[8 | 9] accumulator buffer c : f32[8 | 1] pad
      map a[p, f] = 0 over p:8, f:1
      map b[p, f] = a[p, 0] over p:8, f:9
      map c[p, f] = a[p, f] + b[p, f] over p:8, f:1)"),
              ElementsAre("capacity - b"));
}

TEST(LegalityCapacity, BuffersOfALoopMakeRoomForThoseOfTheNextPass) {
  EXPECT_THAT(on_toy("for i in 0..1000 seq { buffer a : f32[8 | 64] pad memset a[p, f] = 0 over p:8, f:8 }"), IsEmpty());
}

TEST(LegalityCapacity, AHoistedBufferStaysLiveThroughALoop) {
  EXPECT_THAT(on_toy(R"(buffer h : f32[8 | 4] pad memset h[p, f] = 0 over p:8, f:4
      for i in 0..10000 seq { buffer a : f32[8 | 61] pad memset a[p, f] = 0 over p:8, f:8  map a[p, f] = a[p, f] + h[p, 0] over p:8, f:8 })"),
              ElementsAre("capacity - a"));
  EXPECT_THAT(on_toy(R"(buffer h : f32[8 | 4] pad memset h[p, f] = 0 over p:8, f:4
      for i in 0..10000 seq { buffer a : f32[8 | 60] pad memset a[p, f] = 0 over p:8, f:8  map a[p, f] = a[p, f] + h[p, 0] over p:8, f:8 })"),
              IsEmpty());
}

TEST(LegalityCapacity, MovesReadAndWrite) {
  EXPECT_THAT(on_toy(R"(buffer a : f32[8 | 32] pad buffer b : f32[8 | 32] pad buffer c : f32[8 | 32] pad
      memset a[p, f] = 0 over p:8, f:8
      map b[p, f] = a[p, f] over p:8, f:8
      move c = b
      map c[p, f] = c[p, f] + 1 over p:8, f:8)"),
              IsEmpty());
}

TEST(LegalityCapacity, OfSbufAndPsum) {   // spec/neuron.md 4.1
  EXPECT_THAT(on_trn2("buffer t : u8[128 | 212984] sbuf memset t[p, f] = 0 over p:128, f:4"), IsEmpty());
  EXPECT_THAT(on_trn2("buffer t : u8[128 | 212985] sbuf memset t[p, f] = 0 over p:128, f:4"), ElementsAre("capacity - t"));
  EXPECT_THAT(on_trn2("buffer t : f32[128 | 4096] psum memset t[p, f] = 0 over p:128, f:4"), IsEmpty());
  EXPECT_THAT(on_trn2("buffer t : f32[128 | 4097] psum memset t[p, f] = 0 over p:128, f:4"), ElementsAre("capacity - t"));
}

// ---- the sum of intervals ----

TEST(Peak, CountsBothEndsOfAnInterval) {
  Peak peak;
  peak.add(1, 5, 10, 0);
  peak.add(5, 9, 20, 1);
  EXPECT_EQ(peak.top().bytes, 30);
  EXPECT_EQ(peak.top().time, 5U);
  EXPECT_EQ(peak.top().what, 1U);
}

TEST(Peak, IntervalsThatFollowEachOtherDoNotMeet) {
  Peak peak;
  peak.add(1, 4, 10, 0);
  peak.add(5, 9, 20, 1);
  EXPECT_EQ(peak.top().bytes, 20);
}

TEST(Peak, CompactingChangesNothing) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint64_t n) { return random() % n; };
    // Lives begin one after another; some stay open while others end, as buffers of outer blocks do.
    struct Open {
      uint64_t first, last;
      int64_t bytes;
    };
    std::vector<Open> open;
    Peak plain, compacted;
    uint64_t time = 0;
    const auto end = [&](size_t i) {
      plain.add(open[i].first, open[i].last, open[i].bytes, 0);
      compacted.add(open[i].first, open[i].last, open[i].bytes, 0);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
    };
    for (int step = 0; step < 200; ++step) {
      ++time;
      if (open.size() < 6 && below(2) == 0) open.push_back({time, time, static_cast<int64_t>(1 + below(50))});
      if (!open.empty()) open[below(open.size())].last = time;
      if (!open.empty() && below(3) == 0) end(below(open.size()));
      if (below(20) == 0) {
        std::vector<uint64_t> borders{time, time + 1};
        for (const Open& o : open) borders.insert(borders.end(), {o.first, o.last + 1});
        std::ranges::sort(borders);
        const auto repeated = std::ranges::unique(borders);
        borders.erase(repeated.begin(), repeated.end());
        compacted.compact(borders);
      }
    }
    while (!open.empty()) end(0);
    ASSERT_EQ(compacted.top().bytes, plain.top().bytes) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tileproof::oracle
