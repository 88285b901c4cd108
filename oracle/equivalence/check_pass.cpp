#include "oracle/equivalence/check_pass.h"

#include "compiler/ir/verify.h"

namespace tileproof::oracle {

std::expected<CheckReport, ir::Diagnostics> check_programs(const ir::Program& original, const ir::Program& tiled,
                                                           const CheckOptions& options) {
  if (ir::Diagnostics errors = ir::verify(original, "original"); !errors.empty()) return std::unexpected(std::move(errors));
  if (ir::Diagnostics errors = ir::verify(tiled, "tiled"); !errors.empty()) return std::unexpected(std::move(errors));
  std::expected<CheckReport, ir::Diagnostics> report = check(original, tiled, options);
  if (!report) {
    for (ir::Diagnostic& error : report.error()) {
      if (error.file.empty()) error.file = "tiled";
    }
  }
  return report;
}

std::expected<CheckReport, ir::Diagnostics> check_pass(const ir::Program& original, const Pass& pass,
                                                       const CheckOptions& options) {
  return check_programs(original, pass(original), options);
}

}  // namespace tileproof::oracle
