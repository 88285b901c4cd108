#include "oracle/equivalence/real_run.h"

#include "oracle/domain/rounding.h"
#include "oracle/interpret/run_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tileproof::oracle {

RealRun run_real(const LoweredProgram& program, const RealOptions& real, const Plan& plan, uint64_t key,
                 const RunOptions& options) {
  Real domain(real, plan, key);
  RealRun result{run_program(program, domain, options), {}, {}};
  result.changed = domain.changed();
  result.compared = domain.compared();
  for (auto& output : result.run.outputs) {
    if (!output.is_index) continue;
    for (const int64_t v : output.integers) output.values.push_back(v == integer_poison ? Real::poison() : domain.integer(v));
  }
  std::ranges::sort(result.run.outputs, {}, &Output<RealValue>::buffer);
  return result;
}

bool same_integers(const RealRun& a, const RealRun& b) {
  const auto same = [](const RealValue& x, const RealValue& y) {
    return x.kind == RealValue::Kind::integer && y.kind == RealValue::Kind::integer && x.bits == y.bits;
  };
  for (size_t i = 0; i < a.run.outputs.size() && i < b.run.outputs.size(); ++i) {
    if (!std::ranges::equal(a.run.outputs[i].values, b.run.outputs[i].values, same)) return false;
  }
  return true;
}

bool same_numbers(const RealRun& a, const RealRun& b) {
  const auto same = [](const RealValue& x, const RealValue& y) {
    if (x.kind == y.kind && x.bits == y.bits) return true;
    if (x.kind == y.kind && x.kind == RealValue::Kind::integer) return false;
    const double p = Real::to_double(x), q = Real::to_double(y);  // -0 is 0, and a NaN any other
    return Real::is_poison(x) == Real::is_poison(y) && (p == q || (std::isnan(p) && std::isnan(q)));
  };
  for (size_t i = 0; i < a.run.outputs.size() && i < b.run.outputs.size(); ++i) {
    if (!std::ranges::equal(a.run.outputs[i].values, b.run.outputs[i].values, same)) return false;
  }
  return true;
}

bool near_overflow(ir::Dtype dtype, RealValue v) {
  return std::abs(Real::to_double(v)) + v.error > max_finite(dtype) * (1 - 4 * unit_roundoff(dtype));
}

std::string describe(RealValue v) {
  switch (v.kind) {
    case RealValue::Kind::poison: return "undefined";
    case RealValue::Kind::integer: return fmt::format("{}", static_cast<int64_t>(v.bits));
    case RealValue::Kind::real: break;
  }
  return v.error > 0 && !std::isnan(Real::to_double(v)) ? fmt::format("{:.9g} (within {:.1e})", Real::to_double(v), v.error)
                                                        : fmt::format("{:.9g}", Real::to_double(v));
}

std::string describe(const Plan& plan, uint64_t key, std::string_view planted) {
  std::string others;
  switch (plan.inputs) {
    case Plan::Inputs::normal:
      others = fmt::format("inputs random{} (seed {})",
                           plan.scale == 1 ? "" : fmt::format(", about half of them of scale {}", plan.scale), key);
      break;
    case Plan::Inputs::slight: others = fmt::format("integers random among the smallest, floats random (seed {})", key); break;
    case Plan::Inputs::coarse: others = fmt::format("inputs random among -1, 0, 1 and 2 (seed {})", key); break;
    case Plan::Inputs::full_range:
      others = fmt::format("inputs random over the whole range of their dtype (seed {})", key);
      break;
    case Plan::Inputs::all_lowest: others = "inputs -8 (integers: their lowest value)"; break;
    case Plan::Inputs::all_at: others = fmt::format("inputs {}", plan.at); break;
    case Plan::Inputs::all_highest: others = "inputs 8 (integers: their highest value)"; break;
  }
  return plan.planted || plan.but ? fmt::format("{}, the other {}", planted, others) : "all " + others;
}

}  // namespace tileproof::oracle
