#include "compiler/penguin/cut_obligation.h"

#include <fmt/format.h>

#include <map>

namespace tileproof::penguin {

pipeline::Obligation cut_obligation(std::string label, const CutStatement& s) {
  pipeline::Obligation obligation{"cut", std::move(label), {}};
  auto& values = obligation.values;
  values.reserve(7 + s.extents.size());
  values.emplace_back("cut_size", s.cut_size);
  values.emplace_back("uniform", s.options.uniform);
  values.emplace_back("multiple", s.options.multiple);
  if (s.cut.dim) values.emplace_back("dim", static_cast<int64_t>(*s.cut.dim));
  if (s.cut.tile) values.emplace_back("tile", *s.cut.tile);
  values.emplace_back("unaligned", s.cut.unaligned);
  values.emplace_back("degenerate", s.cut.degenerate);
  for (size_t i = 0; i < s.extents.size(); ++i) values.emplace_back("extent_" + std::to_string(i), s.extents[i]);
  return obligation;
}

std::optional<CutStatement> cut_statement(const pipeline::Obligation& obligation) {
  if (obligation.lemma != "cut") return std::nullopt;
  const std::map<std::string, int64_t> values(obligation.values.begin(), obligation.values.end());
  const auto value = [&](const std::string& name) -> std::optional<int64_t> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  CutStatement s;
  while (const auto extent = value(fmt::format("extent_{}", s.extents.size()))) s.extents.push_back(*extent);
  s.cut_size = value("cut_size").value_or(0);
  s.options = {value("uniform") == 1, value("multiple").value_or(1)};
  if (const auto dim = value("dim")) s.cut.dim = static_cast<size_t>(*dim);
  s.cut.tile = value("tile");
  s.cut.unaligned = value("unaligned") == 1;
  s.cut.degenerate = value("degenerate") == 1;
  if (s.cut_size < 1 || (s.cut.dim && *s.cut.dim >= s.extents.size()) || (s.cut.tile && !s.cut.dim)) return std::nullopt;
  return s;
}

}  // namespace tileproof::penguin
