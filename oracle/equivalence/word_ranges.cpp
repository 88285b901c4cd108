#include "oracle/equivalence/word_ranges.h"

#include "oracle/domain/integer_range.h"
#include "oracle/interpret/run_program.h"

#include <algorithm>

namespace tileproof::oracle {
namespace {

bool is_of_word(const Narrowing& narrowing) { return wraps_when_read(narrowing.to) && !narrowing.when_read; }

/// Of a read: it changes no value unless what was stored before did not fit.
bool is_of_read(const ValueNode& node) { return node.of_read && is_of_word(node.narrowing); }

}  // namespace

bool narrows_words(const LoweredProgram& program) {
  return program && std::ranges::any_of(program->statements, [](const StatementCode& statement) {
           const Narrowing& stored = statement.to_destination;
           const bool by_way_of_word = !stored.from_float && stored.from != stored.to && wraps_when_read(stored.from);
           return !statement.is_index &&
                  (is_of_word(stored) || by_way_of_word || std::ranges::any_of(statement.value, [](const ValueNode& node) {
                     return node.kind == ValueNode::Kind::cast && is_of_word(node.narrowing);
                   }));
         });
}

WordRanges word_ranges(const LoweredProgram& program, const Signature& signature, const RunOptions& options) {
  WordRanges result;
  IntegerRange ranges(signature);
  if (run_program(program, ranges, options).status != RunStatus::done) return result;
  result.wrap = ranges.words_wrap();
  for (const StatementCode& statement : program->statements) {
    for (const ValueNode& node : statement.value) {
      if (!is_of_read(node)) continue;
      const Site site = node.narrowing.site;
      if (site >= result.held.size()) result.held.resize(site + size_t{1});
      result.held[site] = site >= ranges.misfits().size() || !ranges.misfits()[site];
    }
  }
  return result;
}

}  // namespace tileproof::oracle
