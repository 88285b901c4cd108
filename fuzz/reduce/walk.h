// Walks over the parts of a program, which may be edited in place where the program is not const.
#pragma once

#include "compiler/ir/program.h"

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

namespace tileproof::fuzz {

/// What an expression is there for.
enum class Use : uint8_t { size, index, condition, value, address };

/// A block, or one that is const.
template <class T>
concept AnyBlock = std::same_as<std::remove_const_t<T>, ir::Block>;

/// Calls f(block), outer blocks first. `f` may change the block.
template <AnyBlock Block, class F>
void each_block(Block& block, const F& f) {
  f(block);
  for (auto& item : block) {
    if (auto* loop = std::get_if<ir::Loop>(&item.node)) each_block(loop->body, f);
    if (auto* loop = std::get_if<ir::While>(&item.node)) each_block(loop->body, f);
    if (auto* group = std::get_if<ir::Group>(&item.node)) each_block(group->body, f);
    if (auto* branch = std::get_if<ir::If>(&item.node)) {
      each_block(branch->then_body, f);
      each_block(branch->else_body, f);
    }
  }
}

/// Calls f(item), an item before what it contains.
template <AnyBlock Block, class F>
void each_item(Block& block, const F& f) {
  each_block(block, [&](Block& items) {
    for (auto& item : items) f(item);
  });
}

/// Calls f(node) on each item of the type `Node`.
template <class Node, class Program, class F>
void each(Program& program, const F& f) {
  each_item(program.body, [&](auto& item) {
    if (auto* node = std::get_if<Node>(&item.node)) f(*node);
  });
}

/// Calls f(expression, use) on the whole expressions of one item, not on what the item contains.
template <class F>
void each_expression(ir::Item& item, const F& f) {
  const auto all = [&](std::vector<ir::Expression>& list, Use use) {
    for (ir::Expression& e : list) f(e, use);
  };
  const auto range = [&](ir::Range& r) { f(r.low, Use::size), f(r.high, Use::size); };
  if (auto* buffer = std::get_if<ir::Buffer>(&item.node)) {
    all(buffer->extents, Use::size);
    if (buffer->address) f(buffer->address->partition, Use::address), f(buffer->address->byte, Use::address);
    for (ir::Range& r : buffer->valid) range(r);
    if (buffer->range) range(*buffer->range);
  } else if (auto* view = std::get_if<ir::View>(&item.node)) {
    for (ir::Axis& dim : view->dims) f(dim.extent, Use::size);
    all(view->indices, Use::index);
  } else if (auto* s = std::get_if<ir::Statement>(&item.node)) {
    all(s->indices, Use::index);
    f(s->value, Use::value);
    for (ir::Axis& axis : s->axes) f(axis.extent, Use::size);
    all(s->where, Use::condition);
    if (s->start) all(s->start->conditions, Use::condition);
    if (s->stop) all(s->stop->conditions, Use::condition);
  } else if (auto* loop = std::get_if<ir::Loop>(&item.node)) {
    range(loop->range);
  } else if (auto* branch = std::get_if<ir::If>(&item.node)) {
    all(branch->conditions, Use::condition);
  } else if (auto* wait = std::get_if<ir::While>(&item.node)) {
    all(wait->conditions, Use::condition);
    f(wait->limit, Use::size);
  }
}

/// Calls f(node, use) on `e` and all of its operands, `e` first; indices of reads are indices whatever the read is for.
template <class F>
void each_node(ir::Expression& e, Use use, const F& f) {
  f(e, use);
  for (ir::Expression& operand : e.operands) each_node(operand, e.op == ir::Op::read ? Use::index : use, f);
}

/// ... of a whole program.
template <class F>
void each_node(ir::Program& program, const F& f) {
  each_item(program.body,
            [&](ir::Item& item) { each_expression(item, [&](ir::Expression& e, Use use) { each_node(e, use, f); }); });
}

/// Calls f(name) on each name of a buffer or view in one item, the declared one included.
template <class F>
void each_memory_name(ir::Item& item, const F& f) {
  if (auto* buffer = std::get_if<ir::Buffer>(&item.node)) f(buffer->name);
  if (auto* view = std::get_if<ir::View>(&item.node)) f(view->name), f(view->base);
  if (auto* s = std::get_if<ir::Statement>(&item.node)) {
    f(s->destination);
    for (std::string& name : s->clobbers) f(name);
  }
  if (auto* move = std::get_if<ir::Move>(&item.node)) {
    for (std::string& name : move->destinations) f(name);
    for (std::string& name : move->sources) f(name);
  }
  if (auto* call = std::get_if<ir::Opaque>(&item.node)) {
    for (ir::Opaque::Argument& argument : call->arguments) f(argument.buffer);
  }
  each_expression(item, [&](ir::Expression& e, Use use) {
    each_node(e, use, [&](ir::Expression& node, Use) {
      if (node.op == ir::Op::read) f(node.name);
    });
  });
}

/// Whether an item contains others.
inline bool is_nest(const ir::Item& item) {
  return std::holds_alternative<ir::Loop>(item.node) || std::holds_alternative<ir::If>(item.node) ||
         std::holds_alternative<ir::While>(item.node) || std::holds_alternative<ir::Group>(item.node);
}

}  // namespace tileproof::fuzz
