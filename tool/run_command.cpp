#include "compiler/ir/suggestion.h"
#include "oracle/domain/field.h"
#include "oracle/domain/real.h"
#include "oracle/domain/rounding.h"
#include "oracle/equivalence/report.h"
#include "oracle/equivalence/signature.h"
#include "oracle/interpret/kinds.h"
#include "oracle/interpret/order.h"
#include "oracle/interpret/run_program.h"
#include "oracle/plural.h"
#include "tool/commands.h"
#include "tool/program_input.h"
#include "tool/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <set>

namespace tileproof::tool {
namespace {

using oracle::RunStatus;

/// An output, whatever the domain it was computed in.
struct ShownOutput {
  std::string buffer;
  ir::Dtype dtype = ir::Dtype::f32;
  std::vector<int64_t> extents;
  std::vector<std::string> elements;   ///< the first ones
  uint64_t count = 0;
  uint64_t digest = 0;                 ///< of all
};

struct ShownRun {
  RunStatus status = RunStatus::done;
  std::string reason;
  std::vector<oracle::Finding> findings;
  std::vector<ShownOutput> outputs;
  uint64_t points = 0;
};

constexpr std::string_view name(Domain domain) {
  return domain == Domain::field ? "field" : domain == Domain::real ? "real" : "ieee";
}

/// "n=5,m=2" gives two parts.
std::vector<std::string> parts_of(const std::vector<std::string>& given) {
  std::vector<std::string> parts;
  for (const std::string& text : given) {
    size_t begin = 0;
    for (size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', begin)) {
      parts.push_back(text.substr(begin, comma - begin));
      begin = comma + 1;
    }
    parts.push_back(text.substr(begin));
  }
  return parts;
}

/// A value for each parameter of the program.
std::expected<oracle::Parameters, ir::Diagnostics> parameters_of(const NamedProgram& program,
                                                                 const std::vector<std::string>& given) {
  oracle::Parameters values;
  for (const ir::Parameter& parameter : program.program.parameters) values[parameter.name] = parameter.low;
  ir::Diagnostics errors;
  const auto wrong = [&](std::string what, std::string mend) {
    errors.push_back({"--param", {}, std::move(what), std::move(mend)});
  };
  std::set<std::string> known;
  for (const std::string& text : parts_of(given)) {
    const size_t equals = text.find('=');
    int64_t value = 0;
    const char* const end = text.data() + text.size();
    const bool is_number = equals != std::string::npos && std::from_chars(text.data() + equals + 1, end, value).ptr == end &&
                           equals + 1 < text.size();
    if (!is_number) {
      wrong(fmt::format("{} gives no parameter a value", text.empty() ? "an empty word" : ir::quoted(text)),
            "write NAME=N, such as n=5");
      continue;
    }
    const std::string name = text.substr(0, equals);
    const auto parameter = std::ranges::find(program.program.parameters, name, &ir::Parameter::name);
    if (parameter == program.program.parameters.end()) {
      std::vector<std::string> names;
      for (const ir::Parameter& p : program.program.parameters) names.push_back(p.name);
      wrong(fmt::format("the program has no parameter {}", ir::quoted(name)),
            names.empty() ? "leave --param out: it has none" : fmt::format("it has {}", fmt::join(names, ", ")));
    } else if (!known.insert(name).second) {
      wrong(fmt::format("`{}` is given twice", name), "give each parameter one value");
    } else if (value < parameter->low || value > parameter->high) {
      wrong(fmt::format("{} is outside the range of `{}`", value, name),
            fmt::format("give a value of {}..{}", parameter->low, parameter->high));
    } else {
      values[name] = value;
    }
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return values;
}

oracle::RunOptions options_of(const RunArguments& arguments, const ir::Program& program, oracle::Parameters parameters,
                              std::chrono::steady_clock::time_point begin) {
  oracle::RunOptions options;
  options.parameters = std::move(parameters);
  options.key = arguments.seed;
  options.order = arguments.order;
  options.pattern = arguments.pattern;
  options.level = arguments.level;
  options.kinds = oracle::common_kinds(program, program);
  options.limits.points = arguments.max_points;
  options.limits.bytes = arguments.max_memory;
  if (arguments.timeout_seconds > 0) {
    const std::chrono::duration<double> allowed(arguments.timeout_seconds);
    options.limits.deadline = begin + std::chrono::ceil<std::chrono::steady_clock::duration>(allowed);
  }
  return options;
}

/// What is wrong with the buffers that are to be shown.
ir::Diagnostics wrong_buffers(const NamedProgram& program, const std::vector<std::string>& show) {
  std::vector<std::string> names;
  for (const ir::Item& item : program.program.body) {
    if (const auto* buffer = std::get_if<ir::Buffer>(&item.node)) names.push_back(buffer->name);
  }
  ir::Diagnostics errors;
  for (const std::string& name : show) {
    if (std::ranges::find(names, name) != names.end()) continue;
    errors.push_back({"--show",
                      {},
                      fmt::format("no buffer outside of all blocks is called {}", ir::quoted(name)),
                      fmt::format("show one of {}", fmt::join(names, ", "))});
  }
  return errors;
}

/// Shows the first elements of `values` and digests all of them.
template <class Values, class Text, class Bits>
void show(ShownOutput& shown, const Values& values, uint64_t elements, const Text& text, const Bits& bits) {
  shown.count = values.size();
  shown.digest = oracle::hash_name(shown.buffer);
  for (const auto& value : values) {
    if (shown.elements.size() < elements) shown.elements.push_back(text(value));
    shown.digest = oracle::mix(shown.digest, bits(value));
  }
}

/// The fewest digits that read back as the same number: as an f32 where it is one (and `dtype` is no f64), else as a double.
std::string text_of(oracle::RealValue value, ir::Dtype dtype) {
  if (oracle::Real::is_poison(value)) return "undefined";
  if (value.kind == oracle::RealValue::Kind::integer) return fmt::format("{}", static_cast<int64_t>(value.bits));
  const auto number = std::bit_cast<double>(value.bits);
  const auto single = static_cast<float>(number);
  const bool is_single = dtype != ir::Dtype::f64 && static_cast<double>(single) == number;
  return is_single ? fmt::format("{}", single) : fmt::format("{}", number);
}

/// Runs in `domain`; `text` and `bits` are of one value of it. Integers that steer are shown as what the domain makes of them.
template <class D, class Text, class Bits>
ShownRun run_in(D& domain, const RunArguments& arguments, const ir::Program& program, const oracle::RunOptions& options,
                const Text& text, const Bits& bits) {
  oracle::Run<typename D::Value> run = oracle::run_program(program, domain, options, nullptr, arguments.show);
  ShownRun shown{run.status, std::move(run.reason), std::move(run.findings), {}, run.points};
  for (oracle::Output<typename D::Value>& output : run.outputs) {
    for (const int64_t v : output.integers)
      output.values.push_back(v == oracle::integer_poison ? D::poison() : domain.integer(v));
    ShownOutput& one = shown.outputs.emplace_back();
    one.buffer = output.buffer;
    one.dtype = output.dtype;
    one.extents = output.extents;
    show(one, output.values, arguments.elements, [&](const auto& v) { return text(v, output.dtype); }, bits);
  }
  return shown;
}

ShownRun run_in_field(const RunArguments& arguments, const ir::Program& program, const oracle::RunOptions& options) {
  oracle::Field field(oracle::signature_of(program, program, options.kinds), {}, options.key);
  using Value = oracle::Field::Value;
  const auto digest = [&](const Value& v) { return field.digest(v); };
  const auto text = [&](const Value& v, ir::Dtype) {
    return oracle::Field::is_poison(v) ? "undefined" : fmt::format("{:016x}", digest(v));
  };
  return run_in(field, arguments, program, options, text, digest);
}

ShownRun run_in_reals(const RunArguments& arguments, const ir::Program& program, const oracle::RunOptions& options) {
  oracle::Real real({.rounding = arguments.domain == Domain::ieee, .projection = {}}, {}, arguments.seed);
  const auto bits = [](oracle::RealValue v) { return oracle::Real::is_poison(v) ? 0 : v.bits; };
  return run_in(real, arguments, program, options, text_of, bits);
}

/// Puts the outputs into the order of their declaration.
void order_outputs(ShownRun& shown, const ir::Program& program) {
  std::vector<ShownOutput> ordered;
  for (const ir::Item& item : program.body) {
    const auto* buffer = std::get_if<ir::Buffer>(&item.node);
    if (buffer == nullptr) continue;
    const auto output = std::ranges::find(shown.outputs, buffer->name, &ShownOutput::buffer);
    if (output == shown.outputs.end()) continue;
    ordered.push_back(std::move(*output));
  }
  shown.outputs = std::move(ordered);
}

struct Result {
  std::string_view verdict;
  ExitCode exit;
};

Result result_of(const ShownRun& run) {
  switch (run.status) {
    case RunStatus::done: return run.findings.empty() ? Result{"done", ExitCode::passes} : Result{"refuted", ExitCode::refuted};
    case RunStatus::unsupported: return {"unsupported", ExitCode::undecided};
    case RunStatus::out_of_points:
    case RunStatus::out_of_memory:
    case RunStatus::out_of_time: break;
  }
  return {"timeout", ExitCode::undecided};
}

std::string reason_of(const ShownRun& run) {
  if (!run.reason.empty()) return run.reason + (run.status == RunStatus::out_of_memory ? "; raise --max-memory" : "");
  switch (run.status) {
    case RunStatus::out_of_points:
      return "more statement points, and steps of loops without one, than --max-points allows; raise it";
    case RunStatus::out_of_memory: return "more bytes than --max-memory allows; raise it";
    case RunStatus::out_of_time: return "the time is over; raise --timeout";
    case RunStatus::done:
    case RunStatus::unsupported: break;
  }
  return "";
}

std::string output_text(const ShownOutput& output) {
  std::string text =
      fmt::format("  {} : {}[{}]  {} element{}, digest {:016x}\n", output.buffer, ir::name(output.dtype),
                  fmt::join(output.extents, ", "), oracle::grouped(output.count), output.count == 1 ? "" : "s", output.digest);
  if (!output.elements.empty())
    text += fmt::format("    {}{}\n", fmt::join(output.elements, ", "), output.count > output.elements.size() ? ", ..." : "");
  return text;
}

/// What the user asked for and cannot have; empty: nothing.
std::string note_on(const RunArguments& arguments, const oracle::RunOptions& options) {
  if (arguments.pattern == oracle::Pattern::random || !options.kinds.index_inputs.empty()) return "";
  return fmt::format("--pattern {} changes nothing: no index, condition or bound of the program depends on an input",
                     name(arguments.pattern));
}

std::string run_text(const RunArguments& arguments, const NamedProgram& program, const oracle::RunOptions& options,
                     const ShownRun& run) {
  const std::string reason = reason_of(run);
  std::string text = fmt::format("{}{}{}\n", result_of(run).verdict, reason.empty() ? "" : ": ", reason);
  text += fmt::format("  {} ({}), domain {}, order {}, seed {}\n", program.file, program.program.name, name(arguments.domain),
                      name(arguments.order), arguments.seed);
  for (const auto& [parameter, value] : options.parameters) text += fmt::format("  {} = {}\n", parameter, value);
  if (const std::string note = note_on(arguments, options); !note.empty()) text += fmt::format("  note: {}\n", note);
  for (const ShownOutput& output : run.outputs) text += output_text(output);
  for (const oracle::Finding& finding : run.findings)
    text += fmt::format("  finding: {}; {}\n", finding_text(finding, program.file), oracle::page(finding.id));
  return text + fmt::format("  {}\n", oracle::plural(run.points, "point"));
}

std::string run_record(const RunArguments& arguments, const NamedProgram& program, const oracle::RunOptions& options,
                       const ShownRun& run) {
  const Result result = result_of(run);
  Json record = record_head("run", result.verdict, result.exit);
  record["reason"] = reason_of(run);
  record["file"] = program.file;
  record["program"] = program.program.name;
  record["domain"] = name(arguments.domain);
  record["order"] = name(arguments.order);
  record["pattern"] = text(arguments.pattern, arguments.level);
  record["seed"] = arguments.seed;
  record["parameters"] = Json::object();
  for (const auto& [parameter, value] : options.parameters) record["parameters"][parameter] = value;
  record["outputs"] = Json::array();
  for (const ShownOutput& output : run.outputs) {
    record["outputs"].push_back({{"buffer", output.buffer},
                                 {"dtype", ir::name(output.dtype)},
                                 {"extents", output.extents},
                                 {"elements", output.elements},
                                 {"count", output.count},
                                 {"digest", fmt::format("{:016x}", output.digest)}});
  }
  record["findings"] = Json::array();
  for (const oracle::Finding& finding : run.findings) record["findings"].push_back(finding_record(finding, program.file));
  record["points"] = run.points;
  return record_text(record);
}

}  // namespace

Outcome run_command(const RunArguments& arguments, Console& console) {
  if (arguments.level != 0 && arguments.pattern != oracle::Pattern::level)
    return std::unexpected(ir::Diagnostics{{"", {}, "--level is given without --pattern level", "give both, or neither"}});
  const auto begin = std::chrono::steady_clock::now();
  const std::expected<NamedProgram, ir::Diagnostics> program = load_program(arguments.file, arguments.program);
  if (!program) return std::unexpected(program.error());
  std::expected<oracle::Parameters, ir::Diagnostics> parameters = parameters_of(*program, arguments.parameters);
  if (!parameters) return std::unexpected(std::move(parameters.error()));

  if (ir::Diagnostics wrong = wrong_buffers(*program, arguments.show); !wrong.empty()) return std::unexpected(std::move(wrong));

  const oracle::RunOptions options = options_of(arguments, program->program, std::move(*parameters), begin);
  ShownRun run = arguments.domain == Domain::field ? run_in_field(arguments, program->program, options)
                                                   : run_in_reals(arguments, program->program, options);
  order_outputs(run, program->program);
  if (arguments.format == Format::json) {
    if (const std::string note = note_on(arguments, options); !note.empty()) Console::complain(fmt::format("note: {}\n", note));
    console.print(run_record(arguments, *program, options, run));
  } else {
    console.print(run_text(arguments, *program, options, run));
  }
  return result_of(run).exit;
}

}  // namespace tileproof::tool
