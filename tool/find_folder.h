// The folder in which a fuzzing job keeps its finds, each as a file of the corpus.
//
//   FOLDER/value-map.seed1.tile             the original and the wrong program, for `check` and `replay`
//   FOLDER/before/crash.seed1.tile          the original alone, where the tiler made no program
#pragma once

#include "compiler/ir/diagnostic.h"
#include "fuzz/hunt/hunt.h"

#include <optional>
#include <string>
#include <vector>

namespace tileproof::tool {

class FindFolder {
 public:
  /// `found_by`: the command that finds them again, without seed and case. `machine_file`: of a machine that the user gave as a file;
  /// else empty. `files`: the programs that are tried instead of drawn ones; an empty `folder` then leaves them as they are, and keeps
  /// nothing. Nothing is written yet.
  FindFolder(std::string folder, std::string found_by, std::string machine_file, uint64_t seed, std::vector<std::string> files);

  std::string path(const std::string& key, const fuzz::Find& find) const;
  /// What the machine of the find is called on a command line.
  std::string machine_word(const fuzz::GraphMachine& machine) const;

  /// Each file appears whole or not at all, and what a find of the same key and seed had left is replaced. `judged`: machine limits were.
  /// Error: it cannot be written.
  std::optional<ir::Diagnostic> keep(const std::string& key, const fuzz::Find& find, bool judged) const;

 private:
  std::string folder_, found_by_, machine_file_;
  std::vector<std::string> files_;
  uint64_t seed_;
};

}  // namespace tileproof::tool
