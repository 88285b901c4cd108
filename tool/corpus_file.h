// A stored program with what is expected of it: the comments at the head of a corpus file, before its first program.
//
//   # before ../../real/matmul.tile      the original, relative to this file; without it the file holds both programs
//   # pipeline penguin{pg-tile-size=64}  or the file holds the original alone, and these passes are to tile it
//   # machine trn2                       judge the limits of this machine (a name, or a machine file relative to this file)
//   # expect race store#1 y              a finding with its statement and buffer, `-` for none
//   # expect tested lattice              or a verdict, with its tier or finding where that matters
#pragma once

#include "oracle/equivalence/check.h"
#include "tool/program_input.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::tool {

/// What a check must say. Parts without a value are free; a default one asks that the check passes.
struct Expectation {
  std::optional<oracle::Verdict> verdict;   ///< nullopt: any that passes
  std::optional<oracle::FindingId> finding; ///< the decisive one
  std::optional<oracle::Tier> tier;
  std::optional<std::string> statement;     ///< label, or "-"
  std::optional<std::string> buffer;        ///< name, or "-"

  bool met_by(const oracle::CheckReport& report) const;
  bool operator==(const Expectation&) const = default;
};

/// As a header writes it: "tested lattice", "race store#1 y", "passes".
std::string to_string(const Expectation& expectation);

/// The words after `# expect`. Error: what is wrong, with a mend.
std::expected<Expectation, ir::Diagnostic> parse_expectation(std::string_view words);

/// The header alone; paths are as written. Each of its words begins one line at most, and `before`, `pipeline`, `machine` and `expect`
/// have something behind them.
struct CorpusHeader {
  std::string before, pipeline, machine, right, why, bug, models, pair, source;
  ir::Location pipeline_begins;  ///< where its text stands, if there is one
  std::optional<Expectation> expect;
};
std::expected<CorpusHeader, ir::Diagnostics> parse_corpus_header(std::string_view text, const std::string& file_name);

/// A corpus file, read, with its original: all that a replay needs, but for passes.
struct CorpusCase {
  std::string file;
  CorpusHeader header;
  ProgramPair programs;  ///< where there is a pipeline to make the tiled one, that is the original
  ChosenMachine machine;
  Expectation expect;
};
std::expected<CorpusCase, ir::Diagnostics> load_corpus_case(const std::string& path);

/// Files in folders called `real` and `before` are originals of others and are not replayed by themselves.
bool is_original(const std::string& path);

/// Below a folder all `.tile` files, sorted; a file is itself. Error: there is no such file or folder.
std::expected<std::vector<std::string>, ir::Diagnostics> corpus_files(const std::vector<std::string>& paths);

}  // namespace tileproof::tool
