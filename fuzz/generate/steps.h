// The steps that a generated program is made of. Each appends items that leave one more whole tensor, or change one in place, and
// is legal by construction: every index is in bounds, everything read is defined, and no two concurrent accesses meet.
#pragma once

#include "fuzz/generate/formula.h"
#include "fuzz/generate/nest.h"
#include "fuzz/generate/scene.h"

namespace tileproof::fuzz {

class Steps {
 public:
  /// `tame`: formulas without infinities, NaNs and functions that make them.
  Steps(Scene& scene, bool tame) : scene_(scene), choices_(scene.choices), tame_(tame) {}

  /// An `in` or `inout` buffer.
  void input(ir::Block& out, bool is_inout);
  /// An `in` buffer of integers that may steer.
  void indices(ir::Block& out);
  /// Any step.
  void step(ir::Block& out);
  /// A whole tensor in a buffer that is `out`.
  void result(ir::Block& out);

 private:
  Scene& scene_;
  Choices& choices_;
  bool tame_;
  std::vector<Tensor> pending_;  ///< the whole buffers behind a view that is being filled

  // tensors
  Dim dim(int64_t most);
  std::vector<Dim> dims(int64_t most_elements);
  ir::Dtype dtype();
  Tensor declare(ir::Block& out, std::vector<Dim> dims, ir::Dtype dtype, ir::Role role, int64_t range = 0);
  Tensor through_view(ir::Block& out, std::vector<Dim> dims, ir::Dtype dtype, ir::Role role);
  void place_at(ir::Buffer& buffer, int64_t row_elements);

  // whole tensors
  Tensor make(ir::Block& out, ir::Role role);
  void fill(const Tensor& tensor, ir::Block& out);
  void fill_map(const Tensor& tensor, ir::Block& out);
  void fill_halves(const Tensor& tensor, ir::Block& out);
  void fill_reduce(const Tensor& tensor, ir::Block& out);
  void fill_scan(const Tensor& tensor, ir::Block& out);
  void fill_staged(const Tensor& tensor, ir::Block& out);
  bool fill_scatter(const Tensor& tensor, ir::Block& out);
  void fill_branches(const Tensor& tensor, ir::Block& out);

  // other steps
  void in_place(ir::Block& out);
  void repeat(ir::Block& out);
  void move(ir::Block& out);
  void rotate(ir::Block& out);
  void opaque(ir::Block& out);
  void view(ir::Block& out);
  void nothing(ir::Block& out);
  void steered(ir::Block& out);

  // parts
  NestOptions freedom(const Tensor& tensor) const;
  ir::Expression value_for(const Tensor& tensor, Formula& formula, int depth);
  ir::Statement assign(std::string opcode, const Tensor& tensor, const Nest& nest, ir::Expression value);
  void maybe_clobber(ir::Statement& statement, ir::Block& out);
};

}  // namespace tileproof::fuzz
