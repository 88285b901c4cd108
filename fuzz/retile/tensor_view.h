// Views of whole tensors that change nothing but the indices.
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/scene.h"

#include <functional>
#include <optional>
#include <vector>

namespace tileproof::fuzz {

struct TensorView {
  ir::View view;
  /// The indices of the view for the element that has these in the tensor.
  std::function<std::vector<ir::Expression>(std::vector<ir::Expression>)> through;
};

/// A transposition, a flattening of the last two dims, or a dim as rows and columns; nullopt: the extents do not allow the one drawn.
std::optional<TensorView> view_of(const ir::Buffer& buffer, Scene& scene);

}  // namespace tileproof::fuzz
