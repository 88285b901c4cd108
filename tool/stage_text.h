// What passes made and said on the way, as people and as programs read it.
#pragma once

#include "compiler/pipeline/pass.h"
#include "tool/record.h"

#include <string>
#include <string_view>
#include <vector>

namespace tileproof::tool {

/// Which stages a command shows.
struct StagesShown {
  bool all = false;
  std::string pass;   ///< this one; empty: none

  bool show(std::string_view of) const { return all || (!pass.empty() && pass == of); }
};

/// The program after a pass, under a comment that says so.
std::string stage_text(const ir::Program& program, std::string_view pass);

/// "bf-cut declined map#1: small: 4 is no more than a tile (a.tile:3:5)".
std::string remark_text(const pipeline::Remark& remark, std::string_view file);
Json remarks_json(const std::vector<pipeline::Remark>& remarks);

}  // namespace tileproof::tool
