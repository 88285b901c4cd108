// Which reductions may have their reduced axis on the partitions of a tile: those that loop-splitting turns into stages.
#pragma once

#include "compiler/machine/machine.h"
#include "compiler/penguin/operation.h"
#include "compiler/transform/environment.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace tileproof::penguin {

/// Why a reduction is not turned into stages.
enum class Unsplittable : uint8_t {
  goes_on,            // it does not begin anew everywhere, reads what it writes, or claims when it is complete
  named_axis,         // the value is made of an axis and not only of tensors, as that of an arg-reduction is
  varying_extent,     // an extent is no number, or the axis has no element
  masked_partitions,  // a condition would let out the first lanes of a stage, or other ones in each column
  rounded_partials,   // partial results would be rounded where the reduction rounds once
  mixed_partitions,   // another axis lies on the partitions as well
};
/// The word of the passes' vocabulary ("goes-on"), and one line that says what it means.
std::string_view name(Unsplittable reason);
std::string_view meaning(Unsplittable reason);
inline constexpr size_t unsplittable_count = 6;

/// Whether `reduction`, whose reduced axis `axis` (a name) lies on the partitions, or would, becomes stages of the same meaning that
/// engines can do. nullopt: it does. Its axes may be cut or not; parallel ones without a class count as free.
///
/// A condition is harmless to the stages if it is
///   * an upper bound that names `axis` and otherwise only reduced axes, of which one is along the free dimension if there are any: lanes
///     beyond it hold the identity;
///   * about other reduced axes (and any parallel ones): the first stage alone has it;
///   * an upper bound on parallel axes: all such conditions name one free axis at most, beside loops. Another one might be cut, and have a tail
///     too, where nothing is cut yet; then it must be the only one.
/// Source: spec passes 2.5; each condition is our choice.
std::optional<Unsplittable> unsplittable(const ir::Statement& reduction, std::string_view axis, const Tensors& tensors,
                                         const transform::Environment& environment, const machine::Machine& machine);

/// The free parallel axes that conditions without reduced axes name: those that are masked where they lie on the partitions.
std::set<std::string> masked_columns(const ir::Statement& reduction);

}  // namespace tileproof::penguin
