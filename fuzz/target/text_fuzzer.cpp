// Any bytes are a `.tile` text or they are not (fuzz/property/text.h): errors are helpful, and canonical text is a fixed point of parsing
// and printing. The engine's mutator edits programs, and what it makes of a program is the text of one.
#include "compiler/ir/text.h"
#include "fuzz/property/text.h"
#include "fuzz/target/text_mutator.h"

#include <cstdio>
#include <cstdlib>

namespace fuzz = tileproof::fuzz;
namespace ir = tileproof::ir;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

std::string_view as_text(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

[[noreturn]] void fail(const std::string& what, std::string_view text) {
  std::fprintf(stderr, "text_fuzzer: %s\n%s\n", what.c_str(), std::string(text).c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string broken = fuzz::broken_by_text(as_text(data, size));
  if (!broken.empty()) fail(broken, as_text(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  const size_t edited = fuzz::mutate_in_place(data, size, max_size, seed);
  if (edited == 0) return LLVMFuzzerMutate(data, size, max_size);
  if (!ir::parse(as_text(data, edited), "edited")) fail("an edited program does not parse", as_text(data, edited));
  return edited;
}
