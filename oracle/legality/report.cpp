#include "oracle/legality/report.h"

namespace tileproof::oracle {

void Report::add(Finding finding, const std::string& aspect) {
  if (seen_.emplace(finding.id, finding.statement, finding.buffer, finding.location, aspect).second)
    findings_.push_back(std::move(finding));
}

}  // namespace tileproof::oracle
