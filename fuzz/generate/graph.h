// Whole-tensor programs as a tiler is given them: graphs of 1 to 12 operations on tensors in dram.
//
//   elementwise   map        y[i, j] = max(a[j, i] + b[j], 0)          permuted, broadcast, windowed and strided operands
//   broadcast     map        y[i, j] = a[i]                            an axis that no operand has
//   reduction     reduce     y[i] max= a[i, 2*j + k]  over ... k:3 reduce start; also without `start` into an `inout` tensor
//   product       matmul     y[m, n] += a[m, k] * b[n, k]              operands in any order of dims, batches
//   transpose     transpose  y[j, i] = a[i, j]
//   slice         copy       y[i] = a[2*i + 3]
//   lookup        gather     y[i, j] = a[n[i], j]                      numbers of rows in an input
//   recurrence    scan       y[i, t] = a[i, t] + select(t > 0, y[i, t - 1], 0)  over ... t:9 seq
//
// Some tensors are declared with two neighbouring dimensions as one: `y[5*i + j]`. Each statement but one in place, `y[i] = exp(y[i])`,
// writes a tensor of its own, each element once, and reads inputs and results of earlier statements: `check` of a
// program against itself is `tested`. Nothing is in it that a machine of the family trn refuses whatever the tiling.
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/choices.h"
#include "fuzz/generate/graph_machine.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tileproof::fuzz {

/// By the opcode of its statement.
enum class GraphOperation : uint8_t { map, reduce, matmul, transpose, copy, gather, scan };
/// "map", "reduce", ...
std::string_view name(GraphOperation operation);
inline constexpr std::array all_operations{GraphOperation::map,       GraphOperation::reduce, GraphOperation::matmul,
                                           GraphOperation::transpose, GraphOperation::copy,   GraphOperation::gather,
                                           GraphOperation::scan};

/// What the programs are about.
enum class GraphFamily : uint8_t {
  operations,  // the graphs above
  mean_variance,  // those of graph_norm.h
  norm_gradient,
  mx_blocks,
};

struct GraphOptions {
  GraphFamily family = GraphFamily::operations;  ///< what follows is about these
  int64_t most_points = 1200;  ///< of one statement
  int64_t most_product_points = 4'000;  ///< of a matmul of which two or three axes are to be cut
  int most_operations = 12;
  std::vector<GraphOperation> only = {};  ///< what is drawn; empty: all
  bool draws_groups = true;  ///< fuse groups, as tags and as `group`
};

/// A well formed program, whatever the choices are. Extents are drawn about the budgets: 1, primes, a budget and its neighbours, three
/// tiles and a tail; of some matmuls two or three axes lie beyond. Axes and statements bear tags now and then: `P` and `F`, fuse groups and their `principal` (docs/language.md).
ir::Program generate_graph(Choices& choices, const Budgets& budgets, const GraphOptions& options = {});

/// One of graph_machines(), a tight one nine times of ten; of MX blocks one that has instructions for them.
const GraphMachine& draw_machine(Choices& choices, GraphFamily family = GraphFamily::operations);

}  // namespace tileproof::fuzz
