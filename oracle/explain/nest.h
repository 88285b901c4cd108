// The loops around each statement.
#pragma once

#include "compiler/ir/program.h"

#include <string>
#include <vector>

namespace tileproof::oracle {

/// A statement of a program, in its place.
struct NestedStatement {
  const ir::Statement* statement = nullptr;
  std::string label;
  std::vector<const ir::Loop*> loops;   ///< outermost first
};

/// All statements by site (textual order). Points into `program`.
std::vector<NestedStatement> nested_statements(const ir::Program& program);

}  // namespace tileproof::oracle
