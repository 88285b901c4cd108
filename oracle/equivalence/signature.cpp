#include "oracle/equivalence/signature.h"

#include "compiler/ir/verify.h"

#include <algorithm>
#include <map>
#include <set>

namespace tileproof::oracle {
namespace {

class Scan {
 public:
  Scan(const ir::Program& program, const Kinds& common) : kinds_(kinds_of(program, common)) { block(program.body); }

  std::set<ir::Dtype> dtypes;
  std::set<ir::Decimal> literals;
  bool has_max = false, has_exp = false, has_compare = false;

 private:
  ProgramKinds kinds_;
  std::map<std::string, const ir::Buffer*, std::less<>> scope_;

  void expression(const ir::Expression& e) {
    using ir::Op;
    if (e.op == Op::literal) literals.insert(e.value);
    if (e.op == Op::cast) dtypes.insert(e.dtype);
    // Functions with a definition count as what they are made of.
    has_max |= e.op == Op::max || e.op == Op::min || e.op == Op::abs;
    has_exp |= e.op == Op::exp || e.op == Op::sigmoid || e.op == Op::silu || e.op == Op::softplus;
    has_compare |= ir::is_comparison(e.op) || e.op == Op::sign;
    for (const ir::Expression& operand : e.operands) expression(operand);
  }

  void block(const ir::Block& items) {
    const auto outer = scope_;
    for (const ir::Item& item : items) std::visit([this](const auto& node) { visit(node); }, item.node);
    scope_ = outer;
  }
  void visit(const ir::Buffer& buffer) {
    scope_[buffer.name] = &buffer;
    if (!kinds_.index.contains(&buffer)) dtypes.insert(buffer.dtype);
  }
  void visit(const ir::View& view) { scope_[view.name] = scope_.at(view.base); }
  void visit(const ir::Statement& statement) {
    const ir::Buffer* destination = scope_.at(statement.destination);
    if (kinds_.index.contains(destination)) return;
    expression(statement.value);
    const auto dtype_of = [&](const std::string& name) -> std::optional<ir::Dtype> {
      const auto found = scope_.find(name);
      return found == scope_.end() ? std::nullopt : std::optional(found->second->dtype);
    };
    if (statement.update != ir::Update::assign) dtypes.insert(ir::accumulate_dtype(statement, dtype_of));
    has_max |= statement.update == ir::Update::max || statement.update == ir::Update::min;
  }
  void visit(const ir::Loop& loop) { block(loop.body); }
  void visit(const ir::If& branch) {
    block(branch.then_body);
    block(branch.else_body);
  }
  void visit(const ir::While& loop) { block(loop.body); }
  void visit(const ir::Group& group) { block(group.body); }
  void visit(const ir::Move&) {}
  void visit(const ir::Opaque&) {}
};

}  // namespace

Signature signature_of(const ir::Program& original, const ir::Program& tiled, const Kinds& kinds) {
  const Scan scans[] = {Scan(original, kinds), Scan(tiled, kinds)};
  std::set<ir::Dtype> dtypes;
  std::set<ir::Decimal> literals;
  Signature signature;
  for (const Scan& scan : scans) {
    dtypes.insert(scan.dtypes.begin(), scan.dtypes.end());
    literals.insert(scan.literals.begin(), scan.literals.end());
    signature.has_max |= scan.has_max;
    signature.has_exp |= scan.has_exp;
    signature.has_compare |= scan.has_compare;
  }
  signature.dtypes.assign(dtypes.begin(), dtypes.end());
  signature.literals.assign(literals.begin(), literals.end());
  return signature;
}

namespace {

bool has_narrow_cast(const ir::Expression& e, const auto& is_narrow) {
  return (e.op == ir::Op::cast && is_narrow(e.dtype)) ||
         std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return has_narrow_cast(operand, is_narrow); });
}

void collect_sites(const ir::Block& items, std::map<std::string, ir::Dtype, std::less<>> scope, const auto& is_narrow, std::vector<bool>& sites) {
  for (const ir::Item& item : items) {
    if (const auto* buffer = std::get_if<ir::Buffer>(&item.node)) scope[buffer->name] = buffer->dtype;
    if (const auto* view = std::get_if<ir::View>(&item.node)) scope[view->name] = scope.at(view->base);
    if (const auto* statement = std::get_if<ir::Statement>(&item.node)) {
      sites.push_back(is_narrow(scope.at(statement->destination)) || (statement->accumulate && is_narrow(*statement->accumulate)) ||
                      has_narrow_cast(statement->value, is_narrow));
    }
    if (const auto* loop = std::get_if<ir::Loop>(&item.node)) collect_sites(loop->body, scope, is_narrow, sites);
    if (const auto* loop = std::get_if<ir::While>(&item.node)) collect_sites(loop->body, scope, is_narrow, sites);
    if (const auto* group = std::get_if<ir::Group>(&item.node)) collect_sites(group->body, scope, is_narrow, sites);
    if (const auto* branch = std::get_if<ir::If>(&item.node)) {
      collect_sites(branch->then_body, scope, is_narrow, sites);
      collect_sites(branch->else_body, scope, is_narrow, sites);
    }
  }
}

}  // namespace

std::vector<bool> narrowing_sites(const ir::Program& program, const Signature& signature) {
  const bool f64 = std::ranges::find(signature.dtypes, ir::Dtype::f64) != signature.dtypes.end();
  const bool i64 = std::ranges::find(signature.dtypes, ir::Dtype::i64) != signature.dtypes.end();
  const auto is_narrow = [&](ir::Dtype dtype) {
    return ir::bits(dtype) < 32 || dtype == ir::Dtype::tf32 || (dtype == ir::Dtype::f32 && f64) || ((dtype == ir::Dtype::i32 || dtype == ir::Dtype::u32) && i64);
  };
  std::vector<bool> sites;
  collect_sites(program.body, {}, is_narrow, sites);
  return sites;
}

bool all_integers(const Signature& signature) { return std::ranges::all_of(signature.dtypes, [](ir::Dtype dtype) { return ir::is_integer(dtype); }); }

}  // namespace tileproof::oracle
