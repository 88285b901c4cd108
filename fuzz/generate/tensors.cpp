// The part of Steps that declares buffers and views.
#include "fuzz/generate/steps.h"

#include <algorithm>
#include <numeric>

namespace tileproof::fuzz {

using ir::Op;

namespace {

std::vector<ir::Expression> extents_of(const std::vector<Dim>& dims) {
  std::vector<ir::Expression> extents;
  for (const Dim& dim : dims) extents.push_back(dim.extent);
  return extents;
}

int64_t product(const std::vector<Dim>& dims, size_t from) {
  return std::accumulate(dims.begin() + static_cast<std::ptrdiff_t>(from), dims.end(), int64_t{1},
                         [](int64_t sum, const Dim& dim) { return sum * dim.most; });
}

}  // namespace

Dim Steps::dim(int64_t most) {
  if (!scene_.parameters.empty() && choices_.chance(25)) {
    const ir::Parameter& p = choices_.pick(scene_.parameters);
    const int64_t more = choices_.between(0, 2);
    if (p.high + more <= most) return {plus(ir::variable(p.name), more), p.high + more};
  }
  return literal_dim(choices_.extent(most));
}

std::vector<Dim> Steps::dims(int64_t most_elements) {
  std::vector<Dim> result;
  const uint64_t rank = 1 + choices_.below(3);
  for (uint64_t i = 0; i < rank; ++i) {
    result.push_back(dim(most_elements));
    most_elements /= result.back().most;
  }
  return result;
}

ir::Dtype Steps::dtype() {
  using enum ir::Dtype;
  return choices_.pick(
      {f32, bf16, f32, i8, f32, i32, bf16, f16, i4, u8, f64, e4m3, boolean, i16, i64, e5m2, tf32, i2, e4m3fn, u32});
}

void Steps::place_at(ir::Buffer& buffer, int64_t row_elements) {
  buffer.address = ir::Address{ir::integer(0), ir::integer(scene_.allocate(buffer.space, bytes_of(buffer.dtype, row_elements)))};
}

Tensor Steps::declare(ir::Block& out, std::vector<Dim> dims, ir::Dtype dtype, ir::Role role, int64_t range) {
  const std::string name = scene_.fresh(role == ir::Role::out ? "y" : role == ir::Role::none ? "t" : "x");
  Tensor tensor{name, dtype, std::move(dims), name, range, role != ir::Role::in};
  ir::Buffer buffer;
  buffer.name = name;
  buffer.dtype = dtype;
  buffer.extents = extents_of(tensor.dims);
  buffer.space = role == ir::Role::none ? choices_.pick({"hbm", "sbuf", "psum"}) : "dram";
  buffer.role = role;
  if (tensor.dims.size() > 1 && choices_.chance(30)) buffer.partition_rank = 1 + choices_.below(tensor.dims.size() - 1);
  if (choices_.chance(30)) place_at(buffer, product(tensor.dims, buffer.partition_rank.value_or(0)));
  if (range != 0) buffer.range = ir::Range{ir::integer(0), ir::integer(range)};
  out.push_back({std::move(buffer)});
  return tensor;
}

void Steps::input(ir::Block& out, bool is_inout) {
  std::vector<Dim> shape = dims(64);
  if (!scene_.tensors.empty() && choices_.chance(60)) shape = choices_.pick(scene_.tensors).dims;
  scene_.tensors.push_back(declare(out, std::move(shape), dtype(), is_inout ? ir::Role::inout : ir::Role::in));
}

void Steps::indices(ir::Block& out) {
  const int64_t range = choices_.extent(13);
  const ir::Dtype dtype = choices_.pick({ir::Dtype::i32, ir::Dtype::i8, ir::Dtype::u8, ir::Dtype::i64});
  std::vector<Dim> shape = dims(16);
  scene_.tensors.push_back(declare(out, std::move(shape), dtype, ir::Role::in, range));
}

/// A buffer of another shape, and a view through which it has these dims.
Tensor Steps::through_view(ir::Block& out, std::vector<Dim> dims, ir::Dtype dtype, ir::Role role) {
  const bool all_literal = std::ranges::all_of(dims, &Dim::is_literal);
  ir::View view;
  std::vector<Dim> base_dims;
  for (const Dim& dim : dims) view.dims.push_back({scene_.fresh("d"), dim.extent, ir::AxisKind::parallel, {}, {}});
  const auto at = [&](size_t i) { return ir::variable(view.dims[i].name); };
  const uint64_t form = all_literal ? choices_.below(4) : 0;
  bool is_whole = true;
  if (form == 1 && dims.size() > 1) {   // flattened
    base_dims = {literal_dim(product(dims, 0))};
    ir::Expression flat = at(0);
    for (size_t i = 1; i < dims.size(); ++i) flat = plus(times(dims[i].most, flat), at(i));
    view.indices = {flat};
  } else if (form == 2 && dims[0].most % 2 == 0) {   // one dim in two
    base_dims = dims;
    base_dims[0] = literal_dim(dims[0].most / 2);
    base_dims.insert(base_dims.begin() + 1, literal_dim(2));
    view.indices = {binary(Op::floordiv, at(0), ir::integer(2)), binary(Op::mod, at(0), ir::integer(2))};
    for (size_t i = 1; i < dims.size(); ++i) view.indices.push_back(at(i));
  } else if (form == 3 && role == ir::Role::none) {   // a pitch, and an offset into it
    base_dims = dims;
    const int64_t step = choices_.between(1, 2), offset = choices_.between(0, 2);
    base_dims.back() = literal_dim(dims.back().most * step + offset);
    for (size_t i = 0; i < dims.size(); ++i) view.indices.push_back(at(i));
    view.indices.back() = plus(times(step, view.indices.back()), offset);
    is_whole = false;
  } else {   // transposed
    std::vector<size_t> order(dims.size());
    std::iota(order.begin(), order.end(), size_t{0});
    choices_.shuffle(order);
    for (const size_t i : order) {
      base_dims.push_back(dims[i]);
      view.indices.push_back(at(i));
    }
  }
  const Tensor base = declare(out, base_dims, dtype, role);
  view.name = scene_.fresh("v");
  view.base = base.name;
  const Tensor tensor{view.name, dtype, std::move(dims), base.name, 0, false};
  out.push_back({std::move(view)});
  if (is_whole) pending_.push_back(base);
  return tensor;
}

/// Another way to read a tensor.
void Steps::view(ir::Block& out) {
  const Tensor base = choices_.pick(scene_.tensors);
  ir::View view;
  view.name = scene_.fresh("v");
  view.base = base.name;
  std::vector<Dim> dims;
  const auto add = [&](const Dim& dim) {
    view.dims.push_back({scene_.fresh("d"), dim.extent, ir::AxisKind::parallel, {}, {}});
    dims.push_back(dim);
    return ir::variable(view.dims.back().name);
  };
  for (const Dim& dim : base.dims) {
    const uint64_t form = dim.is_literal() ? choices_.below(5) : 0;
    if (form == 1 && dim.most > 1) {   // a window
      const int64_t length = choices_.between(1, dim.most);
      const int64_t start = choices_.between(0, dim.most - length);
      view.indices.push_back(plus(add(literal_dim(length)), start));
    } else if (form == 2 && dim.most > 2) {   // every second
      view.indices.push_back(plus(times(2, add(literal_dim(dim.most / 2))), choices_.between(0, 1)));
    } else if (form == 3 && !(view.dims.empty() && &dim == &base.dims.back())) {   // one place
      view.indices.push_back(ir::integer(choices_.between(0, dim.most - 1)));
    } else if (form == 4) {   // backwards
      view.indices.push_back(binary(Op::subtract, ir::integer(dim.most - 1), add(dim)));
    } else {
      view.indices.push_back(add(dim));
    }
  }
  if (view.dims.size() > 1 && choices_.chance(30)) {
    std::swap(view.dims.front(), view.dims.back());
    std::swap(dims.front(), dims.back());
  }
  if (view.dims.size() > 1 && choices_.chance(20)) view.partition_rank = 1;
  scene_.tensors.push_back({view.name, base.dtype, std::move(dims), base.root, base.range, false});
  out.push_back({std::move(view)});
}

}  // namespace tileproof::fuzz
