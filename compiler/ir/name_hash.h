// The hash of names, for tables of the names of a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tileproof::ir {

/// FNV-1a, the quickest for names of a few letters. The standard library counts its own hash of strings as slow, and walks small tables
/// from name to name instead.
struct NameHash {
  using is_transparent = void;  // std::string and std::string_view alike
  // Not noexcept: tables then keep the hashes, and compare them before names.
  size_t operator()(std::string_view name) const {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
  }
};

}  // namespace tileproof::ir
