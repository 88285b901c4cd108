#include "compiler/machine/operation.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tileproof::machine {
namespace {

std::vector<uint32_t> axes_of(const Form& form) {
  std::vector<uint32_t> axes;
  for (const Form::Term& term : form.terms) axes.push_back(term.axis);
  return axes;
}

/// An index that the ranges do not resolve may still be affine, or not depend on all of its axes: small ones are tried out.
Form resolve_by_enumeration(const ir::Expression& index, const Form& unresolved, const Operation& operation) {
  const std::vector<ir::Axis>& axes = operation.statement().axes;
  const std::vector<uint32_t> which = axes_of(unresolved);
  std::vector<int64_t> values;
  bool known = true;
  const bool small = for_each_point(operation.box, which, enumeration_limit, [&](std::span<const int64_t> point) {
    const auto value = known ? value_at(index, axes, point, *operation.lookup) : std::nullopt;
    known = known && value.has_value();
    values.push_back(value.value_or(0));
  });
  if (!small || !known) return unresolved;
  // Values stand in the order of for_each_point: the first axis is fastest.
  Form fit{values.front(), {}, true};
  std::vector<bool> matters(which.size(), false);
  size_t stride = 1;
  for (size_t a = 0; a < which.size(); ++a) {
    const auto extent = static_cast<size_t>(operation.box.high[which[a]] + 1);
    const int64_t step = values[stride] - values[0];
    if (step != 0) fit.terms.push_back({which[a], step});
    for (size_t i = 0; i < values.size(); ++i) {
      if (i / stride % extent != 0 && values[i] != values[i - stride]) matters[a] = true;
    }
    stride *= extent;
  }
  bool affine = true;
  size_t i = 0;
  for_each_point(operation.box, which, enumeration_limit, [&](std::span<const int64_t> point) {
    int64_t value = fit.constant;
    for (const auto [axis, coefficient] : fit.terms) value += coefficient * point[axis];
    affine = affine && value == values[i++];
  });
  if (affine) return fit;
  Form pruned{0, {}, false};
  for (size_t a = 0; a < which.size(); ++a) {
    if (matters[a]) pruned.terms.push_back({which[a], 1});
  }
  return pruned;
}

Form row_major(const Placement& placement, size_t begin, size_t end) {
  Form sum;
  int64_t stride = 1;
  for (size_t d = end; d-- > begin;) {
    sum = multiply_add(placement.dims[d], stride, std::move(sum));
    stride *= std::max<int64_t>(placement.extents[d], 1);
  }
  return sum;
}

/// The row-major numbers that dimensions begin .. end - 1 take over the executed points; nullopt: not known, or too many points.
std::optional<std::set<int64_t>> enumerate(const Operation& operation, size_t access, size_t begin, size_t end) {
  const Placement& placement = operation.placements[access];
  const std::vector<uint32_t> which = axes_of(row_major(placement, begin, end));
  std::set<int64_t> numbers;
  bool known = true;
  const bool small = for_each_point(operation.executed, which, enumeration_limit, [&](std::span<const int64_t> point) {
    int64_t number = 0;
    for (size_t d = begin; known && d < end; ++d) {
      const auto value = value_at(operation.access(access).indices[d], operation.statement().axes, point, *operation.lookup);
      known = value.has_value();
      number = number * placement.extents[d] + value.value_or(0);
    }
    numbers.insert(number);
  });
  return small && known && !numbers.empty() ? std::optional(std::move(numbers)) : std::nullopt;
}

/// The strides of a form over a box, smallest first, without axes of one value.
struct Stride {
  int64_t step = 1;     ///< absolute
  int64_t extent = 1;
};
std::vector<Stride> strides(const Form& form, const Box& box) {
  std::vector<Stride> result;
  for (const auto [axis, coefficient] : form.terms) {
    const int64_t extent = box.high[axis] - box.low[axis] + 1;
    if (extent > 1) result.push_back({std::abs(coefficient), extent});
  }
  std::ranges::sort(result, {}, &Stride::step);
  return result;
}

}  // namespace

Operation make_operation(const StatementAccesses& text, std::span<const int64_t> extents, const Lookup& lookup) {
  Operation operation{&text, {extents.begin(), extents.end()}, whole_box(extents), {}, {}, &lookup};
  operation.executed = where_box(*text.statement, operation.box, lookup);
  operation.placements.reserve(text.accesses.size());
  for (const Access& access : text.accesses) {
    Placement& placement = operation.placements.emplace_back();
    placement.extents.reserve(access.buffer->extents.size());
    placement.dims.reserve(access.indices.size());
    placement.has_bar = access.buffer->partition_rank.has_value();
    placement.partition_rank = access.buffer->partition_rank.value_or(0);
    for (const ir::Expression& extent : access.buffer->extents) {
      const auto value = extent.op == ir::Op::literal ? ir::to_integer(extent.value) : std::nullopt;
      placement.extents.push_back(value ? *value : form_of(extent, {}, {}, lookup).constant);
    }
    for (const ir::Expression& index : access.indices) {
      Form form = form_of(index, text.statement->axes, operation.box, lookup);
      if (!form.affine) form = resolve_by_enumeration(index, form, operation);
      placement.dims.push_back(std::move(form));
    }
  }
  return operation;
}

Form partition_form(const Placement& placement) { return row_major(placement, 0, placement.partition_rank); }
Form element_form(const Placement& placement) { return row_major(placement, placement.partition_rank, placement.dims.size()); }

std::optional<PartitionWindow> partition_window(const Operation& operation, size_t access) {
  const Placement& placement = operation.placements[access];
  const Form form = partition_form(placement);
  if (form.affine) {
    int64_t reach = 1;
    bool contiguous = true;
    for (const auto [step, extent] : strides(form, operation.executed)) {
      contiguous = contiguous && step <= reach;
      reach += step * (extent - 1);
    }
    return PartitionWindow{least(form, operation.executed), reach, contiguous};
  }
  const auto numbers = enumerate(operation, access, 0, placement.partition_rank);
  if (!numbers) return std::nullopt;
  const int64_t count = *numbers->rbegin() - *numbers->begin() + 1;
  return PartitionWindow{*numbers->begin(), count, count == static_cast<int64_t>(numbers->size())};
}

std::optional<ElementWindow> element_window(const Operation& operation, size_t access) {
  const Placement& placement = operation.placements[access];
  const Form form = element_form(placement);
  if (form.affine) return ElementWindow{least(form, operation.executed), greatest(form, operation.executed)};
  const auto numbers = enumerate(operation, access, placement.partition_rank, placement.dims.size());
  if (!numbers) return std::nullopt;
  return ElementWindow{*numbers->begin(), *numbers->rbegin()};
}

std::optional<int64_t> unaligned_bit(const Operation& operation, size_t access) {
  const int64_t width = ir::bits(operation.access(access).buffer->dtype);
  if (width >= 8) return std::nullopt;
  const Placement& placement = operation.placements[access];
  const Form form = element_form(placement);
  if (form.affine) {
    const int64_t first = least(form, operation.executed) * width;
    if (first % 8 != 0) return first;
    int64_t run = 1;   // elements that lie side by side
    for (const auto [step, extent] : strides(form, operation.executed)) {
      if (step == run) {
        run *= extent;
      } else if (step * width % 8 != 0) {
        return first + step * width;
      }
    }
    return std::nullopt;
  }
  const auto numbers = enumerate(operation, access, placement.partition_rank, placement.dims.size());
  if (!numbers) return std::nullopt;
  for (const int64_t number : *numbers) {
    if (!numbers->contains(number - 1) && number * width % 8 != 0) return number * width;
  }
  return std::nullopt;
}

int64_t pattern_dims(const Operation& operation, size_t access) {
  const Form form = element_form(operation.placements[access]);
  if (!form.affine) return static_cast<int64_t>(form.terms.size());
  int64_t dims = 0;
  std::optional<int64_t> next;   // the step that would go on where the last one ends
  for (const auto [step, extent] : strides(form, operation.box)) {
    if (next != step) ++dims;
    next = step * extent;
  }
  return dims;
}

}  // namespace tileproof::machine
