#include "props/pipeline/passes/passes.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::pipeline {
namespace {

using Made = std::expected<ir::Program, ir::Diagnostics>;

Pass rename() {
  return {.name = "rename",
          .summary = "appends to the name of the program",
          .needs = "",
          .ensures = "",
          .options = {},
          .vocabulary = {{"renamed", RemarkKind::applied, "the program has another name"}},
          .run = [](const ir::Program& program, const Context& context) -> Made {
            ir::Program made = program;
            made.name += "_renamed";
            context.remarks.push_back(
                {.id = "renamed", .statement = "-", .text = made.name, .location = program.location, .pass = {}});
            return made;
          }};
}

void substitute(ir::Expression& e, const std::string& name, const ir::Expression& by) {
  if (e.op == ir::Op::variable && e.name == name) {
    e = by;
    return;
  }
  for (ir::Expression& operand : e.operands) substitute(operand, name, by);
}

enum class Tail : uint8_t { guarded, unguarded, dropped };

/// `over i:10` of a statement becomes `for i_tile in 0..3 par { ... over i:4 where 4*i_tile + i < 10 }`.
ir::Loop tiled(ir::Statement statement, size_t split_axis, int64_t extent, int64_t size, Tail tail) {
  ir::Axis& axis = statement.axes[split_axis];
  const std::string tile = axis.name + "_tile";
  const ir::Expression index =
      make(ir::Op::add, {make(ir::Op::multiply, {ir::integer(size), ir::variable(tile)}), ir::variable(axis.name)});
  axis.extent = ir::integer(size);
  const std::string name = axis.name;
  for (ir::Expression& i : statement.indices) substitute(i, name, index);
  for (ir::Expression& condition : statement.where) substitute(condition, name, index);
  substitute(statement.value, name, index);
  const int64_t trips = tail == Tail::dropped ? extent / size : (extent + size - 1) / size;
  if (tail == Tail::guarded && extent % size != 0) statement.where.push_back(make(ir::Op::less, {index, ir::integer(extent)}));
  ir::Loop loop{.name = tile,
                .tags = {},
                .range = {ir::integer(0), ir::integer(trips)},
                .kind = ir::LoopKind::par,
                .body = {},
                .location = statement.location};
  loop.body.push_back({std::move(statement)});
  return loop;
}

Made split(const ir::Program& program, const Context& context, int64_t size, Tail tail) {
  const auto labels = labelled_statements(program);
  ir::Program made = program;
  for (size_t i = 0; i < made.body.size(); ++i) {
    auto* const statement = std::get_if<ir::Statement>(&made.body[i].node);
    if (statement == nullptr) continue;
    const auto label = std::ranges::find(labels, std::get_if<ir::Statement>(&program.body[i].node),
                                         &std::pair<const ir::Statement*, std::string>::first);
    const auto remark = [&](std::string id, std::string text) {
      context.remarks.push_back({.id = std::move(id),
                                 .statement = label->second,
                                 .text = std::move(text),
                                 .location = statement->location,
                                 .pass = {}});
    };
    const auto axis = std::ranges::find(statement->axes, ir::AxisKind::parallel, &ir::Axis::kind);
    const std::optional<int64_t> extent =
        axis == statement->axes.end() || axis->extent.op != ir::Op::literal ? std::nullopt : to_integer(axis->extent.value);
    if (!extent) {
      remark("no-axis", "no parallel axis of constant extent comes first");
    } else if (*extent <= size) {
      remark("small", fmt::format("{} is no more than a tile of {}", *extent, size));
    } else {
      remark("split", fmt::format("{} into tiles of {}", *extent, size));
      context.obligations.push_back({"coverage", label->second, {{"extent", *extent}, {"size", size}}});
      const auto which = static_cast<size_t>(axis - statement->axes.begin());
      made.body[i].node = tiled(*statement, which, *extent, size, tail);
    }
  }
  return made;
}

Pass split() {
  return {.name = "split",
          .summary = "splits the first parallel axis of each top-level statement",
          .needs = "",
          .ensures = "no axis that was split is longer than a tile",
          .options =
              {{.name = "size", .default_value = int64_t{4}, .low = 1, .words = {}, .help = "elements of a tile"},
               {.name = "where", .default_value = std::string("tail"), .words = {"tail", "nowhere"}, .help = "what is guarded"},
               {.name = "remark", .default_value = true, .words = {}, .help = "say what was done"}},
          .vocabulary = {{"split", RemarkKind::applied, "an axis became a loop and a tile"},
                         {"small", RemarkKind::declined, "the axis is no longer than a tile"},
                         {"no-axis", RemarkKind::declined, "there is no axis to split"}},
          .run = [](const ir::Program& program, const Context& context) {
            const bool guarded = context.options.word("where") == "tail";
            Made made = split(program, context, context.options.integer("size"), guarded ? Tail::guarded : Tail::unguarded);
            if (!context.options.boolean("remark")) context.remarks.clear();
            return made;
          }};
}

Pass drop_tail() {
  Pass pass = split();
  pass.name = "drop-tail";
  pass.summary = "wrong: the tail is not computed";
  pass.options = {};
  pass.run = [](const ir::Program& program, const Context& context) { return split(program, context, 4, Tail::dropped); };
  return pass;
}

Pass banks() {
  return {.name = "banks",
          .summary = "changes nothing",
          .needs = "",
          .ensures = "",
          .options = {{.name = "banks", .default_value = MachineConstant{"psum_banks"}, .low = 1, .words = {}, .help = "banks"}},
          .vocabulary = {{"banks", RemarkKind::applied, "how many banks there are"}},
          .run = [](const ir::Program& program, const Context& context) -> Made {
            context.remarks.push_back({.id = "banks",
                                       .statement = "-",
                                       .text = fmt::format("{}", context.options.integer("banks")),
                                       .location = program.location,
                                       .pass = {}});
            return program;
          }};
}

Pass refuse() {
  return {.name = "refuse",
          .summary = "takes no program",
          .needs = "a program that does not exist",
          .ensures = "",
          .options = {},
          .vocabulary = {},
          .run = [](const ir::Program& program, const Context&) -> Made {
            return std::unexpected(ir::Diagnostics{{"", program.location, "no program suits this pass", "leave the pass out"}});
          }};
}

Pass break_program() {
  return {.name = "break",
          .summary = "wrong: what it makes is not well formed",
          .needs = "",
          .ensures = "",
          .options = {},
          .vocabulary = {},
          .run = [](const ir::Program& program, const Context&) -> Made {
            ir::Program made = program;
            for (ir::Item& item : made.body) {
              if (auto* const statement = std::get_if<ir::Statement>(&item.node)) statement->destination = "nothing";
            }
            return made;
          }};
}

}  // namespace

Registry test_registry() {
  return {
      .passes = {rename(), split(), banks(), refuse(), drop_tail(), break_program(), tile_first_axis()},
      .pipelines = {{"both", "renames and splits", "rename,split{where=tail}"}, {"both-twice", "... and again", "both,both"}}};
}

}  // namespace tileproof::pipeline
