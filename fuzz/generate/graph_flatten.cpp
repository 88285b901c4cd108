#include "fuzz/generate/graph_flatten.h"

#include "fuzz/generate/terms.h"
#include "fuzz/reduce/walk.h"

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace tileproof::fuzz {
namespace {

/// The dims `first` and `first + 1`, of which the second has `extent` elements, are indexed as one.
void flatten(std::vector<ir::Expression>& indices, size_t first, int64_t extent) {
  indices[first] = plus(times(extent, std::move(indices[first])), std::move(indices[first + 1]));
  indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(first) + 1);
}

void flatten(ir::Program& program, ir::Buffer& buffer, size_t first) {
  const auto outer = constant(buffer.extents[first]), inner = constant(buffer.extents[first + 1]);
  if (!outer || !inner) return;
  const std::string name = buffer.name;
  buffer.extents[first] = ir::integer(*outer * *inner);
  buffer.extents.erase(buffer.extents.begin() + static_cast<std::ptrdiff_t>(first) + 1);
  each_item(program.body, [&](ir::Item& item) {
    each_expression(item, [&](ir::Expression& e, Use) {
      each_read(e, [&](ir::Expression& read) {
        if (read.name == name) flatten(read.operands, first, *inner);
      });
    });
    auto* s = std::get_if<ir::Statement>(&item.node);
    if (s != nullptr && s->destination == name) flatten(s->indices, first, *inner);
  });
}

}  // namespace

void flatten_dims(ir::Program& program, Choices& choices, unsigned percent) {
  for (size_t i = 0; i < program.body.size(); ++i) {
    auto* buffer = std::get_if<ir::Buffer>(&program.body[i].node);
    if (buffer == nullptr || buffer->extents.size() < 2 || !choices.chance(percent)) continue;
    do {
      flatten(program, *buffer, choices.below(buffer->extents.size() - 1));
    } while (buffer->extents.size() > 1 && choices.chance(30));
  }
}

}  // namespace tileproof::fuzz
