// What a generator knows while it writes a program: which tensors are whole, which coordinates are in scope, and the sizes of all.
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/choices.h"
#include "fuzz/generate/terms.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::fuzz {

/// The extent of a dim: a literal, or an expression over parameters that is never below 1. `most`: for all parameters.
struct Dim {
  ir::Expression extent;
  int64_t most = 1;
  bool is_literal() const { return constant(extent).has_value(); }
  bool operator==(const Dim&) const = default;
};
inline Dim literal_dim(int64_t extent) { return {ir::integer(extent), extent}; }

/// An index expression that lies in [0, dim) wherever the statement that uses it runs.
struct Coordinate {
  ir::Expression value;
  Dim dim;
};

/// A buffer or view each of whose elements is defined.
struct Tensor {
  std::string name;
  ir::Dtype dtype = ir::Dtype::f32;
  std::vector<Dim> dims;
  std::string root;  ///< the buffer behind a view, or the buffer itself
  int64_t range = 0;  ///< not 0: it may steer; its elements lie in [0, range)
  bool is_writable = false;  ///< a buffer that is not `in`

  bool is_view() const { return root != name; }

  int64_t most_elements() const {
    int64_t product = 1;
    for (const Dim& dim : dims) product *= dim.most;
    return product;
  }
};

class Scene {
 public:
  Scene(Choices& source, int64_t most) : choices(source), most_points(most) {}

  Choices& choices;
  const int64_t most_points;  ///< of one statement, all of its executions together
  std::vector<ir::Parameter> parameters;
  std::vector<Tensor> tensors;

  /// A name that the program has not used.
  std::string fresh(std::string_view stem) { return std::string(stem) + std::to_string(++counts_[std::string(stem)]); }

  /// A place of its own for `bytes` bytes of every partition of the space.
  int64_t allocate(const std::string& space, int64_t bytes) {
    int64_t& next = next_byte_[space];
    return std::exchange(next, next + bytes);
  }

 private:
  std::map<std::string, int> counts_;
  std::map<std::string, int64_t> next_byte_;
};

/// Bytes of `elements` elements, rounded up to whole bytes.
inline int64_t bytes_of(ir::Dtype dtype, int64_t elements) { return (elements * ir::bits(dtype) + 7) / 8; }

}  // namespace tileproof::fuzz
