// Stored programs that a pipeline is to tile.
#include "props/tool/process.h"
#include "props/tool/programs.h"
#include "tool/corpus_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace tileproof::tool {
namespace {

using testing::HasSubstr;

class ReplayPipeline : public testing::Test {
 protected:
  ScratchFolder scratch;

  std::string file(const std::string& name, const std::string& header) { return scratch.file(name, header + std::string(twice)); }
  /// With the passes of the tests.
  Finished replay(std::vector<std::string> more = {}) {
    std::vector<std::string> words{std::filesystem::path(executable()).replace_filename("test_passes").string(), "replay",
                                   scratch.path("")};
    words.insert(words.end(), more.begin(), more.end());
    return run_process(words);
  }
};

TEST_F(ReplayPipeline, TilesTheProgramAndChecksIt) {
  file("right.tile", "# pipeline rename,split\n# expect tested field\n");
  file("wrong.tile", "# pipeline rename,drop-tail\n# expect refuted not-written\n");
  file("refused.tile", "# pipeline refuse\n# expect unsupported\n");
  file("broken.tile", "# pipeline break\n# expect refuted\n");
  const Finished finished = replay();
  EXPECT_EQ(finished.exit, 0) << finished.output << finished.errors;
  EXPECT_THAT(finished.output, HasSubstr("4 of 4 as expected"));
}

TEST_F(ReplayPipeline, ShowsWhatIsNotAsExpectedAndHowToSeeIt) {
  const std::string path = file("wrong.tile", "# pipeline drop-tail\n# machine trn2\n# expect passes\n");
  const Finished finished = replay();
  EXPECT_EQ(finished.exit, 1);
  EXPECT_THAT(finished.output, HasSubstr("  expected  passes\n"));
  EXPECT_THAT(finished.output, HasSubstr(" verify " + path + " --pipeline drop-tail --machine trn2"));
}

TEST_F(ReplayPipeline, NamesTheFileWhosePipelineIsUnknown) {
  file("unknown.tile", "# pipeline no-such-pass\n");
  const Finished finished = replay();
  EXPECT_EQ(finished.exit, 2);
  EXPECT_THAT(finished.output, HasSubstr("unknown.tile:1:12: error: "));
}

TEST_F(ReplayPipeline, WantsTheOriginalAlone) {
  const auto error_of = [](const std::string& path) {
    const auto one = load_corpus_case(path);
    return one ? "" : to_string(one.error().front());
  };
  EXPECT_THAT(error_of(file("before.tile", "# before other.tile\n# pipeline split\n")),
              HasSubstr("the header names an original and a pipeline"));
  EXPECT_THAT(error_of(scratch.file("two.tile", "# pipeline split\n" + pair_of(twice, std::string(twice_in_tiles)))),
              HasSubstr("leave one of them, for the pipeline to tile"));
  EXPECT_THAT(error_of(file("misspelt.tile", "# pipelne split\n")), HasSubstr("did you mean `# pipeline ...`"));
}

}  // namespace
}  // namespace tileproof::tool
