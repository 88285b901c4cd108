// The findings of a watch over one run: each once, with the figures of its first occurrence.
#pragma once

#include "oracle/finding.h"

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace tileproof::oracle {

class Report {
 public:
  /// Keeps the finding unless one of the same id, statement, buffer and `aspect` (a letter, say) is there.
  void add(Finding finding, const std::string& aspect = {});
  std::vector<Finding> take() { return std::move(findings_); }

 private:
  std::set<std::tuple<FindingId, std::string, std::string, ir::Location, std::string>> seen_;
  std::vector<Finding> findings_;
};

}  // namespace tileproof::oracle
