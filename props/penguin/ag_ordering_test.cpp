// The order of axis groups: what its rule promises, on drawn graphs; and what it does to programs.
#include "compiler/penguin/ag_ordering.h"

#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/operation.h"
#include "fuzz/generate/graph.h"
#include "props/penguin/corpus_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace tileproof::penguin {
namespace {

struct Drawn {
  size_t count = 0;
  std::vector<OrderingEdge> edges;
};

Drawn draw(fuzz::Choices& choices, bool is_acyclic, bool forces) {
  Drawn drawn{static_cast<size_t>(choices.between(1, 7)), {}};
  const int64_t edges = choices.between(0, 14);
  for (int64_t i = 0; i < edges; ++i) {
    size_t low = choices.below(drawn.count), high = choices.below(drawn.count);
    if (low == high) continue;
    if (is_acyclic && low > high) std::swap(low, high);
    drawn.edges.push_back({low, high, choices.between(0, 20), forces && choices.chance(30)});
  }
  return drawn;
}

std::vector<size_t> ranks(const std::vector<size_t>& order) {
  std::vector<size_t> ranks(order.size());
  for (size_t rank = 0; rank < order.size(); ++rank) ranks[order[rank]] = rank;
  return ranks;
}

int64_t broken_weight(const Drawn& drawn, const std::vector<size_t>& order) {
  const std::vector<size_t> rank = ranks(order);
  int64_t weight = 0;
  for (const OrderingEdge& edge : drawn.edges)
    if (rank[edge.low] > rank[edge.high]) weight += edge.weight;
  return weight;
}

bool breaks_forced(const Drawn& drawn, const std::vector<size_t>& order) {
  const std::vector<size_t> rank = ranks(order);
  return std::ranges::any_of(drawn.edges,
                             [&](const OrderingEdge& edge) { return edge.is_forced && rank[edge.low] > rank[edge.high]; });
}

template <class Visit>
void each_drawn(bool is_acyclic, bool forces, const Visit& visit) {
  for (uint64_t seed = 0; seed < 3'000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto choices = fuzz::Choices::from_seed(seed);
    const Drawn drawn = draw(choices, is_acyclic, forces);
    visit(drawn, order_axis_groups(drawn.count, drawn.edges), choices);
    if (testing::Test::HasFatalFailure() || testing::Test::HasNonfatalFailure()) return;
  }
}

TEST(AgOrder, IsAPermutation) {
  each_drawn(false, true, [](const Drawn& drawn, std::vector<size_t> order, fuzz::Choices&) {
    std::ranges::sort(order);
    std::vector<size_t> all(drawn.count);
    std::iota(all.begin(), all.end(), size_t{0});
    EXPECT_EQ(order, all);
  });
}

TEST(AgOrder, BreaksNoEdgeWhereThereIsNoCycle) {
  each_drawn(true, true, [](const Drawn& drawn, const std::vector<size_t>& order, fuzz::Choices&) {
    const std::vector<size_t> rank = ranks(order);
    for (const OrderingEdge& edge : drawn.edges) EXPECT_LT(rank[edge.low], rank[edge.high]);
  });
}

TEST(AgOrder, BreaksNoMoreThanHalfOfTheWeight) {
  size_t worse_than_best = 0, cyclic = 0;
  each_drawn(false, false, [&](const Drawn& drawn, const std::vector<size_t>& order, fuzz::Choices&) {
    int64_t all = 0;
    for (const OrderingEdge& edge : drawn.edges) all += edge.weight;
    const int64_t broken = broken_weight(drawn, order);
    EXPECT_LE(2 * broken, all);
    if (drawn.count > 5) return;
    std::vector<size_t> trial(drawn.count);
    std::iota(trial.begin(), trial.end(), size_t{0});
    int64_t best = std::numeric_limits<int64_t>::max();
    do {
      best = std::min(best, broken_weight(drawn, trial));
    } while (std::ranges::next_permutation(trial).found);
    EXPECT_GE(broken, best);
    cyclic += best > 0;
    worse_than_best += broken > best;
  });
  EXPECT_GT(cyclic, 300u);
  EXPECT_LT(4 * worse_than_best, cyclic) << "a heuristic, but a good one";
}

TEST(AgOrder, BreaksAForcedEdgeOnlyWhereForcedOnesHaveACycle) {
  size_t forced_cycles = 0, kept = 0;
  each_drawn(false, true, [&](const Drawn& drawn, const std::vector<size_t>& order, fuzz::Choices&) {
    Drawn forced{drawn.count, {}};
    std::ranges::copy_if(drawn.edges, std::back_inserter(forced.edges), &OrderingEdge::is_forced);
    std::vector<size_t> trial(drawn.count);
    std::iota(trial.begin(), trial.end(), size_t{0});
    bool is_cyclic = true;
    do {
      is_cyclic = breaks_forced(forced, trial);
    } while (is_cyclic && std::ranges::next_permutation(trial).found);
    EXPECT_EQ(breaks_forced(drawn, order), is_cyclic);
    forced_cycles += is_cyclic;
    kept += !is_cyclic && !forced.edges.empty() && broken_weight(drawn, order) > 0;
  });
  EXPECT_GT(forced_cycles, 50u);
  EXPECT_GT(kept, 50u);
}

TEST(AgOrder, IsKeptByOrderingAgain) {
  each_drawn(false, true, [](const Drawn& drawn, const std::vector<size_t>& order, fuzz::Choices&) {
    const std::vector<size_t> rank = ranks(order);
    Drawn renumbered = drawn;
    for (OrderingEdge& edge : renumbered.edges) edge.low = rank[edge.low], edge.high = rank[edge.high];
    const std::vector<size_t> again = order_axis_groups(renumbered.count, renumbered.edges);
    EXPECT_TRUE(std::ranges::is_sorted(again));
  });
}

TEST(AgOrder, DoesNotDependOnTheOrderOfTheEdges) {
  each_drawn(false, true, [](const Drawn& drawn, const std::vector<size_t>& order, fuzz::Choices& choices) {
    Drawn shuffled = drawn;
    choices.shuffle(shuffled.edges);
    EXPECT_EQ(order_axis_groups(shuffled.count, shuffled.edges), order);
  });
}

// Spec passes 2.1: X[a, b] of weight 64 and Y[b, a] of weight 16.
TEST(AgOrder, FollowsTheHeavierAccess) {
  const std::vector<OrderingEdge> edges{{0, 1, 64, false}, {1, 0, 16, false}};
  EXPECT_EQ(order_axis_groups(2, edges), (std::vector<size_t>{0, 1}));
  const std::vector<OrderingEdge> other{{0, 1, 16, false}, {1, 0, 64, false}};
  EXPECT_EQ(order_axis_groups(2, other), (std::vector<size_t>{1, 0}));
}

TEST(AgOrder, TakesWeightsUpToTheEndOf64Bits) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  const std::vector<OrderingEdge> edges{{0, 1, most, false}, {1, 2, most, false}, {2, 0, most, true}, {0, 1, most, false}};
  EXPECT_EQ(order_axis_groups(3, edges).size(), 3u);
}

// ---- the pass ----

const machine::Machine& trn2() {
  static const machine::Machine machine = *machine::find_machine("trn2");
  return machine;
}

ir::Program parsed(const std::string& body) {
  const auto file = ir::parse("tile 1\nprogram p {\n" + body + "}\n", "p.tile");
  if (!file) throw std::runtime_error(to_string(file.error().front()));
  return file->programs.front();
}

int64_t group_of(const ir::Program& program, size_t statement, size_t axis) {
  return *axis_group(whole_tensor_statements(program)[statement]->axes[axis]);
}

TEST(AgOrdering, OfTwoTransposedAccessesFollowsTheOneThatMovesMore) {
  const pipeline::Stage stage = compiled(parsed(R"(
    buffer x : f32[8, 30, 40] dram in
    buffer z : bf16[40, 30] dram in
    buffer y : f32[8, 30, 40] dram out
    map y[p, a, b] = x[p, a, b] + z[b, a] over p:8 {P}, a:30 {F}, b:40 {F}
  )"),
                                         "par-axes-annotation,ag-ordering", trn2());
  EXPECT_LT(group_of(stage.program, 0, 1), group_of(stage.program, 0, 2));
  const auto broken = std::ranges::find(stage.remarks, "broken", &pipeline::Remark::id);
  ASSERT_NE(broken, stage.remarks.end());
  EXPECT_EQ(broken->statement, "map#1");
}

TEST(AgOrdering, LetsCutsOfTransposedStatementsAgree) {
  // Alone, the second statement would keep `a` in the tile; the first one's two accesses weigh more.
  const pipeline::Stage stage = compiled(parsed(R"(
    buffer x : f32[128, 300, 400] dram in
    buffer t : f32[128, 300, 400] dram
    buffer y : f32[128, 400, 300] dram out
    map t[p, a, b] = x[p, a, b] + 1 over p:128 {P}, a:300 {F}, b:400 {F}
    map y[p, b, a] = t[p, a, b] + 1 over p:128 {P}, a:300 {F}, b:400 {F}
  )"),
                                         "par-axes-annotation,ag-ordering,p-compute-cutting,bf-compute-cutting", trn2());
  for (const ir::Statement* s : whole_tensor_statements(std::as_const(stage.program)))
    for (const ir::Axis& axis : s->axes) {
      if (class_of(axis) == AxisClass::free) {
        EXPECT_EQ(axis.name, "b");
      }
    }
}

TEST(AgOrdering, NumbersTheGroupsFromZeroWithoutGaps) {
  for (uint64_t seed = 70'000; seed < 70'200; ++seed) {
    auto choices = fuzz::Choices::from_seed(seed);
    const fuzz::GraphMachine& machine = fuzz::draw_machine(choices);
    const ir::Program program =
        compiled(fuzz::generate_graph(choices, machine.budgets), "par-axes-annotation,ag-ordering", machine.machine).program;
    std::set<int64_t> numbers;
    for (const ir::Statement* s : whole_tensor_statements(program))
      for (const ir::Axis& axis : s->axes) numbers.insert(*axis_group(axis));
    ASSERT_TRUE(numbers.empty() || *numbers.begin() == 0) << seed;
    ASSERT_TRUE(numbers.empty() || *numbers.rbegin() + 1 == std::ssize(numbers)) << seed;
  }
}

}  // namespace
}  // namespace tileproof::penguin
