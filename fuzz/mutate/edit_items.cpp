#include "fuzz/mutate/edits.h"

#include <set>

namespace tileproof::fuzz {

namespace {

auto place(std::vector<ir::Item>& block, uint64_t at) { return block.begin() + static_cast<ptrdiff_t>(at); }

/// Calls f(name) on all names that stand for something declared: memory, variables, loops, axes, parameters, groups.
template <class F>
void each_name(ir::File& file, const F& f) {
  for (ir::Program& program : file.programs) {
    for (ir::Parameter& parameter : program.parameters) f(parameter.name);
    each_item(program.body, [&](ir::Item& item) {
      each_memory_name(item, f);
      if (auto* loop = std::get_if<ir::Loop>(&item.node)) f(loop->name);
      if (auto* group = std::get_if<ir::Group>(&item.node)) f(group->name);
      const auto axes = [&](std::vector<ir::Axis>& list) {
        for (ir::Axis& axis : list) f(axis.name);
      };
      if (auto* s = std::get_if<ir::Statement>(&item.node)) axes(s->axes);
      if (auto* view = std::get_if<ir::View>(&item.node)) axes(view->dims);
      each_expression(item, [&](ir::Expression& e, Use use) {
        each_node(e, use, [&](ir::Expression& node, Use) {
          if (node.op == ir::Op::variable) f(node.name);
        });
      });
    });
  }
}

}  // namespace

std::vector<std::string> names_of(ir::File& file) {
  std::set<std::string> names;
  each_name(file, [&](const std::string& name) { names.insert(name); });
  return {names.begin(), names.end()};
}

bool edit_items(ir::File& file, Choices& choices) {
  const std::vector<ir::Block*> blocks = all_blocks(file);
  if (blocks.empty()) return false;
  ir::Block& block = *choices.pick(blocks);
  if (block.empty()) return false;
  const auto at = place(block, choices.below(block.size()));
  switch (choices.below(4)) {
    case 0: block.erase(at); break;
    case 1: block.insert(at, ir::Item(*at)); break;
    case 2: std::iter_swap(at, place(block, choices.below(block.size()))); break;
    default: {   // a copy elsewhere, perhaps inside of itself
      const ir::Item item = *at;
      ir::Block& to = *choices.pick(blocks);
      to.insert(place(to, choices.below(to.size() + 1)), item);
      break;
    }
  }
  return true;
}

bool edit_nesting(ir::File& file, Choices& choices) {
  const std::vector<ir::Block*> blocks = all_blocks(file);
  if (blocks.empty()) return false;
  ir::Block& block = *choices.pick(blocks);
  if (block.empty()) return false;
  const auto at = place(block, choices.below(block.size()));
  if (auto* loop = std::get_if<ir::Loop>(&at->node); loop && choices.chance(60)) {
    const ir::Block body = std::move(loop->body);
    block.insert(block.erase(at), body.begin(), body.end());
    return true;
  }
  const std::vector<std::string> names = names_of(file);   // before the item is moved from
  ir::Block body{std::move(*at)};
  const std::string name = names.empty() || choices.chance(60) ? "new_name" : choices.pick(names);
  const std::vector<ir::Expression> condition{compare(ir::Op::less, ir::variable(name), number(choices.between(0, 8)))};
  switch (choices.below(4)) {
    case 0: at->node = ir::If{.conditions = condition, .then_body = std::move(body), .else_body = {}, .location = {}}; break;
    case 1: at->node = ir::Group{.name = name, .opcode = {}, .tags = {}, .body = std::move(body), .location = {}}; break;
    case 2: at->node = ir::While{.conditions = condition, .limit = number(4), .body = std::move(body), .location = {}}; break;
    default:
      at->node = ir::Loop{.name = name,
                          .tags = {},
                          .range = {number(0), number(choices.between(0, 8))},
                          .kind = ir::LoopKind::seq,
                          .body = std::move(body),
                          .location = {}};
      break;
  }
  return true;
}

bool edit_name(ir::File& file, Choices& choices) {
  const std::vector<std::string> names = names_of(file);
  if (names.empty()) return false;
  std::vector<std::string*> uses;
  each_name(file, [&](std::string& name) { uses.push_back(&name); });
  *choices.pick(uses) = choices.chance(20) ? "new_name" : choices.pick(names);
  return true;
}

bool edit_names(ir::File& file, Choices& choices) {
  const std::vector<std::string> names = names_of(file);
  if (names.empty()) return false;
  const std::string from = choices.pick(names), to = choices.chance(50) ? "new_name" : choices.pick(names);
  each_name(file, [&](std::string& name) {
    if (name == from) name = to;
  });
  return true;
}

}  // namespace tileproof::fuzz
