// The reference evaluator and the fast interpreter see any program run the same way: values, findings, points, writers, overwritten elements.
// The bytes are the choices of the program and of how it is run; any bytes give a well formed program. Programs may be wrong in every way.
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "fuzz/generate/agreement.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/probe_domain.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace fuzz = tileproof::fuzz;
namespace ir = tileproof::ir;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Choices choices(std::span(data, size));
  const ir::Program program =
      fuzz::generate_program(choices, {.wildness = fuzz::GenerateOptions::Wildness::wild, .most_points = 512});
  const auto options = fuzz::generate_run(program, choices);
  std::string fault;
  if (const ir::Diagnostics wrong = ir::verify(program, "generated"); !wrong.empty())
    fault = "not well formed: " + ir::to_string(wrong.front());
  if (fault.empty()) fault = fuzz::disagreement(program, options, [&] { return fuzz::ProbeDomain(options.key); });
  if (fault.empty()) return 0;
  std::fprintf(stderr, "evaluator_fuzzer: %s\norder %s, pattern %s, key %llu\n", fault.c_str(),
               std::string(name(options.order)).c_str(), std::string(name(options.pattern)).c_str(),
               static_cast<unsigned long long>(options.key));
  for (const auto& [parameter, value] : options.parameters)
    std::fprintf(stderr, "%s = %lld\n", parameter.c_str(), static_cast<long long>(value));
  std::fprintf(stderr, "%s", ir::print(program).c_str());
  std::abort();
}
