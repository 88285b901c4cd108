// Small programs that the tests of the command line check against each other.
#pragma once

#include <string>
#include <string_view>

namespace tileproof::tool {

inline constexpr std::string_view twice = R"(tile 1
program twice {
  buffer x : f32[10] dram in
  buffer y : f32[10] dram out
  map y[i] = 2 * x[i] over i:10
}
)";

inline constexpr std::string_view twice_in_tiles = R"(tile 1
program twice {
  buffer x : f32[10] dram in
  buffer y : f32[10] dram out
  for b in 0..3 par {
    map y[4*b + i] = 2 * x[4*b + i] over i:4 where 4*b + i < 10
  }
}
)";

/// The last tile reads the elements of the tile before.
inline constexpr std::string_view twice_with_wrong_tail = R"(tile 1
program twice {
  buffer x : f32[10] dram in
  buffer y : f32[10] dram out
  for b in 0..3 par {
    map y[4*b + i] = 2 * x[min(4*b, 6) + i] over i:4 where 4*b + i < 10
  }
}
)";

/// An element is never written, so the program has no single meaning.
inline constexpr std::string_view twice_without_the_last = R"(tile 1
program twice {
  buffer x : f32[10] dram in
  buffer y : f32[10] dram out
  map y[i] = 2 * x[i] over i:9
}
)";

/// A loop of 10^15 iterations.
inline constexpr std::string_view endless = R"(tile 1
program twice {
  buffer x : f32[10] dram in
  buffer y : f32[10] dram out
  for r in 0..1000000000000000 seq {
    map y[i] = 2 * x[i] over i:10
  }
}
)";

/// More bytes than any limit allows.
inline constexpr std::string_view huge = R"(tile 1
program twice {
  buffer x : f32[10] dram in
  buffer y : f32[10] dram out
  buffer t : f32[1000000000000] dram
  map t[i] = x[i] over i:10
  map y[i] = 2 * t[i] over i:10
}
)";

/// Both in one file; programs of a file have names of their own.
inline std::string pair_of(std::string_view original, std::string tiled) {
  const std::string name = "program twice";
  tiled.insert(tiled.find(name) + name.size(), "_tiled");
  return std::string(original) + "\n" + tiled;
}

}  // namespace tileproof::tool
