// The passes of the product, gathered in one place.
#pragma once

#include "compiler/pipeline/registry.h"

#include <string>

namespace tileproof::tool {

/// All passes and named pipelines that the commands know.
pipeline::Registry product_passes();

/// The passes of a registry with their options, for --help: several lines, ending in a newline.
std::string passes_help(const pipeline::Registry& registry);

}  // namespace tileproof::tool
