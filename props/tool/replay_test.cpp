#include "props/tool/process.h"
#include "props/tool/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tileproof::tool {
namespace {

using testing::HasSubstr;
using testing::Not;

class Replay : public testing::Test {
 protected:
  ScratchFolder scratch;

  void SetUp() override {
    std::filesystem::create_directory(scratch.path("before"));
    scratch.file("before/twice.tile", twice);
    scratch.file("right.tile", "# before before/twice.tile\n" + std::string(twice_in_tiles));
  }
  Finished replay(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"replay", scratch.path("")};
    words.insert(words.end(), more.begin(), more.end());
    return tileproof(words);
  }
};

TEST_F(Replay, PassesWhereAllIsAsExpected) {
  scratch.file("wrong.tile", "# before before/twice.tile\n# expect value map#1 y\n" + std::string(twice_with_wrong_tail));
  const Finished finished = replay();
  EXPECT_EQ(finished.exit, 0) << finished.output << finished.errors;
  EXPECT_THAT(finished.output, HasSubstr("2 of 2 as expected"));
  EXPECT_THAT(finished.output, HasSubstr("1 original not replayed by itself"));
  EXPECT_THAT(finished.output, Not(HasSubstr("NOT AS EXPECTED")));
}

TEST_F(Replay, ShowsWhatIsNotAsExpectedAndHowToSeeIt) {
  scratch.file("wrong.tile", "# before before/twice.tile\n" + std::string(twice_with_wrong_tail));
  const Finished finished = replay();
  EXPECT_EQ(finished.exit, 1);
  EXPECT_THAT(finished.output, HasSubstr("1 of 2 as expected"));
  EXPECT_THAT(finished.output, HasSubstr("  expected  passes\n"));
  EXPECT_THAT(finished.output, HasSubstr("  got       refuted: value (TP001), statement map#1, buffer y\n"));
  EXPECT_THAT(finished.output, HasSubstr(" check " + scratch.path("before/twice.tile") + " " + scratch.path("wrong.tile")));
}

TEST_F(Replay, CutsAReasonThatIsLongerThanItsColumn) {
  scratch.file("undecided.tile", R"(# expect unsupported
tile 1
program original {
  buffer x : f32[4] dram in
  buffer y : f32[4] dram out
  buffer of_a_long_name : i32[1] sbuf
  map of_a_long_name[0] = round(x[0])
  map y[i] = 0 over i:4
  map y[i] = 1 over i:4 where i < of_a_long_name[0]
}
tile 1
program tiled {
  buffer x : f32[4] dram in
  buffer y : f32[4] dram out
  map y[i] = 0 over i:4
}
)");
  const Finished finished = replay();
  EXPECT_EQ(finished.exit, 0) << finished.output << finished.errors;
  EXPECT_THAT(finished.output, HasSubstr("  unsupported: the index...  "));
}

TEST_F(Replay, ExitsWith2WhereAFileCannotBeRead) {
  scratch.file("broken.tile", "tile 1\nprogram {");
  scratch.file("wrong.tile", "# before before/twice.tile\n" + std::string(twice_with_wrong_tail));
  const Finished finished = replay();
  EXPECT_EQ(finished.exit, 2);
  EXPECT_THAT(finished.output, HasSubstr("bad input"));
  EXPECT_THAT(finished.output, HasSubstr("broken.tile:2:"));
}

TEST_F(Replay, GivesTheSameRecordForAnyNumberOfJobs) {
  scratch.file("wrong.tile", "# before before/twice.tile\n# expect value map#1 y\n" + std::string(twice_with_wrong_tail));
  EXPECT_EQ(replay({"--format", "json", "--jobs", "1"}).output, replay({"--format", "json", "--jobs", "4"}).output);
}

TEST_F(Replay, AsksForFiles) {
  const Finished finished = tileproof({"replay", scratch.path("before")});
  EXPECT_EQ(finished.exit, 2);
  EXPECT_THAT(finished.errors, HasSubstr("no corpus file to replay"));
}

}  // namespace
}  // namespace tileproof::tool
