#include "oracle/equivalence/signature.h"

#include "compiler/ir/verify.h"
#include "oracle/domain/literals.h"
#include "oracle/domain/narrow_sets.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

namespace tileproof::oracle {
namespace {

// Buffers and views, both to their root buffer. No name hides a visible one, so names of blocks that have ended may stay.
using Scope = std::unordered_map<std::string_view, const ir::Buffer*>;

auto dtypes_in(const Scope& scope) {
  return [&scope](const std::string& name) -> std::optional<ir::Dtype> {
    const auto found = scope.find(name);
    return found == scope.end() ? std::nullopt : std::optional(found->second->dtype);
  };
}

class Scan {
 public:
  Scan(const ir::Program& program, const Kinds& common) : kinds_(kinds_of(program, common)) { block(program.body); }

  std::set<ir::Dtype> dtypes;
  std::set<ir::Decimal> literals, compared;
  bool has_max = false, has_exp = false, has_compare = false, has_steps = false;

 private:
  ProgramKinds kinds_;
  Scope scope_;

  void expression(const ir::Expression& e, bool is_compared = false) {
    using ir::Op;
    if (e.op == Op::literal) literals.insert(e.value);
    if (e.op == Op::literal && is_compared) compared.insert(e.value);
    if (e.op == Op::sign || (e.op == Op::cast && e.dtype == ir::Dtype::boolean)) compared.insert({});
    has_steps |= e.op == Op::floordiv || e.op == Op::mod || e.op == Op::shift_right || e.op == Op::shift_left ||
                 e.op == Op::bit_and || e.op == Op::bit_or || e.op == Op::bit_xor;
    is_compared |= ir::is_comparison(e.op);
    if (e.op == Op::cast) dtypes.insert(e.dtype);
    // Functions with a definition count as what they are made of.
    has_max |= e.op == Op::max || e.op == Op::min || e.op == Op::abs;
    has_exp |= e.op == Op::exp || e.op == Op::sigmoid || e.op == Op::silu || e.op == Op::softplus;
    has_compare |= ir::is_comparison(e.op) || e.op == Op::sign;
    for (const ir::Expression& operand : e.operands) expression(operand, is_compared);
  }

  void block(const ir::Block& items) {
    for (const ir::Item& item : items) std::visit([this](const auto& node) { visit(node); }, item.node);
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
    if (statement.update != ir::Update::assign || statement.accumulate)
      dtypes.insert(ir::accumulate_dtype(statement, dtypes_in(scope_)));
    has_max |= statement.update == ir::Update::max || statement.update == ir::Update::min;
    has_steps |= statement.update == ir::Update::bit_and || statement.update == ir::Update::bit_or ||
                 statement.update == ir::Update::bit_xor;
    if (destination->dtype == ir::Dtype::boolean) compared.insert({});
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
  std::set<ir::Decimal> literals, compared;
  Signature signature;
  for (const Scan& scan : scans) {
    dtypes.insert(scan.dtypes.begin(), scan.dtypes.end());
    literals.insert(scan.literals.begin(), scan.literals.end());
    signature.has_max |= scan.has_max;
    signature.has_exp |= scan.has_exp;
    signature.has_compare |= scan.has_compare;
    signature.has_steps |= scan.has_steps;
    compared.insert(scan.compared.begin(), scan.compared.end());
  }
  signature.dtypes.assign(dtypes.begin(), dtypes.end());
  signature.literals.assign(literals.begin(), literals.end());
  signature.compared.assign(compared.begin(), compared.end());
  signature.facts = std::make_shared<const std::vector<LiteralFact>>(literal_facts(NarrowSets(signature), signature));
  return signature;
}

namespace {

class NarrowingSites {
 public:
  explicit NarrowingSites(const Signature& signature) : sets_(signature) {}

  std::vector<bool> sites;

  void collect(const ir::Block& items) {
    for (const ir::Item& item : items) {
      if (const auto* buffer = std::get_if<ir::Buffer>(&item.node)) scope_[buffer->name] = buffer;
      if (const auto* view = std::get_if<ir::View>(&item.node)) scope_[view->name] = scope_.at(view->base);
      if (const auto* statement = std::get_if<ir::Statement>(&item.node)) sites.push_back(narrows(*statement));
      if (const auto* loop = std::get_if<ir::Loop>(&item.node)) collect(loop->body);
      if (const auto* loop = std::get_if<ir::While>(&item.node)) collect(loop->body);
      if (const auto* group = std::get_if<ir::Group>(&item.node)) collect(group->body);
      if (const auto* branch = std::get_if<ir::If>(&item.node)) {
        collect(branch->then_body);
        collect(branch->else_body);
      }
    }
  }

 private:
  NarrowSets sets_;
  Scope scope_;

  bool narrows(ir::Dtype dtype) const { return sets_.is_narrow(dtype) || (ir::is_integer(dtype) && sets_.has_whole()); }
  bool narrows(const ir::Expression& e) const {
    return (e.op == ir::Op::cast && narrows(e.dtype)) ||
           std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return narrows(operand); });
  }
  bool narrows(const ir::Statement& statement) const {
    return narrows(scope_.at(statement.destination)->dtype) || narrows(ir::accumulate_dtype(statement, dtypes_in(scope_))) ||
           narrows(statement.value);
  }
};

}  // namespace

std::vector<bool> narrowing_sites(const ir::Program& program, const Signature& signature) {
  NarrowingSites narrowing(signature);
  narrowing.collect(program.body);
  return narrowing.sites;
}

bool all_integers(const Signature& signature) {
  return std::ranges::all_of(signature.dtypes, [](ir::Dtype dtype) { return ir::is_integer(dtype); });
}

}  // namespace tileproof::oracle
