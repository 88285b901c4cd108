// `penguin` makes of any graph a well formed program of the same meaning, which the machine can run unless a pass says that it declined.
// The bytes are the choices of machine, options and graph; the property is in fuzz/property/pipeline.h.
#include "compiler/penguin/penguin.h"
#include "fuzz/property/pipeline.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace fuzz = tileproof::fuzz;
namespace penguin = tileproof::penguin;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const tileproof::pipeline::Registry registry{penguin::passes(), {penguin::penguin_pipeline()}};
  fuzz::Choices choices(std::span(data, size));
  const fuzz::PipelineCase drawn = fuzz::draw_pipeline_case(choices);
  const std::string broken = fuzz::broken_by_pipeline(drawn, registry);
  if (broken.empty()) return 0;
  std::fprintf(stderr, "pipeline_fuzzer: %s\n%s", broken.c_str(), to_string(drawn).c_str());
  std::abort();
}
