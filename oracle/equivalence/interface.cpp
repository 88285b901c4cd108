#include "oracle/equivalence/interface.h"

#include "compiler/ir/interval.h"
#include "compiler/ir/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

namespace tileproof::oracle {
namespace {

std::map<std::string, const ir::Buffer*> interface_buffers(const ir::Program& program) {
  std::map<std::string, const ir::Buffer*> buffers;
  for (const ir::Item& item : program.body) {
    const auto* buffer = std::get_if<ir::Buffer>(&item.node);
    if (buffer != nullptr && buffer->role != ir::Role::none) buffers.emplace(buffer->name, buffer);
  }
  return buffers;
}

std::string shape(const ir::Buffer& buffer) {
  std::vector<std::string> extents;
  for (const ir::Expression& extent : buffer.extents) extents.push_back(ir::print(extent));
  return fmt::format("{}[{}]", ir::name(buffer.dtype), fmt::join(extents, ", "));
}

/// Its value where it is constant, else its text.
std::string meaning(const ir::Expression& e) {
  const auto value = ir::interval(e, [](std::string_view) { return std::nullopt; });
  const bool is_exact = value && value->is_point() && value->low > std::numeric_limits<int64_t>::min() &&
                        value->high < std::numeric_limits<int64_t>::max();  // interval arithmetic saturates
  return is_exact ? std::to_string(value->low) : ir::print(e);
}

bool same_shape(const ir::Buffer& a, const ir::Buffer& b) {
  return a.dtype == b.dtype && std::ranges::equal(a.extents, b.extents, {}, meaning, meaning);
}

bool same_range(const ir::Buffer& a, const ir::Buffer& b) {
  if (!a.range || !b.range) return !a.range && !b.range;
  return meaning(a.range->low) == meaning(b.range->low) && meaning(a.range->high) == meaning(b.range->high);
}

std::string range(const ir::Buffer& buffer) {
  return buffer.range ? fmt::format("range {}..{}", ir::print(buffer.range->low), ir::print(buffer.range->high)) : "no range";
}

}  // namespace

ir::Diagnostics interface_differences(const ir::Program& original, const ir::Program& tiled) {
  ir::Diagnostics differences;
  const auto say = [&](ir::Location location, std::string message, std::string mend) {
    differences.push_back({{}, location, std::move(message), std::move(mend)});
  };
  for (const ir::Parameter& parameter : original.parameters) {
    const auto same = std::ranges::find(tiled.parameters, parameter.name, &ir::Parameter::name);
    if (same == tiled.parameters.end()) {
      say(tiled.location, fmt::format("the parameter {} of the original is missing", parameter.name),
          fmt::format("declare `param {} : {}..{}`", parameter.name, parameter.low, parameter.high));
    } else if (same->low != parameter.low || same->high != parameter.high) {
      say(same->location,
          fmt::format("the parameter {} has the range {}..{}, in the original {}..{}", parameter.name, same->low, same->high,
                      parameter.low, parameter.high),
          "give both the same range");
    }
  }
  for (const ir::Parameter& parameter : tiled.parameters) {
    if (std::ranges::find(original.parameters, parameter.name, &ir::Parameter::name) == original.parameters.end()) {
      say(parameter.location, fmt::format("the original has no parameter {}", parameter.name),
          "declare it in both, with the same range");
    }
  }
  const auto before = interface_buffers(original), after = interface_buffers(tiled);
  for (const auto& [name, buffer] : before) {
    const auto same = after.find(name);
    if (same == after.end()) {
      say(tiled.location, fmt::format("the {} buffer {} of the original is missing", ir::name(buffer->role), name),
          fmt::format("declare `buffer {} : {} {} {}`", name, shape(*buffer), buffer->space, ir::name(buffer->role)));
      continue;
    }
    const ir::Buffer& other = *same->second;
    if (other.role != buffer->role) {
      say(other.location, fmt::format("{} is `{}`, in the original `{}`", name, ir::name(other.role), ir::name(buffer->role)),
          "give both the same role; a program that writes a part of a buffer declares it `inout` in both");
    }
    if (!same_shape(other, *buffer)) {
      say(other.location, fmt::format("{} is {}, in the original {}", name, shape(other), shape(*buffer)),
          "the buffers of the interface must be the same; use a `view` for another shape");
    }
    if (!same_range(other, *buffer)) {
      say(other.location, fmt::format("{} has {}, in the original {}", name, range(other), range(*buffer)),
          "declare the same range in both");
    }
  }
  for (const auto& [name, buffer] : after) {
    if (!before.contains(name))
      say(buffer->location, fmt::format("the original has no {} buffer {}", ir::name(buffer->role), name),
          "declare it in both, or give it no role");
  }
  return differences;
}

}  // namespace tileproof::oracle
