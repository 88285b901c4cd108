#include "compiler/penguin/mean_variance.h"

#include "compiler/ir/interval.h"
#include "compiler/ir/verify.h"
#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/move_up.h"
#include "compiler/transform/each_body.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

#include <algorithm>
#include <set>

namespace tileproof::penguin {
namespace {

using ir::Op;
using transform::Bindings;
using Indices = std::vector<ir::Expression>;

struct Word {
  std::string_view name, meaning;
};
constexpr std::array<Word, no_statistics_count> words{{
    {"sums-used", "a sum behind a mean or a variance is an output, or something else reads it"},
    {"rounded-sums", "a sum or the mean is rounded to less than f32, or not added up in f32"},
    {"written-between", "a tensor is written, or a result read, among the statements that define mean and variance"},
    {"masked", "a condition leaves elements out of mean and variance, or the sums do not begin anew"},
    {"few-elements", "an extent of the axes of mean and variance is no number, or fewer than two elements are reduced"},
    {"other-count", "a sum is divided by something else than the number of its elements"},
}};

const ir::Statement* statement_in(const ir::Block& block, size_t index) { return std::get_if<ir::Statement>(&block[index].node); }

/// The last statement before `index` that writes the buffer.
std::optional<size_t> writer_before(const ir::Block& block, size_t index, const std::string& buffer) {
  while (index-- > 0)
    if (const ir::Statement* s = statement_in(block, index); s != nullptr && s->destination == buffer) return index;
  return std::nullopt;
}

const ir::Axis* axis_named(const ir::Statement& s, const std::string& name) {
  const auto axis = std::ranges::find(s.axes, name, &ir::Axis::name);
  return axis == s.axes.end() ? nullptr : &*axis;
}

bool names_an_axis(const ir::Expression& e, const ir::Statement& s) {
  return std::ranges::any_of(s.axes, [&](const ir::Axis& axis) { return names_axis(e, axis.name); });
}

/// The axes of `s` by those of `of`, where `indices` of the one are the same elements as `same` of the other: each is an axis by itself or names
/// none. nullopt: they are not, or an axis of `s` remains.
std::optional<Bindings> by_axes_of(const ir::Statement& of, const Indices& same, const ir::Statement& s, const Indices& indices) {
  if (same.size() != indices.size()) return std::nullopt;
  Bindings bindings;
  std::set<std::string> bound;
  for (size_t i = 0; i < same.size(); ++i) {
    const ir::Axis* axis = indices[i].op == Op::variable ? axis_named(s, indices[i].name) : nullptr;
    const ir::Axis* other = same[i].op == Op::variable ? axis_named(of, same[i].name) : nullptr;
    if (axis == nullptr || other == nullptr) {
      if (indices[i] != same[i] || names_an_axis(indices[i], s) || names_an_axis(same[i], of)) return std::nullopt;
      continue;
    }
    if (axis->extent != other->extent || axis->kind != other->kind || !bound.insert(other->name).second) return std::nullopt;
    if (!bindings.emplace(axis->name, same[i]).second) return std::nullopt;
  }
  return bindings.size() == s.axes.size() ? std::optional(std::move(bindings)) : std::nullopt;
}

Indices bound(Indices indices, const Bindings& bindings) {
  for (ir::Expression& index : indices) transform::substitute(index, bindings);
  return indices;
}

/// (x - m) * (x - m); nullptr: it is no such value.
const ir::Expression* difference_squared(const ir::Expression& value) {
  if (value.op != Op::multiply || value.operands[0] != value.operands[1]) return nullptr;
  const ir::Expression& difference = value.operands[0];
  const bool is_of_reads =
      difference.op == Op::subtract && difference.operands[0].op == Op::read && difference.operands[1].op == Op::read;
  return is_of_reads ? &difference : nullptr;
}

bool is_quotient(const ir::Expression& e, const std::string& buffer) {
  return e.op == Op::divide && e.operands[0].op == Op::read && e.operands[0].name == buffer && e.operands[1].op == Op::literal;
}

/// The one quotient of the buffer in `value`, which the read of it takes the place of.
std::optional<ir::Expression> take_quotient(ir::Expression& value, const std::string& buffer) {
  if (is_quotient(value, buffer)) {
    ir::Expression quotient = value;
    value = quotient.operands[0];
    return quotient;
  }
  for (ir::Expression& operand : value.operands)
    if (auto quotient = take_quotient(operand, buffer)) return quotient;
  return std::nullopt;
}

bool is_made_of_one_read(ir::Expression value, const ir::Statement& s) {
  size_t reads = 0;
  transform::each_read(value, [&](ir::Expression& read) {
    ++reads;
    read = transform::number(0);
  });
  return reads == 1 && !names_an_axis(value, s);
}

void count(const ir::Block& block, Mentions& mentions) {
  for (const ir::Item& item : block) {
    bool has_body = false;
    transform::each_body(item, [&](const ir::Block& body) {
      has_body = true;
      count(body, mentions);
    });
    if (has_body) continue;
    for (const std::string& each : buffers_named(item)) ++mentions[each];
  }
}

}  // namespace

std::string_view name(NoStatistics reason) { return words[static_cast<size_t>(reason)].name; }
std::string_view meaning(NoStatistics reason) { return words[static_cast<size_t>(reason)].meaning; }

Mentions mentions(const ir::Program& program) {
  Mentions all;
  count(program.body, all);
  return all;
}

std::optional<MeanVariance> mean_variance_at(const ir::Block& block, size_t index) {
  MeanVariance found;
  found.squares = index;
  const ir::Statement* squares = statement_in(block, index);
  if (squares == nullptr || squares->update != ir::Update::add) return std::nullopt;
  const ir::Expression* difference = difference_squared(squares->value);
  if (difference == nullptr) return std::nullopt;
  const ir::Expression &x = difference->operands[0], &subtracted = difference->operands[1];

  const auto mean_at = writer_before(block, index, subtracted.name);
  if (!mean_at) return std::nullopt;
  const ir::Statement& mean = *statement_in(block, found.mean = *mean_at);
  if (mean.update != ir::Update::assign || mean.value.op != Op::divide || mean.value.operands[0].op != Op::read ||
      !is_quotient(mean.value, mean.value.operands[0].name))
    return std::nullopt;
  const auto sum_at = writer_before(block, found.mean, mean.value.operands[0].name);
  if (!sum_at) return std::nullopt;
  const ir::Statement& sum = *statement_in(block, found.sum = *sum_at);
  if (sum.update != ir::Update::add || sum.value.op != Op::read || sum.value.name != x.name) return std::nullopt;

  const auto of_mean = by_axes_of(sum, sum.indices, mean, mean.value.operands[0].operands);
  const auto of_squares = by_axes_of(sum, sum.value.operands, *squares, x.operands);
  if (!of_mean || !of_squares || of_squares->size() != sum.axes.size()) return std::nullopt;
  found.mean_indices = bound(mean.indices, *of_mean);
  if (bound(subtracted.operands, *of_squares) != found.mean_indices) return std::nullopt;
  const auto reads_squares = [&](const ir::Item& item) {
    const auto* s = std::get_if<ir::Statement>(&item.node);
    return s != nullptr && transform::uses_name(s->value, squares->destination);
  };
  const auto variance_at = std::find_if(block.begin() + static_cast<std::ptrdiff_t>(index) + 1, block.end(), reads_squares);
  if (variance_at == block.end()) return std::nullopt;
  found.variance = static_cast<size_t>(variance_at - block.begin());
  const auto& variance = std::get<ir::Statement>(variance_at->node);
  found.value = variance.value;
  const auto quotient = take_quotient(found.value, squares->destination);
  if (variance.update != ir::Update::assign || !quotient || !is_made_of_one_read(found.value, variance)) return std::nullopt;
  const Indices kept = bound(squares->indices, *of_squares);
  const auto of_variance = by_axes_of(sum, kept, variance, quotient->operands[0].operands);
  if (!of_variance || of_variance->size() != of_mean->size()) return std::nullopt;
  found.variance_indices = bound(variance.indices, *of_variance);
  found.counts[0] = mean.value.operands[1].value;
  found.counts[1] = quotient->operands[1].value;
  return found;
}

std::optional<NoStatistics> no_statistics(const MeanVariance& found, const ir::Block& block, const Tensors& tensors,
                                          const Mentions& mentions, const transform::Environment& environment) {
  const ir::Statement &sum = *statement_in(block, found.sum), &mean = *statement_in(block, found.mean),
                      &squares = *statement_in(block, found.squares), &variance = *statement_in(block, found.variance);
  for (const ir::Statement* s : {&sum, &squares}) {
    if (mentions.at(s->destination) != 2 || tensors.find(s->destination)->role != ir::Role::none) return NoStatistics::sums_used;
    const bool is_f32 =
        tensors.find(s->destination)->dtype == ir::Dtype::f32 && ir::accumulate_dtype(*s, tensors.dtypes()) == ir::Dtype::f32;
    if (!is_f32) return NoStatistics::rounded_sums;
  }
  if (tensors.find(mean.destination)->dtype != ir::Dtype::f32 || !environment.is_wide(ir::Dtype::f32) || mean.accumulate ||
      variance.accumulate)
    return NoStatistics::rounded_sums;
  for (const ir::Statement* s : {&sum, &mean, &squares, &variance})
    if (!s->where.empty() || s->stop || (s->update == ir::Update::add && (!s->start || !s->start->conditions.empty())))
      return NoStatistics::masked;
  int64_t count = 1;
  for (const ir::Axis& axis : sum.axes) {
    const int64_t extent = transform::constant(axis.extent).value_or(0);
    if (extent < 1) return NoStatistics::few_elements;
    if (axis.kind == ir::AxisKind::reduce) count = ir::multiply_saturating(count, extent);
  }
  if (count < 2) return NoStatistics::few_elements;
  for (const ir::Decimal& each : found.counts)
    if (ir::to_integer(each) != count) return NoStatistics::other_count;
  const bool moves = may_move_up(block, found.statements(), environment);
  return moves ? std::nullopt : std::optional(NoStatistics::written_between);
}

}  // namespace tileproof::penguin
