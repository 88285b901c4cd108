// A pass: a pure, deterministic function from program to program, with what is said about it and what it says.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/machine/machine.h"
#include "compiler/pipeline/option.h"

#include <expected>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::pipeline {

enum class RemarkKind : uint8_t {
  applied,   // what the pass did
  declined,  // what it left alone, and why
};
std::string_view name(RemarkKind kind);

/// A word of a pass's vocabulary: what it may remark.
struct RemarkDeclaration {
  std::string id;        ///< "split", "budget-not-met"
  RemarkKind kind = RemarkKind::applied;
  std::string meaning;   ///< one line
};

struct Remark {
  std::string id;          ///< of the vocabulary of the pass
  std::string statement;   ///< the label in the program that the pass was given, `matmul#1`; "-": none
  std::string text;        ///< the particulars, for people
  ir::Location location;   ///< of what the remark is about
  RemarkKind kind = RemarkKind::applied;   ///< the pipeline fills it in, from the vocabulary
  std::string pass;        ///< ... and this
  bool operator==(const Remark&) const = default;
};

/// What must hold for these numbers if what a pass decided is right: an instance of a lemma of the cutting arithmetic. Passes
/// state it; who can prove discharges it (the compiler never does).
struct Obligation {
  std::string lemma;
  std::string statement;                                  ///< as in a remark
  std::vector<std::pair<std::string, int64_t>> values;    ///< the lemma's variables, in its order
  bool operator==(const Obligation&) const = default;
};

/// What a pass is given beside the program, and where it puts what it has to say.
struct Context {
  const machine::Machine* machine = nullptr;   ///< nullptr: none was named
  const Options& options;                      ///< all that the pass declares
  std::vector<Remark>& remarks;
  std::vector<Obligation>& obligations;
};

struct Pass {
  std::string name;      ///< small letters, digits and dashes: `p-compute-cutting`
  std::string summary;   ///< one line
  std::string needs;     ///< the condition on the program that it is given, in words
  std::string ensures;   ///< ... on the program that it makes
  std::vector<OptionDeclaration> options;
  std::vector<RemarkDeclaration> vocabulary;
  /// The program is well formed (ir::verify), and the pass's own, to change in place. Errors: the pass cannot take this program
  /// (`needs` does not hold, a machine is wanted); the place is that of the program's text, the file is left empty. What it merely
  /// leaves alone is no error but a remark.
  std::function<std::expected<ir::Program, ir::Diagnostics>(ir::Program, const Context&)> run;
};

}  // namespace tileproof::pipeline
