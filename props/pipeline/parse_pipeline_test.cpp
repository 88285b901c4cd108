// The text of a pipeline: what it stands for, and what is said about a wrong one.
#include "compiler/pipeline/pipeline.h"
#include "props/pipeline/passes/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tileproof::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Registry registry = test_registry();

std::string canonical(std::string_view text) {
  const auto pipeline = parse_pipeline(text, registry);
  return pipeline ? to_string(*pipeline) : to_string(pipeline.error().front());
}

std::string error_of(std::string_view text) {
  const auto pipeline = parse_pipeline(text, registry);
  return pipeline ? "no error" : to_string(pipeline.error().front());
}

TEST(ParsePipeline, NoTextIsThePipelineWithoutPasses) {
  EXPECT_EQ(canonical(""), "");
  EXPECT_EQ(canonical("  \t"), "");
}

TEST(ParsePipeline, KeepsTheOrderOfPassesAndTheirOptions) {
  EXPECT_EQ(canonical("rename,split{size=4},rename"), "rename,split{size=4},rename");
  EXPECT_EQ(canonical(" split { where = tail , size = 4 } , rename "), "split{size=4,where=tail},rename");
  EXPECT_EQ(canonical("rename{}"), "rename");
}

TEST(ParsePipeline, ANamedPipelineStandsForItsPasses) {
  EXPECT_EQ(canonical("both"), "rename,split{where=tail}");
  EXPECT_EQ(canonical("both-twice"), "rename,split{where=tail},rename,split{where=tail}");
}

TEST(ParsePipeline, OptionsOfANamedPipelineGoToThePassesThatDeclareThem) {
  EXPECT_EQ(canonical("both{size=8}"), "rename,split{size=8,where=tail}");
  EXPECT_EQ(canonical("both{where=nowhere}"), "rename,split{where=nowhere}") << "what the user says wins";
}

TEST(ParsePipeline, CanonicalTextParsesBack) {
  for (const std::string text : {"", "rename", "both{size=8}", "split{remark=false,where=nowhere}"}) {
    EXPECT_EQ(canonical(canonical(text)), canonical(text)) << text;
  }
}

TEST(ParsePipeline, AnErrorHasAColumnAndAMend) {
  EXPECT_EQ(error_of("renmae"), "pipeline:1:1: error: no pass or pipeline is called `renmae`; did you mean `rename`?");
  EXPECT_EQ(error_of("rename, q"),
            "pipeline:1:9: error: no pass or pipeline is called `q`; name a pipeline or a pass: both, both-twice, rename, split, "
            "banks, refuse, drop-tail, break, tile-first-axis");
  EXPECT_EQ(error_of("rename{x=1}"), "pipeline:1:8: error: `rename` has no option `x`; leave it out: there are none");
  EXPECT_EQ(error_of("both{sise=1}"), "pipeline:1:6: error: `both` has no option `sise`; did you mean `size`?");
  EXPECT_EQ(error_of("split{size=0}"), "pipeline:1:12: error: option `size` cannot be `0`; give it an integer of 1 or more");
  EXPECT_EQ(error_of("split{size=4x}"), "pipeline:1:12: error: option `size` cannot be `4x`; give it an integer of 1 or more");
  EXPECT_EQ(error_of("split{size=99999999999999999999}"),
            "pipeline:1:12: error: option `size` cannot be `99999999999999999999`; give it an integer of 1 or more");
  EXPECT_EQ(error_of("split{where=tial}"), "pipeline:1:13: error: option `where` cannot be `tial`; did you mean `tail`?");
  EXPECT_EQ(error_of("split{remark=yes}"), "pipeline:1:14: error: option `remark` cannot be `yes`; give it true or false");
  EXPECT_EQ(error_of("split{size=4,size=8}"), "pipeline:1:14: error: option `size` is given twice; give it once");
}

TEST(ParsePipeline, AnUnfinishedTextIsRefused) {
  EXPECT_THAT(error_of("rename,"), HasSubstr("1:8: error: the end where the name of a pass is wanted"));
  EXPECT_THAT(error_of(","), HasSubstr("1:1: error: `,` where the name of a pass is wanted"));
  EXPECT_THAT(error_of("split{"), HasSubstr("1:7: error: the end where an option is wanted"));
  EXPECT_THAT(error_of("split{size"), HasSubstr("1:7: error: `size` where an option is wanted"));
  EXPECT_THAT(error_of("split{size="), HasSubstr("where an option is wanted; write OPTION=VALUE"));
  EXPECT_THAT(error_of("split{size=4"), HasSubstr("1:13: error: the options do not end"));
  EXPECT_THAT(error_of("split{size=4,}"), HasSubstr("1:14: error: `}` where an option is wanted"));
  EXPECT_THAT(error_of("split}"), HasSubstr("1:6: error: `}` where a comma or the end is wanted"));
  EXPECT_THAT(error_of("rename split"), HasSubstr("1:8: error: `split` where a comma or the end is wanted"));
}

TEST(Registry, OfTheTestsIsInOrder) { EXPECT_THAT(verify(registry), ElementsAre()); }

TEST(Registry, WrongEntriesAreNamed) {
  Registry wrong = registry;
  wrong.passes.push_back(wrong.passes.front());
  EXPECT_THAT(to_string(verify(wrong).front()), HasSubstr("rename: error: two passes or pipelines have this name"));
  wrong = registry;
  wrong.pipelines.push_back({"endless", "names itself", "endless"});
  EXPECT_THAT(to_string(verify(wrong).front()), HasSubstr("no pass or pipeline is called `endless`"));
  wrong = registry;
  wrong.passes[1].options[0].default_value = int64_t{0};
  EXPECT_THAT(to_string(verify(wrong).front()), HasSubstr("split: error: option `size` cannot be `0`"));
}

}  // namespace
}  // namespace tileproof::pipeline
