// Which executions of statements touch one element of a buffer, in the order of a run.
#pragma once

#include "oracle/explain/nest.h"
#include "oracle/interpret/code.h"
#include "oracle/interpret/observer.h"
#include "oracle/interpret/run.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tileproof::oracle {

struct Touch {
  Site site = 0;
  bool is_write = false;
  Instance instance = 0;            ///< the life of the buffer
  std::vector<int64_t> loops;       ///< values of the loops around it, outermost first
  std::vector<int64_t> point;       ///< of the axes, in the order listed: the first that touches the element
  std::vector<int64_t> other;  ///< another point of the same execution, in other parallel axes, that writes it too; or empty
};

struct Touches {
  std::string failure;  ///< not empty: why there is nothing to show
  std::vector<std::string> left_out;  ///< what was not followed, for people
  std::vector<NestedStatement> statements;
  std::vector<Touch> all;  ///< reads of an execution before its write
};

/// Runs the program. `element` may lie outside of the buffer. Bounded: the first 4096 touches, and 4,000,000 points looked at.
Touches trace_touches(const ir::Program& program, const LoweredProgram& code, const RunOptions& options,
                      const std::string& buffer, const std::vector<int64_t>& element);

}  // namespace tileproof::oracle
