#include "tool/command_line.h"

#include "compiler/ir/suggestion.h"
#include "tool/commands.h"
#include "tool/document.h"
#include "tool/fuzz_command.h"
#include "tool/help_text.h"
#include "tool/option.h"
#include "tool/passes.h"
#include "tool/reduce_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <new>

namespace tileproof::tool {
namespace {

constexpr std::array<std::string_view, 11> commands{"verify", "check",  "run",   "replay", "compile", "groups",
                                                    "cut",    "reduce", "prove", "fuzz",   "plant"};

void add_seed(CLI::App& app, uint64_t& seed, const std::string& help) { add_count(app, "--seed", seed, 1000, help); }

void add_limits(CLI::App& app, uint64_t& points, uint64_t& memory, double& timeout) {
  add_count(app, "--max-points", points, 1000,
            "Give up a run after so many statement points and steps of loops without one (default 20G)");
  add_count(app, "--max-memory", memory, 1024, "Give up a run whose buffers need more bytes (default 4G)");
  add_seconds(app, "--timeout", timeout, "Give up after so many seconds (default: never)");
}

constexpr std::pair<std::string_view, Format> formats[] = {
    {"text", Format::text}, {"json", Format::json}, {"junit", Format::junit}, {"sarif", Format::sarif}};

void add_format(CLI::App& app, Format& format) {
  add_choice<Format>(app, "--format", format, {{"text", Format::text}, {"json", Format::json}},
                     "What to print: text, or one JSON record (docs/record.md)");
}

/// ... of a command that judges.
void add_ci_format(CLI::App& app, Format& format) {
  add_choice<Format>(app, "--format", format, Choices<Format>(std::begin(formats), std::end(formats)),
                     "What to print: text, one JSON record (docs/record.md), JUnit XML or SARIF 2.1.0 (docs/ci.md)");
}

void add_settings(CLI::App& app, CheckSettings& settings) {
  using oracle::Rounding;
  add_choice<Rounding>(app, "--rounding", settings.rounding, {{"strict", Rounding::strict}, {"relaxed", Rounding::relaxed}},
                       "relaxed: a rounding at another place passes, and is counted");
  add_seed(app, settings.seed, "Seeds all keys, patterns and orders (default 1)");
  add_integer(app, "--keys", settings.keys, 1, 64, "Keyed runs that must agree (default 3; more where many narrow dtypes occur)");
  add_integer(app, "--threads", settings.threads, 1, 2,
              "2: both programs run at the same time (default); the record is the same");
  add_limits(app, settings.max_points, settings.max_memory, settings.timeout_seconds);
}

void add_program(CLI::App& app, std::string& program, const std::string& help) {
  app.add_option("--program", program, help)->type_name("NAME");
}

/// An option that may be repeated, with one word each time.
void add_list(CLI::App& app, const std::string& option, std::vector<std::string>& words, const std::string& type,
              const std::string& help) {
  app.add_option(option, words, help)
      ->type_name(type)
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// Says how a command is called in the words of --help, not in those of the option parser.
class Formatter : public CLI::Formatter {
 public:
  Formatter() { column_width(26); }
  std::string make_usage(const CLI::App* app, std::string) const override { return usages_.at(app->get_name()); }
  void add(const std::string& name, std::string_view usage) { usages_[name] = usage; }

 private:
  std::map<std::string, std::string> usages_;
};

CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& description, std::string_view teaches) {
  CLI::App& command = *app.add_subcommand(name, description);
  command.footer(std::string(teaches.substr(1)) + std::string(help::exit_codes));
  return command;
}

/// All commands with their options; the one that is called fills its arguments.
struct CommandLine {
  CLI::App app{"Tileproof: does the tiled program mean the same as the original, and is it legal?", "tileproof"};
  CheckArguments check;
  RunArguments run;
  ReplayArguments replay;
  CompileArguments compile;
  GroupsArguments groups;
  CutArguments cut;
  ReduceArguments reduce;
  ProveArguments prove;
  VerifyArguments verify;
  const pipeline::Registry& passes;
  FuzzArguments fuzz;

  explicit CommandLine(const pipeline::Registry& known_passes) : passes(known_passes) {
    app.footer(std::string(help::program.substr(1)) + std::string(help::exit_codes));
    app.set_version_flag("--version", "tileproof " TILEPROOF_VERSION);
    app.require_subcommand(1);
    const auto formatter = std::make_shared<Formatter>();
    for (const auto& [name, usage] : help::usages) formatter->add(std::string(name), usage);
    app.formatter(formatter);  // subcommands inherit it
    add_verify();
    add_check();
    add_run();
    add_replay();
    add_compile();
    add_groups();
    add_cut();
    add_reduce();
    add_prove();
    // Another program does it (plant_command); here it is for --help to list.
    app.add_subcommand("plant", "Plant bugs in the tiler, and say which the check finds, and how fast");
    add_fuzz();
  }

  void add_pipeline(CLI::App& command, std::string& pipeline, StagesShown& stages) {
    command.add_option("--pipeline", pipeline, "Passes to apply: NAME{OPTION=VALUE,...},... (default: none)")->type_name("NAMES");
    command.add_flag("--print-after-all", stages.all, "Print the program after every pass, to standard error");
    command.add_option("--print-after", stages.pass, "... after this pass")->type_name("PASS");
    command.footer(command.get_footer() + "\n" + passes_help(passes));
  }

  void add_verify() {
    CLI::App& command = add_command(app, "verify", "Compile programs, and check them after every pass", help::verify);
    command.add_option("FILES", verify.files, "The programs")->required()->type_name("");
    add_program(command, verify.program, "Only this program of each file");
    command
        .add_option("--machine", verify.machine,
                    "Compile for this machine, and judge its limits in the end: its name, a machine file, or none")
        ->type_name("NAME|FILE");
    add_pipeline(command, verify.pipeline, verify.stages);
    add_integer(command, "--jobs", verify.jobs, 1, 1024, "Programs at the same time (default: one for each processor)");
    add_settings(command, verify.settings);
    add_ci_format(command, verify.format);
  }

  void add_check() {
    CLI::App& command =
        add_command(app, "check", "Do two programs mean the same, and is the second legal on its machine?", help::check);
    command.add_option("FILES", check.files, "BEFORE AFTER, or one file that holds both")
        ->required()
        ->expected(1, 2)
        ->type_name("");
    command.add_option("--machine", check.machine, "Judge the limits of this machine: its name, a machine file, or none")
        ->type_name("NAME|FILE");
    add_program(command, check.program, "The program to take where a file holds several");
    add_settings(command, check.settings);
    command.add_flag("--explain", check.explain, "Draw the tiles, the element that differs, and its inputs (docs/explain.md)");
    add_ci_format(command, check.format);
  }

  void add_run() {
    using oracle::Order;
    using oracle::Pattern;
    CLI::App& command = add_command(app, "run", "Run one program on made-up inputs and print its outputs", help::run);
    command.add_option("FILE", run.file, "The program")->required()->type_name("");
    add_program(command, run.program, "The program to take where the file holds several");
    add_choice<Domain>(command, "--domain", run.domain,
                       {{"ieee", Domain::ieee}, {"real", Domain::real}, {"field", Domain::field}}, "What numbers are");
    Choices<Order> orders;
    for (const Order order : {Order::forward, Order::reversed, Order::shuffled}) orders.emplace_back(name(order), order);
    add_choice<Order>(command, "--order", run.order, std::move(orders), "The order of par, shard and thread iterations");
    Choices<Pattern> patterns;
    for (const Pattern pattern : oracle::all_patterns) patterns.emplace_back(name(pattern), pattern);
    add_choice<Pattern>(command, "--pattern", run.pattern, std::move(patterns),
                        "What integer inputs hold that indices or conditions depend on");
    add_integer(command, "--level", run.level, std::numeric_limits<int64_t>::min(),
                "With --pattern level: what all their elements hold (default 0)");
    add_seed(command, run.seed, "Seeds inputs and orders (default 1)");
    add_list(command, "--param", run.parameters, "NAME=N",
             "The value of a parameter, else the lowest of its range; once for each");
    add_list(command, "--show", run.show, "BUFFER", "Print this top-level buffer too, as it is in the end; may be repeated");
    add_count(command, "--elements", run.elements, 1000, "Elements to print of each output (default 8)");
    add_limits(command, run.max_points, run.max_memory, run.timeout_seconds);
    add_format(command, run.format);
  }

  void add_replay() {
    CLI::App& command = add_command(app, "replay", "Check stored pairs against what they expect", help::replay);
    command.add_option("PATHS", replay.paths, "Folders and files (default corpus)")->type_name("");
    add_integer(command, "--jobs", replay.jobs, 1, 1024, "Checks at the same time (default: one for each processor)");
    add_settings(command, replay.settings);
    add_ci_format(command, replay.format);
  }

  void add_compile() {
    CLI::App& command = add_command(app, "compile", "Apply passes to programs, and print them in canonical form", help::compile);
    command.add_option("FILE", compile.file, "The programs")->required()->type_name("");
    add_program(command, compile.program, "Only this program of the file");
    command.add_option("--machine", compile.machine, "Compile for this machine: its name, a machine file, or none")
        ->type_name("NAME|FILE");
    add_pipeline(command, compile.pipeline, compile.stages);
    command.add_option("-o,--output", compile.output, "Where to write (default: standard output)")->type_name("FILE");
    add_format(command, compile.format);
  }

  void add_groups() {
    CLI::App& command =
        add_command(app, "groups", "Show which statements lie on the partitions alike, and what flows between", help::groups);
    command.add_option("FILE", groups.file, "The programs")->required()->type_name("");
    command.add_option("--machine", groups.machine, "The machine whose matmuls and dtypes count: its name, or a machine file")
        ->type_name("NAME|FILE");
    command.add_option("--pipeline", groups.pipeline, "Passes that come before (default par-axes-annotation)")
        ->type_name("NAMES");
    add_format(command, groups.format);
  }

  void add_cut() {
    CLI::App& command = add_command(app, "cut", "Cut a list of extents so that a tile keeps within a budget", help::cut);
    command.add_option("--shape", cut.shape, "Extents in elements, highest priority first, with commas between")
        ->required()
        ->type_name("N,N,...");
    add_integer(command, "--cut-size", cut.cut_size, 1, "The most elements of a tile (default: as --machine says)");
    command.add_flag("--uniform", cut.uniform, "The tile divides the extent that is cut, so that no tile is ragged");
    add_integer(command, "--multiple", cut.multiple, 1, "Elements of a tile are a multiple of this where anything is cut");
    command
        .add_option("--machine", cut.machine,
                    "Take the figures that are not given from this machine: its name, or a machine file")
        ->type_name("NAME|FILE");
    add_choice<CutAxes>(command, "--axes", cut.axes,
                        {{"free", CutAxes::free},
                         {"partition", CutAxes::partition},
                         {"stationary", CutAxes::stationary},
                         {"moving", CutAxes::moving}},
                        "... for these axes (default free)");
    command.add_flag("--swap", cut.swap, "The tile takes the high-order factor of the axis that is cut");
    command.add_flag("--prove", cut.prove, "Prove that a cut of this class is right whatever the extents are (docs/proofs.md)");
    command.add_option("--names", cut.names, "Names of the axes (default d0,d1,...)")->type_name("NAME,...");
    command.callback([this] {
      if (cut.cut_size == 0 && (cut.machine.empty() || cut.machine == "none"))
        throw WrongUsage("--cut-size is not given", "give the most elements of a tile, or a --machine that says it");
    });
    add_format(command, cut.format);
  }

  void add_reduce() {
    CLI::App& command = add_command(app, "reduce", "Make a find smaller while the check says the same", help::reduce);
    command.add_option("FILES", reduce.files, "BEFORE AFTER, or one file that holds both; with a tiler the program that it gets")
        ->required()
        ->expected(1, 2)
        ->type_name("");
    command.add_option("--machine", reduce.machine, "Judge the limits of this machine: its name, a machine file, or none")
        ->type_name("NAME|FILE");
    add_program(command, reduce.program, "The program to take where a file holds several");
    command.add_option("--pipeline", reduce.pipeline, "The tiler: passes of this program, NAME{OPTION=VALUE,...},...")
        ->type_name("NAMES");
    command
        .add_option("--pass-command", reduce.pass_command, "The tiler: a command that reads a program and writes the tiled one")
        ->type_name("COMMAND");
    command.add_flag("--batch", reduce.batch,
                     "The command takes many programs, each followed by the line `# end`, and so answers");
    add_seconds(command, "--pass-timeout", reduce.pass_timeout_seconds, "The command hangs after so many seconds (default 10)");
    command.add_option("-o,--output", reduce.output, "Where to write (default: standard output)")->type_name("FILE");
    add_count(command, "--tests", reduce.tests, 1000, "End after so many checks (default 20K)");
    add_settings(command, reduce.settings);
    add_format(command, reduce.format);
  }

  void add_prove() {
    CLI::App& command = add_command(app, "prove", "Prove the lemmas that cutting rests upon, for all sizes", help::prove);
    command.add_option("LEMMAS", prove.lemmas, "Names of lemmas and topics (default: all)")->type_name("");
    command.add_flag("--list", prove.list, "Say what the lemmas are, and prove nothing");
    add_integer(command, "--jobs", prove.jobs, 1, 1024, "Lemmas at the same time (default: one for each processor)");
    add_seconds(command, "--timeout", prove.timeout_seconds, "Stop the proof of a lemma after so many seconds (default 20)");
    add_format(command, prove.format);
  }

  void add_fuzz() {
    using oracle::Rounding;
    CLI::App& command = add_command(app, "fuzz", "Draw programs, tile and check them, and keep what goes wrong", help::fuzz);
    command
        .add_option("FILES", fuzz.files, "Try the first program of each file, and of those below folders, instead of drawn ones")
        ->type_name("");
    command.add_option("--pipeline", fuzz.pipeline, "The tiler: passes of this program")->type_name("NAMES");
    command.add_option("--pass-command", fuzz.pass_command, "The tiler: a command that reads a program and writes the tiled one")
        ->type_name("COMMAND");
    command.add_flag("--batch", fuzz.batch, "The command takes many programs, each followed by the line `# end`, and so answers");
    add_seconds(command, "--pass-timeout", fuzz.pass_timeout_seconds, "The command hangs after so many seconds (default 10)");
    command
        .add_option("--machine", fuzz.machine, "Draw about the figures of this machine and judge its limits (docs/fuzzing.md)")
        ->type_name("NAME|FILE");
    add_choice<Rounding>(command, "--rounding", fuzz.rounding, {{"strict", Rounding::strict}, {"relaxed", Rounding::relaxed}},
                         "relaxed: a rounding at another place passes");
    add_seconds(command, "--time", fuzz.time_seconds, "End after so many seconds (default 60, unless --runs says when)");
    add_count(command, "--runs", fuzz.runs, 1000, "End after so many programs", 1);
    command
        .add_option("--only", fuzz.only,
                    "Draw these alone: map, reduce, matmul, transpose, copy, gather, scan, group, with commas")
        ->type_name("NAMES");
    add_integer(command, "--max-operations", fuzz.max_operations, 1, 12, "The most operations of a program (default 12)");
    add_seed(command, fuzz.seed, "Seeds the programs (default 1)");
    add_count(command, "--first", fuzz.first, 1000, "The number of the first program of the seed (default 0)");
    add_integer(command, "--jobs", fuzz.jobs, 1, 1024, "Programs at the same time (default: one for each processor)");
    command.add_option("--known", fuzz.known, "Fail on no find whose key is a line of this file")->type_name("FILE");
    command.add_option("--out", fuzz.out, "Where finds are kept (default finds; of FILES, nowhere)")->type_name("FOLDER");
    command.add_flag("--as-drawn", fuzz.as_drawn, "Keep finds as they were drawn; do not make them smaller");
    add_format(command, fuzz.format);
    command.footer(command.get_footer() + "\n" + passes_help(passes));
  }

  /// Runs the command that was parsed.
  Outcome execute(const std::string& executable, Console& console) {
    const std::string command = app.get_subcommands().front()->get_name();
    if (command == "check") {
      check.executable = executable;
      return check_command(check, console);
    }
    if (command == "run") return run_command(run, console);
    if (command == "replay") {
      replay.executable = executable;
      if (replay.paths.empty()) replay.paths = {"corpus"};
      return replay_command(replay, passes, console);
    }
    if (command == "groups") return groups_command(groups, passes, console);
    if (command == "cut") return cut_command(cut, console);
    if (command == "reduce") return reduce_command(reduce, passes, console);
    if (command == "prove") return prove_command(prove, console);
    if (command == "verify") {
      verify.executable = executable;
      return verify_command(verify, passes, console);
    }
    if (command == "fuzz") {
      fuzz.executable = executable;
      return fuzz_command(fuzz, passes, console);
    }
    return compile_command(compile, passes, console);
  }
};

/// Who is called, in what format: known before the rest of the command line is understood.
struct Caller {
  std::string executable = "tileproof";
  std::string command;          ///< empty: none, or none that exists
  Format format = Format::text;

  explicit Caller(const std::vector<std::string>& words) {
    if (!words.empty()) executable = words.front();
    if (words.size() > 1 && std::ranges::find(commands, words[1]) != commands.end()) command = words[1];
    for (size_t i = 1; i < words.size(); ++i) {
      for (const auto& [word, value] : formats) {
        if (words[i] == fmt::format("--format={}", word) || (words[i] == word && words[i - 1] == "--format")) format = value;
      }
    }
  }
};

ExitCode bad_input(const Caller& caller, const ir::Diagnostics& errors, Console& console) {
  Console::complain(errors);
  console.print(bad_input_document(caller.format, caller.command, errors));
  return ExitCode::bad_input;
}

ExitCode stopped(const Caller& caller, oracle::Verdict verdict, std::string_view reason, Console& console) {
  Console::complain(fmt::format("{}: {}\n", name(verdict), reason));
  console.print(stopped_document(caller.format, caller.command, verdict, reason));
  return static_cast<ExitCode>(oracle::exit_code(verdict));
}

ExitCode usage_error(const Caller& caller, const WrongUsage& wrong, Console& console) {
  const std::string of = caller.command.empty() ? "" : " " + caller.command;
  const std::string mend = fmt::format("{}{} `{}{} --help` says what it takes", wrong.mend, wrong.mend.ends_with('?') ? "" : ";",
                                       caller.executable, of);
  return bad_input(caller, {{"tileproof" + of, {}, wrong.what(), mend}}, console);
}

/// "`tileproof run FILE [OPTIONS]`".
std::string call_of(const std::string& command) {
  for (const auto& [name, usage] : help::usages) {
    if (name != command) continue;
    constexpr std::string_view head = "Usage: ";
    const std::string_view line = usage.substr(head.size(), usage.find('\n') - head.size());
    return fmt::format("`{}`", line);
  }
  return "`tileproof COMMAND ...`";
}

/// What the option parser found, in our words.
WrongUsage in_our_words(const CLI::ParseError& error, const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App& command = app.get_subcommands().empty() ? app : *app.get_subcommands().front();
  const std::string call = call_of(command.get_name());
  if (const std::vector<std::string> extra = app.remaining(true); !extra.empty()) {
    const std::string word = extra.front().substr(0, extra.front().find('='));
    if (!word.starts_with('-') || word == "-")
      return {fmt::format("{} is a word too many", ir::quoted(word)), fmt::format("call it as {}", call)};
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return {fmt::format("no option is called {}", ir::quoted(word)),
            ir::suggestion(word, std::vector<std::string_view>(names.begin(), names.end()),
                           fmt::format("the options are {}", fmt::join(names, ", ")))};
  }
  const std::string what = error.what();
  const std::string name = what.substr(0, what.find_first_of(": "));
  const CLI::Option* const option = command.get_option_no_throw(name);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && what.starts_with("--"))
    return {fmt::format("{} is not given", name), fmt::format("call it as {}", call)};
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return {"no file is given", fmt::format("call it as {}", call)};
  if (option != nullptr && option->get_positional()) return {"a file too many is given", fmt::format("call it as {}", call)};
  if (option != nullptr && dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const auto times = std::ranges::count_if(words, [&](const std::string& word) {
      return std::ranges::any_of(option->get_lnames(),
                                 [&](const std::string& l) { return word == "--" + l || word.starts_with("--" + l + "="); }) ||
             std::ranges::any_of(option->get_snames(), [&](const std::string& s) { return word.starts_with("-" + s); });
    });
    if (times > 1) return {fmt::format("{} is given {} times", name, times), "give it once"};
    return {fmt::format("{} has no value", name), fmt::format("write {} {}", name, option->get_type_name())};
  }
  std::string line = what;
  std::ranges::replace(line, '\n', ' ');
  return {line, fmt::format("call it as {}", call)};
}

/// Throws WrongUsage where an option is given an empty word, as a variable of a shell that is not set makes it.
void refuse_empty_words(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    // A tensor without dims, and a pipeline without passes, are something.
    const bool may_be_empty = option->get_positional() || name == "--shape" || name == "--pipeline";
    if (!may_be_empty && std::ranges::any_of(option->results(), &std::string::empty))
      refuse(name, "", "", fmt::format("write {} {}, or leave it out", name, option->get_type_name()));
  }
}

ExitCode understand_and_execute(const Caller& caller, const std::vector<std::string>& words, const pipeline::Registry& passes,
                                Console& console) {
  const std::string all_commands = fmt::format("name one of {}", fmt::join(commands, ", "));
  if (words.size() < 2) return usage_error(caller, {"no command is given", all_commands}, console);
  if (caller.command.empty() && !words[1].starts_with("-"))
    return usage_error(caller, {fmt::format("no command is called {}", ir::quoted(words[1])), all_commands}, console);
  if (caller.command == "plant") {
    const Outcome outcome = plant_command({words.begin() + 2, words.end()}, console);
    return outcome ? *outcome : bad_input(caller, outcome.error(), console);
  }
  CommandLine line(passes);
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend() - 1);  // the order that CLI11 takes them in
    line.app.parse(std::move(reversed));
    refuse_empty_words(*line.app.get_subcommands().front());
  } catch (const CLI::CallForVersion&) {
    console.print(line.app.version() + "\n");
    return ExitCode::passes;
  } catch (const CLI::CallForHelp&) {
    console.print(line.app.help());
    return ExitCode::passes;
  } catch (const CLI::ParseError& error) {
    return usage_error(caller, in_our_words(error, line.app, words), console);
  } catch (const WrongUsage& wrong) {
    return usage_error(caller, wrong, console);
  }
  const Outcome outcome = line.execute(caller.executable, console);
  return outcome ? *outcome : bad_input(caller, outcome.error(), console);
}

}  // namespace

int run_command_line(const std::vector<std::string>& words, const pipeline::Registry& passes) {
  const Caller caller(words);
  Console console;
  ExitCode exit = ExitCode::harness_error;
  try {
    try {
      exit = understand_and_execute(caller, words, passes, console);
    } catch (const std::bad_alloc&) {
      exit = stopped(caller, oracle::Verdict::unsupported, "out of memory", console);
    } catch (const OutputError&) {
      throw;
    } catch (const std::exception& error) {
      exit = stopped(caller, oracle::Verdict::harness_error, error.what(), console);
    }
  } catch (const OutputError& error) {
    Console::complain(fmt::format("tileproof: error: {}\n", error.what()));
    exit = ExitCode::bad_input;
  } catch (...) {
    Console::complain("harness-error: unknown exception\n");
  }
  return static_cast<int>(exit);
}

}  // namespace tileproof::tool
