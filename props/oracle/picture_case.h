// Pictures of programs given as text, for the tests of oracle/explain.
#pragma once

#include "oracle/equivalence/check_pass.h"
#include "oracle/explain/explain.h"

#include "compiler/ir/text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tileproof::oracle {

/// The buffers of a row of ten, and a program that doubles it.
inline const std::string row = "buffer x : f32[10] dram in\n  buffer y : f32[10] dram out\n";
inline const std::string twice = row + "map y[i] = 2 * x[i] over i:10";

inline ir::Program program_of(std::string_view body) {
  const auto file = ir::parse("tile 1\nprogram p {\n" + std::string(body) + "\n}\n", "test");
  EXPECT_TRUE(file.has_value()) << (file ? "" : to_string(file.error().front()));
  return file ? file->programs.front() : ir::Program{};
}

/// The pictures of a check, as `check --explain` prints them.
inline std::string pictures_of(std::string_view original, std::string_view tiled, const CheckOptions& options = {}) {
  const ir::Program before = program_of(original), after = program_of(tiled);
  const auto report = check_programs(before, after, options);
  EXPECT_TRUE(report.has_value()) << (report ? "" : to_string(report.error().front()));
  return report ? to_text(explain(before, after, options, *report)) : "";
}

}  // namespace tileproof::oracle
