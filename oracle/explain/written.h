// Which iteration of which statement wrote each element of the outputs: the tiles of a tiled program, as a run made them.
#pragma once

#include "oracle/explain/nest.h"
#include "oracle/interpret/code.h"
#include "oracle/interpret/run.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tileproof::oracle {

/// One execution of a statement that writes an output.
struct Execution {
  Site site = 0;
  std::vector<int64_t> loops;  ///< values of the loops around it, outermost first; empty also where only the statement is known
};

struct WrittenBuffer {
  static constexpr uint32_t nobody = 0xffff'ffff, whole = 0xffff'fffe;  ///< no write; a move or an opaque

  std::string buffer;
  std::vector<int64_t> extents;
  bool has_iterations = true;  ///< false: index-kind, whose elements know their statement only
  std::vector<uint32_t> writer;  ///< by element: the last execution that wrote it, `nobody` or `whole`
};

struct Written {
  std::string failure;  ///< not empty: why there is nothing to show
  std::vector<NestedStatement> statements;
  std::vector<Execution> executions;
  std::vector<WrittenBuffer> buffers;  ///< out and inout, in the order of declaration

  const WrittenBuffer* find(std::string_view buffer) const;
};

/// Runs the program. Memory: four bytes for each element, and the loop values of at most 2^22 executions.
Written trace_writes(const ir::Program& program, const LoweredProgram& code, const RunOptions& options);

/// Why a run that explains ended early; empty: it did not.
std::string failure_of(RunStatus status, const std::string& reason, const RunOptions& options);

}  // namespace tileproof::oracle
