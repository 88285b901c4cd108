// Expressions over the tensors and coordinates of a scene.
#pragma once

#include "fuzz/generate/scene.h"

namespace tileproof::fuzz {

class Formula {
 public:
  /// `tame`: never an infinity or a NaN from finite inputs, short of overflow. `coordinates` are those of the point.
  Formula(Scene& scene, std::vector<Coordinate> coordinates, bool tame)
      : scene_(scene), choices_(scene.choices), coordinates_(std::move(coordinates)), tame_(tame) {}

  /// An index that lies in [0, dim): the `preferred` coordinate where it fits, another one, a window, a wrapped or clamped one, a
  /// gather, a constant.
  ir::Expression index(const Dim& dim, size_t preferred = 0);
  /// An element of the tensor.
  ir::Expression read(const Tensor& tensor);
  /// A value of either class, at most `depth` operators high above its leaves.
  ir::Expression value(int depth);
  /// A value of integer class.
  ir::Expression whole(int depth);
  /// A comparison that does not depend on data.
  ir::Expression condition();
  /// A true integer in [0, range).
  ir::Expression steering(int64_t range);

 private:
  Scene& scene_;
  Choices& choices_;
  std::vector<Coordinate> coordinates_;
  bool tame_;
  bool gathers_ = true;

  const Tensor* pick(bool (*wanted)(const Tensor&));
  ir::Expression any_coordinate();
  ir::Expression leaf(bool is_whole);
};

}  // namespace tileproof::fuzz
