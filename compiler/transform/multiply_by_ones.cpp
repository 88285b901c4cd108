#include "compiler/transform/multiply_by_ones.h"

#include "compiler/ir/verify.h"
#include "compiler/transform/terms.h"
#include "compiler/transform/tile_shape.h"

#include <fmt/format.h>

namespace tileproof::transform {

Outcome<> multiply_by_ones(ir::Block& body, size_t index, const Tile& ones, Environment& environment) {
  auto* statement = index < body.size() ? std::get_if<ir::Statement>(&body[index].node) : nullptr;
  if (statement == nullptr) return refuse(RefusalId::not_a_nest, "no statement stands there");
  if (statement->update != ir::Update::add)
    return refuse(RefusalId::order_would_change, fmt::format("what is combined into {} is no sum", statement->destination));
  const ir::Dtype accumulate = ir::accumulate_dtype(*statement, environment.dtypes());
  const bool keeps = ones.dtype == accumulate && (accumulate == ir::Dtype::f32 || accumulate == ir::Dtype::f64) &&
                     ir::value_type(statement->value, environment.dtypes()).is_float;
  if (!keeps)
    return refuse(RefusalId::dtype_differs, fmt::format("ones would change what the {} values of {} are computed in",
                                                        ir::name(accumulate), statement->destination));
  Outcome<TileShape> shape = tile_shape(ones, *statement, {}, accumulate, environment);
  if (!shape) return std::unexpected(shape.error());

  ir::Statement fill;
  fill.opcode = ones.opcode;
  fill.destination = ones.name;
  fill.indices = shape->indices;
  fill.value = number(1);
  fill.axes = std::move(shape->axes);
  statement->value = binary(ir::Op::multiply, ir::read(ones.name, std::move(shape->indices)), std::move(statement->value));
  environment.declare(shape->buffer);
  const auto at = body.begin() + static_cast<std::ptrdiff_t>(index);
  body.insert(body.insert(at, ir::Item{std::move(fill)}), ir::Item{std::move(shape->buffer)});
  return {};
}

}  // namespace tileproof::transform
