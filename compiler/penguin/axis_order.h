// Two orders of the axes of a nest that must never be taken for each other. Source: seed 000, axis ordering; the two types are
// our choice, as the source names both orders "left to right".
//
//   priority order   highest priority first: the first axes are the last ones to leave the tile
//   emission order   as the nest is written, outermost first: the axis of highest priority is innermost, its elements neighbours
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace tileproof::penguin {

enum class AxisOrder : uint8_t { priority, emission };

/// A list that knows its order. Lists of different orders neither convert nor compare.
template <class T, AxisOrder order>
class OrderedAxes {
 public:
  OrderedAxes() = default;
  OrderedAxes(std::initializer_list<T> axes) : axes_(axes) {}
  explicit OrderedAxes(std::vector<T> axes) : axes_(std::move(axes)) {}

  size_t size() const { return axes_.size(); }
  bool empty() const { return axes_.empty(); }
  const T& operator[](size_t i) const { return axes_[i]; }
  T& operator[](size_t i) { return axes_[i]; }
  auto begin() const { return axes_.begin(); }
  auto end() const { return axes_.end(); }
  auto begin() { return axes_.begin(); }
  auto end() { return axes_.end(); }
  void push_back(T axis) { axes_.push_back(std::move(axis)); }
  /// The elements, in this order.
  const std::vector<T>& list() const { return axes_; }
  bool operator==(const OrderedAxes&) const = default;

 private:
  std::vector<T> axes_;
};

template <class T>
using PriorityOrder = OrderedAxes<T, AxisOrder::priority>;
template <class T>
using EmissionOrder = OrderedAxes<T, AxisOrder::emission>;

/// The nest of a priority list: the reverse.
template <class T>
EmissionOrder<T> emission_order(const PriorityOrder<T>& axes) {
  return EmissionOrder<T>(std::vector<T>(axes.list().rbegin(), axes.list().rend()));
}

/// The priority list of a nest: the reverse.
template <class T>
PriorityOrder<T> priority_order(const EmissionOrder<T>& axes) {
  return PriorityOrder<T>(std::vector<T>(axes.list().rbegin(), axes.list().rend()));
}

}  // namespace tileproof::penguin
