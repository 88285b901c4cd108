#include "compiler/penguin/move_up.h"

#include "compiler/transform/apart.h"
#include "compiler/transform/each_body.h"
#include "compiler/transform/localize.h"
#include "compiler/transform/substitute.h"

#include <algorithm>
#include <map>

namespace tileproof::penguin {

std::set<std::string> buffers_named(const ir::Item& item) {
  std::set<std::string> names;
  if (const auto* s = std::get_if<ir::Statement>(&item.node)) {
    names = transform::names_in(*s);
    for (const ir::Axis& axis : s->axes) names.erase(axis.name);
    names.insert(s->clobbers.begin(), s->clobbers.end());
  } else if (const auto* view = std::get_if<ir::View>(&item.node)) {
    names.insert(view->base);
  } else if (const auto* move = std::get_if<ir::Move>(&item.node)) {
    names.insert(move->destinations.begin(), move->destinations.end());
    names.insert(move->sources.begin(), move->sources.end());
  } else if (const auto* opaque = std::get_if<ir::Opaque>(&item.node)) {
    for (const ir::Opaque::Argument& argument : opaque->arguments) names.insert(argument.buffer);
  }
  transform::each_body(item, [&](const ir::Block& body) {
    for (const ir::Item& inner : body) names.merge(buffers_named(inner));
  });
  return names;
}

bool may_move_up(const ir::Block& block, std::span<const size_t> positions, const transform::Environment& environment) {
  std::map<std::string, size_t> written;   // root -> where
  std::set<std::string> roots;
  const auto root = [&](const std::string& buffer) {
    const transform::Memory* memory = environment.find(buffer);
    return memory == nullptr || memory->is_placed || memory->is_view ? std::string() : memory->root;
  };
  for (const size_t i : positions) {
    const auto& s = std::get<ir::Statement>(block[i].node);
    roots.insert(root(s.destination));
    written.emplace(root(s.destination), i);
    for (const transform::ReadPath& path : transform::reads_of(s)) roots.insert(root(transform::read_at(s, path)->name));
  }
  if (roots.contains("") || written.size() < positions.size()) return false;
  for (size_t i = positions.front() + 1; i < positions.back(); ++i) {
    if (std::ranges::find(positions, i) != positions.end()) continue;
    const transform::Touched touched = transform::touched({block[i]}, environment);
    const auto is_ours = [&](const std::string& each) { return roots.contains(each); };
    if (!touched.is_known || std::ranges::any_of(touched.written, is_ours)) return false;
    for (const std::string& name : buffers_named(block[i])) {
      const transform::Memory* memory = environment.find(name);
      const auto found = memory == nullptr ? written.end() : written.find(memory->root);
      if (found != written.end() && i < found->second) return false;
    }
  }
  return true;
}

}  // namespace tileproof::penguin
