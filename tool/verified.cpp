#include "tool/verified.h"

#include "compiler/ir/text.h"
#include "oracle/equivalence/report.h"
#include "tool/cost_text.h"
#include "tool/shell_word.h"
#include "tool/stage_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tileproof::tool {
namespace {

/// The words that verify this program alone.
std::string verify_words(const Verified& verified, const VerifyArguments& arguments) {
  std::vector<std::string> words{"verify", shell_word(verified.original.file),
                                 "--program " + shell_word(verified.original.program.name),
                                 "--pipeline " + shell_word(arguments.pipeline.empty() ? "" : arguments.pipeline)};
  if (!arguments.machine.empty()) words.push_back("--machine " + shell_word(arguments.machine));
  const std::vector<std::string> settings = arguments.settings.words();
  words.insert(words.end(), settings.begin(), settings.end());
  return fmt::format("{}", fmt::join(words, " "));
}

/// Of the decisive check. Places of the tiled program are those of the text that its items came from.
oracle::CheckSubject subject(const Verified& verified, const VerifyArguments& arguments) {
  const oracle::PipelineReport& result = verified.result;
  std::string tiled = verified.original.program.name;
  if (!result.passes.empty() && result.passes.back().pass == result.pass) tiled = result.passes.back().stage.program.name;
  return {.original_file = verified.original.file,
          .original_program = verified.original.program.name,
          .tiled_file = verified.original.file,
          .tiled_program = tiled,
          .machine = result.complete ? verified.machine : "",
          .rounding = arguments.settings.rounding,
          .seed = arguments.settings.seed,
          .executable = shell_word(arguments.executable),
          .command = verify_words(verified, arguments)};
}

/// For people: a machine that was named for a program that never got to its end is not "none named".
oracle::CheckSubject told(const Verified& verified, const VerifyArguments& arguments) {
  oracle::CheckSubject of = subject(verified, arguments);
  if (of.machine.empty() && !verified.machine.empty()) of.machine = verified.machine + ": its limits were not judged";
  return of;
}

bool passes(const Verified& verified) { return verified.exit() == ExitCode::passes; }

}  // namespace

std::string headline(const Verified& verified) {
  const std::string said = oracle::headline(verified.result.report), &pass = verified.result.pass;
  const bool says_pass = verified.result.report.reason.starts_with(pass + " ");   // "refuse refuses: ..."
  return passes(verified) || pass.empty() || says_pass ? said : fmt::format("{} after {}", said, pass);
}

std::string details(const Verified& verified, const VerifyArguments& arguments) {
  std::string text;
  if (verified.cost) text += fmt::format("  cost        {}\n", cost_text(*verified.cost));
  for (const oracle::CheckedPass& pass : verified.result.passes) {
    for (const pipeline::Remark& remark : pass.stage.remarks) {
      if (remark.kind == pipeline::RemarkKind::declined)
        text += fmt::format("  remark      {}\n", remark_text(remark, verified.original.file));
    }
  }
  for (const auto& [what, count] : verified.result.counted) text += fmt::format("  counted     {}: {}\n", what, count);
  for (const auto& [what, count] : verified.result.report.counted) text += fmt::format("  counted     {}: {}\n", what, count);
  if (passes(verified)) return text;
  return text + text_report(verified.result.report, told(verified, arguments));
}

Json program_record(const Verified& verified, const VerifyArguments& arguments) {
  const oracle::PipelineReport& result = verified.result;
  const oracle::CheckSubject of = subject(verified, arguments);
  Json passes = Json::array();
  for (const oracle::CheckedPass& pass : result.passes) {
    Json one{{"pass", pass.pass},
             {"changed", pass.changed},
             {"verdict", name(pass.report.verdict)},
             {"tier", name(pass.report.tier)},
             {"remarks", remarks_json(pass.stage.remarks)},
             {"obligations", pass.stage.obligations.size()}};
    if (arguments.stages.show(pass.pass)) one["text"] = ir::print(pass.stage.program);
    passes.push_back(std::move(one));
  }
  return {{"file", verified.original.file},
          {"program", verified.original.program.name},
          {"machine", verified.machine.empty() ? Json(nullptr) : Json(verified.machine)},
          {"verdict", name(result.report.verdict)},
          {"after", result.pass.empty() ? Json(nullptr) : Json(result.pass)},
          {"complete", result.complete},
          {"passes", std::move(passes)},
          {"points", result.points},
          {"counted", Json(result.counted)},
          {"cost", verified.cost ? cost_json(*verified.cost) : Json(nullptr)},
          {"check", Json::parse(json_record(result.report, of))},
          {"replay", "tileproof " + of.command}};
}

Judged judged(const Verified& verified, const VerifyArguments& arguments) {
  return {.name = fmt::format("{} {}", verified.original.file, verified.original.program.name),
          .subject = told(verified, arguments),
          .report = verified.result.report,
          .errors = {},
          .as_expected = passes(verified),
          .explanation = {}};
}

}  // namespace tileproof::tool
