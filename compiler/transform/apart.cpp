#include "compiler/transform/apart.h"

#include "compiler/transform/fold.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

#include <algorithm>

namespace tileproof::transform {
namespace {

using ir::Op;

/// An access: its indices, and the statement that makes it (one without axes for conditions of loops).
struct Access {
  std::string buffer;
  std::vector<ir::Expression> indices;
  const ir::Statement* statement = nullptr;
  bool is_write = false;
};

class Accesses {
 public:
  explicit Accesses(const ir::Block& body) { block(body); }

  std::vector<Access> all;
  std::set<std::string> declared, varying;   // buffers; loops and axes
  bool is_known = true;

 private:
  ir::Statement none_;

  void reads(const ir::Expression& e, const ir::Statement& statement) {
    if (e.op == Op::read) all.push_back({e.name, e.operands, &statement, false});
    for (const ir::Expression& operand : e.operands) reads(operand, statement);
  }
  void block(const ir::Block& items) {
    for (const ir::Item& item : items) visit(item);
  }
  void visit(const ir::Item& item) {
    if (const auto* s = std::get_if<ir::Statement>(&item.node)) {
      all.push_back({s->destination, s->indices, s, true});
      for (const ir::Expression& e : s->indices) reads(e, *s);
      reads(s->value, *s);
      for (const ir::Expression& e : s->where) reads(e, *s);
      for (const std::optional<ir::Claim>* claim : {&s->start, &s->stop}) {
        if (!*claim) continue;
        for (const ir::Expression& e : (*claim)->conditions) reads(e, *s);
      }
      for (const ir::Axis& axis : s->axes) varying.insert(axis.name);
      is_known &= s->clobbers.empty();
    } else if (const auto* buffer = std::get_if<ir::Buffer>(&item.node)) {
      declared.insert(buffer->name);
      is_known &= !buffer->address;   // its bytes may hold what another iteration left there
    } else if (const auto* loop = std::get_if<ir::Loop>(&item.node)) {
      varying.insert(loop->name);
      reads(loop->range.low, none_);
      reads(loop->range.high, none_);
      block(loop->body);
    } else if (const auto* group = std::get_if<ir::Group>(&item.node)) {
      block(group->body);
    } else {
      is_known = false;
    }
  }
};

/// index = factor * loop + fixed + rest
struct Form {
  int64_t factor = 0;
  ir::Expression fixed;
  ir::Interval rest;
};

std::optional<Form> form_of(const ir::Expression& index, const std::string& loop, const std::set<std::string>& varying,
                            const Access& access, const Environment& environment) {
  auto sum = linear(index);
  if (!sum) return std::nullopt;
  Form form;
  form.factor = sum->factor_of(loop);
  Linear fixed, rest;
  rest.constant = sum->constant;
  for (Linear::Term& term : sum->terms) {
    if (term.atom == ir::variable(loop)) continue;
    if (mentions(term.atom, {loop})) return std::nullopt;
    // An element that is read may change.
    const bool is_plain = term.atom.op == Op::variable && !varying.contains(term.atom.name);
    (is_plain ? fixed : rest).terms.push_back(std::move(term));
  }
  std::ranges::sort(fixed.terms, {}, [](const Linear::Term& term) { return term.atom.name; });
  form.fixed = expression(fixed);
  const auto interval = bounds(expression(rest), *access.statement, environment);
  if (!interval) return std::nullopt;
  form.rest = *interval;
  return form;
}

}  // namespace

Touched touched(const ir::Block& body, const Environment& environment) {
  const Accesses accesses(body);
  Touched result;
  result.is_known = accesses.is_known;
  for (const Access& access : accesses.all) {
    const Memory* memory = environment.find(access.buffer);
    if (memory == nullptr || memory->is_placed)
      result.is_known = false;
    else if (access.is_write && !accesses.declared.contains(access.buffer))
      result.written.insert(memory->root);
  }
  return result;
}

bool is_apart(const std::string& root, const std::string& loop, const std::set<std::string>& inner, const ir::Block& body,
              const Environment& environment) {
  const Accesses accesses(body);
  std::set<std::string> varying = accesses.varying;
  varying.insert(inner.begin(), inner.end());
  std::vector<const Access*> of_root;
  for (const Access& access : accesses.all) {
    const Memory* memory = environment.find(access.buffer);
    if (memory == nullptr || memory->root != root) continue;
    if (memory->is_view) return false;
    of_root.push_back(&access);
  }
  const auto separates = [&](size_t dim) {
    std::optional<Form> all;
    for (const Access* access : of_root) {
      const auto form = form_of(access->indices[dim], loop, varying, *access, environment);
      if (!form || form->factor == 0 || (all && (form->factor != all->factor || form->fixed != all->fixed))) return false;
      if (!all) {
        all = form;
      } else {
        all->rest = {std::min(all->rest.low, form->rest.low), std::max(all->rest.high, form->rest.high)};
      }
    }
    const auto width = ir::combine(Op::subtract, all->rest, all->rest);
    return width->high < std::abs(all->factor);
  };
  for (size_t dim = 0; !of_root.empty() && dim < of_root.front()->indices.size(); ++dim)
    if (separates(dim)) return true;
  return of_root.empty();
}

}  // namespace tileproof::transform
