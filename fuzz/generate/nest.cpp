#include "fuzz/generate/nest.h"

#include <algorithm>

namespace tileproof::fuzz {

using ir::Op;

namespace {

class NestWriter {
 public:
  NestWriter(Scene& scene, const NestOptions& options) : scene_(scene), choices_(scene.choices), options_(options) {}

  Nest take() {
    choices_.shuffle(nest_.axes);
    choices_.shuffle(nest_.loops);
    return std::move(nest_);
  }

  void whole(const Dim& dim) {
    const std::string name = scene_.fresh("j");
    nest_.axes.push_back({name, dim.extent, axis_kind(), {}, {}});
    add({ir::variable(name), dim}, {ir::variable(name), dim}, dim.extent);
  }

  void cut(const Dim& dim) {
    const int64_t tile = choices_.extent(std::min<int64_t>(8, dim.most));
    const bool is_clamped = dim.is_literal() && dim.most % tile != 0 && choices_.chance(20);
    const int64_t low = choices_.chance(15) ? choices_.between(1, 3) : 0;
    const std::string loop = scene_.fresh("b");
    const ir::Expression trips = dim.is_literal() ? ir::integer((dim.most + tile - 1) / tile)
                                                  : binary(Op::floordiv, plus(dim.extent, tile - 1), ir::integer(tile));
    nest_.loops.push_back({loop, {}, {ir::integer(low), plus(trips, low)}, is_clamped ? ir::LoopKind::seq : loop_kind(), {}, {}});
    nest_.first.push_back(compare(Op::equal, ir::variable(loop), ir::integer(low)));
    nest_.last.push_back(compare(Op::equal, ir::variable(loop), plus(trips, low - 1)));
    ir::Expression start = times(tile, plus(ir::variable(loop), -low));
    if (is_clamped) {
      start = binary(Op::min, start, ir::integer(dim.most - tile));
      nest_.is_exact = false;
    }
    if (tile == 1) return add({start, dim}, {ir::integer(0), literal_dim(1)}, ir::integer(1));
    const std::string axis = scene_.fresh("j");
    nest_.axes.push_back({axis, ir::integer(tile), axis_kind(), {}, {}});
    const Coordinate coordinate{plus(start, ir::variable(axis)), dim};
    const bool has_tail = !is_clamped && !(dim.is_literal() && dim.most % tile == 0);
    if (has_tail) nest_.conditions.push_back(compare(Op::less, coordinate.value, dim.extent));
    add(coordinate, {ir::variable(axis), literal_dim(tile)},
        has_tail ? binary(Op::min, ir::integer(tile), binary(Op::subtract, dim.extent, start)) : ir::integer(tile));
  }

 private:
  Scene& scene_;
  Choices& choices_;
  const NestOptions& options_;
  Nest nest_;

  void add(Coordinate coordinate, Coordinate local, ir::Expression valid) {
    nest_.coordinates.push_back(std::move(coordinate));
    nest_.local.push_back(std::move(local));
    nest_.valid.push_back(std::move(valid));
  }
  ir::AxisKind axis_kind() {
    if (options_.reduces) return ir::AxisKind::reduce;
    return options_.ordered || choices_.chance(15) ? ir::AxisKind::seq : ir::AxisKind::parallel;
  }
  ir::LoopKind loop_kind() {
    if (options_.reduces || options_.ordered || options_.ordered_loops) return ir::LoopKind::seq;
    return choices_.pick({ir::LoopKind::seq, ir::LoopKind::par, ir::LoopKind::par, ir::LoopKind::shard, ir::LoopKind::thread});
  }
};

}  // namespace

Nest make_nest(Scene& scene, const std::vector<Dim>& dims, const NestOptions& options) {
  NestWriter writer(scene, options);
  for (const Dim& dim : dims) {
    if (scene.choices.chance(options.cut_percent)) {
      writer.cut(dim);
    } else {
      writer.whole(dim);
    }
  }
  return writer.take();
}

std::vector<ir::Expression> values(const std::vector<Coordinate>& coordinates) {
  std::vector<ir::Expression> result;
  for (const Coordinate& c : coordinates) result.push_back(c.value);
  return result;
}

void surround(std::vector<ir::Loop> loops, ir::Block body, ir::Block& out) {
  for (; !loops.empty(); loops.pop_back()) {
    ir::Loop loop = std::move(loops.back());
    loop.body = std::move(body);
    body.clear();
    body.push_back({std::move(loop)});
  }
  for (ir::Item& item : body) out.push_back(std::move(item));
}

}  // namespace tileproof::fuzz
