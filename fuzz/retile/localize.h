// Tiles: windows of tensors in buffers of their own.
#pragma once

#include "fuzz/retile/nest_tiling.h"

#include <map>
#include <string>
#include <vector>

namespace tileproof::fuzz {

struct Tile {
  std::string name;
  std::vector<ir::Expression> indices;   ///< of the element for a point of the axes
};

class TileMaker {
 public:
  explicit TileMaker(TilingContext& context) : context_(context) {}

  /// A buffer with a dim for each axis, on chip, with partitions or an address at choice; its declaration goes to `out`.
  Tile declare(ir::Block& out, ir::Dtype dtype, const std::vector<ir::Axis>& axes);
  /// The same of any extents.
  std::string declare_extents(ir::Block& out, ir::Dtype dtype, std::vector<ir::Expression> extents);

 private:
  TilingContext& context_;
};

/// Replaces reads of tensors by reads of tiles that are loaded before.
class Localizer {
 public:
  /// `before[d]` takes what belongs inside of the first d of `loops` and before the next one.
  Localizer(TilingContext& context, std::vector<std::string> loops, std::vector<ir::Block>& before)
      : context_(context), choices_(context.scene.choices), loops_(std::move(loops)), before_(before) {}

  /// Of the value of `statement`, which stands inside of `depth` loops. Each read at choice.
  void operands(ir::Statement& statement, size_t depth);

 private:
  TilingContext& context_;
  Choices& choices_;
  std::vector<std::string> loops_;
  std::vector<ir::Block>& before_;
  std::map<std::string, size_t> depths_;   // of tiles: how many loops they are in

  size_t depth_of(const std::set<std::string>& names) const;
  bool window(ir::Expression& read, const ir::Statement& statement, size_t depth);
  void points(ir::Expression& read, const ir::Statement& statement, size_t depth);
  ir::Dtype tile_dtype(ir::Dtype dtype);
};

}  // namespace tileproof::fuzz
