#include "fuzz/generate/graph_machine.h"

#include "compiler/machine/tight_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace tileproof::fuzz {

namespace {

/// A broken invariant of ours: the built-in machines are machines.
GraphMachine built_in(const std::string& name) {
  auto machine = machine::find_machine(name);
  if (!machine) {
    fmt::print(stderr, "{}\n", ir::to_string(machine.error().front()));
    std::abort();
  }
  const Budgets budgets = budgets_of(*machine);
  return {name, std::move(*machine), budgets};
}

std::vector<GraphMachine> made() {
  std::vector<GraphMachine> machines;
  for (const std::string& name : machine::tight_machines()) machines.push_back(built_in(name));
  for (const char* const name : {"trn1", "trn2", "trn3"}) machines.push_back(built_in(name));
  return machines;
}

}  // namespace

Budgets budgets_of(const machine::Machine& machine) {
  int64_t widest = 0;
  for (const machine::Space& space : machine.spaces) widest = std::max(widest, space.partitions.value_or(0));
  const Budgets defaults;
  const int64_t partitions = machine.constant("pmax").value_or(widest > 0 ? widest : defaults.partitions);
  return {std::max<int64_t>(2, partitions), std::max<int64_t>(2, machine.constant("cut_size").value_or(defaults.free))};
}

std::span<const GraphMachine> graph_machines() {
  static const std::vector<GraphMachine> machines = made();
  return machines;
}

}  // namespace tileproof::fuzz
