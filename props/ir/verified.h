// How the tests of compiler/ir state what is right and what is wrong with a text.
#pragma once

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"

#include <string>
#include <string_view>
#include <vector>

namespace tileproof::ir {

/// The errors of a text, syntax first and then meaning, as the user sees them.
inline std::vector<std::string> errors_of_text(std::string_view text, TextLimits limits = {}) {
  const auto file = parse(text, "t", limits);
  std::vector<std::string> errors;
  for (const Diagnostic& diagnostic : file ? verify(*file) : file.error()) errors.push_back(to_string(diagnostic));
  return errors;
}

/// The errors of a program with an input `x`, an integer input `n`, a result `y` (all 8 x 8, x and y f32), a parameter `p` from 1 to 9, and
/// these items, which begin on line 7.
inline std::vector<std::string> errors_of(std::string_view items) {
  return errors_of_text(
      "tile 1\nprogram t {\nparam p : 1..9\nbuffer x : f32[8, 8] dram in\nbuffer n : i32[8, 8] dram in\nbuffer y : f32[8, 8] "
      "dram out\n" +
      std::string(items) + "\n}\n");
}

using Errors = std::vector<std::string>;
inline const Errors none;

}  // namespace tileproof::ir
