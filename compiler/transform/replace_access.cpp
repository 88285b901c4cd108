#include "compiler/transform/replace_access.h"

#include "compiler/transform/fold.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::transform {
namespace {

using ir::Op;

/// The two sides of a copy, by direction.
struct Sides {
  std::vector<ir::Expression> from, to;
  std::string name;   ///< of the buffer that is to be read
};

/// The point of `copy` at which `pattern` equals `indices`; nullopt: it cannot be read off.
std::optional<Bindings> point_of(const ir::Statement& copy, const std::vector<ir::Expression>& pattern,
                                 const std::vector<ir::Expression>& indices) {
  Bindings point;
  std::set<std::string> axes;
  for (const ir::Axis& axis : copy.axes) axes.insert(axis.name);
  for (size_t i = 0; i < pattern.size(); ++i) {
    const auto sum = linear(pattern[i]);
    if (!sum) return std::nullopt;
    for (const Linear::Term& term : sum->terms) {
      if (term.factor != 1 || term.atom.op != Op::variable || !axes.contains(term.atom.name)) continue;
      Linear rest = *sum;
      std::erase_if(rest.terms, [&](const Linear::Term& other) { return other.atom == term.atom; });
      const ir::Expression base = expression(rest);
      if (!mentions(base, axes)) point.try_emplace(term.atom.name, fold(binary(Op::subtract, indices[i], base)));
    }
  }
  if (point.size() != axes.size()) return std::nullopt;
  for (size_t i = 0; i < pattern.size(); ++i) {
    ir::Expression there = pattern[i];
    substitute(there, point);
    if (fold(binary(Op::subtract, std::move(there), indices[i])) != number(0)) return std::nullopt;
  }
  return point;
}

/// Whether the copy has made that point wherever `reader` has points.
bool is_made(const ir::Statement& copy, const Bindings& point, const ir::Statement& reader, const Environment& environment) {
  const auto holds = [&](ir::Expression condition) {
    condition = fold(std::move(condition));
    return std::ranges::find(reader.where, condition) != reader.where.end() || always(condition, reader, environment);
  };
  for (const ir::Axis& axis : copy.axes) {
    const ir::Expression& at = point.at(axis.name);
    const auto same = std::ranges::find(reader.axes, at.name, &ir::Axis::name);
    if (at.op == Op::variable && same != reader.axes.end() && same->extent == axis.extent) continue;
    if (!holds(compare(Op::greater_equal, at, number(0))) || !holds(compare(Op::less, at, axis.extent))) return false;
  }
  return std::ranges::all_of(copy.where, [&](ir::Expression condition) {
    substitute(condition, point);
    return holds(std::move(condition));
  });
}

bool may_write(const ir::Item& item, const std::set<std::string>& roots, bool any_placed, const Environment& environment) {
  if (std::holds_alternative<ir::Buffer>(item.node) || std::holds_alternative<ir::View>(item.node)) return false;
  const auto* statement = std::get_if<ir::Statement>(&item.node);
  if (statement == nullptr) {
    const auto* loop = std::get_if<ir::Loop>(&item.node);
    if (loop == nullptr) return true;
    return std::ranges::any_of(loop->body, [&](const ir::Item& i) { return may_write(i, roots, any_placed, environment); });
  }
  const Memory* destination = environment.find(statement->destination);
  if (destination == nullptr || roots.contains(destination->root) || (any_placed && destination->is_placed)) return true;
  return std::ranges::any_of(statement->clobbers, [&](const std::string& name) { return roots.contains(name); });
}

bool has_seq_axis(const ir::Statement& statement) {
  return std::ranges::find(statement.axes, ir::AxisKind::seq, &ir::Axis::kind) != statement.axes.end();
}

Outcome<Sides> sides_of(const ir::Statement& copy, const std::string& from) {
  if (copy.update != ir::Update::assign || copy.value.op != Op::read || copy.accumulate || has_seq_axis(copy))
    return refuse(RefusalId::not_a_copy, "this statement is no copy of a buffer");
  if (copy.destination == from) return Sides{copy.indices, copy.value.operands, copy.value.name};
  if (copy.value.name == from) return Sides{copy.value.operands, copy.indices, copy.destination};
  return refuse(RefusalId::not_a_copy, fmt::format("{} is no side of the copy", from));
}

}  // namespace

Outcome<> replace_access(ir::Block& body, size_t copy_index, size_t reader_index, const std::string& from,
                         const Environment& environment) {
  const auto* copy = copy_index < body.size() ? std::get_if<ir::Statement>(&body[copy_index].node) : nullptr;
  auto* reader = reader_index < body.size() ? std::get_if<ir::Statement>(&body[reader_index].node) : nullptr;
  if (copy == nullptr || reader == nullptr || copy_index >= reader_index)
    return refuse(RefusalId::not_a_nest, "a copy and, behind it, a statement that reads must stand there");
  const Outcome<Sides> sides = sides_of(*copy, from);
  if (!sides) return std::unexpected(sides.error());
  const Memory *a = environment.find(from), *b = environment.find(sides->name);
  if (a == nullptr || b == nullptr)
    return refuse(RefusalId::unknown_buffer, fmt::format("{} or {} is not known", from, sides->name));
  if (a->dtype != b->dtype)
    return refuse(RefusalId::dtype_differs,
                  fmt::format("{} is {}, {} is {}", from, ir::name(a->dtype), sides->name, ir::name(b->dtype)));
  // A copy within one buffer, or between buffers that may share bytes, may write what it has read. What the reader writes may be what
  // it would read then, and what its earlier points have written it must go on reading.
  const std::set<std::string> roots{a->root, b->root};
  const bool any_placed = a->is_placed || b->is_placed;
  const Memory* destination = environment.find(reader->destination);
  const auto meets = [&](const Memory& side) {
    return side.root == destination->root || (side.is_placed && destination->is_placed);
  };
  bool written = roots.size() < 2 || (a->is_placed && b->is_placed) || destination == nullptr || meets(*b) ||
                 (meets(*a) && has_seq_axis(*reader));
  for (size_t i = copy_index + 1; i < reader_index; ++i) written |= may_write(body[i], roots, any_placed, environment);
  if (written) return refuse(RefusalId::written_between, fmt::format("{} or {} may be written again", from, sides->name));

  ir::Statement changed = *reader;
  bool is_covered = true;
  const auto replace = [&](ir::Expression& read) {
    if (read.name != from) return;
    const auto point = point_of(*copy, sides->from, read.operands);
    if (!point || !is_made(*copy, *point, *reader, environment)) {
      is_covered = false;
      return;
    }
    std::vector<ir::Expression> indices = sides->to;
    for (ir::Expression& e : indices) {
      substitute(e, *point);
      e = fold(std::move(e));
    }
    read = ir::read(sides->name, std::move(indices));
  };
  each_read(changed.value, replace);
  for (ir::Expression& e : changed.indices) each_read(e, replace);
  for (ir::Expression& e : changed.where) each_read(e, replace);
  for (std::optional<ir::Claim>* claim : {&changed.start, &changed.stop}) {
    if (!*claim) continue;
    for (ir::Expression& e : (*claim)->conditions) each_read(e, replace);
  }
  if (!is_covered) return refuse(RefusalId::not_covered, fmt::format("the copy need not make what is read of {}", from));
  *reader = std::move(changed);
  return {};
}

}  // namespace tileproof::transform
