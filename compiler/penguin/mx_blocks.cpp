#include "compiler/penguin/mx_blocks.h"

#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/move_up.h"
#include "compiler/transform/fold.h"
#include "compiler/transform/localize.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

#include <algorithm>
#include <array>
#include <set>

namespace tileproof::penguin {
namespace {

using ir::Expression;
using ir::Op;

struct Word {
  std::string_view name, meaning;
};
constexpr std::array<Word, no_blocks_count> words{{
    {"other-blocks", "blocks have another shape than those of the instruction"},
    {"other-dtypes", "the instruction does not take elements, or does not make quotients, of these dtypes"},
    {"part-of-blocks", "a block is not whole, a condition leaves elements out, or the maximum does not begin anew"},
    {"other-elements", "the quotients are not of the elements that the scales are of"},
    {"varying-blocks", "an extent of the axes of blocks is no number, or there is no block"},
    {"touched-between", "elements, scales or quotients are touched between the two statements"},
}};

const ir::Statement& at(const ir::Block& block, size_t index) { return std::get<ir::Statement>(block[index].node); }

const ir::Axis* axis_named(const ir::Statement& s, std::string_view name) {
  const auto axis = std::ranges::find(s.axes, name, &ir::Axis::name);
  return axis == s.axes.end() ? nullptr : &*axis;
}

bool names_an_axis(const Expression& e, const ir::Statement& s) {
  return std::ranges::any_of(s.axes, [&](const ir::Axis& axis) { return names_axis(e, axis.name); });
}

/// abs(x) / number
const Expression* scaled_magnitude(const Expression& value) {
  if (value.op != Op::divide || value.operands[0].op != Op::abs || value.operands[0].operands[0].op != Op::read) return nullptr;
  return value.operands[1].op == Op::literal ? &value.operands[0].operands[0] : nullptr;
}

/// `size*outer + inner`, the inner axis being reduced and of extent `size`.
struct Split {
  std::string outer, inner;
};
std::optional<Split> split_of(const Expression& index, const ir::Statement& s, int64_t size) {
  const auto sum = transform::linear(index);
  if (!sum || sum->constant != 0 || sum->terms.size() != 2) return std::nullopt;
  const bool is_swapped = sum->terms[0].factor == 1;
  const auto &outer = sum->terms[is_swapped ? 1 : 0], &inner = sum->terms[is_swapped ? 0 : 1];
  if (outer.factor != size || inner.factor != 1 || outer.atom.op != Op::variable || inner.atom.op != Op::variable)
    return std::nullopt;
  const ir::Axis *o = axis_named(s, outer.atom.name), *i = axis_named(s, inner.atom.name);
  const bool fits = o != nullptr && i != nullptr && o->kind == ir::AxisKind::parallel && i->kind == ir::AxisKind::reduce &&
                    i->extent == ir::integer(size);
  return fits ? std::optional(Split{o->name, i->name}) : std::nullopt;
}

}  // namespace

std::string_view name(NoBlocks reason) { return words[static_cast<size_t>(reason)].name; }
std::string_view meaning(NoBlocks reason) { return words[static_cast<size_t>(reason)].meaning; }

std::optional<size_t> quotient_by(const ir::Block& block, size_t index) {
  const auto* scale = std::get_if<ir::Statement>(&block[index].node);
  if (scale == nullptr || scale->update != ir::Update::max || scaled_magnitude(scale->value) == nullptr) return std::nullopt;
  const std::string& x = scaled_magnitude(scale->value)->name;
  for (size_t i = index + 1; i < block.size(); ++i) {
    const auto* s = std::get_if<ir::Statement>(&block[i].node);
    if (s == nullptr || s->update != ir::Update::assign || s->value.op != Op::divide) continue;
    const Expression &element = s->value.operands[0], &divisor = s->value.operands[1];
    if (element.op == Op::read && divisor.op == Op::read && element.name == x && divisor.name == scale->destination) return i;
  }
  return std::nullopt;
}

std::expected<MxBlocks, NoBlocks> mx_blocks(const ir::Block& block, size_t scale_at, size_t quotient_at, const Tensors& tensors,
                                            const machine::Machine& machine, const transform::Environment& environment) {
  const auto none = [](NoBlocks reason) { return std::unexpected(reason); };
  const ir::Statement &scale = at(block, scale_at), &quotient = at(block, quotient_at);
  const Expression& x = *scaled_magnitude(scale.value);
  MxBlocks found;
  found.scale = scale_at, found.quotient = quotient_at;

  const auto takes = [&](std::string_view role, const std::string& buffer) {
    return std::ranges::any_of(machine.alternatives("quantize_mx"), [&](const machine::Opcode* opcode) {
      const machine::RoleRule* rule = opcode->role(role);
      return rule != nullptr && std::ranges::find(rule->dtypes, tensors.find(buffer)->dtype) != rule->dtypes.end();
    });
  };
  if (!takes("A", x.name) || !takes("X", scale.destination) || !takes("D", quotient.destination) || scale.accumulate ||
      quotient.accumulate)
    return none(NoBlocks::other_dtypes);
  for (const ir::Statement* s : {&scale, &quotient})
    if (!s->where.empty() || s->stop) return none(NoBlocks::part_of_blocks);
  if (!scale.start || !scale.start->conditions.empty()) return none(NoBlocks::part_of_blocks);

  // The dims of x: rows, packs, and others, each an axis of its own or no axis.
  const int64_t rows = machine.constant("mx_partitions").value_or(0), pack = machine.constant("mx_elements").value_or(0);
  std::set<std::string> seen;
  for (const Expression& index : x.operands) {
    const auto of_rows = split_of(index, scale, rows), of_pack = split_of(index, scale, pack);
    if (of_rows && found.row.empty()) {
      found.row = of_rows->outer, found.row_in_block = of_rows->inner;
      seen.insert({of_rows->outer, of_rows->inner});
    } else if (of_pack && found.pack.empty()) {
      found.pack = of_pack->outer, found.in_pack = of_pack->inner;
      seen.insert({of_pack->outer, of_pack->inner});
    } else if (const ir::Axis* axis = index.op == Op::variable ? axis_named(scale, index.name) : nullptr; axis != nullptr) {
      if (axis->kind != ir::AxisKind::parallel || !seen.insert(axis->name).second) return none(NoBlocks::other_blocks);
    } else if (names_an_axis(index, scale)) {
      return none(NoBlocks::other_blocks);
    }
  }
  if (found.row.empty() || found.pack.empty() || seen.size() != scale.axes.size()) return none(NoBlocks::other_blocks);
  for (const ir::Statement* s : {&scale, &quotient})
    for (const ir::Axis& axis : s->axes)
      if (transform::constant(axis.extent).value_or(0) < 1) return none(NoBlocks::varying_blocks);

  // The quotient in the axes of the scale: dim by dim as x is read, split as the scale splits it or walked through whole.
  transform::Bindings bindings;
  const Expression &element = quotient.value.operands[0], &divisor = quotient.value.operands[1];
  const auto extent = [](const ir::Statement& s, const std::string& axis) {
    return *transform::constant(axis_named(s, axis)->extent);
  };
  const auto bind = [&](const std::string& axis, Expression to, int64_t elements) {
    return extent(quotient, axis) == elements && bindings.emplace(axis, std::move(to)).second;
  };
  for (size_t dim = 0; dim < x.operands.size(); ++dim) {
    const Expression &index = element.operands[dim], &same = x.operands[dim];
    if (index.op == Op::variable && axis_named(quotient, index.name) != nullptr) {
      if (!names_an_axis(same, scale)) return none(NoBlocks::other_elements);
      int64_t elements = 1;
      for (const std::string& name : transform::names_in(same)) elements *= extent(scale, name);
      if (!bind(index.name, same, elements)) return none(NoBlocks::other_elements);
      continue;
    }
    const auto walked = transform::linear(index), wanted = transform::linear(same);
    if (!walked || !wanted || walked->terms.size() != wanted->terms.size() || walked->constant != wanted->constant)
      return none(NoBlocks::other_elements);
    for (const auto& term : walked->terms) {
      const auto fits = std::ranges::find(wanted->terms, term.factor, &transform::Linear::Term::factor);
      if (fits == wanted->terms.end()) return none(NoBlocks::other_elements);
      const ir::Axis* axis = term.atom.op == Op::variable ? axis_named(quotient, term.atom.name) : nullptr;
      const bool is_same = axis == nullptr ? term.atom == fits->atom && !names_an_axis(term.atom, quotient)
                                           : axis_named(scale, fits->atom.name) != nullptr &&
                                                 bind(axis->name, fits->atom, extent(scale, fits->atom.name));
      if (!is_same) return none(NoBlocks::other_elements);
    }
  }
  if (bindings.size() != quotient.axes.size()) return none(NoBlocks::other_elements);
  const auto bound = [&](Expression index) {
    transform::substitute(index, bindings);
    return transform::fold(std::move(index));
  };
  // (8*k + r) floordiv 8 is k: the rest is below the divisor.
  const auto whole = [&](Expression index) {
    if (index.op != Op::floordiv) return bound(std::move(index));
    const Expression inside = bound(index.operands[0]);
    const std::optional<int64_t> by = transform::constant(index.operands[1]);
    for (const auto& [size, outer] : {std::pair{rows, &found.row}, std::pair{pack, &found.pack}}) {
      const auto split = split_of(inside, scale, size);
      if (by == size && split && split->outer == *outer) return ir::variable(*outer);
    }
    return bound(std::move(index));
  };
  for (size_t dim = 0; dim < divisor.operands.size(); ++dim)
    if (whole(divisor.operands[dim]) != scale.indices[dim]) return none(NoBlocks::other_elements);
  for (const Expression& index : quotient.indices) found.elements.push_back(bound(index));
  const std::array positions{scale_at, quotient_at};
  if (!may_move_up(block, positions, environment)) return none(NoBlocks::touched_between);
  return found;
}

}  // namespace tileproof::penguin
