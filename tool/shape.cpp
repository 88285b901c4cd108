#include "tool/shape.h"

#include "compiler/ir/text.h"

namespace tileproof::tool {
namespace {

void append(std::string& list, const ir::Buffer& buffer) {
  if (!list.empty()) list += ' ';
  for (size_t i = 0; i < buffer.extents.size(); ++i) {
    if (i > 0) list += 'x';
    list += ir::print(buffer.extents[i]);
  }
}

}  // namespace

std::string shape(const ir::Program& program, size_t width) {
  std::string inputs;
  std::string outputs;
  for (const ir::Item& item : program.body) {
    const auto* buffer = std::get_if<ir::Buffer>(&item.node);
    if (buffer == nullptr || buffer->role == ir::Role::none) continue;
    if (buffer->role != ir::Role::out) append(inputs, *buffer);
    if (buffer->role != ir::Role::in) append(outputs, *buffer);
  }
  std::string text = inputs + (inputs.empty() ? "-> " : " -> ") + outputs;
  if (text.size() > width) text = text.substr(0, width - 3) + "...";
  return text;
}

}  // namespace tileproof::tool
