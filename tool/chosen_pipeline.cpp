#include "compiler/ir/suggestion.h"
#include "tool/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tileproof::tool {

std::expected<pipeline::Pipeline, ir::Diagnostics> chosen_pipeline(const std::string& text, const pipeline::Registry& passes,
                                                                   const std::string& print_after) {
  std::expected<pipeline::Pipeline, ir::Diagnostics> pipeline = parse_pipeline(text, passes, "--pipeline");
  if (!pipeline || print_after.empty()) return pipeline;
  std::vector<std::string_view> names;
  for (const pipeline::Step& step : pipeline->steps) names.push_back(step.pass.name);
  if (std::ranges::find(names, print_after) != names.end()) return pipeline;
  return std::unexpected(ir::Diagnostics{
      {"--print-after",
       {},
       fmt::format("no pass of the pipeline is called {}", ir::quoted(print_after)),
       ir::suggestion(print_after, names,
                      names.empty() ? "the pipeline has no passes" : fmt::format("its passes are {}", fmt::join(names, ", ")))}});
}

}  // namespace tileproof::tool
