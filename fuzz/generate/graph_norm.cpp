#include "fuzz/generate/graph_norm.h"

#include "compiler/ir/text.h"
#include "fuzz/generate/graph_extent.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace tileproof::fuzz {

namespace {

constexpr int64_t most_points = 1200;   // of one statement, on tight machines; about that of other graphs

ir::Program parsed(const std::string& body) {
  auto file = ir::parse("tile 1\nprogram graph {\n" + body + "}\n", "graph");
  if (!file) std::abort();   // whatever the choices are, the text is well formed
  return std::move(file->programs.front());
}

struct Extent {
  std::string name;
  int64_t extent = 1;
  bool is_reduced = false;
};

/// A tensor by its axes, of which some are reduced.
class Shape {
 public:
  Shape(Choices& choices, const Budgets& budgets) {
    ExtentSource extents(choices, budgets);
    int64_t room = most_points * budgets.free / 16;   // the budget of the tight machines
    const int64_t kept = choices.chance(70) ? 1 : choices.between(0, 2), reduced = choices.chance(70) ? 1 : 2;
    for (int64_t i = 0; i < kept + reduced; ++i) {
      axes_.push_back({std::string(1, static_cast<char>('i' + i)), extents.draw(room), i >= kept});
      room /= axes_.back().extent;
    }
    if (choices.chance(40)) choices.shuffle(axes_);
  }

  int64_t count() const {
    int64_t all = 1;
    for (const Extent& axis : axes_) all *= axis.is_reduced ? axis.extent : 1;
    return all;
  }
  /// "129, 20": of all axes, or of those that are kept.
  std::string extents(bool all) const {
    return list(all, [](const Extent& axis) { return fmt::format("{}", axis.extent); });
  }
  std::string indices(bool all) const {
    return list(all, [](const Extent& axis) { return axis.name; }, "0");
  }
  std::string over(bool all, bool reduces) const {
    return list(
        all,
        [&](const Extent& axis) {
          return fmt::format("{}:{}{}", axis.name, axis.extent, reduces && axis.is_reduced ? " reduce" : "");
        },
        "");
  }

 private:
  std::vector<Extent> axes_;

  template <class Text>
  std::string list(bool all, const Text& text, const std::string& none = "1") const {
    std::vector<std::string> parts;
    for (const Extent& axis : axes_)
      if (all || !axis.is_reduced) parts.push_back(text(axis));
    return parts.empty() ? none : fmt::format("{}", fmt::join(parts, ", "));
  }
};

std::string over(const std::string& axes) { return axes.empty() ? "\n" : " over " + axes + "\n"; }

std::string dtype(Choices& choices) { return choices.pick({"f32", "bf16", "bf16", "f16"}); }

}  // namespace

ir::Program generate_mean_variance(Choices& choices, const Budgets& budgets) {
  const Shape shape(choices, budgets);
  const std::string all = shape.indices(true), kept = shape.indices(false), dims = shape.extents(true),
                    rows = shape.extents(false);
  const int64_t count = shape.count();
  const bool has_root = choices.chance(50), normalises = choices.chance(40);
  const int flaw = choices.chance(75) ? 0 : static_cast<int>(choices.between(1, 5));
  std::string body = fmt::format("buffer x : {}[{}] dram {}\n", dtype(choices), dims, flaw == 1 ? "inout" : "in");
  const auto declare = [&](const char* name, const std::string& of, const std::string& extents, bool is_out) {
    body += fmt::format("buffer {} : {}[{}] dram{}\n", name, of, extents, is_out ? " out" : "");
  };
  declare("m", "f32", rows, choices.chance(60) || !normalises);
  declare("v", choices.chance(80) ? "f32" : "bf16", rows, true);
  declare("s", flaw == 2 ? "bf16" : "f32", rows, flaw == 3);
  declare("q", "f32", rows, false);
  declare("y", dtype(choices), dims, true);
  declare("z", "f32", rows, true);
  const auto sum = [&](const std::string& destination, const std::string& value) {
    body += fmt::format("reduce {}[{}] += {} over {} start\n", destination, kept, value, shape.over(true, true));
  };
  const auto map = [&](const std::string& destination, const std::string& value, bool is_of_all) {
    body += fmt::format("map {}[{}] = {}{}", destination, is_of_all ? all : kept, value, over(shape.over(is_of_all, false)));
  };
  sum("s", fmt::format("x[{}]", all));
  const bool is_between = choices.chance(30);
  if (is_between && flaw != 4) map("z", "2", false);
  map("m", fmt::format("s[{}] / {}", kept, count), false);
  if (is_between && flaw == 4) map("z", fmt::format("s[{}] + 1", kept), false);
  if (flaw == 1) map("x", fmt::format("x[{}] + 1", all), true);
  sum("q", fmt::format("(x[{0}] - m[{1}]) * (x[{0}] - m[{1}])", all, kept));
  const std::string variance = fmt::format("q[{}] / {}", kept, flaw == 5 ? count + 1 : count);
  map("v", has_root ? fmt::format("rsqrt({} + 1e-5)", variance) : variance, false);
  if (!is_between) map("z", fmt::format("m[{}] + 1", kept), false);
  map("y", normalises ? fmt::format("(x[{}] - m[{}]) * v[{}]", all, kept, kept) : fmt::format("x[{}]", all), true);
  return parsed(body);
}

ir::Program generate_norm_gradient(Choices& choices, const Budgets& budgets) {
  const Shape shape(choices, budgets);
  const std::string all = shape.indices(true), kept = shape.indices(false), dims = shape.extents(true),
                    rows = shape.extents(false);
  const std::string over_all = over(shape.over(true, false)), reduced = " over " + shape.over(true, true) + " start\n";
  const std::string of = dtype(choices);
  std::string body;
  for (const char* name : {"x", "dy"}) body += fmt::format("buffer {} : {}[{}] dram in\n", name, of, dims);
  for (const char* name : {"mean", "rstd", "gamma"}) body += fmt::format("buffer {} : f32[{}] dram in\n", name, rows);
  body += fmt::format("buffer dx : {}[{}] dram out\nbuffer dbeta : f32[{}] dram out\nbuffer dgamma : f32[{}] dram out\n", of,
                      dims, rows, rows);
  const std::string x_hat = fmt::format("(x[{0}] - mean[{1}]) * rstd[{1}]", all, kept);
  body += fmt::format("reduce dbeta[{}] += dy[{}]{}", kept, all, reduced);
  body += fmt::format("reduce dgamma[{}] += dy[{}] * ({}){}", kept, all, x_hat, reduced);
  body += fmt::format("map dx[{0}] = gamma[{1}] * rstd[{1}] * (dy[{0}] - dbeta[{1}] / {2} - {3} * dgamma[{1}] / {2}){4}", all,
                      kept, shape.count(), x_hat, over_all);
  return parsed(body);
}

ir::Program generate_mx_blocks(Choices& choices, const Budgets& budgets) {
  ExtentSource extents(choices, {budgets.partitions / 8, budgets.free / 4});
  int64_t room = 600;   // blocks
  const int64_t rows = extents.draw(std::min<int64_t>(room, 40)), columns = extents.draw(std::max<int64_t>(1, room / rows));
  const std::string from = choices.pick({"bf16", "f16"}), to = choices.pick({"e4m3fn", "e5m2"});
  const int64_t highest = choices.pick({128, 448, 16384});
  const bool is_flat = choices.chance(50);
  std::string body =
      fmt::format("buffer x : {0}[{2}, {3}] dram in\nbuffer y : {1}[{2}, {3}] dram out\nbuffer scale : e8m0[{4}, {5}] dram out\n",
                  from, to, 8 * rows, 4 * columns, rows, columns);
  body += fmt::format("reduce scale[k, f] max= abs(x[8*k + r, 4*f + q]) / {} over k:{}, f:{}, r:8 reduce, q:4 reduce start\n",
                      highest, rows, columns);
  if (is_flat)
    body += fmt::format("map y[i, j] = x[i, j] / scale[i floordiv 8, j floordiv 4] over i:{}, j:{}\n", 8 * rows, 4 * columns);
  else
    body += fmt::format("map y[8*k + r, 4*f + q] = x[8*k + r, 4*f + q] / scale[k, f] over k:{}, r:8, f:{}, q:4\n", rows, columns);
  return parsed(body);
}

}  // namespace tileproof::fuzz
