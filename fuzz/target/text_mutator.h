// The structured mutator as both engines call it: a program is edited as a program, and anything else as the engine does it.
#pragma once

#include "fuzz/mutate/mutate.h"

#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace tileproof::fuzz {

/// Writes an edited program into `data`, which has room for `most` bytes, and gives its size; 0: the text is no program, or now and then
/// though it is one, so that the engine's own edits get their turn.
inline size_t mutate_in_place(uint8_t* data, size_t size, size_t most, uint64_t seed) {
  Choices choices = Choices::from_seed(seed);
  if (choices.chance(20)) return 0;
  const auto edited = mutate_text({reinterpret_cast<const char*>(data), size}, most, choices);
  if (!edited) return 0;
  std::memcpy(data, edited->data(), edited->size());
  return edited->size();
}

}  // namespace tileproof::fuzz
