#include "fuzz/generate/graph_machine.h"

#include "compiler/machine/embedded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace tileproof::fuzz {

namespace {

constexpr int64_t bytes_of_f32 = 4;

/// A broken invariant of ours: the built-in machines and their variants are machines.
machine::Machine parsed(std::string_view text, const std::string& name) {
  auto machine = machine::parse_machine(text, name);
  if (machine) return std::move(*machine);
  fmt::print(stderr, "{}\n", ir::to_string(machine.error().front()));
  std::abort();
}

std::string text_of(std::string_view name) {
  for (const auto& [known, text] : machine::embedded_machine_files())
    if (known == name) return std::string(text);
  fmt::print(stderr, "no machine {} is built in\n", name);
  std::abort();
}

/// Replaces what follows `before` at its first occurrence, up to the end of the word.
void replace_word_after(std::string& text, const std::string& before, const std::string& word) {
  const size_t at = text.find(before);
  if (at == std::string::npos) return;   // a constant that this generation does not have
  const size_t begin = at + before.size();
  text.replace(begin, text.find_first_of(" \n", begin) - begin, word);
}

/// In elements of f32. Our choice: powers of two, so that the start partitions of the generation stay meaningful.
struct TightFigures {
  std::string_view base;
  int64_t partitions = 8, bank = 16;
  int64_t sbuf_kilobytes = 192;   ///< of the generation, before what its compiler reserves
};
constexpr TightFigures tight_figures[] = {{"trn1", 4, 8, 192}, {"trn2", 8, 16, 224}, {"trn3", 4, 16, 256}};
constexpr int64_t tight_banks = 8, tight_sbuf = 256;

GraphMachine tight(const TightFigures& figures) {
  GraphMachine result;
  result.name = fmt::format("{}-tight", figures.base);
  result.text = text_of(figures.base);
  const std::pair<const char*, int64_t> constants[] = {
      {"pmax", figures.partitions},
      {"psum_partitions", figures.partitions},
      {"partition_multiple", 2},
      {"sbuf_reserved", figures.sbuf_kilobytes * 1024 - tight_sbuf * bytes_of_f32},
      {"psum_bank", figures.bank * bytes_of_f32},
      {"psum_banks", tight_banks},
      {"pe_rows", figures.partitions},
      {"stationary_free", figures.partitions},
      {"moving_free", figures.bank},
      {"moving_free_bf16", figures.bank},
      {"psum_bank_f32", figures.bank},
      {"cut_size", figures.bank},
      {"engine_free", tight_sbuf},
      {"psum_free", tight_banks * figures.bank},
      {"vector_transpose", figures.partitions},
      {"quadrant", figures.partitions},
      {"stats_free", figures.bank},
  };
  for (const auto& [constant, value] : constants)
    replace_word_after(result.text, fmt::format("constant {} = ", constant), fmt::format("{}", value));
  replace_word_after(result.text, "\nmachine ", result.name);
  // The figures are no longer those of the sources that the comments name.
  result.text.erase(0, result.text.find('\n', result.text.find("\n#")));
  result.text.insert(0, fmt::format("machine 1\n# {} with tight memories, to fuzz tilers with small shapes.", figures.base));
  return result;
}

std::vector<GraphMachine> made() {
  std::vector<GraphMachine> machines;
  for (const TightFigures& figures : tight_figures) machines.push_back(tight(figures));
  for (const TightFigures& figures : tight_figures) machines.push_back({std::string(figures.base), {}, {}, {}});
  for (GraphMachine& each : machines) {
    each.machine = parsed(each.text.empty() ? text_of(each.name) : each.text, each.name);
    each.budgets = budgets_of(each.machine);
  }
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
