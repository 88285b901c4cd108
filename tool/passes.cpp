#include "tool/passes.h"

#include "compiler/penguin/penguin.h"
#include "compiler/torq/mark_fuse_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tileproof::tool {
namespace {

std::string default_of(const pipeline::OptionDeclaration& option) {
  if (const auto* constant = std::get_if<pipeline::MachineConstant>(&option.default_value))
    return fmt::format("{} of the machine", constant->name);
  if (const auto* integer = std::get_if<int64_t>(&option.default_value)) return fmt::format("{}", *integer);
  if (const auto* boolean = std::get_if<bool>(&option.default_value)) return *boolean ? "true" : "false";
  return std::get<std::string>(option.default_value);
}

}  // namespace

pipeline::Registry product_passes() {
  pipeline::Registry registry{penguin::passes(), {penguin::penguin_pipeline()}};
  registry.passes.push_back(torq::mark_fuse_groups());
  return registry;   // in front of this line, passes of your own: docs/pipelines.md
}

std::string passes_help(const pipeline::Registry& registry) {
  if (registry.passes.empty()) return "Passes: none in this version, so the only pipeline is the empty one.\n";
  std::string text;
  if (!registry.pipelines.empty()) text += "Pipelines:\n";
  for (const pipeline::NamedPipeline& named : registry.pipelines)
    text += fmt::format("  {}  {}\n    = {}\n", named.name, named.summary, named.text);
  text += "Passes:\n";
  for (const pipeline::Pass& pass : registry.passes) {
    text += fmt::format("  {}  {}\n", pass.name, pass.summary);
    for (const pipeline::OptionDeclaration& option : pass.options) {
      const std::string words = option.words.empty() ? "" : fmt::format("; one of {}", fmt::join(option.words, ", "));
      text += fmt::format("    {}  {} (default {}{})\n", option.name, option.help, default_of(option), words);
    }
  }
  return text;
}

}  // namespace tileproof::tool
