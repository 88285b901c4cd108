// A scratch folder with a pair of programs for each way that a check can end, for the tests of the formats that CI services read.
#pragma once

#include "props/tool/process.h"
#include "props/tool/programs.h"

#include <string>
#include <vector>

namespace tileproof::tool {

/// One program of each kind that a check tells apart, and a folder `corpus`.
inline void add_programs(const ScratchFolder& scratch) {
  std::filesystem::create_directory(scratch.path("corpus"));
  scratch.file("good", twice);
  scratch.file("tiles", twice_in_tiles);
  scratch.file("wrong", twice_with_wrong_tail);
  scratch.file("unwritten", twice_without_the_last);
  scratch.file("endless", endless);
  scratch.file("broken", "tile 1\nprogram {");
  scratch.file("corpus/broken.tile", "tile 1\nprogram {");
}

class CiFolder {
 public:
  ScratchFolder scratch;

  CiFolder() {
    add_programs(scratch);
    scratch.file("corpus/passes.tile", pair_of(twice, std::string(twice_in_tiles)));
    scratch.file("corpus/refuted.tile", "# expect value map#1 y\n" + pair_of(twice, std::string(twice_with_wrong_tail)));
    scratch.file("corpus/surprise.tile", pair_of(twice, std::string(twice_with_wrong_tail)));
    scratch.file("corpus/harmless.tile", "# expect value map#1 y\n" + pair_of(twice, std::string(twice_in_tiles)));
    scratch.file("corpus/large.tile", "# expect unsupported\n" + pair_of(twice, std::string(huge)));
    scratch.file("corpus/too_large.tile", pair_of(twice, std::string(huge)));
  }

  /// `tileproof` in the folder, so that documents name files by relative paths.
  Finished run(std::vector<std::string> words) const { return tileproof(std::move(words), {.folder = scratch.path("")}); }
};

}  // namespace tileproof::tool
