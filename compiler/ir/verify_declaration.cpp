#include "compiler/ir/buffer_size.h"
#include "compiler/ir/reserved.h"
#include "compiler/ir/suggestion.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::ir {
namespace {

constexpr IndexPlace buffer_extent{"the extent of a buffer"};
constexpr IndexPlace view_extent{"the extent of a view"};
constexpr IndexPlace value_range{"the range of a buffer"};
constexpr IndexPlace address_part{"an address", true};
constexpr IndexPlace valid_bound{"a valid range", true};
constexpr IndexPlace view_index{"an index of a view", true, true};

bool names(const Expression& e, std::string_view name) {
  return (e.op == Op::variable && e.name == name) ||
         std::ranges::any_of(e.operands, [&](const Expression& operand) { return names(operand, name); });
}

}  // namespace

void Verifier::parameters() {
  for (const Parameter& parameter : program_.parameters) {
    if (parameter.low > parameter.high) {
      report(parameter.location, fmt::format("the range of `{}` is empty: {}..{}", parameter.name, parameter.low, parameter.high),
             "write the lower end first; both ends are included");
    }
    Symbol symbol{Symbol::Kind::parameter, parameter.location};
    symbol.parameter = &parameter;
    declare(parameter.name, symbol);
  }
}

void Verifier::bar(const std::optional<size_t>& partition_rank, size_t rank, const std::string& name, Location location) {
  if (partition_rank && (*partition_rank == 0 || *partition_rank >= rank)) {
    report(location, fmt::format("the bar of `{}` does not stand between two dims", name),
           "write `[partition dims | free dims]`, or no bar");
  }
}

void Verifier::extents(const Buffer& buffer) {
  int64_t total = bits(buffer.dtype);
  for (const Expression& extent : buffer.extents) {
    index(extent, buffer_extent, buffer.location);
    const auto size = interval_of(extent);
    if (!size) continue;
    const Location location = extent.location == Location{} ? buffer.location : extent.location;
    if (size->high <= 0) {
      report(location,
             fmt::format("an extent of `{}` is {}, never positive", buffer.name,
                         size->is_point() ? std::to_string(size->low) : quoted(print(extent))),
             "extents of buffers are at least 1 (axes and loops may be empty)");
    }
    total = multiply_saturating(total, std::max<int64_t>(size->high, 1));
  }
  if (total >= most_buffer_bits) {
    report(buffer.location, fmt::format("`{}` can have 2^62 bits or more", buffer.name),
           "make the extents or the ranges of the parameters smaller");
  }
}

void Verifier::annotations(const Buffer& buffer) {
  if (buffer.address) {
    for (const Expression* part : {&buffer.address->partition, &buffer.address->byte}) {
      index(*part, address_part, buffer.location);
      if (const auto value = interval_of(*part); value && value->high < 0) {
        report(buffer.location, fmt::format("the address of `{}` is negative", buffer.name), "partitions and bytes count from 0");
      }
    }
  }
  if (!buffer.valid.empty() && buffer.valid.size() != buffer.extents.size()) {
    report(buffer.location,
           fmt::format("`valid` of `{}` has {} range(s) for {} dim(s)", buffer.name, buffer.valid.size(), buffer.extents.size()),
           "give one range for each dim");
  }
  for (size_t i = 0; i < buffer.valid.size(); ++i) {
    index(buffer.valid[i].low, valid_bound, buffer.location);
    index(buffer.valid[i].high, valid_bound, buffer.location);
    const auto low = interval_of(buffer.valid[i].low), high = interval_of(buffer.valid[i].high);
    const auto extent = i < buffer.extents.size() ? interval_of(buffer.extents[i]) : std::nullopt;
    if ((low && low->high < 0) || (low && high && low->low > high->high) || (high && extent && high->low > extent->high)) {
      report(buffer.location, fmt::format("`valid` of `{}` is not inside its dim {}", buffer.name, i),
             "0 <= low <= high <= extent");
    }
  }
  if (!buffer.range) return;
  if (!is_integer(buffer.dtype)) {
    report(buffer.location, fmt::format("`range` on `{}`, whose elements are {}", buffer.name, name(buffer.dtype)),
           "only integer buffers have a range");
  }
  index(buffer.range->low, value_range, buffer.location);
  index(buffer.range->high, value_range, buffer.location);
  const auto low = interval_of(buffer.range->low), high = interval_of(buffer.range->high);
  if (!low || !high || !is_integer(buffer.dtype)) return;
  if (low->low >= high->high) {
    report(buffer.location, fmt::format("the range of `{}` is empty", buffer.name),
           "the upper end is excluded: `range 0..8` holds 0 to 7");
  } else if (low->low < lowest(buffer.dtype) || high->high - 1 > highest(buffer.dtype)) {
    report(buffer.location, fmt::format("the range of `{}` does not fit in {}", buffer.name, name(buffer.dtype)),
           fmt::format("{} holds {} to {}", name(buffer.dtype), lowest(buffer.dtype), highest(buffer.dtype)));
  }
}

void Verifier::item(const Buffer& buffer, int depth) {
  if (!is_name(buffer.space))
    report(buffer.location, fmt::format("{} is not the name of a space", quoted(buffer.space)), "dram, sbuf, ...");
  if (buffer.extents.empty()) report(buffer.location, fmt::format("`{}` has no dims", buffer.name), "a single element is `[1]`");
  tags(buffer.tags, buffer.location, buffer.name);
  bar(buffer.partition_rank, buffer.extents.size(), buffer.name, buffer.location);
  extents(buffer);
  annotations(buffer);
  if (buffer.role != Role::none && depth > 0) {
    report(buffer.location, fmt::format("`{}` is `{}` inside a block", buffer.name, name(buffer.role)),
           "move the declaration to the top level of the program: in, out and inout buffers come from outside");
  }
  Symbol symbol{Symbol::Kind::buffer, buffer.location};
  symbol.buffer = &buffer;
  symbol.rank = buffer.extents.size();
  declare(buffer.name, symbol);
}

void Verifier::item(const View& view, int) {
  tags(view.tags, view.location, view.name);
  bar(view.partition_rank, view.dims.size(), view.name, view.location);
  const Symbol* base = find(view.base, view.location, true);
  Symbol symbol{Symbol::Kind::view, view.location};
  symbol.buffer = base == nullptr ? nullptr : base->buffer;
  symbol.rank = view.dims.size();
  if (view.dims.empty()) report(view.location, fmt::format("`{}` has no dims", view.name), "write `view NAME[i:6] = BASE[...]`");
  {
    const ScopedNames dims(scope_);
    for (const Axis& dim : view.dims) {
      if (dim.kind != AxisKind::parallel || !dim.tags.empty()) {
        report(dim.location, fmt::format("the dim `{}` of a view has a kind or tags", dim.name), "a dim is `NAME:extent`");
      }
      index(dim.extent, view_extent, view.location);
      const auto size = interval_of(dim.extent);
      if (size && size->high <= 0) {
        report(dim.location, fmt::format("the extent of the dim `{}` is never positive", dim.name),
               "extents of views are at least 1");
      }
      const bool is_used = std::ranges::any_of(view.indices, [&](const Expression& e) { return names(e, dim.name); });
      if (!is_used && (!size || size->high > 1)) {
        report(dim.location, fmt::format("the dim `{}` of the view `{}` occurs in no index", dim.name, view.name),
               "a view names each element once: read with the same index twice instead, or give the dim the extent 1");
      }
      declare(dim.name, Symbol{Symbol::Kind::axis, dim.location});
    }
    if (base != nullptr && view.indices.size() != base->rank) {
      report(view.location,
             fmt::format("`{}` has {} dim(s), and the view gives {} indices", view.base, base->rank, view.indices.size()),
             "give one index for each dim of the base");
    }
    for (const Expression& e : view.indices) index(e, view_index, view.location);
  }
  declare(view.name, symbol);
}

const Buffer* Verifier::whole_buffer(const std::string& name, Location location, std::string_view user) {
  const Symbol* symbol = find(name, location, true);
  if (symbol == nullptr) return nullptr;
  if (symbol->kind == Symbol::Kind::view) {
    report(location, fmt::format("{} takes whole buffers, and `{}` is a view", user, name),
           symbol->buffer == nullptr ? std::string("name a buffer") : fmt::format("name the buffer `{}`", symbol->buffer->name));
    return nullptr;
  }
  return symbol->buffer;
}

}  // namespace tileproof::ir
