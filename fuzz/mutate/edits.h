// The edits that `mutate` draws from. Each returns false where the file has nothing of its kind.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/transform/terms.h"
#include "fuzz/generate/choices.h"
#include "fuzz/reduce/walk.h"

#include <string>
#include <vector>

namespace tileproof::fuzz {

using transform::binary;
using transform::compare;
using transform::number;

bool edit_number(ir::File& file, Choices& choices);
bool edit_operator(ir::File& file, Choices& choices);
bool edit_operand(ir::File& file, Choices& choices);   // an expression becomes another one of the file
bool edit_condition(ir::File& file, Choices& choices);

bool edit_buffer(ir::File& file, Choices& choices);
bool edit_statement(ir::File& file, Choices& choices);
bool edit_axis(ir::File& file, Choices& choices);
bool edit_loop(ir::File& file, Choices& choices);
bool edit_program(ir::File& file, Choices& choices);
bool edit_tags(ir::File& file, Choices& choices);

bool edit_items(ir::File& file, Choices& choices);     // twice, gone, swapped, elsewhere
bool edit_nesting(ir::File& file, Choices& choices);   // into a loop, a condition or a group, or out of it
bool edit_name(ir::File& file, Choices& choices);      // one use
bool edit_names(ir::File& file, Choices& choices);     // every use

/// All items of one type. The pointers hold until a block changes.
template <class Node>
std::vector<Node*> all(ir::File& file) {
  std::vector<Node*> nodes;
  for (ir::Program& program : file.programs) each<Node>(program, [&](Node& node) { nodes.push_back(&node); });
  return nodes;
}

inline std::vector<ir::Block*> all_blocks(ir::File& file) {
  std::vector<ir::Block*> blocks;
  for (ir::Program& program : file.programs) each_block(program.body, [&](ir::Block& block) { blocks.push_back(&block); });
  return blocks;
}

/// Calls f(expression, use) on the whole expressions of all items.
template <class F>
void each_expression(ir::File& file, const F& f) {
  for (ir::Program& program : file.programs) each_item(program.body, [&](ir::Item& item) { each_expression(item, f); });
}

/// Names that the file declares or uses, each once.
std::vector<std::string> names_of(ir::File& file);

}  // namespace tileproof::fuzz
