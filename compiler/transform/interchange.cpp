#include "compiler/transform/interchange.h"

#include "compiler/transform/apart.h"
#include "compiler/transform/partial_results.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::transform {
namespace {

using ir::LoopKind;
using ir::Op;

/// Whether all written buffers are apart in one of the loops.
bool keeps_order_by_place(const ir::Loop& outer, const ir::Loop& inner, const Environment& environment) {
  const Touched all = touched(inner.body, environment);
  if (!all.is_known) return false;
  return std::ranges::all_of(all.written, [&](const std::string& root) {
    if (is_apart(root, inner.name, {outer.name}, inner.body, environment)) return true;
    return inner.kind == LoopKind::seq && is_apart(root, outer.name, {inner.name}, inner.body, environment);
  });
}

bool says_first_of(const ir::Claim& claim, const ir::Loop& loop) {
  const ir::Expression first = compare(Op::equal, ir::variable(loop.name), loop.range.low);
  return std::ranges::find(claim.conditions, first) != claim.conditions.end();
}

/// Whether the nest is one accumulation that may take its terms in any order.
bool accumulates_in_any_order(const ir::Loop& outer, const ir::Loop& inner, const Environment& environment) {
  if (inner.kind != LoopKind::seq || inner.body.size() != 1) return false;
  const auto* s = std::get_if<ir::Statement>(&inner.body.front().node);
  const Memory* destination = s == nullptr ? nullptr : environment.find(s->destination);
  if (destination == nullptr || s->update == ir::Update::assign || s->stop || !s->clobbers.empty()) return false;
  if (std::ranges::find(s->axes, ir::AxisKind::seq, &ir::Axis::kind) != s->axes.end()) return false;
  const std::set<std::string> loops{outer.name, inner.name};
  std::vector<const ir::Expression*> parts{&s->value};
  for (const auto* list : {&s->indices, &s->where})
    for (const ir::Expression& e : *list) parts.push_back(&e);
  std::set<std::string> reduces;
  for (const ir::Axis& axis : s->axes)
    if (axis.kind == ir::AxisKind::reduce) reduces.insert(axis.name);
  for (const ir::Expression* e : parts) {
    for (const std::string& name : names_in(*e)) {
      const Memory* memory = environment.find(name);
      if (memory != nullptr && (memory->root == destination->root || (memory->is_placed && destination->is_placed))) return false;
    }
  }
  if (s->start) {
    // Which iteration is the first to initialise must not depend on the order.
    if (s->start->conditions.size() != 2 || !says_first_of(*s->start, outer) || !says_first_of(*s->start, inner)) return false;
    const auto decides = [&](const ir::Expression& e) { return mentions(e, loops) && !mentions(e, reduces); };
    if (std::ranges::any_of(s->where, decides)) return false;
    if (std::ranges::any_of(s->indices, [&](const ir::Expression& e) { return mentions(e, loops); })) return false;
  }
  return partials_survive(*s, destination->dtype, environment);
}

}  // namespace

Outcome<> interchange(ir::Loop& outer, const Environment& environment) {
  auto* inner = outer.body.size() == 1 ? std::get_if<ir::Loop>(&outer.body.front().node) : nullptr;
  if (inner == nullptr) return refuse(RefusalId::not_a_nest, fmt::format("the body of {} is not one loop", outer.name));
  if (mentions(inner->range.low, {outer.name}) || mentions(inner->range.high, {outer.name}))
    return refuse(RefusalId::bounds_depend, fmt::format("the bounds of {} name {}", inner->name, outer.name));
  for (const auto& [name, kind] : {std::pair(outer.name, outer.kind), std::pair(inner->name, inner->kind)}) {
    if (kind == LoopKind::shard || kind == LoopKind::thread)
      return refuse(RefusalId::crosses_units, fmt::format("{} is a {} loop", name, ir::name(kind)));
  }
  if (outer.kind != LoopKind::par && !keeps_order_by_place(outer, *inner, environment) &&
      !accumulates_in_any_order(outer, *inner, environment))
    return refuse(RefusalId::order_would_change,
                  fmt::format("an iteration of {} may use what another one of {} has left", inner->name, outer.name));
  std::swap(outer.name, inner->name);
  std::swap(outer.tags, inner->tags);
  std::swap(outer.range, inner->range);
  std::swap(outer.kind, inner->kind);
  std::swap(outer.location, inner->location);
  return {};
}

}  // namespace tileproof::transform
