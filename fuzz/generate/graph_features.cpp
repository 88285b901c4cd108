#include "fuzz/generate/distribution.h"
#include "fuzz/generate/graph_extent.h"
#include "fuzz/generate/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace tileproof::fuzz {

namespace {

class GraphFeatures {
 public:
  GraphFeatures(const ir::Program& program, const Budgets& budgets) : budgets_(budgets) {
    block(program.body);
    note(std::ranges::any_of(readers_, [](const auto& each) { return each.second > 1; }), "several consumers");
    note(statements == 1, "1 operation");
    note(statements >= 6, "6+ operations");
  }

  std::set<std::string> found;
  uint64_t statements = 0, points = 0;

 private:
  const Budgets budgets_;
  std::map<std::string, int> readers_;   // statements that read the result

  void note(bool is_there, std::string feature) {
    if (is_there) found.insert(std::move(feature));
  }

  void block(const ir::Block& items) {
    for (const ir::Item& item : items) {
      if (const auto* buffer = std::get_if<ir::Buffer>(&item.node)) {
        found.insert(fmt::format("dtype {}", ir::name(buffer->dtype)));
        note(buffer->role == ir::Role::inout, "inout");
      } else if (const auto* group = std::get_if<ir::Group>(&item.node)) {
        note(!group->tags.empty(), "fuse group");
        block(group->body);
      } else if (const auto* statement = std::get_if<ir::Statement>(&item.node)) {
        visit(*statement);
      }
    }
  }

  void visit(const ir::Statement& s) {
    ++statements;
    found.insert(s.opcode);
    note(s.update != ir::Update::assign, "reduction");
    note(!s.where.empty(), "padding");
    note(!s.tags.empty(), "fuse group");
    if (s.opcode == "matmul") note_cuts(s);
    note(s.opcode == "map" && in_place(s), "in place");
    for (const ir::Expression& index : s.indices) {
      std::set<std::string> axes;
      variables(index, axes);
      note(axes.size() > 1, "two dims as one");
    }
    uint64_t product = 1;
    for (const ir::Axis& axis : s.axes) {
      const int64_t extent = constant(axis.extent).value_or(1);
      product *= static_cast<uint64_t>(extent);
      const auto is_ragged = [&](int64_t budget) { return extent > budget && extent % budget != 0; };
      const bool only_free = axis.kind == ir::AxisKind::reduce && s.opcode == "reduce";
      note(is_ragged(budgets_.free) || (!only_free && is_ragged(budgets_.partitions)), "ragged tail");
      note(extent > budgets_.partitions && is_prime(extent), "prime");
      note(std::ranges::any_of(axis.tags, [](const ir::Tag& tag) { return tag.name == "P"; }), "partition tag");
    }
    points += product;
    std::set<std::string> sources;
    reads(s.value, s, sources);
    for (const std::string& source : sources) ++readers_[source];
    readers_.try_emplace(s.destination, 0);
  }

  /// Axes of both operands are batches. The longer ones of the others lie along the free dimension.
  void note_cuts(const ir::Statement& s) {
    if (s.value.operands.size() != 2) return;
    std::set<std::string> left, right;
    variables(s.value.operands[0], left), variables(s.value.operands[1], right);
    int64_t contraction = 1, rows = 1, columns = 1;
    for (const ir::Axis& axis : s.axes) {
      const int64_t extent = constant(axis.extent).value_or(1);
      if (axis.kind == ir::AxisKind::reduce)
        contraction *= extent;
      else if (!left.contains(axis.name))
        columns *= extent;
      else if (!right.contains(axis.name))
        rows *= extent;
    }
    const int cut = (contraction > budgets_.partitions ? 1 : 0) + (std::min(rows, columns) > budgets_.partitions ? 1 : 0) +
                    (std::max(rows, columns) > budgets_.free ? 1 : 0);
    note(cut >= 2, "matmul with 2 cut axes");
    note(cut == 3, "matmul with 3 cut axes");
  }

  void reads(const ir::Expression& e, const ir::Statement& s, std::set<std::string>& sources) {
    if (e.op == ir::Op::read) {
      if (readers_.contains(e.name)) sources.insert(e.name);
      std::set<std::string> used;
      for (const ir::Expression& index : e.operands) {
        note(index.op != ir::Op::variable && index.op != ir::Op::literal, "window or stride");
        variables(index, used);
      }
      for (const ir::Axis& axis : s.axes) note(axis.kind == ir::AxisKind::parallel && !used.contains(axis.name), "broadcast");
      return;
    }
    for (const ir::Expression& operand : e.operands) reads(operand, s, sources);
  }

  static bool in_place(const ir::Statement& s) {
    const auto reads = [&](const auto& self, const ir::Expression& e) -> bool {
      return (e.op == ir::Op::read && e.name == s.destination) ||
             std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return self(self, operand); });
    };
    return reads(reads, s.value);
  }

  static void variables(const ir::Expression& e, std::set<std::string>& names) {
    if (e.op == ir::Op::variable) names.insert(e.name);
    for (const ir::Expression& operand : e.operands) variables(operand, names);
  }
};

}  // namespace

void Distribution::add_graph(const ir::Program& program, const Budgets& budgets) {
  const GraphFeatures features(program, budgets);
  ++programs;
  statements += features.statements;
  points += features.points;
  for (const std::string& feature : features.found) ++counts[feature];
}

}  // namespace tileproof::fuzz
