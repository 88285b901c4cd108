// The tensors of a graph while it is written, the axes of the operation being written, and the ways in which one reads the other.
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/choices.h"
#include "fuzz/generate/graph_extent.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::fuzz {

struct GraphTensor {
  std::string name;
  ir::Dtype dtype = ir::Dtype::f32;
  std::vector<int64_t> dims;
  bool is_result = false;
  bool begins_with_input = false;  ///< a result that is accumulated into what was there
  int readers = 0;
  int64_t indexes = 0;  ///< beyond 0: the values are below this, and index a dim of so many elements

  int64_t elements() const;
};

struct GraphAxis {
  std::string name;
  int64_t extent = 1;
  bool reduces = false;
};

class GraphOperands {
 public:
  GraphOperands(Choices& choices, const Budgets& budgets, int64_t most_points)
      : choices_(choices), extents_(choices, budgets), most_points_(most_points) {}

  std::vector<GraphTensor> tensors;  ///< in the order of declaration
  std::vector<GraphAxis> axes;  ///< of the operation being written
  std::vector<ir::Expression> reads;  ///< of earlier tensors, by this operation

  void begin_operation();

  GraphTensor& declare(std::string_view stem, ir::Dtype dtype, std::vector<int64_t> dims, bool is_result);

  /// An earlier tensor of at most `most_points` elements, results rather than inputs; nullopt: there is none, or a fresh one is wanted.
  std::optional<size_t> earlier(unsigned fresh_percent);

  int64_t points() const;
  /// How often the points may be multiplied.
  int64_t room() const;
  void add_axis(int64_t extent, bool reduces = false);
  /// One to four axes.
  void draw_axes();
  int64_t draw_extent() { return extents_.draw(room()); }
  /// For a tile that holds `budget`.
  int64_t draw_extent_beyond(int64_t budget, int64_t room) { return extents_.beyond(budget, room); }

  /// Reads a tensor through axes made for it, one for each dim. Windows and strides leave a part of the dim out.
  ir::Expression read_through_axes(size_t index, unsigned window_percent);
  /// Reads a tensor through axes that are there, each for one dim of its extent; nullopt: they do not fit, or
  /// the operation reads the same already.
  std::optional<ir::Expression> read_by_extents(size_t index);
  /// Reads a fresh input through some of the axes, all if `is_whole`, in any order: its layout.
  ir::Expression read_fresh(ir::Dtype dtype, bool is_whole);

 private:
  Choices& choices_;
  ExtentSource extents_;
  const int64_t most_points_;
  int axis_count_ = 0;  ///< in the whole program
};

}  // namespace tileproof::fuzz
