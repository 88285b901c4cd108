// Whole-tensor programs of one to three operations, each of them one statement whose legality as a nest is evident.
//
// Every statement writes a tensor of its own, each element once (its parallel axes are the dims of the tensor, permuted), and
// reads inputs and results of earlier statements only. So its parallel axes may be cut, ordered and executed in any way, and its
// reduce axes too as long as partial results are not rounded.
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/scene.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tileproof::fuzz {

struct Workload {
  std::vector<ir::Parameter> parameters;
  std::map<std::string, ir::Buffer> buffers;   ///< by name: all that the statements use
  std::vector<ir::Statement> statements;       ///< in order
  std::vector<bool> is_pointwise;              ///< of each statement: it maps each element of the one before to one of its own
  bool has_f64 = false,
       has_wide_integer = false;   ///< i64 or u32, or what partial results of 32 bits would lose: then i32 counts as narrow

  bool partials_wrap = false;                  ///< sums of integers may be cut at a narrow dtype

  /// For ir::value_type and ir::accumulate_dtype.
  auto dtypes() const {
    return [this](const std::string& name) {
      const auto found = buffers.find(name);
      return found == buffers.end() ? std::nullopt : std::optional(found->second.dtype);
    };
  }
};

/// At most about `most_points` points a statement.
Workload draw_workload(Scene& scene);

}  // namespace tileproof::fuzz
