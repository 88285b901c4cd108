// Tensors that stay on chip, in generated graphs: what stays fits, what does not is said, and fewer bytes move.
#include "compiler/analysis/cost.h"
#include "compiler/penguin/infer_nonlocal.h"
#include "fuzz/generate/graph.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"
#include "props/penguin/corpus_program.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>
#include <string>

namespace tileproof::penguin {
namespace {

constexpr uint64_t first_seed = 110'000, programs = 400;
const std::string to_cuts = "par-axes-annotation,ag-ordering,p-compute-cutting,bf-compute-cutting,loop-splitting";
constexpr int64_t no_limit = std::numeric_limits<int64_t>::max();

/// Calls visit(original, cut, machine, choices) for graphs with a tensor of their own, as they are behind the cuts.
template <class Visit>
void each_graph(const Visit& visit) {
  for (uint64_t seed = first_seed; seed < first_seed + programs; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto choices = fuzz::Choices::from_seed(seed);
    const fuzz::GraphMachine& machine = fuzz::draw_machine(choices);
    const ir::Program original = fuzz::generate_graph(choices, machine.budgets);
    const ir::Program cut = compiled(original, to_cuts, machine.machine).program;
    if (tensor_uses(cut, machine.machine).empty()) continue;
    visit(original, cut, machine.machine, choices);
    if (testing::Test::HasFatalFailure() || testing::Test::HasNonfatalFailure()) return;
  }
}

TEST(LocalTensors, FitIntoTheBudgetAllTogether) {
  each_graph([](const ir::Program&, const ir::Program& cut, const machine::Machine& machine, fuzz::Choices&) {
    const int64_t budget = local_budget(cut, machine);
    int64_t sum = 0;
    for (const Residence& residence : residences(cut, tensor_uses(cut, machine), machine, budget))
      sum += residence.reason ? 0 : residence.bytes;
    EXPECT_LE(sum, budget) << ir::print(cut);
  });
}

TEST(LocalTensors, NeverGoBecauseTheBudgetGrows) {
  each_graph([](const ir::Program&, const ir::Program& cut, const machine::Machine& machine, fuzz::Choices& choices) {
    const std::vector<TensorUse> uses = tensor_uses(cut, machine);
    int64_t all = 0;
    for (const Residence& residence : residences(cut, uses, machine, no_limit)) all += residence.bytes;
    int64_t budget = 0;
    std::vector<Residence> before = residences(cut, uses, machine, budget);
    while (budget < all) {
      budget += 1 + static_cast<int64_t>(choices.below(static_cast<uint64_t>(all / 4 + 1)));
      const std::vector<Residence> after = residences(cut, uses, machine, budget);
      for (size_t i = 0; i < uses.size(); ++i)
        EXPECT_TRUE(before[i].reason || !after[i].reason) << uses[i].tensor->name << " at " << budget << ir::print(cut);
      before = after;
    }
    for (const Residence& residence : before) EXPECT_NE(residence.reason, Nonlocal::too_large);
  });
}

TEST(LocalTensors, AreTaggedOrRemarkedEach) {
  std::map<std::string, size_t> words;
  each_graph([&](const ir::Program&, const ir::Program& cut, const machine::Machine& machine, fuzz::Choices&) {
    const pipeline::Stage stage = compiled(cut, "infer-nonlocal", machine);
    std::map<std::string, std::string> said;   // by tensor
    for (const pipeline::Remark& remark : stage.remarks) {
      EXPECT_TRUE(said.emplace(remark.text.substr(0, remark.text.find(':')), remark.id).second) << remark.text;
      ++words[remark.id];
    }
    for (const TensorUse& use : tensor_uses(cut, machine)) EXPECT_TRUE(said.contains(use.tensor->name)) << use.tensor->name;
    for (const ir::Item& item : stage.program.body) {
      const auto* buffer = std::get_if<ir::Buffer>(&item.node);
      if (buffer == nullptr || !said.contains(buffer->name)) continue;
      EXPECT_EQ(local_layout(*buffer).has_value(), said.at(buffer->name).starts_with("local")) << buffer->name;
    }
  });
  for (const std::string word : {"local", "local-transposed", "layouts-differ"}) EXPECT_GE(words[word], 50U) << word;
  EXPECT_GE(words["too-large"], 1U);
}

TEST(LocalTensors, LieInSbufBehindThePipelineUnlessTheyAreDemoted) {
  size_t local = 0;
  each_graph([&](const ir::Program& original, const ir::Program& cut, const machine::Machine& machine, fuzz::Choices&) {
    std::set<std::string> expected;
    const ir::Program tagged = compiled(cut, "infer-nonlocal", machine).program;
    for (const TensorUse& use : tensor_uses(tagged, machine))
      if (local_layout(*use.tensor)) expected.insert(use.tensor->name);
    const pipeline::Stage stage = compiled(original, "penguin", machine);
    for (const pipeline::Remark& remark : stage.remarks)
      if (remark.id == "demoted") expected.erase(remark.text.substr(0, remark.text.find(':')));
    for (const ir::Item& item : stage.program.body) {
      const auto* buffer = std::get_if<ir::Buffer>(&item.node);
      if (buffer == nullptr || !expected.contains(buffer->name)) continue;
      EXPECT_EQ(buffer->space, "sbuf") << buffer->name;
    }
    local += expected.size();
  });
  EXPECT_GE(local, programs / 2);
}

TEST(LocalTensors, MoveNoMoreBytesThanThroughDram) {
  size_t fewer = 0;
  each_graph([&](const ir::Program&, const ir::Program& cut, const machine::Machine& machine, fuzz::Choices&) {
    const auto bytes = [&](const std::string& steps) {
      const analysis::Cost cost = analysis::cost(compiled(cut, steps, machine).program, &machine);
      return cost.dma_in + cost.dma_out;
    };
    const int64_t before = bytes("macro-generation"), after = bytes("infer-nonlocal,static-transpose,macro-generation");
    EXPECT_LE(after, before) << ir::print(cut);
    fewer += after < before;
  });
  EXPECT_GE(fewer, programs / 4);
}

TEST(LocalTensors, KeepMeaningAndLimitsOnEachMachine) {
  for (uint64_t seed = first_seed; seed < first_seed + programs / 4; ++seed) {
    for (const fuzz::GraphMachine& machine : fuzz::graph_machines()) {
      SCOPED_TRACE(testing::Message() << machine.name << ", seed " << seed);
      auto choices = fuzz::Choices::from_seed(seed);
      const ir::Program original = fuzz::generate_graph(choices, machine.budgets);
      const pipeline::Stage stage = compiled(original, "penguin", machine.machine);
      const auto is = [&](auto kept) { return std::ranges::any_of(stage.remarks, kept); };
      if (!is([](const pipeline::Remark& remark) { return remark.id.starts_with("local"); })) continue;
      oracle::CheckOptions options{.keys = 1};
      if (!is([](const pipeline::Remark& remark) { return remark.kind == pipeline::RemarkKind::declined; }))
        options.machine = &machine.machine;
      const auto report = oracle::check(original, stage.program, options);
      ASSERT_TRUE(report.has_value());
      ASSERT_EQ(report->verdict, oracle::Verdict::tested) << oracle::headline(*report) << ir::print(stage.program);
    }
  }
}

}  // namespace
}  // namespace tileproof::penguin
