#include "oracle/explain/touches.h"

#include "compiler/machine/access.h"
#include "compiler/machine/form.h"
#include "oracle/explain/writer_domain.h"
#include "oracle/explain/written.h"
#include "oracle/interpret/integer_code.h"
#include "oracle/interpret/run_program.h"

#include <algorithm>
#include <optional>
#include <set>

namespace tileproof::oracle {
namespace {

constexpr size_t most_touches = 4096;
constexpr int64_t most_points = 4'000'000;

class Tracer final : public Observer {
 public:
  Tracer(const ir::Program& program, const std::string& buffer, const std::vector<int64_t>& element, Touches& touches)
      : buffer_(buffer), element_(element), texts_(machine::resolve_accesses(program)), touches_(touches) {}

  void execute(const ir::Statement& statement, Site site, std::span<const int64_t> extents,
               const Environment& environment) override {
    if (site >= texts_.size()) return;
    const std::vector<machine::Access>& accesses = texts_[site].accesses;
    for (size_t i = 1; i < accesses.size(); ++i) look(statement, site, accesses[i], false, extents, environment);
    if (!accesses.empty()) look(statement, site, accesses.front(), true, extents, environment);
  }
  void declare(Instance, const ir::Buffer&, std::span<const int64_t>, std::optional<std::pair<int64_t, int64_t>>) override {}
  void access(Instance, bool) override {}
  void release(Instance) override {}

  bool has_too_many = false, has_gathers = false;

 private:
  const std::string& buffer_;
  const std::vector<int64_t>& element_;
  std::vector<machine::StatementAccesses> texts_;
  Touches& touches_;
  int64_t points_ = most_points;

  void look(const ir::Statement& statement, Site site, const machine::Access& access, bool is_write,
            std::span<const int64_t> extents, const Environment& environment) {
    if (access.buffer->name != buffer_ || access.indices.size() != element_.size() || has_too_many) return;
    const machine::Lookup lookup = [&](std::string_view name) { return environment.value(name); };
    if (std::ranges::any_of(extents, [](int64_t extent) { return extent < 1; })) return;
    machine::Box box = machine::where_box(statement, machine::whole_box(extents), lookup);
    std::vector<uint32_t> which;
    if (!narrow(box, which, statement, access, lookup)) return;
    Touch touch{site, is_write, environment.instance(access.name), {}, {}, {}};
    const bool is_looked_at = machine::for_each_point(box, which, points_, [&](std::span<const int64_t> point) {
      --points_;
      if (!hits(statement, access, point, lookup)) return;
      if (touch.point.empty()) {
        touch.point.assign(point.begin(), point.end());
        touch.point.resize(std::max<size_t>(1, statement.axes.size()));   // a statement without axes has one point
      } else if (touch.other.empty() && is_write && differs_in_parallel(statement, touch.point, point)) {
        touch.other.assign(point.begin(), point.end());
      }
    });
    if (!is_looked_at || touches_.all.size() >= most_touches) has_too_many = true;
    if (touch.point.empty() || has_too_many) return;
    if (is_write && touch.other.empty()) add_unused_axis(touch, statement, box, which);
    touch.point.resize(statement.axes.size());
    for (const ir::Loop* loop : touches_.statements[site].loops) touch.loops.push_back(environment.value(loop->name));
    touches_.all.push_back(std::move(touch));
  }

  /// Restricts the box to where the element can be; false: nowhere. `which`: the axes that matter.
  bool narrow(machine::Box& box, std::vector<uint32_t>& which, const ir::Statement& statement, const machine::Access& access,
              const machine::Lookup& lookup) {
    if (box.is_empty()) return false;
    std::set<uint32_t> axes;
    const auto add_axes = [&](const auto& self, const ir::Expression& e) -> void {
      if (e.op == ir::Op::variable) {
        const auto axis = std::ranges::find(statement.axes, e.name, &ir::Axis::name);
        if (axis != statement.axes.end()) axes.insert(static_cast<uint32_t>(axis - statement.axes.begin()));
      }
      for (const ir::Expression& operand : e.operands) self(self, operand);
    };
    for (const ir::Expression& condition : statement.where) add_axes(add_axes, condition);
    for (size_t i = 0; i < element_.size(); ++i) {
      add_axes(add_axes, access.indices[i]);
      const machine::Form form = machine::form_of(access.indices[i], statement.axes, box, lookup);
      if (!form.affine) continue;
      if (element_[i] < machine::least(form, box) || element_[i] > machine::greatest(form, box)) return false;
      if (form.terms.size() != 1) continue;
      const auto [axis, coefficient] = form.terms.front();
      const int64_t distance = element_[i] - form.constant;
      if (distance % coefficient != 0) return false;
      box.low[axis] = box.high[axis] = distance / coefficient;   // inside: between least and greatest
    }
    which.assign(axes.begin(), axes.end());
    return true;
  }

  /// nullopt: it reads a buffer, whose contents nobody here knows.
  static std::optional<int64_t> value_at(const ir::Expression& e, const ir::Statement& statement, std::span<const int64_t> point,
                                         const machine::Lookup& lookup) {
    if (e.op == ir::Op::literal) return ir::to_integer(e.value);
    if (e.op == ir::Op::read || e.op == ir::Op::cast) return std::nullopt;
    if (e.op == ir::Op::variable) {
      const auto axis = std::ranges::find(statement.axes, e.name, &ir::Axis::name);
      return axis == statement.axes.end() ? lookup(e.name) : point[static_cast<size_t>(axis - statement.axes.begin())];
    }
    std::vector<int64_t> values;
    for (const ir::Expression& operand : e.operands) {
      const std::optional<int64_t> value = value_at(operand, statement, point, lookup);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    if (e.op == ir::Op::select) return values[values[0] != 0 ? 1 : 2];
    return apply_integer(e.op, values[0], values.size() > 1 ? values[1] : 0);
  }

  bool hits(const ir::Statement& statement, const machine::Access& access, std::span<const int64_t> point,
            const machine::Lookup& lookup) {
    const auto value = [&](const ir::Expression& e) {
      const std::optional<int64_t> at = value_at(e, statement, point, lookup);
      has_gathers = has_gathers || !at;
      return at;
    };
    return std::ranges::all_of(statement.where, [&](const ir::Expression& e) { return value(e).value_or(0) != 0; }) &&
           std::ranges::equal(access.indices, element_, [&](const ir::Expression& e, int64_t at) { return value(e) == at; });
  }

  static bool differs_in_parallel(const ir::Statement& statement, std::span<const int64_t> a, std::span<const int64_t> b) {
    for (size_t i = 0; i < statement.axes.size(); ++i) {
      if (statement.axes[i].kind == ir::AxisKind::parallel && a[i] != b[i]) return true;
    }
    return false;
  }

  /// A parallel axis that no index and no condition names writes the element at each of its points.
  static void add_unused_axis(Touch& touch, const ir::Statement& statement, const machine::Box& box,
                              const std::vector<uint32_t>& which) {
    for (uint32_t axis = 0; axis < statement.axes.size(); ++axis) {
      if (statement.axes[axis].kind != ir::AxisKind::parallel || box.low[axis] == box.high[axis]) continue;
      if (std::ranges::find(which, axis) != which.end()) continue;
      touch.other = touch.point;
      ++touch.other[axis];
      return;
    }
  }
};

bool has_whole_accesses(const ir::Block& items) {
  return std::ranges::any_of(items, [](const ir::Item& item) {
    return std::visit(
        [](const auto& node) {
          using Node = std::decay_t<decltype(node)>;
          if constexpr (std::is_same_v<Node, ir::Move> || std::is_same_v<Node, ir::Opaque>) return true;
          if constexpr (std::is_same_v<Node, ir::If>)
            return has_whole_accesses(node.then_body) || has_whole_accesses(node.else_body);
          if constexpr (requires { node.body; }) return has_whole_accesses(node.body);
          return false;
        },
        item.node);
  });
}

}  // namespace

Touches trace_touches(const ir::Program& program, const LoweredProgram& code, const RunOptions& options,
                      const std::string& buffer, const std::vector<int64_t>& element) {
  Touches touches;
  touches.statements = nested_statements(program);
  const uint32_t nothing = WriterValue::untracked;
  Writer domain(nothing);
  Tracer tracer(program, buffer, element, touches);
  const Run<WriterValue> run = run_program(code, domain, options, &tracer);
  touches.failure = failure_of(run.status, run.reason, options);
  if (tracer.has_too_many) touches.left_out.emplace_back("what comes later: too many accesses to follow");
  if (tracer.has_gathers) touches.left_out.emplace_back("accesses through indices that are read from a buffer");
  if (has_whole_accesses(program.body)) touches.left_out.emplace_back("moves and opaques");
  return touches;
}

}  // namespace tileproof::oracle
