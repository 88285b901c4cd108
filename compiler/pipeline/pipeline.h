// A pipeline: passes in order, each with its options. Its text is `penguin{pg-tile-size=256}` or `a,b{x=1},c`.
#pragma once

#include "compiler/pipeline/pass.h"
#include "compiler/pipeline/registry.h"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::pipeline {

struct Step {
  Pass pass;
  GivenOptions given;
};

struct Pipeline {
  std::vector<Step> steps;   ///< empty: the program stays as it is
};

/// Passes by their names, separated by commas, each with options in braces. A named pipeline stands for its passes; its options
/// go to every pass of it that declares them. Blanks are free; no text is the empty pipeline.
/// Errors, with their columns in `text`: an unknown pass or option, a value that the option does not take, an option given twice.
std::expected<Pipeline, ir::Diagnostics> parse_pipeline(std::string_view text, const Registry& registry,
                                                        std::string_view file_name = "pipeline");

/// The passes with the options that were given: a text that parses back.
std::string to_string(const Pipeline& pipeline);

}  // namespace tileproof::pipeline
