// Which input elements enter an output element, and how often (domain `origin`, rules 21 and 33). It explains, and tells programs
// apart whose values agree in every run made; it never accepts.
#pragma once

#include "compiler/ir/program.h"
#include "oracle/domain/domain.h"
#include "oracle/equivalence/check.h"
#include "oracle/interpret/run.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::oracle {

/// Adds what only one of the programs uses for the element, and what the tiled one counts more often. False: past the bounds of
/// the domain, and `difference` is as it was.
bool compare_origins(const ir::Program& original, const ir::Program& tiled, const Signature& signature, const RunOptions& options, const std::string& buffer,
                     int64_t element, Difference& difference);

/// The first output element whose set of inputs differs; a nullopt inside: none does. Nullopt outside: past the bounds.
std::optional<std::optional<std::pair<std::string, int64_t>>> first_other_origin(const ir::Program& original, const ir::Program& tiled,
                                                                                  const Signature& signature, const RunOptions& options);

}  // namespace tileproof::oracle
