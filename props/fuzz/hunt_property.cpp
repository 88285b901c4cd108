// The hunt over pipelines of ours: outcomes, the pass at fault, one find of each key whatever the threads.
#include "compiler/ir/text.h"
#include "compiler/pipeline/registry.h"
#include "fuzz/generate/terms.h"
#include "fuzz/hunt/hunt.h"
#include "fuzz/hunt/pipeline_tiler.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace tileproof {
namespace {

using fuzz::HuntOptions;
using fuzz::HuntReport;
using fuzz::Outcome;
using Result = std::expected<ir::Program, ir::Diagnostics>;

pipeline::Pass pass(std::string name, std::function<Result(ir::Program)> edit) {
  return {.name = std::move(name),
          .summary = "",
          .needs = "",
          .ensures = "",
          .options = {},
          .vocabulary = {},
          .run = [edit](const ir::Program& program, const pipeline::Context&) { return edit(program); }};
}

/// Calls `edit` on every statement.
void each_statement(ir::Block& block, const std::function<void(ir::Statement&)>& edit) {
  for (ir::Item& item : block) {
    if (auto* statement = std::get_if<ir::Statement>(&item.node)) edit(*statement);
    if (auto* group = std::get_if<ir::Group>(&item.node)) each_statement(group->body, edit);
  }
}

pipeline::Registry passes() {
  return {.passes = {pass("keep", [](ir::Program program) -> Result { return program; }),
                     pass("spoil",   // a maximum becomes a minimum
                          [](ir::Program program) -> Result {
                            each_statement(program.body, [](ir::Statement& s) {
                              if (s.update == ir::Update::max) s.update = ir::Update::min;
                            });
                            return program;
                          }),
                     pass("double",   // every product
                          [](ir::Program program) -> Result {
                            each_statement(program.body, [](ir::Statement& s) {
                              if (s.opcode == "matmul") s.value = fuzz::times(2, std::move(s.value));
                            });
                            return program;
                          }),
                     pass("refuse",
                          [](const ir::Program&) -> Result {
                            return std::unexpected(ir::Diagnostics{{{}, {}, "it has 12 operations", ""}});
                          }),
                     pass("break",
                          [](ir::Program program) -> Result {
                            program.body.clear();
                            return program;
                          }),
                     pass("throw", [](ir::Program) -> Result { throw std::runtime_error("out of luck"); })},
          .pipelines = {}};
}

HuntReport hunt(const std::string& text, HuntOptions options, std::vector<std::string>* kept = nullptr) {
  const pipeline::Pipeline pipeline = pipeline::parse_pipeline(text, passes()).value();
  fuzz::HuntWatch watch;
  options.judges_machine = false;   // none of these tiles
  return fuzz::hunt([&] { return fuzz::pipeline_tiler(pipeline); }, options,
                    [&](const std::string& key, const fuzz::Find& find) {
                      if (kept != nullptr) kept->push_back(key + (find.is_reduced ? " reduced" : ""));
                    },
                    watch);
}

TEST(Hunt, PassesARightPipeline) {
  const HuntReport report = hunt("keep,keep", {.runs = 200});
  EXPECT_EQ(report.outcomes, (std::map<std::string, uint64_t>{{"passed", 200}}));
  EXPECT_TRUE(report.finds.empty());
  EXPECT_EQ(report.cases(), 200U);
}

TEST(Hunt, NamesThePassAtFault) {
  const HuntReport report = hunt("keep,spoil,keep", {.runs = 100, .most_reductions = 0});
  EXPECT_GT(report.outcomes.at("passed"), 0U);
  ASSERT_FALSE(report.finds.empty());
  for (const auto& [key, find] : report.finds) {
    EXPECT_TRUE(key.ends_with(" spoil")) << key;
    EXPECT_EQ(find.outcome.kind, Outcome::Kind::wrong);
  }
}

TEST(Hunt, TellsFaultsInDifferentStatementsApart) {
  HuntOptions options{.runs = 200, .most_reductions = 0};
  options.graphs.most_operations = 1;
  const auto keys = [&](const char* pipeline) {
    std::set<std::string> names;
    for (const auto& [key, count] : hunt(pipeline, options).keys) names.insert(key);
    return names;
  };
  EXPECT_EQ(keys("spoil"), (std::set<std::string>{"value reduce.max spoil"}));
  EXPECT_EQ(keys("double"), (std::set<std::string>{"value matmul double"}));
}

TEST(Hunt, ReducesAFindToWhatMatters) {
  const HuntReport report = hunt("spoil", {.runs = 25});
  ASSERT_TRUE(report.finds.contains("value reduce.max spoil"));
  const fuzz::Find& find = report.finds.at("value reduce.max spoil");
  EXPECT_TRUE(find.is_reduced);
  EXPECT_EQ(labelled_statements(find.original.program).size(), 1U) << ir::print(find.original.program);
  EXPECT_EQ(find.outcome.key(), "value reduce.max spoil");
}

TEST(Hunt, CountsRefusalsByReason) {
  const HuntReport report = hunt("refuse", {.runs = 20});
  EXPECT_EQ(report.outcomes, (std::map<std::string, uint64_t>{{"refused", 20}}));
  EXPECT_EQ(report.reasons.at("refused"), (std::map<std::string, uint64_t>{{"it has N operations", 20}}));
  EXPECT_TRUE(report.finds.empty());
}

TEST(Hunt, TakesIllFormedProgramsAndExceptionsForFinds) {
  EXPECT_TRUE(hunt("keep,break", {.runs = 3, .most_reductions = 0}).finds.contains("garbage - break"));
  const HuntReport report = hunt("throw", {.runs = 3, .most_reductions = 0});
  ASSERT_TRUE(report.finds.contains("crash - -"));
  EXPECT_EQ(report.finds.at("crash - -").outcome.why, "exception: out of luck");
}

TEST(Hunt, FindsTheSameForAnyNumberOfJobs) {
  const auto summary = [](const HuntReport& report) {
    std::string text = report.drawn.print();
    for (const auto& [key, count] : report.keys) text += key + " " + std::to_string(count) + "\n";
    for (const auto& [key, find] : report.finds)
      text += key + " " + std::to_string(find.number) + "\n" + ir::print(find.original.program);
    return text;
  };
  const std::string one = summary(hunt("spoil", {.seed = 7, .runs = 20, .jobs = 1, .most_reductions = 30}));
  EXPECT_EQ(one, summary(hunt("spoil", {.seed = 7, .runs = 20, .jobs = 4, .most_reductions = 30})));
  EXPECT_NE(one, summary(hunt("spoil", {.seed = 8, .runs = 20, .jobs = 1, .most_reductions = 30})));
}

TEST(Hunt, KeepsAFindAtOnceAndAgainWhenItIsReduced) {
  std::vector<std::string> kept;
  hunt("spoil", {.runs = 20, .most_reductions = 50}, &kept);
  ASSERT_GE(kept.size(), 2U);
  EXPECT_EQ(kept[0] + " reduced", kept[1]);
}

TEST(Hunt, KeepsNoKnownFinds) {
  std::vector<std::string> kept;
  const HuntReport first = hunt("spoil", {.runs = 50, .most_reductions = 0});
  HuntOptions options{.runs = 50};
  for (const auto& [key, count] : first.keys) options.known.insert(key);
  const HuntReport again = hunt("spoil", options, &kept);
  EXPECT_TRUE(again.finds.empty());
  EXPECT_TRUE(kept.empty());
  EXPECT_EQ(again.keys, first.keys);
}

TEST(Hunt, DrawsEachCaseFromItsSeedAndNumberAlone) {
  const HuntOptions options{.seed = 3};
  EXPECT_EQ(draw_case(17, options).program, draw_case(17, options).program);
  EXPECT_EQ(hunt("keep", {.seed = 3, .first = 17, .runs = 1}).drawn.statements,
            labelled_statements(draw_case(17, options).program).size());
}

}  // namespace
}  // namespace tileproof
