// The structured mutator of text_fuzzer for AFL++, which knows no LLVMFuzzerCustomMutator: a shared object for
// AFL_CUSTOM_MUTATOR_LIBRARY, built without instrumentation because it runs inside of afl-fuzz.
#include "fuzz/target/text_mutator.h"

#include <algorithm>
#include <vector>

namespace {

struct State {
  uint64_t seed = 0;
  std::vector<uint8_t> text;
};

}  // namespace

extern "C" {

void* afl_custom_init(void*, unsigned int seed) { return new State{seed, {}}; }

/// What it makes is in `*out`, which lives until the next call; 0: nothing is tried, and AFL++ goes on with its own edits.
size_t afl_custom_fuzz(void* data, uint8_t* buffer, size_t size, uint8_t** out, uint8_t*, size_t, size_t max_size) {
  State& state = *static_cast<State*>(data);
  state.text.assign(buffer, buffer + size);
  state.text.resize(std::max(size, max_size));
  *out = state.text.data();
  return tileproof::fuzz::mutate_in_place(state.text.data(), size, max_size, state.seed++);
}

void afl_custom_deinit(void* data) { delete static_cast<State*>(data); }
}
