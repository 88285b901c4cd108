// agree --runs N --seed S [--legal]: the agreement of the two interpreters, as deep as one likes. Prints what was made, and every
// program on which they differ; exit status 1 if there is one. `--verdicts` counts what the runs found.
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "fuzz/generate/agreement.h"
#include "fuzz/generate/distribution.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/probe_domain.h"
#include "oracle/domain/field.h"
#include "oracle/equivalence/signature.h"

#include <cstdlib>
#include <cstring>

using namespace tileproof;

namespace {

struct Arguments {
  uint64_t runs = 1000, seed = 1;
  bool legal = false, verdicts = false;
  uint64_t most_failures = 5;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
    if (word == "--runs")
      arguments.runs = number();
    else if (word == "--seed")
      arguments.seed = number();
    else if (word == "--failures")
      arguments.most_failures = number();
    else if (word == "--legal")
      arguments.legal = true;
    else if (word == "--verdicts")
      arguments.verdicts = true;
    else {
      fmt::print(stderr, "usage: agree [--runs N] [--seed S] [--failures N] [--legal] [--verdicts]\n");
      std::exit(2);
    }
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  fuzz::GenerateOptions options;
  options.wildness = arguments.legal ? fuzz::GenerateOptions::Wildness::legal_only : fuzz::GenerateOptions::Wildness::wild;
  fuzz::Distribution distribution;
  std::map<std::string, uint64_t> found;
  uint64_t failures = 0;
  for (uint64_t run = 0; run < arguments.runs && failures < arguments.most_failures; ++run) {
    const uint64_t seed = arguments.seed + run;
    fuzz::Choices choices = fuzz::Choices::from_seed(seed);
    const ir::Program program = fuzz::generate_program(choices, options);
    const oracle::RunOptions run_options = fuzz::generate_run(program, choices);
    distribution.add(program);
    std::string difference;
    if (const ir::Diagnostics wrong = ir::verify(program, "generated"); !wrong.empty()) {
      difference = "not well formed: " + to_string(wrong[0]);
    }
    if (difference.empty())
      difference = fuzz::disagreement(program, run_options, [&] { return fuzz::ProbeDomain(run_options.key); });
    if (difference.empty()) {
      const oracle::Signature signature = oracle::signature_of(program, program, run_options.kinds);
      difference = fuzz::disagreement(program, run_options, [&] { return oracle::Field(signature, {}, run_options.key); });
      if (!difference.empty()) difference = "in the field, " + difference;
    }
    if (arguments.verdicts) {
      fuzz::ProbeDomain domain(run_options.key);
      const auto reference = oracle::evaluate_reference(program, domain, run_options);
      ++found[fmt::format("status {} {}", static_cast<int>(reference.status), reference.reason)];
      std::set<std::string_view> names;
      for (const oracle::Finding& f : reference.findings) names.insert(oracle::name(f.id));
      for (const std::string_view name : names) ++found[std::string(name)];
      if (names.empty()) ++found["no finding"];
      if (reference.overwritten > 0) ++found["overwritten"];
      const auto is_legal = [](const oracle::Finding& f) {
        return f.id == oracle::FindingId::nan_output;
      };  // the probe's opaque gives NaNs
      if (arguments.legal && difference.empty() && !std::ranges::all_of(reference.findings, is_legal)) {
        difference = fmt::format("a legal program has findings: {}", fmt::join(fuzz::keys(reference.findings, true), ", "));
      }
    }
    if (difference.empty()) continue;
    ++failures;
    fmt::print("seed {}, order {}, pattern {}, key {}: {}\n", seed, oracle::name(run_options.order),
               oracle::name(run_options.pattern), run_options.key, difference);
    for (const auto& [name, value] : run_options.parameters) fmt::print("  {} = {}\n", name, value);
    fmt::print("{}\n", ir::print(program));
  }
  fmt::print("{}", distribution.print());
  for (const auto& [what, count] : found) fmt::print("{:8} {}\n", count, what);
  fmt::print("{} disagreements\n", failures);
  return failures == 0 ? 0 : 1;
}
