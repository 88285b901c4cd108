#include "fuzz/reduce/dead.h"

#include "fuzz/reduce/walk.h"

#include <algorithm>

namespace tileproof::fuzz {
namespace {

bool is_empty_nest(const ir::Item& item) {
  if (const auto* loop = std::get_if<ir::Loop>(&item.node)) return loop->body.empty();
  if (const auto* loop = std::get_if<ir::While>(&item.node)) return loop->body.empty();
  if (const auto* group = std::get_if<ir::Group>(&item.node)) return group->body.empty();
  if (const auto* branch = std::get_if<ir::If>(&item.node)) return branch->then_body.empty() && branch->else_body.empty();
  return false;
}

/// Drops items, inner ones first, and the nests that are empty then.
template <class Drop>
size_t drop_where(ir::Block& block, const Drop& drop) {
  size_t dropped = 0;
  for (ir::Item& item : block) {
    if (auto* loop = std::get_if<ir::Loop>(&item.node)) dropped += drop_where(loop->body, drop);
    if (auto* loop = std::get_if<ir::While>(&item.node)) dropped += drop_where(loop->body, drop);
    if (auto* group = std::get_if<ir::Group>(&item.node)) dropped += drop_where(group->body, drop);
    if (auto* branch = std::get_if<ir::If>(&item.node)) {
      dropped += drop_where(branch->then_body, drop);
      dropped += drop_where(branch->else_body, drop);
    }
  }
  return dropped + std::erase_if(block, [&](ir::Item& item) { return is_empty_nest(item) || drop(item); });
}

/// The names that something needs: what is read, or belongs to the interface.
std::set<std::string> needed(ir::Program& program) {
  std::set<std::string> names;
  each_item(program.body, [&](ir::Item& item) {
    const auto* s = std::get_if<ir::Statement>(&item.node);
    const auto* move = std::get_if<ir::Move>(&item.node);
    if (const auto* call = std::get_if<ir::Opaque>(&item.node))
      for (const ir::Opaque::Argument& argument : call->arguments) names.insert(argument.buffer);
    if (const auto* buffer = std::get_if<ir::Buffer>(&item.node); buffer != nullptr && buffer->role != ir::Role::none)
      names.insert(buffer->name);
    if (move != nullptr) names.insert(move->sources.begin(), move->sources.end());
    each_expression(item, [&](ir::Expression& whole, Use use) {
      each_node(whole, use, [&](ir::Expression& e, Use) {
        if (e.op == ir::Op::read && !(s != nullptr && e.name == s->destination)) names.insert(e.name);
      });
    });
  });
  // Whoever needs a view needs its buffer, and the other way round.
  for (bool grows = true; grows;) {
    const size_t before = names.size();
    each<ir::View>(program, [&](ir::View& view) {
      if (names.contains(view.name)) names.insert(view.base);
      if (names.contains(view.base)) names.insert(view.name);
    });
    grows = names.size() != before;
  }
  return names;
}

std::set<std::string> mentioned(ir::Program& program) {
  std::set<std::string> names;
  each_item(program.body, [&](ir::Item& item) {
    const auto* buffer = std::get_if<ir::Buffer>(&item.node);
    const auto* view = std::get_if<ir::View>(&item.node);
    each_memory_name(item, [&](const std::string& name) {
      const bool is_declaration = (buffer != nullptr && &name == &buffer->name) || (view != nullptr && &name == &view->name);
      if (!is_declaration) names.insert(name);
    });
    each_expression(item, [&](ir::Expression& whole, Use use) {
      each_node(whole, use, [&](ir::Expression& e, Use) {
        if (e.op == ir::Op::variable) names.insert(e.name);
      });
    });
  });
  return names;
}

}  // namespace

std::set<std::string> with_views(ir::Program& program, std::set<std::string> names) {
  for (size_t before = 0; before != names.size();) {
    before = names.size();
    each<ir::View>(program, [&](ir::View& view) {
      if (names.contains(view.base)) names.insert(view.name);
    });
  }
  return names;
}

void drop_mentions(ir::Block& block, const std::set<std::string>& names) {
  drop_where(block, [&](ir::Item& item) {
    if (is_nest(item)) return false;
    bool mentions = false;
    each_memory_name(item, [&](const std::string& name) { mentions |= names.contains(name); });
    return mentions;
  });
}

size_t drop_unused_declarations(Subject& subject) {
  std::set<std::string> used;   // in any program
  for (ir::Program& program : subject.programs) used.merge(mentioned(program));
  size_t dropped = 0;
  for (ir::Program& program : subject.programs) {
    const std::set<std::string> here = mentioned(program);
    dropped += drop_where(program.body, [&](ir::Item& item) {
      if (const auto* view = std::get_if<ir::View>(&item.node)) return !here.contains(view->name);
      const auto* buffer = std::get_if<ir::Buffer>(&item.node);
      return buffer != nullptr && !(buffer->role == ir::Role::none ? here : used).contains(buffer->name);
    });
    dropped += std::erase_if(program.parameters, [&](const ir::Parameter& p) { return !used.contains(p.name); });
  }
  return dropped;
}

void drop_dead_code(Subject& subject) {
  for (size_t dropped = 1; dropped > 0;) {
    dropped = 0;
    for (ir::Program& program : subject.programs) {
      const std::set<std::string> names = needed(program);
      dropped += drop_where(program.body, [&](ir::Item& item) {
        const auto* move = std::get_if<ir::Move>(&item.node);
        if (const auto* s = std::get_if<ir::Statement>(&item.node)) return !names.contains(s->destination);
        return move != nullptr &&
               std::ranges::none_of(move->destinations, [&](const std::string& name) { return names.contains(name); });
      });
    }
    dropped += drop_unused_declarations(subject);
  }
}

}  // namespace tileproof::fuzz
