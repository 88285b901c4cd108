#include "tool/command_line.h"

#include "tool/commands.h"
#include "tool/help_text.h"
#include "tool/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <new>
#include <optional>

namespace tileproof::tool {
namespace {

constexpr std::array<std::string_view, 4> commands{"check", "run", "replay", "compile"};

/// Options of one command on its way into its arguments.
template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

/// An option that takes one of a few words; the first is the default.
template <class Value>
void add_choice(CLI::App& app, const std::string& option, Value& target, Choices<Value> choices, const std::string& help) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  target = choices.front().second;
  app.add_option_function<std::string>(
         option,
         [&target, choices, words, option](const std::string& said) {
           const auto found = std::ranges::find(choices, said, &std::pair<std::string, Value>::first);
           if (found == choices.end())
             throw CLI::ValidationError(option, fmt::format("`{}` is not one of {}", said, fmt::join(words, ", ")));
           target = found->second;
         },
         help)
      ->type_name(fmt::format("{}", fmt::join(words, "|")));
}

/// "5000", or "20M" and "8G" where `step` is what each suffix multiplies by once more. nullopt: not a count.
std::optional<uint64_t> parse_count(std::string_view text, uint64_t step) {
  uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc()) return std::nullopt;
  constexpr std::string_view suffixes = "KMGT";
  size_t power = 0;
  if (rest != end) {
    power = suffixes.find(*rest) + 1;
    if (power == 0 || rest + 1 != end) return std::nullopt;
  }
  for (; power > 0; --power) {
    if (__builtin_mul_overflow(count, step, &count)) return std::nullopt;
  }
  return count;
}

/// An option that takes a count; its suffixes K, M, G and T multiply by powers of `step`.
void add_count(CLI::App& app, const std::string& option, uint64_t& target, uint64_t step, const std::string& help) {
  app.add_option_function<std::string>(
         option,
         [&target, step, option](const std::string& said) {
           const std::optional<uint64_t> count = parse_count(said, step);
           if (!count)
             throw CLI::ValidationError(option, fmt::format("`{}` is not a count below 2^64, such as 5000, 20M or 8G", said));
           target = *count;
         },
         help)
      ->type_name("N");
}

void add_seed(CLI::App& app, uint64_t& seed, const std::string& help) { add_count(app, "--seed", seed, 1000, help); }

void add_limits(CLI::App& app, uint64_t& points, uint64_t& memory, double& timeout) {
  add_count(app, "--max-points", points, 1000, "Give up a run after so many statement points (default 20G)");
  add_count(app, "--max-memory", memory, 1024, "Give up a run whose buffers need more bytes (default 8G)");
  app.add_option("--timeout", timeout, "Give up after so many seconds (default: never)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 1e9).description(""));
}

void add_format(CLI::App& app, Format& format) {
  add_choice<Format>(app, "--format", format, {{"text", Format::text}, {"json", Format::json}},
                     "What to print: text, or one JSON record (docs/record.md)");
}

void add_settings(CLI::App& app, CheckSettings& settings) {
  using oracle::Rounding;
  add_choice<Rounding>(app, "--rounding", settings.rounding, {{"strict", Rounding::strict}, {"relaxed", Rounding::relaxed}},
                       "relaxed: a rounding at another place passes, and is counted");
  add_seed(app, settings.seed, "Seeds all keys, patterns and orders (default 1)");
  app.add_option("--keys", settings.keys, "Keyed runs that must agree (default 3; more where many narrow dtypes occur)")
      ->type_name("N")
      ->check(CLI::Range(1, 64).description(""));
  add_limits(app, settings.max_points, settings.max_memory, settings.timeout_seconds);
}

void add_program(CLI::App& app, std::string& program, const std::string& help) {
  app.add_option("--program", program, help)->type_name("NAME");
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

  CommandLine() {
    app.footer(std::string(help::program.substr(1)) + std::string(help::exit_codes));
    app.set_version_flag("--version", "tileproof " TILEPROOF_VERSION);
    app.require_subcommand(1);
    const auto formatter = std::make_shared<Formatter>();
    for (const auto& [name, usage] : help::usages) formatter->add(std::string(name), usage);
    app.formatter(formatter);  // subcommands inherit it
    add_check();
    add_run();
    add_replay();
    add_compile();
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
    add_format(command, check.format);
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
    for (const Pattern pattern : {Pattern::random, Pattern::lowest, Pattern::highest, Pattern::ramp, Pattern::borders})
      patterns.emplace_back(name(pattern), pattern);
    add_choice<Pattern>(command, "--pattern", run.pattern, std::move(patterns),
                        "What integer inputs hold that indices or conditions depend on");
    add_seed(command, run.seed, "Seeds inputs and orders (default 1)");
    command.add_option("--param", run.parameters, "The value of a parameter; without it the lowest of its range")
        ->type_name("NAME=N")
        ->expected(1)
        ->allow_extra_args(false);
    add_count(command, "--elements", run.elements, 1000, "Elements to print of each output (default 8)");
    add_limits(command, run.max_points, run.max_memory, run.timeout_seconds);
    add_format(command, run.format);
  }

  void add_replay() {
    CLI::App& command = add_command(app, "replay", "Check stored pairs against what they expect", help::replay);
    command.add_option("PATHS", replay.paths, "Folders and files (default corpus)")->type_name("");
    command.add_option("--jobs", replay.jobs, "Checks at the same time (default: one for each processor)")
        ->type_name("N")
        ->check(CLI::Range(1, 1024).description(""));
    add_settings(command, replay.settings);
    add_format(command, replay.format);
  }

  void add_compile() {
    CLI::App& command = add_command(app, "compile", "Read, verify and print programs in canonical form", help::compile);
    command.add_option("FILE", compile.file, "The programs")->required()->type_name("");
    add_program(command, compile.program, "Only this program of the file");
    command.add_option("--pipeline", compile.pipeline, "Passes to apply (none in this version)")->type_name("NAMES");
    command.add_option("-o,--output", compile.output, "Where to write (default: standard output)")->type_name("FILE");
    add_format(command, compile.format);
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
      return replay_command(replay, console);
    }
    return compile_command(compile, console);
  }
};

/// Who is called, in what format: known before the rest of the command line is understood.
struct Caller {
  std::string executable = "tileproof";
  std::string command;          ///< empty: none, or none that exists
  bool json = false;

  explicit Caller(const std::vector<std::string>& words) {
    if (!words.empty()) executable = words.front();
    if (words.size() > 1 && std::ranges::find(commands, words[1]) != commands.end()) command = words[1];
    for (size_t i = 1; i < words.size(); ++i)
      json = json || words[i] == "--format=json" || (words[i] == "json" && words[i - 1] == "--format");
  }
};

ExitCode bad_input(const Caller& caller, const ir::Diagnostics& errors, Console& console) {
  Console::complain(errors);
  if (caller.json) console.print(bad_input_record(caller.command, errors));
  return ExitCode::bad_input;
}

ExitCode stopped(const Caller& caller, std::string_view verdict, ExitCode exit, std::string_view reason, Console& console) {
  Console::complain(fmt::format("{}: {}\n", verdict, reason));
  if (caller.json) console.print(stopped_record(caller.command, verdict, exit, reason));
  return exit;
}

ExitCode usage_error(const Caller& caller, const std::string& what, Console& console) {
  const std::string of = caller.command.empty() ? "" : " " + caller.command;
  return bad_input(caller, {{"tileproof" + of, {}, what, fmt::format("`{}{} --help` says what it takes", caller.executable, of)}},
                   console);
}

ExitCode understand_and_execute(const Caller& caller, const std::vector<std::string>& words, Console& console) {
  if (words.size() < 2) return usage_error(caller, fmt::format("no command; name one of {}", fmt::join(commands, ", ")), console);
  if (caller.command.empty() && !words[1].starts_with("-")) {
    return usage_error(caller, fmt::format("no command is called `{}`; name one of {}", words[1], fmt::join(commands, ", ")),
                       console);
  }
  CommandLine line;
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend() - 1);  // the order that CLI11 takes them in
    line.app.parse(std::move(reversed));
  } catch (const CLI::CallForVersion&) {
    console.print(line.app.version() + "\n");
    return ExitCode::passes;
  } catch (const CLI::CallForHelp&) {
    console.print(line.app.help());
    return ExitCode::passes;
  } catch (const CLI::ParseError& error) {
    std::string what = error.what();
    std::ranges::replace(what, '\n', ' ');
    return usage_error(caller, what, console);
  }
  const Outcome outcome = line.execute(caller.executable, console);
  return outcome ? *outcome : bad_input(caller, outcome.error(), console);
}

}  // namespace

int run_command_line(const std::vector<std::string>& words) {
  const Caller caller(words);
  Console console;
  ExitCode exit = ExitCode::harness_error;
  try {
    try {
      exit = understand_and_execute(caller, words, console);
    } catch (const std::bad_alloc&) {
      exit = stopped(caller, "unsupported", ExitCode::undecided, "out of memory", console);
    } catch (const OutputError&) {
      throw;
    } catch (const std::exception& error) {
      exit = stopped(caller, "harness-error", ExitCode::harness_error, error.what(), console);
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
