#include "fuzz/generate/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace tileproof::fuzz {

namespace {

class Features {
 public:
  explicit Features(const ir::Program& program) {
    if (!program.parameters.empty()) found.insert("parameter");
    block(program.body, 0);
    if (statements == 1) found.insert("1 statement");
    if (statements >= 6) found.insert("6+ statements");
  }

  std::set<std::string> found;
  uint64_t statements = 0;

 private:
  std::set<std::string> views_;

  void note(bool is_there, std::string feature) {
    if (is_there) found.insert(std::move(feature));
  }
  template <class Name>
  void note(std::string_view kind, Name name) {
    found.insert(fmt::format("{} {}", kind, name));
  }

  void block(const ir::Block& items, int depth) {
    for (const ir::Item& item : items) std::visit([&](const auto& node) { visit(node, depth); }, item.node);
  }
  void expression(const ir::Expression& e, bool in_index) {
    note(e.op == ir::Op::read && in_index, "gather");
    note(e.op == ir::Op::select, "select");
    note(e.op == ir::Op::cast, "cast");
    note(e.op == ir::Op::infinity || e.op == ir::Op::nan, "infinity or nan");
    note(ir::is_function(e.op), "function");
    for (const ir::Expression& operand : e.operands) expression(operand, in_index || e.op == ir::Op::read);
  }
  void expressions(const std::vector<ir::Expression>& list) {
    for (const ir::Expression& e : list) expression(e, true);
  }
  void visit(const ir::Buffer& node, int depth) {
    note("dtype", ir::name(node.dtype));
    if (node.role != ir::Role::none) note("role", ir::name(node.role));
    note(depth > 0, "local buffer");
    note(node.address.has_value(), "address");
    note(node.partition_rank.has_value(), "bar");
    note(!node.valid.empty(), "valid");
    note(node.range.has_value(), "range");
  }
  void visit(const ir::View& node, int) {
    found.insert("view");
    note(views_.contains(node.base), "view of view");
    views_.insert(node.name);
  }
  void visit(const ir::Statement& node, int) {
    ++statements;
    note("update", ir::spelling(node.update));
    for (const ir::Axis& axis : node.axes) {
      note("axis", ir::name(axis.kind));
      note(axis.extent == ir::integer(0), "empty axis");
    }
    note(!node.where.empty(), "where");
    note(node.start.has_value(), "start");
    note(node.stop.has_value(), "stop");
    note(node.accumulate.has_value(), "acc");
    note(!node.clobbers.empty(), "clobbers");
    note(views_.contains(node.destination), "write through view");
    for (const ir::Expression& e : node.indices) note(e.op == ir::Op::read, "scatter");
    expressions(node.indices);
    expressions(node.where);
    expression(node.value, false);
  }
  void visit(const ir::Loop& node, int depth) {
    note("loop", ir::name(node.kind));
    block(node.body, depth + 1);
  }
  void visit(const ir::If& node, int depth) {
    found.insert("if");
    block(node.then_body, depth + 1);
    block(node.else_body, depth + 1);
  }
  void visit(const ir::While& node, int depth) {
    found.insert("while");
    block(node.body, depth + 1);
  }
  void visit(const ir::Group& node, int depth) {
    found.insert("group");
    block(node.body, depth + 1);
  }
  void visit(const ir::Move&, int) { found.insert("move"); }
  void visit(const ir::Opaque&, int) { found.insert("opaque"); }
};

}  // namespace

void Distribution::add(const ir::Program& program) {
  const Features features(program);
  ++programs;
  statements += features.statements;
  for (const std::string& feature : features.found) ++counts[feature];
}

void Distribution::merge(const Distribution& other) {
  programs += other.programs;
  statements += other.statements;
  points += other.points;
  for (const auto& [feature, count] : other.counts) counts[feature] += count;
}

double Distribution::percent(const std::string& feature) const {
  const auto found = counts.find(feature);
  return programs == 0 || found == counts.end() ? 0 : 100.0 * static_cast<double>(found->second) / static_cast<double>(programs);
}

std::string Distribution::print() const {
  std::vector<std::pair<std::string, uint64_t>> sorted(counts.begin(), counts.end());
  std::ranges::sort(sorted,
                    [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  std::string text = fmt::format("{} programs, {} statements\n", programs, statements);
  for (const auto& [feature, count] : sorted) text += fmt::format("{:6.1f} %  {}\n", percent(feature), feature);
  return text;
}

nlohmann::ordered_json Distribution::json() const {
  nlohmann::ordered_json shares = nlohmann::ordered_json::object();
  for (const auto& [feature, count] : counts) shares[feature] = percent(feature);
  return {{"programs", programs}, {"statements", statements}, {"points", points}, {"percent", std::move(shares)}};
}

}  // namespace tileproof::fuzz
