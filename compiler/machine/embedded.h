// The files of compiler/machine/files, put into the program by the build.
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace tileproof::machine {

/// Name (without `.machine`) and text of each built-in machine. Defined in a generated source.
std::span<const std::pair<std::string_view, std::string_view>> embedded_machine_files();

}  // namespace tileproof::machine
