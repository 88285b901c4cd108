#include "oracle/explain/nest.h"

namespace tileproof::oracle {
namespace {

class Walk {
 public:
  explicit Walk(const ir::Program& program) {
    for (auto& [statement, label] : ir::labelled_statements(program)) result.push_back({statement, std::move(label), {}});
    block(program.body);
  }
  std::vector<NestedStatement> result;

 private:
  std::vector<const ir::Loop*> loops_;
  size_t next_ = 0;

  void block(const ir::Block& items) {
    for (const ir::Item& item : items) std::visit([this](const auto& node) { visit(node); }, item.node);
  }
  void visit(const ir::Statement&) { result[next_++].loops = loops_; }
  void visit(const ir::Loop& loop) {
    loops_.push_back(&loop);
    block(loop.body);
    loops_.pop_back();
  }
  void visit(const ir::If& branch) {
    block(branch.then_body);
    block(branch.else_body);
  }
  void visit(const ir::While& loop) { block(loop.body); }
  void visit(const ir::Group& group) { block(group.body); }
  void visit(const ir::Buffer&) {}
  void visit(const ir::View&) {}
  void visit(const ir::Move&) {}
  void visit(const ir::Opaque&) {}
};

}  // namespace

std::vector<NestedStatement> nested_statements(const ir::Program& program) { return std::move(Walk(program).result); }

}  // namespace tileproof::oracle
