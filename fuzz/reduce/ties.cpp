#include "fuzz/reduce/ties.h"

#include <map>
#include <numeric>
#include <set>
#include <string>

namespace tileproof::fuzz {
namespace {

/// Classes of numbers, joined one pair at a time.
class Classes {
 public:
  size_t add() {
    parents_.push_back(parents_.size());
    return parents_.back();
  }
  size_t of(size_t member) {
    while (parents_[member] != member) member = parents_[member] = parents_[parents_[member]];
    return member;
  }
  void join(size_t a, size_t b) { parents_[of(a)] = of(b); }

 private:
  std::vector<size_t> parents_;
};

class Tying {
 public:
  explicit Tying(Subject& subject) {
    for (ir::Program& program : subject.programs) {
      std::erase_if(memory_, [&](const auto& named) { return !interface_.contains(named.first); });
      integers_.clear();
      for (const ir::Parameter& p : program.parameters) integers_[p.name] = named(parameters_, p.name);
      block(program.body);
    }
  }

  std::vector<Tie> result() {
    std::vector<Tie> ties;
    std::map<size_t, size_t> numbers;
    for (const auto& [literal, class_of] : literals_) {
      const auto [at, is_new] = numbers.emplace(classes_.of(class_of), ties.size());
      if (is_new) ties.emplace_back();
      ties[at->second].push_back(literal);
    }
    return ties;
  }

 private:
  using Named = std::map<std::string, size_t>;

  Classes classes_;
  std::vector<std::pair<ir::Expression*, size_t>> literals_;
  std::map<std::string, std::vector<size_t>> memory_;   // the classes of the dims
  std::set<std::string> interface_;
  Named integers_, parameters_;

  size_t named(Named& names, const std::string& name) {
    const auto found = names.find(name);
    return found != names.end() ? found->second : names[name] = classes_.add();
  }

  size_t dim(const std::string& name, size_t number) {
    std::vector<size_t>& dims = memory_[name];
    while (dims.size() <= number) dims.push_back(classes_.add());
    return dims[number];
  }

  /// What `e` names and the numbers in it belong to `class_of`.
  void tie(ir::Expression& e, size_t class_of) {
    if (e.op == ir::Op::literal) literals_.emplace_back(&e, class_of);
    if (e.op == ir::Op::variable) classes_.join(named(integers_, e.name), class_of);
    if (e.op == ir::Op::read) return accesses(e.name, e.operands);
    for (ir::Expression& operand : e.operands) tie(operand, class_of);
  }

  void accesses(const std::string& name, std::vector<ir::Expression>& indices) {
    for (size_t d = 0; d < indices.size(); ++d) tie(indices[d], dim(name, d));
  }

  /// Values tie nothing, but the indices of what they read do.
  void value(ir::Expression& e) {
    if (e.op == ir::Op::read) return accesses(e.name, e.operands);
    for (ir::Expression& operand : e.operands) value(operand);
  }

  void conditions(std::vector<ir::Expression>& all) {
    for (ir::Expression& condition : all) tie(condition, classes_.add());
  }

  void range(ir::Range& r, size_t class_of) { tie(r.low, class_of), tie(r.high, class_of); }

  void block(ir::Block& items) {
    for (ir::Item& item : items) std::visit([this](auto& node) { visit(node); }, item.node);
  }

  void visit(ir::Buffer& buffer) {
    if (buffer.role != ir::Role::none) interface_.insert(buffer.name);
    for (size_t d = 0; d < buffer.extents.size(); ++d) tie(buffer.extents[d], dim(buffer.name, d));
    for (size_t d = 0; d < buffer.valid.size(); ++d) range(buffer.valid[d], dim(buffer.name, d));
  }
  void axes(std::vector<ir::Axis>& all) {
    for (ir::Axis& axis : all) integers_[axis.name] = classes_.add();   // of this statement or view only
    for (ir::Axis& axis : all) tie(axis.extent, integers_[axis.name]);
  }
  void visit(ir::View& view) {
    axes(view.dims);
    for (size_t d = 0; d < view.dims.size(); ++d) classes_.join(integers_[view.dims[d].name], dim(view.name, d));
    accesses(view.base, view.indices);
  }
  void visit(ir::Statement& s) {
    axes(s.axes);
    accesses(s.destination, s.indices);
    value(s.value);
    conditions(s.where);
    if (s.start) conditions(s.start->conditions);
    if (s.stop) conditions(s.stop->conditions);
  }
  void visit(ir::Loop& loop) {
    integers_[loop.name] = classes_.add();
    range(loop.range, integers_[loop.name]);
    block(loop.body);
  }
  void visit(ir::If& branch) {
    conditions(branch.conditions);
    block(branch.then_body);
    block(branch.else_body);
  }
  void visit(ir::While& loop) {
    conditions(loop.conditions);
    tie(loop.limit, classes_.add());
    block(loop.body);
  }
  void visit(ir::Group& group) { block(group.body); }
  void visit(ir::Move& move) {
    for (size_t i = 0; i < move.destinations.size(); ++i)
      for (size_t d = 0; d < memory_[move.sources[i]].size(); ++d)
        classes_.join(dim(move.sources[i], d), dim(move.destinations[i], d));
  }
  void visit(ir::Opaque&) {}
};

}  // namespace

std::vector<Tie> ties(Subject& subject) { return Tying(subject).result(); }

}  // namespace tileproof::fuzz
