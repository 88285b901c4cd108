#include "tool/fuzz_command.h"

#include "compiler/pipeline/pipeline.h"
#include "fuzz/hunt/command_tiler.h"
#include "fuzz/hunt/hunt.h"
#include "fuzz/hunt/pipeline_tiler.h"
#include "oracle/plural.h"
#include "tool/corpus_file.h"
#include "tool/find_folder.h"
#include "tool/fuzz_report.h"
#include "tool/known_finds.h"
#include "tool/progress.h"
#include "tool/shell_word.h"
#include "tool/stop_signal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <ranges>
#include <thread>
#include <utility>

namespace tileproof::tool {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double default_seconds = 60;
/// What --only calls fuse groups.
constexpr std::string_view group_word = "group";
/// What a program of some thousand points and its tiled form do not need: a tiler that went wrong ends early.
constexpr uint64_t most_points = 20'000'000, most_memory = uint64_t{256} << 20;
/// Tests of the reducer for one find: about half a minute each.
constexpr uint64_t reductions_of_pipeline = 20'000, reductions_of_batch = 5'000, reductions_of_command = 600;

std::unexpected<ir::Diagnostics> usage(std::string message, std::string mend) {
  return std::unexpected(ir::Diagnostics{{"tileproof fuzz", {}, std::move(message), std::move(mend)}});
}

/// The machine that the user named: nullopt where none was.
std::expected<std::optional<fuzz::GraphMachine>, ir::Diagnostics> named_machine(const std::string& word) {
  if (word.empty() || word == "none") return std::nullopt;
  auto chosen = choose_machine(word, {});
  if (!chosen) return std::unexpected(std::move(chosen.error()));
  const fuzz::Budgets budgets = fuzz::budgets_of(*chosen->machine);
  return fuzz::GraphMachine{word, std::move(*chosen->machine), budgets};
}

/// What lies in folders stands for them.
std::expected<std::vector<std::string>, ir::Diagnostics> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code none;
    if (!std::filesystem::is_directory(path, none)) {
      files.push_back(path);
      continue;
    }
    const auto below = corpus_files({path});
    if (!below) return std::unexpected(below.error());
    if (below->empty())
      return std::unexpected(ir::Diagnostics{{path, {}, "no program in this folder", "give one that holds `.tile` files"}});
    files.insert(files.end(), below->begin(), below->end());
  }
  return files;
}

/// The first program of each file: of a pair the original.
std::expected<std::vector<ir::Program>, ir::Diagnostics> first_programs(const std::vector<std::string>& files) {
  std::vector<ir::Program> programs;
  for (const std::string& path : files) {
    const auto file = load_file(path);
    if (!file) return std::unexpected(file.error());
    programs.push_back(file->programs.front());
  }
  return programs;
}

/// What is drawn for `--only map,reduce`; everything for an empty word.
std::expected<fuzz::GraphOptions, ir::Diagnostics> graphs_of(const std::string& only) {
  fuzz::GraphOptions graphs = fuzz::HuntOptions{}.graphs;
  if (only.empty()) return graphs;
  graphs.draws_groups = false;
  for (const auto part : std::views::split(only, ',')) {
    const std::string word(part.begin(), part.end());
    const auto found = std::ranges::find(fuzz::all_operations, word, [](fuzz::GraphOperation each) { return name(each); });
    if (found != fuzz::all_operations.end()) {
      graphs.only.push_back(*found);
    } else if (word == group_word) {
      graphs.draws_groups = true;
    } else {
      std::vector<std::string_view> names;
      for (const fuzz::GraphOperation operation : fuzz::all_operations) names.push_back(fuzz::name(operation));
      names.push_back(group_word);
      return usage(word.empty() ? fmt::format("--only {} names nothing before or after a comma", shell_word(only))
                                : fmt::format("--only {} names nothing that is drawn", shell_word(word)),
                   fmt::format("give it one of {}, or several with one comma between them", fmt::join(names, ", ")));
    }
  }
  if (graphs.only.empty())
    return usage("--only group names no operation", "name those of the groups, too, as in --only map,reduce,group");
  return graphs;
}

using MakeTiler = std::function<fuzz::Tiler()>;

std::expected<MakeTiler, ir::Diagnostics> tiler_of(const FuzzArguments& arguments, const pipeline::Registry& passes,
                                                   const std::atomic<bool>& stop) {
  if (arguments.pipeline.empty() == arguments.pass_command.empty()) {
    return usage(arguments.pipeline.empty() ? "no tiler is given" : "two tilers are given",
                 "give either --pipeline NAME or --pass-command COMMAND");
  }
  if (!arguments.pass_command.empty()) {
    const fuzz::CommandOptions options{
        arguments.pass_command, arguments.batch,
        std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(arguments.pass_timeout_seconds))};
    return [options, &stop] { return fuzz::command_tiler(options, stop); };
  }
  auto pipeline = pipeline::parse_pipeline(arguments.pipeline, passes, "--pipeline");
  if (!pipeline) return std::unexpected(std::move(pipeline.error()));
  return [pipeline = std::move(*pipeline)] { return fuzz::pipeline_tiler(pipeline); };
}

uint64_t most_reductions(const FuzzArguments& arguments) {
  if (arguments.as_drawn) return 0;
  if (!arguments.pipeline.empty()) return reductions_of_pipeline;
  return arguments.batch ? reductions_of_batch : reductions_of_command;
}

/// Runs the hunt while this thread watches the clock and the signals. True: a signal ended it.
bool hunt_watched(const MakeTiler& make_tiler, const fuzz::HuntOptions& options,
                  const std::function<void(const std::string&, const fuzz::Find&)>& keep, fuzz::HuntWatch& watch,
                  Progress& progress, fuzz::HuntReport& report) {
  const StopSignal signal;
  const auto begin = Clock::now();
  std::atomic<bool> is_done{false};
  const std::jthread hunter([&] {
    report = fuzz::hunt(make_tiler, options, keep, watch);
    is_done = true;
  });
  while (!is_done) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (signal.came()) watch.stop = true;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const uint64_t cases = watch.cases, finds = watch.finds;
    progress.show(fmt::format("{}, {:.0f} a second, {}", oracle::plural(cases, "case"), static_cast<double>(cases) / seconds,
                              oracle::plural(finds, "find")));
  }
  return signal.came();
}

}  // namespace

Outcome fuzz_command(const FuzzArguments& given, const pipeline::Registry& passes, Console& console) {
  FuzzArguments arguments = given;
  auto files = files_of(given.files);
  if (!files) return std::unexpected(std::move(files.error()));
  arguments.files = std::move(*files);
  fuzz::HuntWatch watch;
  const auto make_tiler = tiler_of(arguments, passes, watch.stop);
  if (!make_tiler) return std::unexpected(make_tiler.error());
  const auto machine = named_machine(arguments.machine);
  if (!machine) return std::unexpected(machine.error());
  auto graphs = graphs_of(arguments.only);
  if (!graphs) return std::unexpected(std::move(graphs.error()));
  auto programs = first_programs(arguments.files);
  if (!programs) return std::unexpected(std::move(programs.error()));
  std::expected<Keys, ir::Diagnostics> known;
  if (!arguments.known.empty()) known = read_known_finds(arguments.known, passes);
  if (!known) return std::unexpected(std::move(known.error()));

  fuzz::HuntOptions options;
  options.seed = arguments.seed;
  options.first = arguments.first;
  if (arguments.runs > 0) options.runs = arguments.runs;
  options.jobs = arguments.jobs > 0 ? static_cast<unsigned>(arguments.jobs) : std::max(1U, std::thread::hardware_concurrency());
  options.graphs = std::move(*graphs);
  options.graphs.most_operations = arguments.max_operations;
  options.programs = std::move(*programs);
  options.machine = *machine ? &**machine : nullptr;
  options.judges_machine = *machine || (arguments.machine.empty() && !arguments.pipeline.empty());
  options.check.rounding = arguments.rounding;
  options.check.max_points = most_points;
  options.check.max_memory = most_memory;
  options.known = std::move(*known);
  const bool draws = arguments.files.empty(), keeps = draws || !arguments.out.empty();
  options.most_reductions = keeps ? most_reductions(arguments) : 0;
  const double seconds = arguments.time_seconds > 0                       ? arguments.time_seconds
                         : arguments.runs > 0 || !arguments.files.empty() ? 0
                                                                          : default_seconds;
  if (seconds > 0)
    options.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));

  const bool is_file = arguments.machine.contains('/') || arguments.machine.ends_with(".machine");
  const FindFolder folder(arguments.out.empty() && draws ? "finds" : arguments.out,
                          fmt::format("tileproof {}", draws ? drawing_words(arguments) : tiler_words(arguments)),
                          is_file ? arguments.machine : "", arguments.seed, arguments.files);
  Progress progress;
  std::optional<ir::Diagnostic> unwritable;
  std::set<std::string> told;
  const auto keep = [&](const std::string& key, const fuzz::Find& find) {
    if (told.insert(key).second) {
      progress.clear();
      Console::complain(
          fmt::format("find: {}, seed {}, case {}: {}\n", key, arguments.seed, find.number, folder.path(key, find)));
    }
    if (!unwritable) unwritable = folder.keep(key, find, options.judges_machine);
    if (unwritable) watch.stop = true;
  };
  fuzz::HuntReport report;
  const bool is_stopped = hunt_watched(*make_tiler, options, keep, watch, progress, report);
  progress.clear();
  if (unwritable) return std::unexpected(ir::Diagnostics{*unwritable});
  if (!report.unusable.empty())
    return usage(fmt::format("the command {} {}", shell_word(arguments.pass_command), report.unusable),
                 fmt::format("run it by hand, for example as `echo '# end' | {}`", arguments.pass_command));

  const FuzzSubject subject{arguments, folder, options.judges_machine, is_stopped};
  console.print(arguments.format == Format::json ? fuzz_record(report, subject) : fuzz_text(report, subject));
  return static_cast<ExitCode>(oracle::exit_code(verdict_of(report)));
}

}  // namespace tileproof::tool
