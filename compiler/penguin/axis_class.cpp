#include "compiler/penguin/axis_class.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tileproof::penguin {
namespace {

constexpr std::array<std::string_view, 3> class_names{"P", "F", "B"};

}  // namespace

const ir::Tag* find_tag(const ir::Tags& tags, std::string_view name) {
  const auto found = std::ranges::find(tags, name, &ir::Tag::name);
  return found == tags.end() ? nullptr : &*found;
}

void set_tag(ir::Tags& tags, std::string_view name, ir::TagValue value) {
  const auto found = std::ranges::find(tags, name, &ir::Tag::name);
  if (found != tags.end())
    found->value = std::move(value);
  else
    tags.push_back({std::string(name), std::move(value)});
}

std::optional<AxisClass> class_of(const ir::Axis& axis) {
  std::optional<AxisClass> first;
  for (const ir::Tag& tag : axis.tags) {
    const auto found = std::ranges::find(class_names, tag.name);
    const auto axis_class = static_cast<AxisClass>(found - class_names.begin());
    if (found != class_names.end() && (!first || axis_class < *first)) first = axis_class;
  }
  return first;
}

bool is_classified(const ir::Statement& statement) {
  return std::ranges::all_of(statement.axes, [](const ir::Axis& axis) { return class_of(axis).has_value(); });
}

void set_class(ir::Axis& axis, AxisClass axis_class) {
  const auto is_class = [](const ir::Tag& tag) { return std::ranges::find(class_names, tag.name) != class_names.end(); };
  ir::Tags& tags = axis.tags;
  if (tags.empty() || !is_class(tags.front())) tags.insert(tags.begin(), ir::Tag{});
  tags.front() = {std::string(class_names[static_cast<size_t>(axis_class)]), {}};
  tags.erase(std::remove_if(tags.begin() + 1, tags.end(), is_class), tags.end());
}

std::optional<int64_t> axis_group(const ir::Axis& axis) {
  const ir::Tag* tag = find_tag(axis.tags, "ag");
  const auto* number = tag == nullptr ? nullptr : std::get_if<int64_t>(&tag->value.value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

bool names_axis(const ir::Expression& e, std::string_view axis) {
  return (e.op == ir::Op::variable && e.name == axis) ||
         std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return names_axis(operand, axis); });
}

std::vector<size_t> parallel_axes(const ir::Statement& statement) {
  std::vector<size_t> axes;
  const auto add = [&](const auto& occurs) {
    for (size_t i = 0; i < statement.axes.size(); ++i) {
      const ir::Axis& axis = statement.axes[i];
      if (axis.kind != ir::AxisKind::parallel || std::ranges::find(axes, i) != axes.end()) continue;
      if (occurs(axis)) axes.push_back(i);
    }
  };
  for (const ir::Expression& index : statement.indices) add([&](const ir::Axis& axis) { return names_axis(index, axis.name); });
  add([](const ir::Axis&) { return true; });
  return axes;
}

void order_by_group(const ir::Statement& statement, std::vector<size_t>& axes) {
  if (axes.size() < 2) return;
  const auto has_group = [&](size_t i) { return axis_group(statement.axes[i]).has_value(); };
  if (std::ranges::all_of(axes, has_group))
    std::ranges::stable_sort(axes, {}, [&](size_t i) { return *axis_group(statement.axes[i]); });
}

std::vector<size_t> axes_of(const ir::Statement& statement, AxisClass axis_class, bool reduced) {
  std::vector<size_t> axes;
  if (!reduced) {
    axes = parallel_axes(statement);
  } else {
    for (size_t i = 0; i < statement.axes.size(); ++i)
      if (statement.axes[i].kind != ir::AxisKind::parallel) axes.push_back(i);
  }
  std::erase_if(axes, [&](size_t i) { return class_of(statement.axes[i]) != axis_class; });
  if (!reduced && axis_class != AxisClass::block) order_by_group(statement, axes);
  return axes;
}

}  // namespace tileproof::penguin
