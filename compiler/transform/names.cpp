#include "compiler/transform/names.h"

#include "compiler/ir/reserved.h"
#include "compiler/transform/each_body.h"

namespace tileproof::transform {

FreshNames::FreshNames(const ir::Program& program) {
  for (const ir::Parameter& parameter : program.parameters) taken_.insert(parameter.name);
  block(program.body);
}

void FreshNames::block(const ir::Block& items) {
  for (const ir::Item& item : items) {
    if (const auto* buffer = std::get_if<ir::Buffer>(&item.node)) {
      taken_.insert(buffer->name);
    } else if (const auto* view = std::get_if<ir::View>(&item.node)) {
      taken_.insert(view->name);
      for (const ir::Axis& dim : view->dims) taken_.insert(dim.name);
    } else if (const auto* statement = std::get_if<ir::Statement>(&item.node)) {
      for (const ir::Axis& axis : statement->axes) taken_.insert(axis.name);
    } else if (const auto* loop = std::get_if<ir::Loop>(&item.node)) {
      taken_.insert(loop->name);
    }
    each_body(item, [this](const ir::Block& body) { block(body); });
  }
}

std::string FreshNames::fresh(std::string_view stem) {
  std::string name(stem);
  if (ir::is_name(name) && taken_.insert(name).second) return name;
  int64_t& next = next_[name];
  do {
    name = std::string(stem) + std::to_string(++next);
  } while (!taken_.insert(name).second);
  return name;
}

}  // namespace tileproof::transform
