// The accesses of statements, with views resolved to the buffers that stand behind them.
#pragma once

#include "compiler/ir/program.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tileproof::machine {

/// One place of a statement that names a buffer.
struct Access {
  enum class Place : uint8_t { destination, value, index, condition };
  Place place = Place::value;
  const ir::Buffer* buffer = nullptr;        ///< what the name stands for, behind all views
  std::string name;                          ///< as written: a buffer or a view
  std::span<const ir::Expression> indices;   ///< into `buffer`: views are composed
  const ir::Expression* expression = nullptr;   ///< value: the read in the statement's value; nullptr otherwise
  size_t owner = 0;                          ///< index: the access whose index it stands in
  std::shared_ptr<const std::vector<ir::Expression>> composed = {};  ///< of a view: the indices, which the program does not hold
};

/// A statement and what it touches: the destination first, then the reads of the value, then those of indices and conditions.
struct StatementAccesses {
  const ir::Statement* statement = nullptr;
  const ir::Group* instruction = nullptr;  ///< the innermost `group ... as OPCODE` around it; nullptr: none
  std::vector<Access> accesses;
};

/// All statements of a well-formed program in textual order (that of ir::labelled_statements). Refers into `program`; an access
/// refers into the other ones of its statement, too.
std::vector<StatementAccesses> resolve_accesses(const ir::Program& program);

}  // namespace tileproof::machine
