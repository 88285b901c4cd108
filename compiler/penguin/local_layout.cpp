#include "compiler/penguin/local_layout.h"

#include "compiler/ir/interval.h"
#include "compiler/penguin/axis_class.h"
#include "compiler/transform/each_body.h"
#include "compiler/transform/fold.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>

namespace tileproof::penguin {
namespace {

using transform::Linear;
using transform::number;

/// stride * (lanes * block + lane) + rest
struct Index {
  ir::Expression lane, block, rest;
};

/// nullopt: there is no one lane.
std::optional<Index> split(const ir::Expression& index, const LaneDim& dim) {
  const std::optional<Linear> sum = transform::linear(index);
  if (!sum) return std::nullopt;
  const int64_t tile = dim.lanes * dim.stride;
  const auto is_multiple = [&](int64_t value) { return value % tile == 0; };
  Linear block, rest;
  Index parts;
  bool has_lane = false;
  for (const Linear::Term& term : sum->terms) {
    if (is_multiple(term.factor)) {
      block.terms.push_back({term.atom, term.factor / tile});
    } else if (term.factor == dim.stride && term.atom.op == ir::Op::variable) {
      if (std::exchange(has_lane, true)) return std::nullopt;
      parts.lane = term.atom;
    } else if (term.factor > 0 && term.factor < dim.stride) {
      rest.terms.push_back(term);
    } else {
      return std::nullopt;
    }
  }
  (is_multiple(sum->constant) ? block : rest).constant = is_multiple(sum->constant) ? sum->constant / tile : sum->constant;
  if (!has_lane || rest.constant < 0 || rest.constant >= dim.stride) return std::nullopt;
  parts.block = transform::expression(std::move(block));
  parts.rest = transform::expression(std::move(rest));
  return parts;
}

int64_t extent_of(const ir::Buffer& tensor, size_t dim) { return transform::constant(tensor.extents[dim]).value_or(0); }

int64_t blocks_of(const ir::Buffer& tensor, const LaneDim& dim) {
  const int64_t tile = dim.lanes * dim.stride;
  return (extent_of(tensor, dim.dim) + tile - 1) / tile;
}

const LaneDim* lane_dim(const LocalLayout& layout, size_t dim) {
  const auto found = std::ranges::find(layout.lanes, dim, &LaneDim::dim);
  return found == layout.lanes.end() ? nullptr : &*found;
}

/// Whether all that `rest` takes lies in [0, stride): by the extents of the axes, or, of a sum of axes, because a condition says so. What a loop
/// around takes may be negative.
bool stays_below(const ir::Expression& rest, int64_t stride, const ir::Statement& s) {
  if (stride == 1) return rest == number(0);
  const auto said = [&](const ir::Expression& condition) {
    return condition.op == ir::Op::less && transform::fold(condition.operands[0]) == rest &&
           transform::constant(condition.operands[1]).value_or(stride + 1) <= stride;
  };
  const auto range = ir::interval(rest, [&](std::string_view name) -> std::optional<ir::Interval> {
    const auto axis = std::ranges::find(s.axes, name, &ir::Axis::name);
    const auto extent = axis == s.axes.end() ? std::nullopt : transform::constant(axis->extent);
    return extent ? std::optional(ir::Interval{0, *extent - 1}) : std::nullopt;
  });
  const auto is_axis = [&](const std::string& name) { return std::ranges::find(s.axes, name, &ir::Axis::name) != s.axes.end(); };
  return (range && range->low >= 0 && range->high < stride) ||
         (std::ranges::all_of(transform::names_in(rest), is_axis) && std::ranges::any_of(s.where, said));
}

/// The buffer and the indices of a tensor in SBUF.
class Placing {
 public:
  explicit Placing(const std::map<std::string, LocalLayout>& layouts) : layouts_(layouts) {}

  void block(ir::Block& body) {
    for (ir::Item& item : body) {
      if (auto* buffer = std::get_if<ir::Buffer>(&item.node))
        if (const LocalLayout* layout = find(buffer->name)) declare(*buffer, *layout);
      if (auto* s = std::get_if<ir::Statement>(&item.node)) statement(*s);
      transform::each_body(item, [&](ir::Block& inner) { block(inner); });
    }
  }

 private:
  const std::map<std::string, LocalLayout>& layouts_;
  std::map<std::string, ir::Buffer> whole_;  // the tensors as they were declared

  const LocalLayout* find(const std::string& name) const {
    const auto found = layouts_.find(name);
    return found == layouts_.end() ? nullptr : &found->second;
  }

  void declare(ir::Buffer& buffer, const LocalLayout& layout) {
    const ir::Buffer whole = buffer;
    whole_.emplace(buffer.name, whole);
    std::erase_if(buffer.tags, [](const ir::Tag& tag) { return tag.name == "local"; });
    buffer.space = "sbuf";
    buffer.extents.clear();
    for (const LaneDim& dim : layout.lanes) buffer.extents.push_back(number(dim.lanes));
    if (layout.lanes.empty()) buffer.extents.push_back(number(1));
    buffer.partition_rank = buffer.extents.size();
    for (const LaneDim& dim : layout.lanes)
      if (blocks_of(whole, dim) > 1) buffer.extents.push_back(number(blocks_of(whole, dim)));
    for (size_t i = 0; i < whole.extents.size(); ++i) {
      const LaneDim* dim = lane_dim(layout, i);
      if (dim == nullptr) buffer.extents.push_back(whole.extents[i]);
      if (dim != nullptr && dim->stride > 1) buffer.extents.push_back(number(dim->stride));
    }
    if (buffer.extents.size() == *buffer.partition_rank) buffer.extents.push_back(number(1));
  }

  void access(const std::string& name, std::vector<ir::Expression>& indices) {
    const LocalLayout* layout = find(name);
    if (layout == nullptr) return;
    const auto whole = whole_.find(name);
    std::vector<ir::Expression> lanes, blocks, free;
    std::map<size_t, Index> parts;
    for (const LaneDim& dim : layout->lanes) {
      auto index = split(indices[dim.dim], dim);
      if (!index || whole == whole_.end()) {
        std::fprintf(stderr, "tileproof: an access of %s is not of its layout\n", name.c_str());
        std::abort();
      }
      lanes.push_back(std::move(index->lane));
      if (blocks_of(whole->second, dim) > 1) blocks.push_back(std::move(index->block));
      if (dim.stride > 1) parts[dim.dim] = std::move(*index);
    }
    if (lanes.empty()) lanes.push_back(number(0));
    for (size_t i = 0; i < indices.size(); ++i) {
      const LaneDim* dim = lane_dim(*layout, i);
      if (dim == nullptr) free.push_back(std::move(indices[i]));
      if (dim != nullptr && dim->stride > 1) free.push_back(std::move(parts.at(i).rest));
    }
    if (blocks.empty() && free.empty()) free.push_back(number(0));
    indices = std::move(lanes);
    for (auto* list : {&blocks, &free})
      for (ir::Expression& index : *list) indices.push_back(std::move(index));
  }

  void statement(ir::Statement& s) {
    transform::each_read(s.value, [&](ir::Expression& read) { access(read.name, read.operands); });
    access(s.destination, s.indices);
  }
};

}  // namespace

std::optional<LocalLayout> layout_of(const std::vector<ir::Expression>& indices, const Names& lanes, const ir::Statement& s,
                                     const ir::Buffer& tensor) {
  LocalLayout layout;
  for (const std::string& lane : lanes) {
    const auto axis = std::ranges::find(s.axes, lane, &ir::Axis::name);
    const std::optional<int64_t> extent = transform::constant(axis->extent);
    if (extent == 1) continue;
    const auto names_lane = [&](const ir::Expression& index) { return names_axis(index, lane); };
    const auto index = std::ranges::find_if(indices, names_lane);
    if (!extent || std::ranges::count_if(indices, names_lane) != 1) return std::nullopt;
    const auto dim = static_cast<size_t>(index - indices.begin());
    const auto sum = transform::linear(*index);
    const LaneDim lane_of{dim, *extent, sum ? sum->factor_of(lane) : 0};
    if (lane_of.stride < 1 ||
        ir::multiply_saturating(lane_of.lanes, lane_of.stride) > transform::constant(tensor.extents[dim]).value_or(0))
      return std::nullopt;
    const auto parts = split(*index, lane_of);
    const bool is_even = parts && parts->lane == ir::variable(lane) && !names_axis(parts->block, lane) &&
                         !names_axis(parts->rest, lane) && stays_below(parts->rest, lane_of.stride, s);
    if (!is_even || lane_dim(layout, dim) != nullptr) return std::nullopt;
    layout.lanes.push_back(lane_of);
  }
  return layout;
}

int64_t elements_of_a_partition(const ir::Buffer& tensor, const LocalLayout& layout, const Extents& extents) {
  int64_t elements = 1;
  for (size_t i = 0; i < tensor.extents.size(); ++i) {
    const LaneDim* dim = lane_dim(layout, i);
    elements = ir::multiply_saturating(elements, dim == nullptr ? extents.largest(tensor.extents[i])
                                                                : ir::multiply_saturating(blocks_of(tensor, *dim), dim->stride));
  }
  return elements;
}

std::optional<LocalLayout> local_layout(const ir::Buffer& tensor) {
  const ir::Tag* tag = find_tag(tensor.tags, "local");
  using List = std::vector<std::variant<int64_t, std::string>>;
  const List* list = tag == nullptr ? nullptr : std::get_if<List>(&tag->value.value);
  if (list == nullptr || list->size() % 3 != 0) return std::nullopt;
  LocalLayout layout;
  for (size_t i = 0; i < list->size(); i += 3) {
    const auto *dim = std::get_if<int64_t>(&(*list)[i]), *lanes = std::get_if<int64_t>(&(*list)[i + 1]),
               *stride = std::get_if<int64_t>(&(*list)[i + 2]);
    const bool is_dim = dim != nullptr && *dim >= 0 && *dim < std::ssize(tensor.extents) && lanes != nullptr && *lanes > 1 &&
                        stride != nullptr && *stride > 0 && lane_dim(layout, static_cast<size_t>(*dim)) == nullptr;
    const int64_t extent = is_dim ? extent_of(tensor, static_cast<size_t>(*dim)) : 0;
    if (!is_dim || ir::multiply_saturating(*lanes, *stride) > extent) return std::nullopt;
    layout.lanes.push_back({static_cast<size_t>(*dim), *lanes, *stride});
  }
  return layout;
}

namespace {

bool has_local_tag(const ir::Block& body) {
  return std::ranges::any_of(body, [](const ir::Item& item) {
    const auto* buffer = std::get_if<ir::Buffer>(&item.node);
    bool found = buffer != nullptr && find_tag(buffer->tags, "local") != nullptr;
    transform::each_body(item, [&](const ir::Block& inner) { found = found || has_local_tag(inner); });
    return found;
  });
}

}  // namespace

bool has_local_tag(const ir::Program& program) { return has_local_tag(program.body); }

void set_local_layout(ir::Buffer& tensor, const LocalLayout& layout) {
  std::vector<std::variant<int64_t, std::string>> list;
  for (const LaneDim& dim : layout.lanes)
    for (const int64_t figure : {static_cast<int64_t>(dim.dim), dim.lanes, dim.stride}) list.emplace_back(figure);
  set_tag(tensor.tags, "local", {std::move(list)});
}

void lay_out(ir::Block& body, const std::map<std::string, LocalLayout>& layouts) { Placing(layouts).block(body); }

}  // namespace tileproof::penguin
