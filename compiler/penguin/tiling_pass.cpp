#include "compiler/penguin/tiling_pass.h"

namespace tileproof::penguin {

std::vector<pipeline::RemarkDeclaration> vocabulary(std::vector<pipeline::RemarkDeclaration> words) {
  for (size_t i = 0; i < untileable_count; ++i) {
    const auto reason = static_cast<Untileable>(i);
    words.push_back({std::string(name(reason)), pipeline::RemarkKind::declined, std::string(meaning(reason))});
  }
  return words;
}

std::expected<const machine::Machine*, ir::Diagnostics> machine_of(const pipeline::Context& context) {
  if (context.machine != nullptr) return context.machine;
  return std::unexpected(
      ir::Diagnostics{{"", {}, "the tiler needs a machine, whose budgets it fits", "name one with --machine"}});
}

}  // namespace tileproof::penguin
