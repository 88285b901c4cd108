#include "oracle/equivalence/parameter_values.h"

#include <algorithm>

namespace tileproof::oracle {

std::vector<Parameters> parameter_values(const ir::Program& original, const Kinds& kinds) {
  constexpr size_t most = 24;
  std::vector<Parameters> values;
  const auto add = [&](const Parameters& candidate) {
    if (values.size() < most && std::ranges::find(values, candidate) == values.end()) values.push_back(candidate);
  };
  Parameters lowest, highest, middle;
  for (const ir::Parameter& parameter : original.parameters) {
    lowest[parameter.name] = parameter.low;
    highest[parameter.name] = parameter.high;
    middle[parameter.name] = parameter.low + (parameter.high - parameter.low) / 2;
  }
  add(lowest);
  add(highest);
  add(middle);
  // Borders are taken in turn over the parameters, so that the bound leaves some for each.
  for (const int64_t border : kinds.borders) {
    for (const ir::Parameter& parameter : original.parameters) {
      if (border < parameter.low || border > parameter.high) continue;
      Parameters candidate = middle;
      candidate[parameter.name] = border;
      add(candidate);
    }
  }
  return values;
}

}  // namespace tileproof::oracle
