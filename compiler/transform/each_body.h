// The blocks that an item contains.
#pragma once

#include "compiler/ir/program.h"

namespace tileproof::transform {

/// Calls f(block) on the body of a loop, a while or a group, and on both branches of an `if`. `Item` may be const.
template <class Item, class F>
void each_body(Item& item, const F& f) {
  if (auto* loop = std::get_if<ir::Loop>(&item.node)) f(loop->body);
  if (auto* repeat = std::get_if<ir::While>(&item.node)) f(repeat->body);
  if (auto* group = std::get_if<ir::Group>(&item.node)) f(group->body);
  if (auto* branch = std::get_if<ir::If>(&item.node)) f(branch->then_body), f(branch->else_body);
}

}  // namespace tileproof::transform
