// A planted bug: a tiler in which one thing is wrong, in the way in which somebody has it wrong.
#pragma once

#include "compiler/penguin/cut_rules.h"
#include "compiler/pipeline/registry.h"
#include "fuzz/generate/graph.h"

#include <string>
#include <variant>
#include <vector>

namespace tileproof::plant {

/// What a bug of a pass has left behind in its output. Writes nothing where there is no place for it.
struct WrongPass {
  std::string pass;   ///< behind this one
  void (*edit)(ir::Program&, const machine::Machine&) = nullptr;
};

struct PlantedBug {
  std::string name;     ///< small letters, digits and dashes
  std::string what;     ///< one line
  std::string source;   ///< what it models, as in known_sources()
  std::variant<penguin::CutRules, WrongPass, pipeline::Pass> wrong;   ///< a pass takes the place of the one of its name
  bool wasteful = false;  ///< what it tiles is right and legal, but smaller than it might be: for the obligations of a cut to see
  fuzz::GraphFamily family = fuzz::GraphFamily::operations;  ///< of the programs that it is hunted in
};

/// The rules that cuts are decided by: wrong ones, or the right ones where a pass is wrong.
penguin::CutRules rules_of(const PlantedBug& bug);
/// The passes of the pipeline `penguin` with the bug.
pipeline::Registry registry_with(const PlantedBug& bug);
/// ... which decide by these rules, those of the bug with somebody watching.
pipeline::Registry registry_with(const PlantedBug& bug, penguin::CutRules rules);

}  // namespace tileproof::plant
