// The pass that docs/pipelines.md shows.
#include "compiler/transform/environment.h"
#include "compiler/transform/move_to_loop.h"
#include "compiler/transform/names.h"
#include "compiler/transform/split.h"
#include "props/pipeline/passes/passes.h"

#include <algorithm>

namespace tileproof::pipeline {

std::expected<ir::Program, ir::Diagnostics> tile_first_axes(const ir::Program& original, const Context& context) {
  ir::Program program = original;
  transform::Environment environment(program);
  transform::FreshNames names(program);
  const auto labels = ir::labelled_statements(original);
  for (size_t i = 0; i < program.body.size(); ++i) {
    const auto* statement = std::get_if<ir::Statement>(&original.body[i].node);
    if (statement == nullptr || statement->axes.empty()) continue;
    const ir::Axis& axis = statement->axes.front();
    const auto kind = axis.kind == ir::AxisKind::parallel ? ir::LoopKind::par : ir::LoopKind::seq;
    const std::string block = names.fresh(axis.name + "_block");
    ir::Item nest = program.body[i];
    auto done = transform::split_axis(std::get<ir::Statement>(nest.node), axis.name, context.options.integer("size"),
                                      {.outer = block, .inner = axis.name});
    if (done) done = transform::move_to_loop(nest, block, kind, environment);
    const auto label = std::ranges::find(labels, statement, [](const auto& each) { return each.first; });
    context.remarks.push_back({.id = done ? "tiled" : "refused",
                               .statement = label->second,
                               .text = done ? "a loop over tiles of " + axis.name : done.error().text,
                               .location = statement->location,
                               .pass = {}});
    if (done) program.body[i] = std::move(nest);
  }
  return program;
}

Pass tile_first_axis() {
  return {.name = "tile-first-axis",
          .summary = "loops over tiles of the first axis of each statement",
          .needs = "",
          .ensures = "the first axis of a statement outside of loops has at most `size` elements, or a remark says why not",
          .options = {{.name = "size", .default_value = int64_t{8}, .low = 1, .words = {}, .help = "elements of a tile"}},
          .vocabulary = {{"tiled", RemarkKind::applied, "an axis became a loop around tiles"},
                         {"refused", RemarkKind::declined, "a primitive refused"}},
          .run = tile_first_axes};
}

}  // namespace tileproof::pipeline
