// Steps that make extents smaller, down to nothing.
#include "fuzz/reduce/fold.h"
#include "fuzz/reduce/steps.h"
#include "fuzz/reduce/ties.h"
#include "fuzz/reduce/walk.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tileproof::fuzz {
namespace {

using Replacement = std::map<int64_t, int64_t>;

int64_t ceil_divide(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

std::optional<int64_t> value_of(const ir::Expression& e) {
  return e.op == ir::Op::literal ? ir::to_integer(e.value) : std::nullopt;
}

/// The different values of a tie from 1 on, ascending.
std::vector<int64_t> values_of(const Tie& tie) {
  std::set<int64_t> values;
  for (const ir::Expression* e : tie)
    if (const std::optional<int64_t> v = value_of(*e); v && *v > 0) values.insert(*v);
  return {values.begin(), values.end()};
}

/// All values from a smallest one on divided.
void divided(const std::vector<int64_t>& values, std::vector<Replacement>& out) {
  for (const int64_t divisor : {64, 16, 4, 2}) {
    for (size_t first = 0; first < values.size(); ++first) {
      if (values[first] < divisor) continue;
      Replacement replacement;
      for (size_t i = first; i < values.size(); ++i) replacement[values[i]] = ceil_divide(values[i], divisor);
      out.push_back(std::move(replacement));
    }
  }
}

/// A dim of `extent` in tiles of `tile` becomes the smallest with as many tiles, or two, and a tail of one element if it had one.
void retiled(const std::vector<int64_t>& values, std::vector<Replacement>& out) {
  for (const int64_t extent : values) {
    for (const int64_t tile : values) {
      if (tile >= extent || tile < 2) continue;
      const int64_t trips = ceil_divide(extent, tile), tail = extent % tile;
      for (const int64_t fewer : {int64_t{2}, trips}) {
        for (const int64_t smaller : {int64_t{2}, tile / 2, tile - 1}) {
          if (smaller < 1 || smaller > tile || fewer > trips) continue;
          const int64_t rest = tail > 0 ? 1 : 0;
          Replacement r{{trips, fewer}, {trips - 1, fewer - 1}};
          r[tail] = rest;
          r[tile] = smaller;
          r[extent] = tail > 0 ? (fewer - 1) * smaller + rest : fewer * smaller;
          r[(trips - 1) * tile] = (fewer - 1) * smaller;
          out.push_back(std::move(r));
        }
      }
    }
  }
}

/// One value, or two.
void lowered(const std::vector<int64_t>& values, std::vector<Replacement>& out) {
  for (const int64_t v : values)
    for (const int64_t less : {int64_t{1}, ceil_divide(v, 2), v - 1})
      if (less > 0) out.push_back({{v, less}});
  for (const int64_t v : values)
    for (const int64_t w : values) {
      if (v >= w || v < 2) continue;
      out.push_back({{v, ceil_divide(v, 2)}, {w, ceil_divide(w, 2)}});
      out.push_back({{v, v - 1}, {w, w - 1}});
      out.push_back({{v, v - 1}, {w, w / v * (v - 1)}});  // w is v, a number of times
    }
}

bool changes(const Replacement& replacement, const std::vector<int64_t>& values) {
  return std::ranges::any_of(values, [&](int64_t v) {
    const auto found = replacement.find(v);
    return found != replacement.end() && found->second != v;
  });
}

void replace(const Tie& tie, const Replacement& replacement) {
  for (ir::Expression* e : tie) {
    const std::optional<int64_t> v = value_of(*e);
    if (const auto found = v ? replacement.find(*v) : replacement.end(); found != replacement.end())
      *e = ir::integer(found->second);
  }
}

bool is_one(const ir::Expression& e) { return e.op == ir::Op::literal && e.value == ir::make_decimal(1, 0); }

/// The value of a parameter in its place.
void bind(ir::Program& program, const std::string& name, int64_t value) {
  std::erase_if(program.parameters, [&](const ir::Parameter& p) { return p.name == name; });
  each_item(program.body, [&](ir::Item& item) {
    each_expression(item, [&](ir::Expression& e, Use use) {
      substitute(e, name, ir::integer(value));
      if (use != Use::value) fold(e);
    });
  });
}

/// Of buffers and views by name: the dims to drop.
using Dims = std::map<std::string, std::set<size_t>>;

template <class T>
void erase_dims(std::vector<T>& list, const std::set<size_t>& dims) {
  for (auto d = dims.rbegin(); d != dims.rend(); ++d)
    if (*d < list.size()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(*d));
}

void lower_rank(std::optional<size_t>& partition_rank, const std::set<size_t>& dims) {
  if (partition_rank)
    *partition_rank -= static_cast<size_t>(std::ranges::count_if(dims, [&](size_t d) { return d < *partition_rank; }));
}

void drop_dims(ir::Program& program, const Dims& dropped) {
  each_item(program.body, [&](ir::Item& item) {
    if (auto* view = std::get_if<ir::View>(&item.node)) {
      if (const auto base = dropped.find(view->base); base != dropped.end()) erase_dims(view->indices, base->second);
      if (const auto own = dropped.find(view->name); own != dropped.end()) {
        for (const size_t d : own->second)
          for (ir::Expression& index : view->indices) substitute(index, view->dims[d].name, ir::integer(0));
        erase_dims(view->dims, own->second);
        lower_rank(view->partition_rank, own->second);
      }
    }
    if (auto* buffer = std::get_if<ir::Buffer>(&item.node)) {
      if (const auto own = dropped.find(buffer->name); own != dropped.end()) {
        erase_dims(buffer->extents, own->second);
        erase_dims(buffer->valid, own->second);
        lower_rank(buffer->partition_rank, own->second);
      }
    }
    if (auto* s = std::get_if<ir::Statement>(&item.node))
      if (const auto written = dropped.find(s->destination); written != dropped.end()) erase_dims(s->indices, written->second);
    each_expression(item, [&](ir::Expression& whole, Use use) {
      each_node(whole, use, [&](ir::Expression& e, Use) {
        if (e.op != ir::Op::read) return;
        if (const auto read = dropped.find(e.name); read != dropped.end()) erase_dims(e.operands, read->second);
      });
    });
  });
}

}  // namespace

void shrink_sizes(Subject& subject, Places& places) {
  for (const Tie& tie : ties(subject)) {
    const std::vector<int64_t> values = values_of(tie);
    std::vector<Replacement> replacements;
    divided(values, replacements);
    retiled(values, replacements);
    lowered(values, replacements);
    for (const Replacement& replacement : replacements) {
      if (!changes(replacement, values) || !places.next()) continue;
      return replace(tie, replacement);
    }
  }
}

void bind_parameters(Subject& subject, Places& places) {
  const std::vector<ir::Parameter> parameters = subject.programs.front().parameters;
  for (const ir::Parameter& p : parameters) {
    const int64_t middle = std::midpoint(p.low, p.high);
    std::vector<int64_t> values{p.low, p.high};
    for (const int64_t base : {p.low, middle})
      for (const uint64_t more : {0U, 1U, 2U})
        if (static_cast<uint64_t>(p.high) - static_cast<uint64_t>(base) >= more)
          values.push_back(base + static_cast<int64_t>(more));
    for (const int64_t value : values) {
      if (!places.next()) continue;
      for (ir::Program& program : subject.programs) bind(program, p.name, value);
      return;
    }
    // Down to the values at which it shows: one after the other, so that what shows at a single one is found too.
    for (const auto& [low, high] : {std::pair(p.low, middle), std::pair(middle, p.high)}) {
      if ((low == p.low && high == p.high) || !places.next()) continue;
      for (ir::Program& program : subject.programs)
        for (ir::Parameter& other : program.parameters)
          if (other.name == p.name) other.low = low, other.high = high;
      return;
    }
  }
}

void drop_unit_dims(Subject& subject, Places& places) {
  Dims interface;  // in all programs at once
  std::vector<Dims> local(subject.programs.size());
  for (size_t i = 0; i < subject.programs.size(); ++i) {
    each<ir::Buffer>(subject.programs[i], [&](ir::Buffer& buffer) {
      const bool is_shared = buffer.role != ir::Role::none;
      if (is_shared && i > 0) return;
      for (size_t d = 0; d < buffer.extents.size() && buffer.extents.size() > 1; ++d)
        if (is_one(buffer.extents[d]) && places.next()) (is_shared ? interface : local[i])[buffer.name].insert(d);
    });
    each<ir::View>(subject.programs[i], [&](ir::View& view) {
      for (size_t d = 0; d < view.dims.size() && view.dims.size() > 1; ++d)
        if (is_one(view.dims[d].extent) && places.next()) local[i][view.name].insert(d);
    });
  }
  for (size_t i = 0; i < subject.programs.size(); ++i) {
    local[i].insert(interface.begin(), interface.end());
    drop_dims(subject.programs[i], local[i]);
  }
}

void drop_unit_axes(ir::Program& program, Places& places) {
  each_item(program.body, [&](ir::Item& item) {
    auto* s = std::get_if<ir::Statement>(&item.node);
    if (s == nullptr) return;
    std::vector<std::string> dropped;
    std::erase_if(s->axes, [&](const ir::Axis& axis) {
      if (!places.next()) return false;
      dropped.push_back(axis.name);
      return true;
    });
    for (const std::string& name : dropped)
      each_expression(item, [&](ir::Expression& e, Use) { substitute(e, name, ir::integer(0)); });
    if (dropped.empty()) return;
    each_expression(item, [&](ir::Expression& whole, Use use) {
      each_node(whole, use, [](ir::Expression& e, Use part) {
        if (part == Use::index) fold(e);
      });
    });
  });
}

}  // namespace tileproof::fuzz
