// The programs of corpus/real, and what the pipeline `penguin` makes of them.
#pragma once

#include "compiler/ir/text.h"
#include "compiler/penguin/penguin.h"
#include "compiler/pipeline/run_pipeline.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace tileproof::penguin {

/// Names, without folder and ending, in alphabetical order.
inline std::vector<std::string> corpus_programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/real")) names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

inline ir::Program corpus_program(const std::string& name) {
  const std::string path = "corpus/real/" + name + ".tile";
  const auto text = ir::read_text(path);
  if (!text) throw std::runtime_error(to_string(text.error()));
  const auto file = ir::parse(*text, path);
  if (!file) throw std::runtime_error(to_string(file.error().front()));
  return file->programs.front();
}

/// The steps of a pipeline, applied to a program.
inline pipeline::Stage compiled(const ir::Program& program, const std::string& steps, const machine::Machine& machine) {
  const auto pipeline = pipeline::parse_pipeline(steps, {passes(), {penguin_pipeline()}});
  if (!pipeline) throw std::runtime_error(to_string(pipeline.error().front()));
  auto stage = pipeline::run_pipeline(program, *pipeline, &machine);
  if (!stage) throw std::runtime_error(stage.error().pass + ": " + to_string(stage.error().diagnostics.front()));
  return std::move(*stage);
}

}  // namespace tileproof::penguin
