#include "tool/cost_text.h"

#include "oracle/equivalence/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tileproof::tool {
namespace {

std::string grouped(int64_t count) { return oracle::grouped(static_cast<uint64_t>(count)); }

std::string plural(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

}  // namespace

std::string cost_text(const analysis::Cost& cost) {
  std::vector<std::string> parts{plural(cost.trips, "trip")};
  std::vector<std::string> executions;
  for (const auto& [opcode, count] : cost.executions) executions.push_back(fmt::format("{} {}", grouped(count), opcode));
  if (!executions.empty()) parts.push_back(fmt::format("{}", fmt::join(executions, ", ")));
  for (const analysis::SpaceCost& space : cost.spaces) {
    std::string text = fmt::format("{} {}", space.space, plural(space.tiles, "tile"));
    if (space.partitions > 0) text += ", " + plural(space.partitions, "partition");
    text += ", " + plural(space.bytes, "byte");
    if (space.banks > 0) text += ", " + plural(space.banks, "bank");
    parts.push_back(std::move(text));
  }
  if (cost.lanes > 0)
    parts.push_back(
        fmt::format("{:.0f} % of lanes busy", 100 * static_cast<double>(cost.busy_lanes) / static_cast<double>(cost.lanes)));
  parts.push_back(fmt::format("dma {} in, {} out", plural(cost.dma_in, "byte"), grouped(cost.dma_out)));
  return fmt::format("{}{}", fmt::join(parts, "; "), cost.exact ? "" : " (upper bounds)");
}

Json cost_json(const analysis::Cost& cost) {
  Json spaces = Json::array();
  for (const analysis::SpaceCost& space : cost.spaces) {
    spaces.push_back({{"space", space.space},
                      {"tiles", space.tiles},
                      {"partitions", space.partitions},
                      {"bytes", space.bytes},
                      {"banks", space.banks}});
  }
  return {{"trips", cost.trips},           {"executions", Json(cost.executions)},
          {"spaces", std::move(spaces)},   {"lanes", cost.lanes},
          {"busy_lanes", cost.busy_lanes}, {"dma_in", cost.dma_in},
          {"dma_out", cost.dma_out},       {"exact", cost.exact}};
}

}  // namespace tileproof::tool
