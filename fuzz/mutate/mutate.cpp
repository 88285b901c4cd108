#include "fuzz/mutate/mutate.h"

#include "compiler/ir/text.h"
#include "fuzz/mutate/edits.h"

#include <algorithm>

namespace tileproof::fuzz {

namespace {

using Edit = bool (*)(ir::File&, Choices&);

constexpr Edit edits[] = {edit_number,  edit_operator, edit_operand, edit_condition, edit_buffer, edit_statement,
                          edit_axis,    edit_loop,     edit_program, edit_tags,      edit_items,  edit_items,
                          edit_nesting, edit_name,     edit_names,   edit_number};

constexpr int deepest = 60;   // well within what the parser takes (ir::TextLimits)

int depth(const ir::Expression& e) {
  int most = 0;
  for (const ir::Expression& operand : e.operands) most = std::max(most, depth(operand));
  return most + 1;
}

int depth(ir::Block& block) {
  int most = 0;
  const auto inside = [&](ir::Block& inner) { most = std::max(most, depth(inner)); };
  for (ir::Item& item : block) {
    each_expression(item, [&](ir::Expression& e, Use) { most = std::max(most, depth(e)); });
    if (auto* loop = std::get_if<ir::Loop>(&item.node)) inside(loop->body);
    if (auto* loop = std::get_if<ir::While>(&item.node)) inside(loop->body);
    if (auto* group = std::get_if<ir::Group>(&item.node)) inside(group->body);
    if (auto* branch = std::get_if<ir::If>(&item.node)) inside(branch->then_body), inside(branch->else_body);
  }
  return most + 1;
}

bool is_too_deep(ir::File& file) {
  return std::ranges::any_of(file.programs, [](ir::Program& program) { return depth(program.body) > deepest; });
}

}  // namespace

bool mutate(ir::File& file, Choices& choices) {
  for (int attempt = 0; attempt < 8; ++attempt)
    if (edits[choices.below(std::size(edits))](file, choices)) return true;
  return false;
}

std::optional<std::string> mutate_text(std::string_view text, size_t most, Choices& choices) {
  auto file = ir::parse(text, "input");
  if (!file) return std::nullopt;
  for (uint64_t edit = 0, count = 1 + choices.below(4); edit < count; ++edit) mutate(*file, choices);
  if (is_too_deep(*file)) return std::nullopt;
  std::string printed = ir::print(*file);
  if (printed.size() > most) return std::nullopt;
  return printed;
}

}  // namespace tileproof::fuzz
