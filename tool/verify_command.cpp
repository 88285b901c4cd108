#include "oracle/plural.h"
#include "tool/cut_proofs.h"
#include "tool/document.h"
#include "tool/in_order.h"
#include "tool/progress.h"
#include "tool/shape.h"
#include "tool/table.h"
#include "tool/verified.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <new>

namespace tileproof::tool {
namespace {

constexpr size_t shape_width = 34;

/// A program, and the machine that it is for.
struct Task {
  NamedProgram original;
  ChosenMachine machine;
};

/// All programs of all files. Errors: all that is wrong with any of them.
std::expected<std::vector<Task>, ir::Diagnostics> load_tasks(const VerifyArguments& arguments) {
  std::vector<Task> tasks;
  ir::Diagnostics errors;
  const auto take = [&errors](auto expected, const auto& consume) {
    if (expected) {
      consume(std::move(*expected));
    } else {
      errors.insert(errors.end(), expected.error().begin(), expected.error().end());
    }
  };
  if (std::ranges::count(arguments.files, "-") > 1) errors.push_back({"-", {}, "standard input is given twice", "give it once"});
  for (const std::string& path : arguments.files) {
    if (!errors.empty() && path == "-") continue;
    std::vector<ir::Program> programs;
    take(load_file(path), [&](ir::File file) {
      if (arguments.program.empty()) {
        programs = std::move(file.programs);
      } else {
        take(choose_program(file, arguments.program), [&](NamedProgram one) { programs.push_back(std::move(one.program)); });
      }
    });
    for (ir::Program& program : programs) {
      NamedProgram original{path, std::move(program)};
      take(choose_machine(arguments.machine, original),
           [&](ChosenMachine machine) { tasks.push_back({std::move(original), std::move(machine)}); });
    }
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return tasks;
}

oracle::CheckReport stopped(oracle::Verdict verdict, std::string reason) {
  oracle::CheckReport report;
  report.verdict = verdict;
  report.reason = std::move(reason);
  return report;
}

/// Never throws: a program that breaks a pass or the oracle must not end the others.
Verified verify(const Task& task, const pipeline::Pipeline& pipeline, const CheckSettings& settings, const CutProofs& proofs,
                Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  Verified verified{.original = task.original, .machine = task.machine.name, .result = {}, .cost = {}};
  const std::string name = fmt::format("{} {}", task.original.file, task.original.program.name);
  oracle::CheckOptions options = settings.options();
  options.machine = task.machine.get();
  options.timeout = settings.timeout();
  options.progress = [&](const std::string& doing) { progress.show(fmt::format("{}: {}", name, doing)); };
  try {
    const auto discharge = [&proofs](const pipeline::Obligation& obligation) { return proofs.verdict(obligation); };
    verified.result = verify_pipeline(task.original.program, pipeline, options, discharge);
    if (verified.result.complete) {
      const std::vector<oracle::CheckedPass>& passes = verified.result.passes;
      verified.cost = analysis::cost(passes.empty() ? task.original.program : passes.back().stage.program, options.machine);
    }
  } catch (const std::bad_alloc&) {
    verified.result.report = stopped(oracle::Verdict::unsupported, "out of memory");
  } catch (const std::exception& error) {
    verified.result.report = stopped(oracle::Verdict::harness_error, error.what());
  }
  verified.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return verified;
}

/// The cuts that the passes make, proved before there is a second thread: the proofs run in child processes.
CutProofs proofs_of(const std::vector<Task>& tasks, const pipeline::Pipeline& pipeline) {
  CutProofs proofs;
  std::vector<pipeline::Obligation> obligations;
  for (const Task& task : tasks) {
    const auto stage = pipeline::run_pipeline(task.original.program, pipeline, task.machine.get());
    if (stage) obligations.insert(obligations.end(), stage->obligations.begin(), stage->obligations.end());
  }
  proofs.prove(obligations);
  return proofs;
}

std::vector<Column> columns_for(const std::vector<Task>& tasks) {
  std::vector<Column> columns{{"program", 7},       {"shape", 5},         {"machine", 7}, {"passes", 6, true},
                              {"points", 12, true}, {"seconds", 8, true}, {"verdict", 0}};
  for (const Task& task : tasks) {
    columns[0].width = std::max(columns[0].width, task.original.program.name.size());
    columns[1].width = std::max(columns[1].width, shape(task.original.program, shape_width).size());
    columns[2].width = std::max(columns[2].width, task.machine.name.size());
  }
  return columns;
}

std::string row(const std::vector<Column>& columns, const Verified& verified) {
  return table_row(columns,
                   {verified.original.program.name, shape(verified.original.program, shape_width),
                    verified.machine.empty() ? "-" : verified.machine, fmt::format("{}", verified.result.passes.size()),
                    oracle::grouped(verified.result.points), fmt::format("{:.2f}", verified.seconds), headline(verified)});
}

/// How many programs have which verdict, and how often passes declined.
struct Tally {
  std::map<std::string, uint64_t> verdicts;
  uint64_t programs = 0, applied = 0, declined = 0;
  ExitCode exit = ExitCode::passes;

  void add(const Verified& verified) {
    ++programs;
    ++verdicts[std::string(name(verified.result.report.verdict))];
    for (const oracle::CheckedPass& pass : verified.result.passes) {
      for (const pipeline::Remark& remark : pass.stage.remarks)
        ++(remark.kind == pipeline::RemarkKind::declined ? declined : applied);
    }
    if (gravity(verified.exit()) > gravity(exit)) exit = verified.exit();
  }

  std::string summary(double seconds) const {
    std::vector<std::string> parts;
    for (const auto& [verdict, count] : verdicts) parts.push_back(fmt::format("{} {}", count, verdict));
    return fmt::format("\n{}: {}; {}, {} of them declined (--format json has them all); {:.1f} s\n",
                       oracle::plural(programs, "program"), fmt::join(parts, ", "), oracle::plural(applied + declined, "remark"),
                       declined, seconds);
  }

 private:
  /// The gravest verdict gives the exit code: a bug of ours, then refuted, then a bad original, then undecided.
  static int gravity(ExitCode code) {
    switch (code) {
      case ExitCode::passes: return 0;
      case ExitCode::undecided: return 1;
      case ExitCode::bad_input: return 2;
      case ExitCode::refuted: return 3;
      case ExitCode::harness_error: return 4;
    }
    return 4;
  }
};

std::string record(const VerifyArguments& arguments, const pipeline::Pipeline& pipeline, const Tally& tally, Json programs) {
  Json record = record_head("verify", tally.exit == ExitCode::passes ? "passes" : "does-not-pass", tally.exit);
  record["pipeline"] = arguments.pipeline;
  record["passes"] = Json::array();
  for (const pipeline::Step& step : pipeline.steps) record["passes"].push_back(step.pass.name);
  record["rounding"] = arguments.settings.rounding == oracle::Rounding::relaxed ? "relaxed" : "strict";
  record["seed"] = arguments.settings.seed;
  record["verdicts"] = Json(tally.verdicts);
  record["applied"] = tally.applied;
  record["declined"] = tally.declined;
  record["programs"] = std::move(programs);
  return record_text(record);
}

}  // namespace

Outcome verify_command(const VerifyArguments& arguments, const pipeline::Registry& passes, Console& console) {
  const auto pipeline = chosen_pipeline(arguments.pipeline, passes, arguments.stages.pass);
  if (!pipeline) return std::unexpected(pipeline.error());
  const std::expected<std::vector<Task>, ir::Diagnostics> tasks = load_tasks(arguments);
  if (!tasks) return std::unexpected(tasks.error());

  const bool text = arguments.format == Format::text, json = arguments.format == Format::json;
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Column> columns = columns_for(*tasks);
  if (text) console.print(table_head(columns));
  Tally tally;
  Json records = Json::array();
  std::vector<Judged> cases;
  Progress progress;
  const CutProofs proofs = proofs_of(*tasks, *pipeline);
  const auto work = [&](size_t i) { return verify((*tasks)[i], *pipeline, arguments.settings, proofs, progress); };
  in_order<Verified>(tasks->size(), arguments.jobs, work, [&](size_t, const Verified& verified) {
    tally.add(verified);
    if (text) {
      progress.clear();
      for (const oracle::CheckedPass& pass : verified.result.passes) {
        if (arguments.stages.show(pass.pass)) Console::complain(stage_text(pass.stage.program, pass.pass));
      }
      console.print(row(columns, verified) + details(verified, arguments));
    } else if (json) {
      records.push_back(program_record(verified, arguments));
    } else {
      cases.push_back(judged(verified, arguments));
    }
    return !console.closed();
  });
  progress.clear();
  if (console.closed()) return ExitCode::undecided;   // nobody listens any more: not all was verified

  if (text) {
    console.print(tally.summary(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()));
  } else if (json) {
    console.print(record(arguments, *pipeline, tally, std::move(records)));
  } else {
    console.print(ci_document(arguments.format, "verify", tally.exit, cases));
  }
  return tally.exit;
}

}  // namespace tileproof::tool
