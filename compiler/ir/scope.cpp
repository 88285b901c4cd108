#include "compiler/ir/scope.h"

#include <array>

namespace tileproof::ir {

std::string_view description(Symbol::Kind kind) {
  static constexpr std::array<std::string_view, 5> words{"a parameter", "a loop variable", "an axis", "a buffer", "a view"};
  return words[static_cast<size_t>(kind)];
}

const Symbol* Scope::find(std::string_view name) const {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : &found->second;
}

const Symbol* Scope::declare(std::string_view name, const Symbol& symbol) {
  const auto [place, is_new] = symbols_.emplace(name, symbol);
  if (!is_new) return &place->second;
  order_.push_back(name);
  return nullptr;
}

std::vector<std::string_view> Scope::visible(bool memory) const {
  std::vector<std::string_view> names;
  for (const std::string_view name : order_) {
    if (symbols_.at(name).is_memory() == memory) names.push_back(name);
  }
  return names;
}

void Scope::forget_since(size_t mark) {
  for (; order_.size() > mark; order_.pop_back()) symbols_.erase(order_.back());
}

}  // namespace tileproof::ir
