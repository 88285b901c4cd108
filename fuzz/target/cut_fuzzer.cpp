// Any shape, cut size and options are cut as docs/cut.md says: within the budget, with no room left, aligned or flagged, not cut again,
// each element in one tile. The bytes are the choices of the case; the properties are in fuzz/property/cut.h.
#include "fuzz/property/cut.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace fuzz = tileproof::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Choices choices(std::span(data, size));
  const fuzz::CutCase drawn = fuzz::draw_cut(choices);
  const std::string broken = fuzz::broken_by_cut(drawn);
  if (broken.empty()) return 0;
  std::fprintf(stderr, "cut_fuzzer: %s\ntileproof cut %s\n", broken.c_str(), to_string(drawn).c_str());
  std::abort();
}
