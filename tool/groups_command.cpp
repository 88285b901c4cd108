#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/operation.h"
#include "compiler/penguin/partition_groups.h"
#include "compiler/pipeline/run_pipeline.h"
#include "tool/commands.h"
#include "tool/document.h"
#include "tool/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_map>

namespace tileproof::tool {
namespace {

/// A program with its groups, and how people call its parts.
class Grouped {
 public:
  Grouped(const ir::Program& program, const machine::Machine& machine)
      : program_(program),
        statements_(penguin::whole_tensor_statements(program)),
        groups_(penguin::partition_groups(program, machine)) {
    for (const auto& [statement, label] : ir::labelled_statements(program)) labels_.emplace(statement, label);
  }

  std::string text() const {
    std::string text = fmt::format("{}\n", program_.name);
    for (size_t i = 0; i < groups_.groups.size(); ++i) text += group_text(i);
    std::string edges;
    for (const penguin::TensorEdge& edge : groups_.edges)
      edges += fmt::format("    {} -> {}  {}{}\n", label(edge.producer), label(edge.consumer), edge.tensor->name,
                           penguin::is_local(*edge.tensor) ? "" : " (seen from outside)");
    if (!edges.empty()) text += "  tensors\n" + edges;
    std::vector<std::string> relations, without;
    for (const auto& [from, to] : groups_.relations) relations.push_back(fmt::format("{} -> {}", from, to));
    if (!relations.empty()) text += fmt::format("  relations  {}\n", fmt::join(relations, ", "));
    for (size_t i = 0; i < statements_.size(); ++i)
      if (!groups_.nests[i]) without.push_back(label(i));
    if (!without.empty()) text += fmt::format("  no layout  {}\n", fmt::join(without, ", "));
    return text;
  }

  Json record() const {
    Json record{{"program", program_.name}, {"nests", Json::array()}, {"groups", Json::array()}, {"edges", Json::array()}};
    for (size_t i = 0; i < statements_.size(); ++i) {
      const auto& nest = groups_.nests[i];
      record["nests"].push_back({{"statement", label(i)},
                                 {"kind", nest ? Json(name(nest->kind)) : Json(nullptr)},
                                 {"source", nest ? Json(nest->source) : Json(nullptr)},
                                 {"destination", nest ? Json(nest->destination) : Json(nullptr)}});
    }
    for (const penguin::PartitionGroup& group : groups_.groups) {
      Json others = Json::array();
      for (const auto& [number, axes] : group.others) {
        Json list = Json::array();
        for (const penguin::NestAxis& axis : axes)
          list.push_back({{"statement", label(axis.statement)}, {"axis", name_of(axis)}});
        others.push_back({{"ag", number}, {"axes", list}});
      }
      record["groups"].push_back({{"partition", group.partition},
                                  {"members", labels(group.members)},
                                  {"sources", labels(group.sources)},
                                  {"sinks", labels(group.sinks)},
                                  {"others", others},
                                  {"color", group.color},
                                  {"looped_or_reduced", group.is_looped_or_reduced}});
    }
    for (const penguin::TensorEdge& edge : groups_.edges)
      record["edges"].push_back({{"producer", label(edge.producer)},
                                 {"consumer", label(edge.consumer)},
                                 {"tensor", edge.tensor->name},
                                 {"local", penguin::is_local(*edge.tensor)}});
    record["relations"] = groups_.relations;
    record["consumers"] = Json::array();
    for (const auto& [number, groups] : groups_.consumer_groups)
      record["consumers"].push_back({{"ag", number}, {"groups", groups}});
    return record;
  }

 private:
  const ir::Program& program_;
  const std::vector<const ir::Statement*> statements_;
  const penguin::PartitionGroups groups_;
  std::unordered_map<const ir::Statement*, std::string> labels_;

  std::string label(size_t statement) const { return labels_.at(statements_[statement]); }
  std::vector<std::string> labels(const std::vector<size_t>& statements) const {
    std::vector<std::string> words;
    for (const size_t statement : statements) words.push_back(label(statement));
    return words;
  }
  std::string name_of(const penguin::NestAxis& axis) const { return statements_[axis.statement]->axes[axis.axis].name; }

  /// The axes of an axis group that lie on the partitions: "m of matmul#1".
  std::vector<std::string> partition_axes(const penguin::PartitionGroup& group, int64_t number) const {
    std::vector<std::string> words;
    const auto add = [&](const std::vector<size_t>& statements) {
      for (const size_t i : statements)
        for (const ir::Axis& axis : statements_[i]->axes)
          if (penguin::axis_group(axis) == number && !contains(group, number, {i, position(i, axis)}))
            words.push_back(fmt::format("{} of {}", axis.name, label(i)));
    };
    add(group.members), add(group.sources), add(group.sinks);
    return words;
  }
  size_t position(size_t statement, const ir::Axis& axis) const {
    return static_cast<size_t>(&axis - statements_[statement]->axes.data());
  }
  static bool contains(const penguin::PartitionGroup& group, int64_t number, const penguin::NestAxis& axis) {
    const auto found = group.others.find(number);
    return found != group.others.end() && std::ranges::find(found->second, axis) != found->second.end();
  }

  std::string group_text(size_t number) const {
    const penguin::PartitionGroup& group = groups_.groups[number];
    std::string text = fmt::format("  group {}, color {}\n", number, group.color);
    const auto line = [&](std::string_view what, const std::vector<std::string>& words) {
      if (!words.empty()) text += fmt::format("    {:<11}{}\n", what, fmt::join(words, ", "));
    };
    if (group.partition.empty()) line("partitions", {"one lane"});
    for (const int64_t each : group.partition)
      line("partitions", {fmt::format("ag {}: {}", each, fmt::join(partition_axes(group, each), ", "))});
    line("members", labels(group.members));
    line("sources", labels(group.sources));
    line("sinks", labels(group.sinks));
    for (const auto& [each, axes] : group.others) {
      std::vector<std::string> words;
      for (const penguin::NestAxis& axis : axes) words.push_back(fmt::format("{} of {}", name_of(axis), label(axis.statement)));
      line("others", {fmt::format("ag {}: {}", each, fmt::join(words, ", "))});
    }
    if (group.is_looped_or_reduced)
      line("warning", {"a partition axis loops or is reduced along the free dimension in another nest"});
    return text;
  }
};

/// A pass could not take the program, or spoiled it.
ExitCode refused(const GroupsArguments& arguments, pipeline::Failure failure, Console& console) {
  const bool is_refusal = failure.kind == pipeline::Failure::Kind::refused;
  for (ir::Diagnostic& error : failure.diagnostics) {
    error.file = is_refusal ? arguments.file : error.file;
    error.message = fmt::format("pass {}{}: {}", failure.pass, is_refusal ? "" : " makes an ill-formed program", error.message);
  }
  const oracle::Verdict verdict = is_refusal ? oracle::Verdict::unsupported : oracle::Verdict::harness_error;
  Console::complain(failure.diagnostics);
  console.print(stopped_document(arguments.format, "groups", verdict, to_string(failure.diagnostics.front())));
  return static_cast<ExitCode>(oracle::exit_code(verdict));
}

}  // namespace

Outcome groups_command(const GroupsArguments& arguments, const pipeline::Registry& passes, Console& console) {
  const auto pipeline = chosen_pipeline(arguments.pipeline, passes, "");
  if (!pipeline) return std::unexpected(pipeline.error());
  const std::expected<ir::File, ir::Diagnostics> file = load_file(arguments.file);
  if (!file) return std::unexpected(file.error());
  std::string text;
  Json programs = Json::array();
  for (const ir::Program& program : file->programs) {
    const auto machine = choose_machine(arguments.machine, {arguments.file, program});
    if (!machine) return std::unexpected(machine.error());
    if (machine->get() == nullptr)
      return std::unexpected(
          ir::Diagnostics{{"--machine", {}, "layouts are of a machine, and none is named", "name one: --machine trn2"}});
    auto stage = pipeline::run_pipeline(program, *pipeline, machine->get());
    if (!stage) return refused(arguments, std::move(stage.error()), console);
    const Grouped grouped(stage->program, *machine->get());
    text += (text.empty() ? "" : "\n") + grouped.text();
    programs.push_back(grouped.record());
  }
  if (arguments.format == Format::json) {
    Json record = record_head("groups", "done", ExitCode::passes);
    record["file"] = arguments.file;
    record["pipeline"] = arguments.pipeline;
    record["programs"] = programs;
    text = record_text(record);
  }
  console.print(text);
  return ExitCode::passes;
}

}  // namespace tileproof::tool
