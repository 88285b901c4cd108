#include "fuzz/generate/graph_operand.h"

#include "fuzz/generate/terms.h"

#include <algorithm>
#include <utility>

namespace tileproof::fuzz {

int64_t GraphTensor::elements() const {
  int64_t product = 1;
  for (const int64_t dim : dims) product *= dim;
  return product;
}

GraphTensor& GraphOperands::declare(std::string_view stem, ir::Dtype dtype, std::vector<int64_t> dims, bool is_result) {
  if (dims.empty()) dims.push_back(1);
  return tensors.emplace_back(
      GraphTensor{std::string(stem) + std::to_string(tensors.size()), dtype, std::move(dims), is_result, false, 0, 0});
}

std::optional<size_t> GraphOperands::earlier(unsigned fresh_percent) {
  if (tensors.empty() || choices_.chance(fresh_percent)) return std::nullopt;
  const auto is_wanted = [&](size_t i, bool has_reader) {
    const GraphTensor& tensor = tensors[i];
    return tensor.is_result && (tensor.readers > 0) == has_reader && tensor.elements() > 1;
  };
  size_t index = choices_.below(tensors.size());
  // More often than not a result that nobody has read, or one that has a reader: chains, and several consumers.
  if (const uint64_t form = choices_.below(100); form < 85) {
    const bool has_reader = form >= 35;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const size_t at = (index + i) % tensors.size();
      if (!is_wanted(at, has_reader)) continue;
      index = at;
      break;
    }
  }
  return tensors[index].elements() <= most_points_ ? std::optional(index) : std::nullopt;
}

int64_t GraphOperands::points() const {
  int64_t product = 1;
  for (const GraphAxis& axis : axes) product *= axis.extent;
  return product;
}

int64_t GraphOperands::room() const { return std::max<int64_t>(1, most_points_ / points()); }

void GraphOperands::begin_operation() {
  axes.clear();
  reads.clear();
}

void GraphOperands::add_axis(int64_t extent, bool reduces) {
  axes.push_back({(reduces ? "k" : "j") + std::to_string(axis_count_++), extent, reduces});
}

void GraphOperands::draw_axes() {
  for (uint64_t i = choices_.pick<uint64_t>({1, 2, 2, 3, 2, 2, 4}); i > 0; --i) add_axis(draw_extent());
}

ir::Expression GraphOperands::read_through_axes(size_t index, unsigned window_percent) {
  GraphTensor& tensor = tensors[index];
  ++tensor.readers;
  std::vector<ir::Expression> indices;
  for (const int64_t dim : tensor.dims) {
    if (dim == 1 && choices_.chance(70)) {
      indices.push_back(ir::integer(0));
      continue;
    }
    int64_t stride = 1, offset = 0, left_out = 0;
    if (dim >= 3 && choices_.chance(window_percent)) {
      stride = choices_.pick<int64_t>({1, 2, 1, 3});
      offset = choices_.between(stride == 1 ? 1 : 0, dim / 3);
      left_out = choices_.between(0, 1);
    }
    add_axis(std::max<int64_t>(1, (dim - 1 - offset) / stride + 1 - left_out));
    indices.push_back(plus(times(stride, ir::variable(axes.back().name)), offset));
  }
  return reads.emplace_back(ir::read(tensor.name, std::move(indices)));
}

std::optional<ir::Expression> GraphOperands::read_by_extents(size_t index) {
  GraphTensor& tensor = tensors[index];
  std::vector<const GraphAxis*> free;
  for (const GraphAxis& axis : axes) free.push_back(&axis);
  if (choices_.chance(30)) choices_.shuffle(free);
  std::vector<ir::Expression> indices;
  for (const int64_t dim : tensor.dims) {
    const auto fits = std::ranges::find(free, dim, [](const GraphAxis* axis) { return axis->extent; });
    if (fits != free.end()) {
      indices.push_back(ir::variable((*fits)->name));
      free.erase(fits);
    } else if (dim == 1) {
      indices.push_back(ir::integer(0));
    } else {
      return std::nullopt;
    }
  }
  ir::Expression read = ir::read(tensor.name, std::move(indices));
  if (std::ranges::find(reads, read) != reads.end()) return std::nullopt;
  ++tensor.readers;
  return reads.emplace_back(std::move(read));
}

ir::Expression GraphOperands::read_fresh(ir::Dtype dtype, bool is_whole) {
  std::vector<const GraphAxis*> order;
  for (const GraphAxis& axis : axes)
    if (is_whole || choices_.chance(70)) order.push_back(&axis);
  if (choices_.chance(30)) choices_.shuffle(order);
  std::vector<ir::Expression> indices;
  std::vector<int64_t> dims;
  for (const GraphAxis* axis : order) {
    int64_t stride = 1, offset = 0, slack = 0;
    if (choices_.chance(8)) {
      stride = choices_.pick<int64_t>({1, 2});
      offset = choices_.between(stride == 1 ? 1 : 0, 3);
      slack = choices_.between(0, 2);
    }
    indices.push_back(plus(times(stride, ir::variable(axis->name)), offset));
    dims.push_back((axis->extent - 1) * stride + 1 + offset + slack);
  }
  if (indices.empty()) indices.push_back(ir::integer(0));
  GraphTensor& tensor = declare("x", dtype, std::move(dims), false);
  ++tensor.readers;
  return ir::read(tensor.name, std::move(indices));
}

}  // namespace tileproof::fuzz
