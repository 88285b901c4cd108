// What `tileproof cut` prints.
#pragma once

#include "compiler/penguin/axis_cut.h"
#include "oracle/prove/obligation.h"
#include "tool/exit_code.h"

#include <optional>
#include <string>

namespace tileproof::tool {

struct CutReport {
  penguin::PriorityOrder<penguin::CutAxis> axes;
  int64_t cut_size = 0;
  std::string machine;   ///< that had the figures which were not given; empty: none
  penguin::CutOptions options;
  penguin::DimCut cut;
  penguin::AxisCut lists;
  bool swapped = false;
  std::optional<prove::Discharge> proof;   ///< nullopt: not asked for
};

/// For people: the cut, both lists in both orders, and why.
std::string cut_text(const CutReport& report);

/// docs/record.md, `cut`.
std::string cut_record(const CutReport& report, ExitCode exit);

}  // namespace tileproof::tool
