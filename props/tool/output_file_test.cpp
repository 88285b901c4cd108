// A file is written whole or not at all.
#include "tool/output_file.h"
#include "props/tool/process.h"
#include "props/tool/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace tileproof::tool {
namespace {

size_t files_in(const std::string& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

TEST(WriteWholeFile, ReplacesWhatWasThereAndLeavesNothingBeside) {
  const ScratchFolder scratch;
  const std::string path = scratch.file("out.tile", "old");
  EXPECT_EQ(write_whole_file(path, "new"), std::nullopt);
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(files_in(scratch.path("")), 1U);
}

TEST(WriteWholeFile, KeepsThePermissionsOfTheFile) {
  const ScratchFolder scratch;
  const std::string path = scratch.file("out.tile", "old");
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  EXPECT_EQ(write_whole_file(path, "new"), std::nullopt);
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST(WriteWholeFile, WritesThroughASymbolicLink) {
  const ScratchFolder scratch;
  const std::string path = scratch.file("out.tile", "old");
  const std::string link = scratch.path("link.tile");
  std::filesystem::create_symlink(path, link);
  EXPECT_EQ(write_whole_file(link, "new"), std::nullopt);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(path), "new");
}

TEST(WriteWholeFile, LeavesADeviceADevice) {
  EXPECT_EQ(write_whole_file("/dev/null", "new"), std::nullopt);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(WriteWholeFile, SaysWhyItCannot) {
  const ScratchFolder scratch;
  EXPECT_NE(write_whole_file(scratch.path("no/such/folder/out.tile"), "new"), std::nullopt);
  EXPECT_NE(write_whole_file(scratch.path(""), "new"), std::nullopt);
  EXPECT_EQ(files_in(scratch.path("")), 0U);
}

TEST(Compile, PrintsCanonicalTextThatItKeeps) {
  const ScratchFolder scratch;
  const std::string path = scratch.file("in.tile", twice_in_tiles);
  const std::string out = scratch.path("out.tile");
  ASSERT_EQ(tileproof({"compile", path, "--pipeline", "", "-o", out}).exit, 0);
  EXPECT_EQ(tileproof({"compile", out}).output, read_file(out));
  EXPECT_EQ(tileproof({"check", path, out}).exit, 0);
}

TEST(Compile, LeavesTheFileWhereTheProgramIsBad) {
  const ScratchFolder scratch;
  const std::string out = scratch.file("out.tile", "old");
  EXPECT_EQ(tileproof({"compile", scratch.file("in.tile", "tile 1"), "-o", out}).exit, 2);
  EXPECT_EQ(read_file(out), "old");
}

TEST(Compile, NamesAPassThatThereIsNot) {
  const ScratchFolder scratch;
  const Finished finished = tileproof({"compile", scratch.file("in.tile", twice), "--pipeline", "penguins"});
  EXPECT_EQ(finished.exit, 2);
  EXPECT_THAT(finished.errors, testing::HasSubstr("penguins"));
  EXPECT_THAT(finished.errors, testing::HasSubstr("penguin"));
}

}  // namespace
}  // namespace tileproof::tool
