// What holds of any bytes as `.tile` text.
#pragma once

#include "compiler/ir/program.h"

#include <string>
#include <string_view>

namespace tileproof::fuzz {

/// Any bytes are a program or they are not. If they are not, each error has a place in the text and says how to mend it. If they are,
/// printing gives canonical text: it parses to the same program, and printing that gives the same bytes; the verifier judges the
/// program, and its errors have places too. Empty: all of this holds.
std::string broken_by_text(std::string_view text);

}  // namespace tileproof::fuzz
