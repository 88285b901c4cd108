// Which passes and which named pipelines there are: a value that is handed around, so that two sets can live side by side.
#pragma once

#include "compiler/pipeline/pass.h"

#include <string>
#include <string_view>
#include <vector>

namespace tileproof::pipeline {

/// An abbreviation for the text of a pipeline.
struct NamedPipeline {
  std::string name;
  std::string summary;   ///< one line
  std::string text;      ///< "a,b{x=1},c": passes, and pipelines that stand before this one in the registry
};

struct Registry {
  std::vector<Pass> passes;
  std::vector<NamedPipeline> pipelines;

  const Pass* pass(std::string_view name) const;
};

/// Names of passes, pipelines, options and remarks: small letters, digits and dashes, no dash in front.
bool is_name(std::string_view text);

/// What is wrong with a registry, for the tests of whoever assembles one: names that are no names or occur twice, defaults that
/// the option does not admit, pipelines that do not parse.
ir::Diagnostics verify(const Registry& registry);

}  // namespace tileproof::pipeline
