// JUnit XML: a test case a check, and nothing that is not decided passes.
#include "props/tool/ci_folder.h"

#include "tool/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

namespace tileproof::tool {
namespace {

using testing::HasSubstr;

/// Whether a parser that keeps to the letter of XML 1.0 takes it (pugixml is lenient).
void expect_well_formed(const ScratchFolder& scratch, const std::string& text) {
  const Finished judged = run_process({"python3", "-c", "import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])",
                                       scratch.file("document.xml", text)});
  EXPECT_EQ(judged.exit, 0) << judged.errors << text;
}

class Junit : public testing::Test {
 protected:
  CiFolder folder;
  pugi::xml_document document;

  Finished run(std::vector<std::string> words) {
    words.insert(words.end(), {"--format", "junit"});
    Finished finished = folder.run(words);
    expect_well_formed(folder.scratch, finished.output);
    EXPECT_TRUE(document.load_string(finished.output.c_str())) << finished.output << finished.errors;
    return finished;
  }
  pugi::xml_node suite() const { return document.child("testsuites").child("testsuite"); }
  pugi::xml_node test(const std::string& name) const {
    for (const pugi::xml_node node : suite().children("testcase")) {
      if (node.attribute("name").value() == name) return node;
    }
    return {};
  }
  /// What the case carries beside its properties: "failure TP001", "error unsupported", "skipped", or nothing for a pass.
  std::string result(const std::string& name) const {
    if (!test(name)) return "no such case";
    for (const pugi::xml_node child : test(name).children()) {
      const std::string type = child.attribute("type").value();
      if (std::string(child.name()) != "properties") return child.name() + (type.empty() ? "" : " " + type);
    }
    return "";
  }
  /// tests, failures, errors, skipped.
  std::vector<int> counts() const {
    std::vector<int> counts;
    for (const char* name : {"tests", "failures", "errors", "skipped"}) counts.push_back(suite().attribute(name).as_int(-1));
    return counts;
  }
};

TEST_F(Junit, ShowsAPassAsACaseWithoutAFailure) {
  EXPECT_EQ(run({"check", "good", "tiles"}).exit, 0);
  EXPECT_EQ(result("good tiles"), "");
  EXPECT_EQ(counts(), (std::vector{1, 0, 0, 0}));
}

TEST_F(Junit, ShowsARefutationAsAFailureWithTheReport) {
  EXPECT_EQ(run({"check", "good", "wrong"}).exit, 1);
  EXPECT_EQ(result("good wrong"), "failure TP001");
  EXPECT_THAT(test("good wrong").child("failure").text().get(), HasSubstr("y[8] is the smallest index that differs"));
  EXPECT_EQ(counts(), (std::vector{1, 1, 0, 0}));
}

TEST_F(Junit, ShowsABadOriginalAsAnError) {
  EXPECT_EQ(run({"check", "unwritten", "good"}).exit, 2);
  EXPECT_EQ(result("unwritten good"), "error TP104");
}

TEST_F(Junit, ShowsATimeoutAsAnError) {
  EXPECT_EQ(run({"check", "good", "endless", "--max-points", "1K"}).exit, 3);
  EXPECT_EQ(result("good endless"), "error timeout");
  EXPECT_EQ(counts(), (std::vector{1, 0, 1, 0}));
}

TEST_F(Junit, ShowsBadInputAsAnError) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"check", "good", "broken"}, {"check", "good", "no such file"}, {"check", "good", "tiles", "--keys", "many"}}) {
    EXPECT_EQ(run(words).exit, 2);
    EXPECT_EQ(result("check"), "error bad-input");
  }
}

TEST_F(Junit, HasACaseForEachFileOfAReplay) {
  EXPECT_EQ(run({"replay", "corpus"}).exit, 2);
  EXPECT_EQ(result("passes"), "");
  EXPECT_EQ(result("refuted"), "") << "an expected refutation passes";
  EXPECT_EQ(result("surprise"), "failure TP001");
  EXPECT_EQ(result("harmless"), "failure tested") << "a pass where a finding is expected fails";
  EXPECT_EQ(result("large"), "skipped") << "an expected `unsupported` is seen, and is no pass";
  EXPECT_EQ(result("too_large"), "error unsupported");
  EXPECT_EQ(result("broken"), "error bad-input");
  EXPECT_EQ(counts(), (std::vector{7, 2, 2, 1}));
}

TEST_F(Junit, HoldsThePicturesOfACheckThatIsExplained) {
  run({"check", "good", "wrong", "--explain"});
  EXPECT_THAT(test("good wrong").child("failure").text().get(), HasSubstr("tiles of y[10]"));
  run({"check", "good", "tiles", "--explain"});
  EXPECT_EQ(result("good tiles"), "system-out") << "which is no failure";
  EXPECT_EQ(counts(), (std::vector{1, 0, 0, 0}));
}

TEST_F(Junit, IsTheSameForAnyNumberOfThreads) {
  EXPECT_EQ(run({"replay", "corpus", "--jobs", "1"}).output, run({"replay", "corpus", "--jobs", "4"}).output);
}

TEST(JunitText, TakesAnyBytes) {
  const ScratchFolder scratch;
  Judged judged;
  judged.name = "a\x01\x1f<&\">\xff\xEF\xBF\xBF";
  judged.errors = {{"\x02\xfe.tile", {1, 1}, std::string("zero\0]]>", 8), "escape\x1b[0m"}};
  const std::string text = junit("check", {&judged, 1});
  expect_well_formed(scratch, text);
  EXPECT_THAT(text, HasSubstr("name=\"a\xEF\xBF\xBD\xEF\xBF\xBD&lt;&amp;&quot;"));
}

}  // namespace
}  // namespace tileproof::tool
