// Do the reference evaluator and the fast interpreter see the same program run?
#pragma once

#include "oracle/interpret/reference.h"
#include "oracle/interpret/run_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace tileproof::fuzz {

/// What a finding says, apart from the words: name, statement, buffer. Which element of several is named depends on the order of
/// parallel axes, and they have none.
inline std::set<std::string> keys(const std::vector<oracle::Finding>& findings, bool with_id) {
  std::set<std::string> result;
  for (const oracle::Finding& f : findings) {
    result.insert(fmt::format("{} {} {}", with_id ? oracle::name(f.id) : "", f.statement, f.buffer));
  }
  return result;
}

/// The first thing in which two runs differ; empty: they agree. Runs that end early agree on why, and on nothing else.
template <class Value, class Same>
std::string first_difference(const oracle::Run<Value>& reference, const oracle::Run<Value>& fast, const Same& same) {
  const auto differ = [](std::string_view what, const auto& a, const auto& b) {
    return fmt::format("{}: reference {}, fast {}", what, a, b);
  };
  if (reference.status != fast.status) return differ("status", static_cast<int>(reference.status), static_cast<int>(fast.status));
  if (reference.status != oracle::RunStatus::done) return {};
  if (const auto a = keys(reference.findings, true), b = keys(fast.findings, true); a != b) return differ("findings", a, b);
  if (reference.points != fast.points) return differ("points", reference.points, fast.points);
  if (reference.overwritten != fast.overwritten) return differ("overwritten", reference.overwritten, fast.overwritten);
  if (const auto a = keys(reference.overwrites, false), b = keys(fast.overwrites, false); a != b)
    return differ("overwrites", a, b);
  if (reference.outputs.size() != fast.outputs.size()) return differ("outputs", reference.outputs.size(), fast.outputs.size());
  for (size_t i = 0; i < reference.outputs.size(); ++i) {
    const auto &a = reference.outputs[i], &b = fast.outputs[i];
    if (a.buffer != b.buffer || a.dtype != b.dtype || a.is_index != b.is_index) return differ("output", a.buffer, b.buffer);
    if (a.extents != b.extents) return differ("extents of " + a.buffer, a.extents, b.extents);
    if (a.integers != b.integers) return differ("integers of " + a.buffer, a.integers, b.integers);
    if (a.writers != b.writers) return differ("writers of " + a.buffer, a.writers, b.writers);
    if (a.values.size() != b.values.size()) return differ("size of " + a.buffer, a.values.size(), b.values.size());
    for (size_t k = 0; k < a.values.size(); ++k) {
      if (!same(a.values[k], b.values[k]))
        return fmt::format("{} differs at the element {} (row-major) of {}", a.buffer, k, a.values.size());
    }
  }
  return {};
}

/// Runs both on domains that `make_domain()` makes. Empty: they agree. Which programs are unsupported is decided for both by kinds_of.
template <class MakeDomain>
std::string disagreement(const ir::Program& program, const oracle::RunOptions& options, const MakeDomain& make_domain) {
  auto one = make_domain(), other = make_domain();
  const auto reference = oracle::evaluate_reference(program, one, options);
  if (reference.status == oracle::RunStatus::unsupported) return {};
  const auto fast = oracle::run_program(program, other, options);
  using Value = typename decltype(one)::Value;
  return first_difference(reference, fast, [&](const Value& a, const Value& b) {
    return one.is_poison(a) == other.is_poison(b) && (one.is_poison(a) || one.digest(a) == other.digest(b));
  });
}

}  // namespace tileproof::fuzz
