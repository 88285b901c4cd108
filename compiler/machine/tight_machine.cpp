#include "compiler/machine/tight_machine.h"

#include "compiler/machine/embedded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tileproof::machine {

namespace {

constexpr std::string_view suffix = "-tight";
constexpr int64_t bytes_of_f32 = 4;

/// In elements of f32. Our choice: powers of two, so that the start partitions of the generation stay meaningful.
struct TightFigures {
  std::string_view base;
  int64_t partitions = 8, bank = 16;
  int64_t sbuf_kilobytes = 192;   ///< of the generation, before what its compiler reserves
};
constexpr TightFigures tight_figures[] = {{"trn1", 4, 8, 192}, {"trn2", 8, 16, 224}, {"trn3", 4, 16, 256}};
constexpr int64_t tight_banks = 8, tight_sbuf = 256;

/// Replaces what follows `before` at its first occurrence, up to the end of the word.
void replace_word_after(std::string& text, const std::string& before, const std::string& word) {
  const size_t at = text.find(before);
  if (at == std::string::npos) return;   // a constant that this generation does not have
  const size_t begin = at + before.size();
  text.replace(begin, text.find_first_of(" \n", begin) - begin, word);
}

std::string tight(const TightFigures& figures, std::string text) {
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
    replace_word_after(text, fmt::format("constant {} = ", constant), fmt::format("{}", value));
  replace_word_after(text, "\nmachine ", fmt::format("{}{}", figures.base, suffix));
  // The figures are no longer those of the sources that the comments name.
  text.erase(0, text.find('\n', text.find("\n#")));
  text.insert(0, fmt::format("machine 1\n# {} with tight memories, to fuzz tilers with small shapes.", figures.base));
  return text;
}

}  // namespace

std::vector<std::string> tight_machines() {
  std::vector<std::string> names;
  for (const TightFigures& figures : tight_figures) names.push_back(fmt::format("{}{}", figures.base, suffix));
  return names;
}

std::optional<std::string> tight_machine_text(std::string_view name) {
  if (!name.ends_with(suffix)) return std::nullopt;
  const std::string_view base = name.substr(0, name.size() - suffix.size());
  const auto figures = std::ranges::find(tight_figures, base, &TightFigures::base);
  if (figures == std::end(tight_figures)) return std::nullopt;
  for (const auto& [known, text] : embedded_machine_files())
    if (known == base) return tight(*figures, std::string(text));
  return std::nullopt;
}

}  // namespace tileproof::machine
