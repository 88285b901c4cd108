// What the README shows is what happens.
#include "props/tool/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace tileproof::tool {
namespace {

using testing::HasSubstr;

/// The blocks between lines of ```, in order.
std::vector<std::string> blocks(const std::string& page) {
  std::vector<std::string> found;
  for (size_t begin = page.find("```\n"); begin != std::string::npos;) {
    const size_t end = page.find("```", begin + 4);
    if (end == std::string::npos) break;
    found.push_back(page.substr(begin + 4, end - begin - 4));
    begin = page.find("```\n", end + 3);
  }
  return found;
}

const std::string& block_that_begins(const std::vector<std::string>& all, const std::string& text) {
  for (const std::string& block : all) {
    if (block.starts_with(text)) return block;
  }
  throw std::runtime_error("the README has no block that begins with " + text);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

class Readme : public testing::Test {
 protected:
  ScratchFolder scratch;
  std::vector<std::string> all = blocks(read_file("README.md"));

  void SetUp() override {
    const std::string& before = block_that_begins(all, "tile 1\nprogram total {");
    const std::string& after = *std::next(std::ranges::find(all, before));
    scratch.file("before.tile", before);
    scratch.file("after.tile", after);
    const std::string tail = " where 4*b + k < 10";
    const std::string loaded = replaced(after, "x[min(4*b, 6) + k] over k:4", "x[4*b + k] over k:4" + tail);
    scratch.file("mended.tile", replaced(loaded, "t[k] over k:4 reduce", "t[k] over k:4 reduce" + tail));
  }

  /// Every line that the README shows for `check before.tile AFTER`, but figures that the oracle is free to change, is printed.
  void expect_shown(const std::string& after) {
    std::istringstream shown(block_that_begins(all, "$ build/tileproof check before.tile " + after + "\n"));
    const Finished finished = tileproof({"check", "before.tile", after}, {.folder = scratch.path("")});
    const std::string printed = replaced(finished.output, executable(), "build/tileproof");
    std::string line;
    std::getline(shown, line);
    while (std::getline(shown, line)) {
      const bool is_free = line.starts_with("  original ") || line.starts_with("  tiled ") || line.starts_with("  input ") ||
                           line.starts_with("  points ");
      EXPECT_THAT(printed, HasSubstr(is_free ? line.substr(0, 14) : line + "\n"));
    }
  }
};

TEST_F(Readme, ShowsARefutation) { expect_shown("after.tile"); }

TEST_F(Readme, ShowsAPass) { expect_shown("mended.tile"); }

TEST_F(Readme, LinksToFilesThatExist) {
  const std::string page = read_file("README.md");
  for (size_t at = page.find("]("); at != std::string::npos; at = page.find("](", at + 1)) {
    const std::string target = page.substr(at + 2, page.find(')', at) - at - 2);
    if (!target.starts_with("http")) {
      EXPECT_TRUE(std::filesystem::exists(target)) << target;
    }
  }
}

}  // namespace
}  // namespace tileproof::tool
