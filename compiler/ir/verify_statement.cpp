#include "compiler/ir/reserved.h"
#include "compiler/ir/suggestion.h"
#include "compiler/ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::ir {
namespace {

constexpr IndexPlace axis_extent{"the extent of an axis", true};
constexpr IndexPlace destination_index{"an index of the destination", true, true, true};
constexpr IndexPlace where_condition{"a condition", true, true, true};

bool is_bitwise(Update update) { return update == Update::bit_and || update == Update::bit_or || update == Update::bit_xor; }

/// The buffers that `e` reads, in indices too.
void collect_reads(const Expression& e, std::vector<std::string_view>& reads) {
  if (e.op == Op::read) reads.push_back(e.name);
  for (const Expression& operand : e.operands) collect_reads(operand, reads);
}

}  // namespace

void Verifier::axes(const Statement& statement) {
  for (const Axis& axis : statement.axes) {
    tags(axis.tags, axis.location, axis.name);
    Symbol symbol{Symbol::Kind::axis, axis.location};
    symbol.axis_kind = axis.kind;
    declare(axis.name, symbol);
  }
  // All axes are declared first, so that an extent that names one of them is told so.
  for (const Axis& axis : statement.axes) {
    index(axis.extent, axis_extent, axis.location);
    if (const auto size = interval_of(axis.extent); size && size->high < 0) {
      report(axis.location, fmt::format("the extent of the axis `{}` is negative", axis.name), "an empty axis has the extent 0");
    }
  }
}

void Verifier::destination(const Statement& statement) {
  const Symbol* symbol = find(statement.destination, statement.location, true);
  if (symbol != nullptr) {
    written(*symbol, statement.destination, statement.location);
    if (statement.indices.size() != symbol->rank) {
      report(statement.location,
             fmt::format("`{}` has {} dim(s), and {} indices are given", statement.destination, symbol->rank,
                         statement.indices.size()),
             "give one index for each dim");
    }
  }
  for (const Expression& e : statement.indices) index(e, destination_index, statement.location);
}

void Verifier::update(const Statement& statement) {
  if (statement.update != Update::assign) return;
  for (const Axis& axis : statement.axes) {
    if (axis.kind == AxisKind::reduce) {
      report(axis.location, fmt::format("`=` over the reduce axis `{}`", axis.name),
             "accumulate with `+=`, `max=`, ... (and `start` to begin anew), or make the axis `seq`");
    }
  }
  if (statement.start)
    report(statement.location, "`start` on `=`", "`=` overwrites anyway: leave `start` out, or accumulate with `+=`");
  if (statement.stop) report(statement.location, "`stop` on `=`", "`stop` claims that an accumulation ends: leave it out");
}

void Verifier::claims(const Statement& statement) {
  for (const auto* claim : {&statement.start, &statement.stop}) {
    if (!*claim) continue;
    const std::string_view word = claim == &statement.start ? "start" : "stop";
    conditions((*claim)->conditions, where_condition, statement.location);
    for (const Expression& condition : (*claim)->conditions) {
      if (!names_reduce_axis(condition)) continue;
      report(condition.location == Location{} ? statement.location : condition.location,
             fmt::format("the condition of `{}` names a reduce axis", word),
             "a destination element begins and ends once for all reduce points");
    }
  }
  if (!statement.start) return;
  for (const Expression& e : statement.indices) {
    if (names_reduce_axis(e)) {
      report(e.location == Location{} ? statement.location : e.location,
             fmt::format("`start` on a statement whose destination index names a reduce axis"),
             "initialise the destination in a statement of its own");
      return;
    }
  }
}

void Verifier::accumulate(const Statement& statement, bool is_float_value) {
  const Symbol* symbol = scope_.find(statement.destination);
  const Buffer* buffer = symbol == nullptr ? nullptr : symbol->buffer;
  if (is_bitwise(statement.update)) {
    if (is_float_value || (buffer != nullptr && is_float(buffer->dtype))) {
      report(statement.location, fmt::format("`{}` on floats", spelling(statement.update)),
             "bitwise updates need integers or bools on both sides");
    }
  }
  if (!statement.accumulate) return;
  const Dtype dtype = *statement.accumulate;
  // Narrower ones have too few values to add in, and e8m0 has no zero to begin with.
  if (bits(dtype) < 16) {
    report(statement.location, fmt::format("accumulation in {}", name(dtype)), "accumulate in a dtype of 16 bits or more");
  } else if (statement.update == Update::assign && dtype != combine_dtype(dtype) && dtype != Dtype::i32) {
    report(statement.location, fmt::format("`acc {}` on `=`, which accumulates nothing", name(dtype)),
           fmt::format("write cast({}, ...) to round the value, or `acc` f32 or f64 for what it is computed in", name(dtype)));
  } else if (!is_float(dtype) && is_float_value) {
    report(statement.location, fmt::format("floats are accumulated in {}", name(dtype)),
           "accumulate in f32, or cast the value to an integer");
  } else if (is_float(dtype) && is_bitwise(statement.update)) {
    report(statement.location, fmt::format("`{}` is accumulated in {}", spelling(statement.update), name(dtype)),
           "accumulate in i32 or i64");
  }
}

void Verifier::clobbers(const Statement& statement) {
  if (statement.clobbers.empty()) return;
  std::vector<std::string_view> reads;
  for (const Expression& e : statement.indices) collect_reads(e, reads);
  collect_reads(statement.value, reads);
  for (const Expression& e : statement.where) collect_reads(e, reads);
  for (const auto* claim : {&statement.start, &statement.stop}) {
    if (!*claim) continue;
    for (const Expression& e : (*claim)->conditions) collect_reads(e, reads);
  }
  const auto touches = [&](std::string_view name, const Buffer* buffer) {
    const Symbol* symbol = scope_.find(name);
    return symbol != nullptr && symbol->buffer == buffer;
  };
  for (auto clobbered = statement.clobbers.begin(); clobbered != statement.clobbers.end(); ++clobbered) {
    const Buffer* buffer = whole_buffer(*clobbered, statement.location, "`clobbers`");
    if (buffer == nullptr) continue;
    written(*scope_.find(*clobbered), *clobbered, statement.location);
    if (touches(statement.destination, buffer) ||
        std::ranges::any_of(reads, [&](std::string_view read) { return touches(read, buffer); })) {
      report(statement.location, fmt::format("the statement uses `{}`, which it clobbers", *clobbered),
             "clobber a scratch buffer of its own");
    }
    if (std::find(statement.clobbers.begin(), clobbered, *clobbered) != clobbered) {
      report(statement.location, fmt::format("`{}` is clobbered twice", *clobbered), "name it once");
    }
  }
}

void Verifier::item(const Statement& statement, int) {
  if (!is_opcode(statement.opcode)) {
    report(statement.location, fmt::format("{} is not an opcode", quoted(statement.opcode)),
           "opcodes are names that are not words of the language");
  }
  tags(statement.tags, statement.location, statement.opcode);
  const ScopedNames points(scope_);
  axes(statement);
  destination(statement);
  const bool is_float_value = value(statement.value, statement.location);
  conditions(statement.where, where_condition, statement.location);
  update(statement);
  claims(statement);
  accumulate(statement, is_float_value);
  clobbers(statement);
}

}  // namespace tileproof::ir
