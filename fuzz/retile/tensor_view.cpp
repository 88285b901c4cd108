#include "fuzz/retile/tensor_view.h"

#include <algorithm>

namespace tileproof::fuzz {

using ir::Op;

std::optional<TensorView> view_of(const ir::Buffer& buffer, Scene& scene) {
  Choices& choices = scene.choices;
  const size_t rank = buffer.extents.size();
  TensorView result;
  result.view.base = buffer.name;
  const auto dim = [&](ir::Expression extent) {
    const std::string name = scene.fresh("d");
    result.view.dims.push_back({name, std::move(extent), ir::AxisKind::parallel, {}, {}});
    return ir::variable(name);
  };
  const uint64_t form = choices.below(3);
  if (form == 0) {
    if (rank < 2) return std::nullopt;
    result.view.indices.resize(rank);
    for (size_t i = rank; i-- > 0;) result.view.indices[i] = dim(buffer.extents[i]);
    result.through = [](std::vector<ir::Expression> indices) {
      std::ranges::reverse(indices);
      return indices;
    };
  } else if (form == 1) {
    if (rank < 2) return std::nullopt;
    const auto rows = constant(buffer.extents[rank - 2]), columns = constant(buffer.extents[rank - 1]);
    if (!rows || !columns) return std::nullopt;
    for (size_t i = 0; i + 2 < rank; ++i) result.view.indices.push_back(dim(buffer.extents[i]));
    const ir::Expression flat = dim(ir::integer(*rows * *columns));
    result.view.indices.push_back(binary(Op::floordiv, flat, ir::integer(*columns)));
    result.view.indices.push_back(binary(Op::mod, flat, ir::integer(*columns)));
    result.through = [columns = *columns](std::vector<ir::Expression> indices) {
      ir::Expression last = std::move(indices.back());
      indices.pop_back();
      indices.back() = plus(times(columns, std::move(indices.back())), std::move(last));
      return indices;
    };
  } else {
    const auto extent = constant(buffer.extents.back());
    const int64_t columns = choices.between(2, 4);
    if (!extent || *extent % columns != 0) return std::nullopt;
    for (size_t i = 0; i + 1 < rank; ++i) result.view.indices.push_back(dim(buffer.extents[i]));
    const ir::Expression row = dim(ir::integer(*extent / columns)), column = dim(ir::integer(columns));
    result.view.indices.push_back(plus(times(columns, row), column));
    result.through = [columns](std::vector<ir::Expression> indices) {
      const ir::Expression last = std::move(indices.back());
      indices.back() = binary(Op::floordiv, last, ir::integer(columns));
      indices.push_back(binary(Op::mod, last, ir::integer(columns)));
      return indices;
    };
  }
  result.view.name = scene.fresh("v");
  return result;
}

}  // namespace tileproof::fuzz
