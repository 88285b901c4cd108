// Which input elements enter an output element, and how often (domain `origin`, rules 21 and 33). It explains, and tells programs
// apart whose values agree in every run made; it never accepts.
#pragma once

#include "compiler/ir/program.h"
#include "oracle/domain/domain.h"
#include "oracle/equivalence/planted.h"
#include "oracle/interpret/code.h"
#include "oracle/interpret/run.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::oracle {

struct OriginDifference {
  std::vector<InputPlace> missing;  ///< the original uses them, the tiled program does not
  std::vector<InputPlace> extra;  ///< the other way round
  std::vector<InputPlace> repeated;  ///< both do, the tiled program more often
  std::vector<InputPlace> common;  ///< both do, the tiled program not more often
};

/// What enters one output element, compared. Nullopt: past the bounds of the domain.
std::optional<OriginDifference> compare_origins(const ir::Program& original, const LoweredProgram& original_code,
                                                const LoweredProgram& tiled_code, const Signature& signature,
                                                const RunOptions& options, const std::string& buffer, int64_t element);

/// All that enters any output element: hashes of buffer names, and row-major indices. Nullopt: past the bounds.
std::optional<std::set<std::pair<uint64_t, int64_t>>> origins_of(const LoweredProgram& program, const Signature& signature,
                                                                 const RunOptions& options);

/// For people: "x[0..1, 65536..99999]", neighbours joined along every dimension; long lists end in "and N more elements".
std::vector<std::string> list_places(const std::vector<InputPlace>& places);

/// The first output element whose set of inputs differs; a nullopt inside: none does. Nullopt outside: past the bounds.
std::optional<std::optional<std::pair<std::string, int64_t>>> first_other_origin(const LoweredProgram& original,
                                                                                 const LoweredProgram& tiled,
                                                                                 const Signature& signature,
                                                                                 const RunOptions& options);

}  // namespace tileproof::oracle
