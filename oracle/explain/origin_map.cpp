#include "oracle/explain/origin_map.h"

#include "oracle/equivalence/origins.h"
#include "oracle/equivalence/report.h"
#include "oracle/explain/overview.h"
#include "oracle/interpret/extents.h"

#include <fmt/format.h>

#include <array>
#include <map>

namespace tileproof::oracle {
namespace {

constexpr uint64_t most_points = 30'000'000;   // as for the lists of the report
constexpr size_t all_rows = 8, most_columns = 80;   // of all inputs
constexpr size_t most_inputs = 3;              // drawn

constexpr std::string_view characters = ".o*+-";   // in the order of Use: the most telling last
constexpr std::string_view legend =
    ". neither   o both   * both, the tiled program more often   - only the original   + only the tiled";
enum class Use : uint8_t { neither, both, repeated, extra, missing };

struct Uses {
  std::map<int64_t, Use> of;             // by row-major element
  std::vector<int64_t> most_telling;     // the indices of an element of the highest use
  std::array<size_t, 5> count{};
};

}  // namespace

Pictures origin_maps(const LoweredPair& pair, const WrittenBuffer& output, const std::vector<int64_t>& element) {
  const std::string what = element_text(output.buffer, element);
  const auto not_drawn = [&](std::string why) {
    return Pictures{{fmt::format("inputs of {}", what), {fmt::format("not drawn: {}", why)}}};
  };
  RunOptions options = pair.options;
  options.limits.points = std::min(options.limits.points, most_points);
  const Slice slice(output.extents, element);
  const auto number = static_cast<int64_t>(slice.element(slice.row(), slice.column()));
  const std::optional<OriginDifference> origins =
      compare_origins(pair.original, pair.original_code, pair.tiled_code, pair.signature, options, output.buffer, number);
  if (!origins)
    return not_drawn(fmt::format("tracing takes more than {} points, or too much memory", grouped(options.limits.points)));

  std::map<std::string, Uses> inputs;
  const auto take = [&](const std::vector<InputPlace>& places, Use use) {
    for (const InputPlace& place : places) {
      Uses& uses = inputs[place.buffer];
      if (uses.count[static_cast<size_t>(use)]++ == 0) uses.most_telling = place.indices;
      uses.of[place.element] = use;
    }
  };
  take(origins->common, Use::both);
  take(origins->repeated, Use::repeated);
  take(origins->extra, Use::extra);
  take(origins->missing, Use::missing);
  if (inputs.empty()) return not_drawn("no element of an input enters it in either program");

  Pictures pictures;
  const size_t most_rows = all_rows / std::min(inputs.size(), most_inputs);
  for (const ir::Item& item : pair.original.body) {
    const auto* const buffer = std::get_if<ir::Buffer>(&item.node);
    if (buffer == nullptr || !inputs.contains(buffer->name)) continue;
    const Uses& uses = inputs.at(buffer->name);
    if (pictures.size() == most_inputs) {
      pictures.back().lines.push_back(left_out(inputs.size() - most_inputs, "input"));
      break;
    }
    const Slice shown(extents_of(*buffer, pair.options.parameters), uses.most_telling);
    Picture& picture = pictures.emplace_back(fmt::format("elements of {} that enter {}", shown.text(buffer->name), what),
                                             std::vector<std::string>{});
    picture.lines = overview(shown, characters, most_rows, most_columns, [&](int64_t row, int64_t column) -> size_t {
      const auto found = uses.of.find(static_cast<int64_t>(shown.element(row, column)));
      return found == uses.of.end() ? 0 : static_cast<size_t>(found->second);
    });
    const auto count = [&](Use use) { return grouped(uses.count[static_cast<size_t>(use)]); };
    picture.lines.push_back(fmt::format("{} enter both, {} only the original, {} only the tiled program, {} enter it more often",
                                        count(Use::both), count(Use::missing), count(Use::extra), count(Use::repeated)));
  }
  pictures.back().lines.emplace_back(legend);
  return pictures;
}

}  // namespace tileproof::oracle
