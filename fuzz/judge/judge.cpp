#include "fuzz/judge/judge.h"

#include "fuzz/judge/exact.h"
#include "oracle/interpret/kinds.h"
#include "oracle/interpret/lower.h"
#include "oracle/interpret/order.h"
#include "oracle/interpret/reference.h"
#include "oracle/interpret/run_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace tileproof::fuzz {

namespace {

using Form = ExactInputs::Form;
using Outcome = Judgement::Outcome;

constexpr size_t most_combinations = 32;   // of parameter values

/// All of them, as far as there are not too many.
std::vector<oracle::Parameters> combinations(const ir::Program& program) {
  std::vector<oracle::Parameters> all{{}};
  for (const ir::Parameter& p : program.parameters) {
    std::vector<oracle::Parameters> longer;
    for (const oracle::Parameters& prefix : all) {
      for (int64_t value = p.low; value <= p.high && longer.size() < most_combinations; ++value) {
        longer.push_back(prefix);
        longer.back()[p.name] = value;
      }
    }
    all = std::move(longer);
  }
  return all;
}

class Judge {
 public:
  Judge(const ir::Program& original, const ir::Program& tiled, const JudgeOptions& options)
      : original_(original), tiled_(tiled), options_(options) {
    run_.kinds = oracle::common_kinds(original, tiled);
  }

  Judgement judge() {
    const std::vector<oracle::Parameters> all = combinations(original_);
    for (const oracle::Parameters& parameters : all) {
      run_.parameters = parameters;
      for (const Form form : {Form::small, Form::digits, Form::extremes, Form::digits})
        if (tells_apart(next_inputs({form}))) return std::move(result_);
    }
    for (const oracle::Parameters& parameters : {all.back(), all.front()}) {
      run_.parameters = parameters;
      for (const Form form : {Form::zeros, Form::ones, Form::lowest, Form::highest, Form::small, Form::digits, Form::extremes,
                              Form::small, Form::digits, Form::extremes, Form::digits})
        if (tells_apart(next_inputs({form}))) return std::move(result_);
      if (planted_tells_apart()) return std::move(result_);
      if (all.size() == 1) break;
    }
    if (!good_) result_.outcome = Outcome::bad_original;
    return std::move(result_);
  }

 private:
  const ir::Program& original_;
  const ir::Program& tiled_;
  const JudgeOptions& options_;
  oracle::RunOptions run_;
  Judgement result_;
  bool good_ = false;   // on some input the original has a meaning

  /// Elements of all inputs, evenly spread where there are many.
  std::vector<std::pair<uint64_t, int64_t>> places_to_plant() const {
    std::vector<std::pair<uint64_t, int64_t>> all;   // hash of the buffer's name, element
    for (const ir::Item& item : original_.body) {
      const auto* buffer = std::get_if<ir::Buffer>(&item.node);
      if (buffer == nullptr || (buffer->role != ir::Role::in && buffer->role != ir::Role::inout)) continue;
      if (std::ranges::find(run_.kinds.index_inputs, buffer->name) != run_.kinds.index_inputs.end()) continue;
      int64_t elements = 1;
      for (const ir::Expression& extent : buffer->extents)
        elements *= extent.op == ir::Op::variable ? run_.parameters.at(extent.name) : ir::to_integer(extent.value).value_or(1);
      for (int64_t element = 0; element < elements; ++element) all.emplace_back(oracle::hash_name(buffer->name), element);
    }
    std::vector<std::pair<uint64_t, int64_t>> chosen;
    const size_t most = std::min<size_t>(all.size(), static_cast<size_t>(options_.most_planted));
    for (size_t i = 0; i < most; ++i) chosen.push_back(all[i * all.size() / most]);
    return chosen;
  }

  bool planted_tells_apart() {
    const oracle::LoweredProgram first = oracle::lower(original_, run_.parameters, run_.kinds),
                                 second = oracle::lower(tiled_, run_.parameters, run_.kinds);
    for (const auto& [buffer, element] : places_to_plant()) {
      for (const bool high : {true, false}) {
        // Among small values an extreme wins or loses a maximum; among the opposite extremes it shows in bits and in saturation.
        for (const Form others : {Form::small, high ? Form::lowest : Form::highest}) {
          const ExactInputs inputs = next_inputs({others, 0, buffer, element, high});
          Exact one(inputs), other(inputs);
          const auto before = oracle::run_program(first, one, run_), after = oracle::run_program(second, other, run_);
          // The plain evaluator has the last word.
          if ((!after.findings.empty() || !difference(before, one, after, other).empty()) && tells_apart(inputs)) return true;
        }
      }
    }
    return false;
  }

  ExactInputs next_inputs(ExactInputs inputs) {
    using enum oracle::Pattern;
    static constexpr oracle::Pattern patterns[] = {random, ramp, borders, lowest, highest};
    run_.key = oracle::mix(options_.seed, ++result_.inputs);
    run_.pattern = patterns[result_.inputs % std::size(patterns)];
    inputs.key = run_.key;
    return inputs;
  }

  using Run = oracle::Run<ExactValue>;

  static std::string difference(const Run& before, const Exact& first, const Run& after, const Exact& second) {
    for (size_t i = 0; i < std::min(before.outputs.size(), after.outputs.size()); ++i) {
      const auto &a = before.outputs[i], &b = after.outputs[i];
      for (size_t k = 0; k < a.integers.size(); ++k)
        if (a.integers[k] != b.integers[k])
          return fmt::format("{} element {}: {} and {}", a.buffer, k, a.integers[k], b.integers[k]);
      for (size_t k = 0; k < a.values.size(); ++k)
        if (Exact::differ(first, a.values[k], second, b.values[k]))
          return fmt::format("{} element {}: {} and {}", a.buffer, k, first.describe(a.values[k]), second.describe(b.values[k]));
    }
    return {};
  }

  bool tells_apart(const ExactInputs& inputs) {
    Exact first(inputs), second(inputs);
    const Run before = oracle::evaluate_reference(original_, first, run_);
    if (!before.findings.empty() || before.status != oracle::RunStatus::done) {
      if (result_.why.empty() && !before.findings.empty()) result_.why = oracle::name(before.findings.front().id);
      return false;
    }
    good_ = true;
    const Run after = oracle::evaluate_reference(tiled_, second, run_);
    std::string why = !after.findings.empty()                   ? std::string(oracle::name(after.findings.front().id))
                      : after.status == oracle::RunStatus::done ? difference(before, first, after, second)
                                                                : std::string();
    if (why.empty()) return false;
    result_.outcome = Outcome::told_apart;
    result_.why = std::move(why);
    return true;
  }
};

}  // namespace

Judgement judge(const ir::Program& original, const ir::Program& tiled, const JudgeOptions& options) {
  return Judge(original, tiled, options).judge();
}

}  // namespace tileproof::fuzz
