// `penguin` leaves the meaning of any program with loops, branches and tiles of its own as it is, and says of each statement what became of it.
// The bytes are the choices of machine, options and program; the property is in fuzz/property/pipeline.h.
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
  const fuzz::PipelineCase drawn = fuzz::draw_nest_case(choices);
  const std::string broken = fuzz::broken_by_pipeline(drawn, registry);
  if (broken.empty()) return 0;
  std::fprintf(stderr, "nest_fuzzer: %s\n%s", broken.c_str(), to_string(drawn).c_str());
  std::abort();
}
