// How a program is run: what both interpreters, the reference one and the fast one, take and give.
#pragma once

#include "compiler/ir/program.h"
#include "oracle/domain/domain.h"
#include "oracle/finding.h"

#include <any>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tileproof::oracle {

/// The order of par, shard and thread iterations.
enum class Order : uint8_t { forward, reversed, shuffled };
std::string_view name(Order order);

/// What index-kind inputs hold. `ramp`: the row-major number of the element, modulo the range. `low_first`: the first element
/// holds the lowest value, and all others the highest, so that it matters if anything does; and so on.
/// `borders`: values of Kinds::borders, by element. `level`: all elements hold RunOptions::level, or the end of the range next to it.
enum class Pattern : uint8_t { random, lowest, highest, ramp, low_first, low_last, high_first, high_last, borders, level };
inline constexpr Pattern all_patterns[] = {Pattern::random,    Pattern::lowest,   Pattern::highest,    Pattern::ramp,
                                           Pattern::low_first, Pattern::low_last, Pattern::high_first, Pattern::high_last,
                                           Pattern::borders,   Pattern::level};
std::string_view name(Pattern pattern);
std::string text(Pattern pattern, int64_t level);  ///< "low-first", "level 5"

struct Limits {
  uint64_t points = uint64_t{20'000'000'000};  ///< statement points of one run, and steps of loops without one
  uint64_t bytes = uint64_t{4} << 30;  ///< memory of one run's buffers: two runs fit a machine of 16 GiB (our choice)
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

/// An index-kind element without a value: a number drawn once, which no boundary, power of two or small sum meets. A computed
/// integer is this one by chance only, about 2^-64 for each (our choice, docs/verdicts.md).
constexpr int64_t integer_poison = -0x62c8'594e'0db3'17a5;

using Parameters = std::map<std::string, int64_t, std::less<>>;

/// Which buffers hold true integers, decided over both programs of a check (oracle/interpret/kinds.h).
struct Kinds {
  std::vector<std::string> index_inputs;  ///< in and inout buffers that are index-kind in either program
  std::vector<int64_t> borders;  ///< what conditions and indices compare with; empty without index inputs and parameters
  std::vector<int64_t> levels;  ///< the constants that what is read is compared with, 16 at most
  bool index_reads = true;  ///< false: known that neither program reads a buffer in an index, a condition, an extent or a bound
};

struct RunOptions {
  Parameters parameters;
  uint64_t key = 1;  ///< seeds index patterns and the shuffle
  Order order = Order::forward;
  Pattern pattern = Pattern::random;
  int64_t level = 0;  ///< of Pattern::level
  Kinds kinds;
  Limits limits;
  std::any* inputs = nullptr;  ///< what a run in the same domain with the same key leaves of its `in` buffers for the next one
  size_t findings = 16;  ///< a run stops after so many distinct ones (statement, buffer, id)
};

/// An `out` or `inout` buffer after the run.
template <class Value>
struct Output {
  std::string buffer;
  ir::Dtype dtype = ir::Dtype::f32;
  std::vector<int64_t> extents;
  bool is_index = false;
  std::vector<Value> values;  ///< data-kind
  std::vector<int64_t> integers;  ///< index-kind; may be integer_poison
  std::vector<uint32_t>
      writers;  ///< for each element: 1 + site of the statement that wrote it last; 0: none did. Empty: not kept
};

enum class RunStatus : uint8_t { done, out_of_points, out_of_memory, out_of_time, unsupported };

template <class Value>
struct Run {
  RunStatus status = RunStatus::done;
  std::string reason;  ///< unsupported: which construct
  std::vector<Finding> findings;  ///< distinct, in the order found
  std::vector<Output<Value>> outputs;  ///< in the order of declaration
  uint64_t points = 0;  ///< points at which a statement evaluated its formula
  uint64_t overwritten = 0;  ///< output elements overwritten before anyone read them
  std::vector<Finding> overwrites;  ///< the first of them for each statement (id is not meaningful)
};

}  // namespace tileproof::oracle
