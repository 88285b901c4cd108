// The partition groups against what the source says of them, and against a model that closes the relation by trying.
#include "compiler/penguin/partition_groups.h"

#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/operation.h"
#include "fuzz/generate/graph.h"
#include "props/penguin/corpus_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace tileproof::penguin {
namespace {

using Names = std::set<std::string>;

ir::Program annotated(const ir::Program& program, const machine::Machine& machine) {
  return compiled(program, "par-axes-annotation", machine).program;
}

ir::Program parsed(const std::string& body) {
  const auto file = ir::parse("tile 1\nprogram p {\n" + body + "}\n", "p.tile");
  if (!file) throw std::runtime_error(to_string(file.error().front()));
  return file->programs.front();
}

const machine::Machine& trn2() {
  static const machine::Machine machine = *machine::find_machine("trn2");
  return machine;
}

/// A program and its groups, by the labels of its statements.
struct Grouped {
  ir::Program program;
  machine::Machine machine;
  PartitionGroups groups = partition_groups(program, machine);
  std::vector<const ir::Statement*> statements = whole_tensor_statements(std::as_const(program));

  std::string label(size_t statement) const {
    for (const auto& [each, label] : ir::labelled_statements(program))
      if (each == statements[statement]) return label;
    return "";
  }
  Names labels(const std::vector<size_t>& list) const {
    Names names;
    for (const size_t statement : list) names.insert(label(statement));
    return names;
  }
  std::set<std::string> edges() const {
    std::set<std::string> words;
    for (const TensorEdge& edge : groups.edges)
      words.insert(label(edge.producer) + " " + edge.tensor->name + " " + label(edge.consumer));
    return words;
  }
};

Grouped grouped(const std::string& body) { return {annotated(parsed(body), trn2()), trn2()}; }

TEST(PartitionGroups, OfAMatmulAndWhatReadsItsResult) {
  const Grouped it = grouped(R"(
    buffer a : bf16[200, 300] dram in
    buffer b : bf16[300, 700] dram in
    buffer y : f32[200, 700] dram out
    buffer z : f32[200, 700] dram
    matmul z[m, n] += a[m, k] * b[k, n] over m:200, n:700, k:300 reduce start
    map y[m, n] = max(z[m, n], 0) over m:200, n:700
  )");
  ASSERT_EQ(it.groups.groups.size(), 2u);
  EXPECT_EQ(it.labels(it.groups.groups[0].sinks), Names{"matmul#1"});
  EXPECT_EQ(it.labels(it.groups.groups[1].sources), Names{"matmul#1"});
  EXPECT_EQ(it.labels(it.groups.groups[1].members), Names{"map#1"});
  EXPECT_EQ(it.groups.relations, (std::set<std::pair<size_t, size_t>>{{0, 1}}));
  EXPECT_EQ(it.edges(), Names{"matmul#1 z map#1"});
}

// {b, c}, {c} and {c, d} have an axis group in common, and no two of them are one layout.
TEST(PartitionGroups, AreOfEqualSetsAndNotOfSetsThatMeet) {
  const Grouped it = grouped(R"(
    buffer x : f32[4, 6] dram in
    buffer s : f32[4, 6] dram
    buffer t : f32[6] dram
    buffer u : f32[6, 3] dram out
    map s[b, c] = x[b, c] + 1 over b:4 {P}, c:6 {P}
    reduce t[c] += s[b, c] over c:6 {P}, b:4 reduce start
    map u[c, d] = t[c] over c:6 {P}, d:3 {P}
  )");
  EXPECT_EQ(it.groups.groups.size(), 3u);
}

TEST(PartitionGroups, OfATranspositionReadInOneLayoutAndWriteInAnother) {
  const Grouped it = grouped(R"(
    buffer x : f32[300, 40] dram in
    buffer s : f32[300, 40] dram
    buffer t : f32[40, 300] dram
    buffer y : f32[40, 300] dram out
    map s[i, j] = x[i, j] + 1 over i:300 {P}, j:40 {F}
    transpose t[j, i] = s[i, j] over j:40 {P}, i:300 {F}
    map y[j, i] = t[j, i] + 1 over j:40 {P}, i:300 {F}
  )");
  ASSERT_EQ(it.groups.groups.size(), 2u);
  EXPECT_EQ(it.labels(it.groups.groups[0].members), Names{"map#1"});
  EXPECT_EQ(it.labels(it.groups.groups[0].sinks), Names{"transpose#1"});
  EXPECT_EQ(it.labels(it.groups.groups[1].sources), Names{"transpose#1"});
  EXPECT_EQ(it.labels(it.groups.groups[1].members), Names{"map#2"});
}

TEST(PartitionGroups, AreJoinedThroughTensorsOfTheProgramAlone) {
  const Grouped it = grouped(R"(
    buffer x : f32[300] dram in
    buffer y : f32[300] dram out
    buffer z : f32[300] dram out
    map y[i] = x[i] + 1 over i:300 {P}
    map z[i] = x[i] + y[i] over i:300 {P}
  )");
  EXPECT_EQ(it.groups.groups.size(), 2u);
  EXPECT_EQ(it.edges(), Names{"map#1 y map#2"});
  EXPECT_TRUE(partition_groups(it.program, it.machine, {.nonlocal_edges = false}).edges.empty());
}

TEST(PartitionGroups, ADiagonalMatchesNothing) {
  const Grouped it = grouped(R"(
    buffer x : f32[9, 9] dram in
    buffer s : f32[9, 9] dram
    buffer y : f32[9] dram out
    map s[i, j] = x[i, j] + 1 over i:9, j:9
    map y[i] = s[i, i] over i:9
  )");
  const std::set<int64_t> numbers{*axis_group(it.statements[0]->axes[0]), *axis_group(it.statements[0]->axes[1]),
                                  *axis_group(it.statements[1]->axes[0])};
  EXPECT_EQ(numbers.size(), 3u);
}

TEST(PartitionGroups, WhatIsOverwrittenWhollyFlowsNoFurther) {
  const Grouped it = grouped(R"(
    buffer x : f32[9] dram in
    buffer t : f32[9] dram
    buffer y : f32[9] dram out
    map t[i] = x[i] over i:9
    map t[i] = x[i] + 1 over i:5
    map t[i] = x[i] + 2 over i:9 where i < 9
    map y[i] = t[i] over i:9
    map t[i] = 3 over i:9
    reduce t[i] += x[k] over i:9, k:9 reduce
  )");
  EXPECT_EQ(it.edges(), (Names{"map#1 t map#4", "map#2 t map#4", "map#3 t map#4", "map#5 t reduce#1"}));
  EXPECT_EQ(it.groups.producers[3].size(), 3u);
  EXPECT_EQ(it.groups.consumers[4].size(), 1u);
}

TEST(PartitionGroups, WhatHasNoLayoutIsInNone) {
  const Grouped it = grouped(R"(
    buffer x : f32[9] dram in
    buffer k : i32[9] dram in range 0..9
    buffer y : f32[9] dram out
    scatter y[k[i]] = x[i] over i:9
  )");
  EXPECT_TRUE(it.groups.groups.empty());
  EXPECT_FALSE(it.groups.nests[0].has_value());
}

TEST(PartitionGroups, SayWhereAPartitionAxisIsReducedElsewhere) {
  const Grouped it = grouped(R"(
    buffer x : f32[9, 5] dram in
    buffer s : f32[9, 5] dram
    buffer y : f32[5, 7] dram out
    map s[i, j] = x[i, j] over i:9 {P}, j:5 {F}
    reduce y[j, l] += s[i, j] over j:5 {F}, l:7 {F}, i:9 {P} reduce start
  )");
  // Reduced, but on the partitions: this is the layout of the group.
  ASSERT_EQ(it.groups.groups.size(), 1u);
  EXPECT_FALSE(it.groups.groups[0].is_looped_or_reduced);
  const Grouped other = grouped(R"(
    buffer x : f32[9, 9] dram in
    buffer s : f32[9, 9] dram
    buffer y : f32[9] dram out
    map s[i, j] = x[i, j] + x[j, i] over i:9 {P}, j:9 {F}
    reduce y[i] += s[i, j] over i:9 {P}, j:9 {F} reduce start
  )");
  ASSERT_EQ(other.groups.groups.size(), 1u);
  EXPECT_TRUE(other.groups.groups[0].is_looped_or_reduced);
}

// ---- generated graphs ----

constexpr uint64_t first_seed = 60'000, programs = 400;

template <class Visit>
void each_graph(const Visit& visit) {
  for (uint64_t seed = first_seed; seed < first_seed + programs; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto choices = fuzz::Choices::from_seed(seed);
    const fuzz::GraphMachine& machine = fuzz::draw_machine(choices);
    const ir::Program program = fuzz::generate_graph(choices, machine.budgets);
    visit(Grouped{annotated(program, machine.machine), machine.machine}, choices);
    if (testing::Test::HasFatalFailure() || testing::Test::HasNonfatalFailure()) return;
  }
}

/// The groups as sets of the sides of statements: "map#1 reads".
std::set<Names> partition_of(const Grouped& it) {
  std::vector<Names> sets(it.groups.groups.size());
  for (size_t i = 0; i < it.statements.size(); ++i) {
    if (!it.groups.nests[i]) continue;
    sets[it.groups.nests[i]->source].insert(it.label(i) + " reads");
    sets[it.groups.nests[i]->destination].insert(it.label(i) + " writes");
  }
  return {sets.begin(), sets.end()};
}

/// The same by trying all pairs until nothing changes.
std::set<Names> partition_by_trying(const Grouped& it) {
  struct Side {
    std::string name;
    std::vector<int64_t> key;
    std::set<std::string> tensors;
    size_t statement;
  };
  std::vector<Side> sides;
  for (size_t i = 0; i < it.statements.size(); ++i) {
    const auto& nest = it.groups.nests[i];
    if (!nest) continue;
    Side reads{it.label(i) + " reads", it.groups.groups[nest->source].partition, {}, i};
    const auto collect = [&](const auto& self, const ir::Expression& e) -> void {
      if (e.op == ir::Op::read) reads.tensors.insert(e.name);
      for (const ir::Expression& operand : e.operands) self(self, operand);
    };
    collect(collect, it.statements[i]->value);
    if (!it.statements[i]->start && it.statements[i]->update != ir::Update::assign)
      reads.tensors.insert(it.statements[i]->destination);
    Side writes{it.label(i) + " writes", it.groups.groups[nest->destination].partition, {it.statements[i]->destination}, i};
    sides.push_back(reads), sides.push_back(writes);
  }
  std::set<std::string> local;
  for (const ir::Item& item : it.program.body)
    if (const auto* buffer = std::get_if<ir::Buffer>(&item.node); buffer != nullptr && buffer->role == ir::Role::none)
      local.insert(buffer->name);
  const auto joined = [&](const Side& a, const Side& b) {
    if (a.statement == b.statement) return it.groups.nests[a.statement]->kind == NestKind::normal;
    return a.key == b.key && std::ranges::any_of(a.tensors, [&](const std::string& each) {
             return local.contains(each) && b.tensors.contains(each);
           });
  };
  std::vector<size_t> set(sides.size());
  std::iota(set.begin(), set.end(), size_t{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < sides.size(); ++i)
      for (size_t k = 0; k < sides.size(); ++k)
        if (set[k] < set[i] && joined(sides[i], sides[k])) set[i] = set[k], changed = true;
  }
  std::map<size_t, Names> sets;
  for (size_t i = 0; i < sides.size(); ++i) sets[set[i]].insert(sides[i].name);
  std::set<Names> result;
  for (auto& [root, names] : sets) result.insert(std::move(names));
  return result;
}

TEST(PartitionGroups, AreTheFinestPartitionThatHoldsMatchingSidesTogether) {
  each_graph(
      [](const Grouped& it, fuzz::Choices&) { EXPECT_EQ(partition_of(it), partition_by_trying(it)) << ir::print(it.program); });
}

TEST(PartitionGroups, AreTheSameInWhateverOrderTheStatementsStand) {
  size_t told_apart = 0;
  each_graph([&](const Grouped& it, fuzz::Choices& choices) {
    Grouped other{it.program, it.machine};
    std::vector<size_t> places;
    ir::Block& body = other.program.body;
    if (std::ranges::any_of(body, [](const ir::Item& item) { return std::holds_alternative<ir::Group>(item.node); })) return;
    for (size_t i = 0; i < body.size(); ++i)
      if (auto* s = std::get_if<ir::Statement>(&body[i].node)) {
        s->tags.push_back({"was", {it.label(places.size())}});
        places.push_back(i);
      }
    for (size_t i = places.size(); i-- > 1;) std::swap(body[places[i]], body[places[static_cast<size_t>(choices.below(i + 1))]]);
    const PartitionGroups groups = partition_groups(other.program, other.machine);
    const std::vector<const ir::Statement*> statements = whole_tensor_statements(std::as_const(other.program));
    std::vector<Names> sets(groups.groups.size());
    for (size_t i = 0; i < statements.size(); ++i) {
      if (!groups.nests[i]) continue;
      const std::string was = std::get<std::string>(statements[i]->tags.back().value.value);
      sets[groups.nests[i]->source].insert(was + " reads");
      sets[groups.nests[i]->destination].insert(was + " writes");
    }
    EXPECT_EQ(partition_of(it), (std::set<Names>{sets.begin(), sets.end()}));
    told_apart += places.size() > 2;
  });
  EXPECT_GT(told_apart, programs / 4);
}

TEST(PartitionGroups, HoldEachNestOnceOrByItsTwoSides) {
  size_t kinds[3] = {};
  each_graph([&](const Grouped& it, fuzz::Choices&) {
    std::map<size_t, size_t> members, sources, sinks;
    for (const PartitionGroup& group : it.groups.groups) {
      for (const size_t i : group.members) ++members[i];
      for (const size_t i : group.sources) ++sources[i];
      for (const size_t i : group.sinks) ++sinks[i];
      EXPECT_TRUE(std::ranges::is_sorted(group.partition));
    }
    for (size_t i = 0; i < it.statements.size(); ++i) {
      ASSERT_TRUE(it.groups.nests[i].has_value()) << ir::print(it.program);
      const NestKind kind = it.groups.nests[i]->kind;
      ++kinds[static_cast<size_t>(kind)];
      EXPECT_EQ(members[i], kind == NestKind::normal ? 1u : 0u);
      EXPECT_EQ(sources[i], kind == NestKind::normal ? 0u : 1u);
      EXPECT_EQ(sinks[i], kind == NestKind::normal ? 0u : 1u);
    }
  });
  for (const size_t count : kinds) EXPECT_GT(count, 20u);
}

TEST(PartitionGroups, ThatARelationJoinsDifferInColor) {
  size_t relations = 0;
  each_graph([&](const Grouped& it, fuzz::Choices&) {
    for (const auto& [from, to] : it.groups.relations) {
      EXPECT_NE(from, to);
      EXPECT_NE(it.groups.groups[from].color, it.groups.groups[to].color);
    }
    relations += it.groups.relations.size();
  });
  EXPECT_GT(relations, programs / 2);
}

TEST(PartitionGroups, HaveEachEdgeOnceAndFromAnEarlierWriterToAReader) {
  each_graph([](const Grouped& it, fuzz::Choices&) {
    EXPECT_EQ(std::set<TensorEdge>(it.groups.edges.begin(), it.groups.edges.end()).size(), it.groups.edges.size());
    // Each statement of the generator writes the whole tensor: a read is one edge, from the last that wrote it. Where several axes index one
    // dim, or none does, it is not seen that this is all of it, and the writer before stays one.
    std::set<std::string> expected;
    for (size_t reader = 0; reader < it.statements.size(); ++reader) {
      std::set<std::string> seen;
      for (size_t writer = reader; writer-- > 0;) {
        const std::string& tensor = it.statements[writer]->destination;
        const auto reads = [&](const auto& self, const ir::Expression& e) -> bool {
          return (e.op == ir::Op::read && e.name == tensor) ||
                 std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return self(self, operand); });
        };
        if (!seen.contains(tensor) && reads(reads, it.statements[reader]->value))
          expected.insert(it.label(writer) + " " + tensor + " " + it.label(reader));
        if (std::ranges::all_of(it.statements[writer]->indices, [](const auto& index) { return index.op == ir::Op::variable; }))
          seen.insert(tensor);
      }
    }
    EXPECT_EQ(it.edges(), expected);
    for (size_t i = 0; i < it.statements.size(); ++i) {
      for (const size_t edge : it.groups.producers[i]) EXPECT_EQ(it.groups.edges[edge].consumer, i);
      for (const size_t edge : it.groups.consumers[i]) EXPECT_EQ(it.groups.edges[edge].producer, i);
    }
  });
}

// A cut that makes a loop of a whole partition axis changes the layout.
TEST(PartitionGroups, StayWhenACutKeepsAPartOfEachPartitionAxis) {
  size_t kept = 0;
  each_graph([&](const Grouped& it, fuzz::Choices&) {
    const Grouped cut{compiled(it.program, "p-compute-cutting,bf-compute-cutting", it.machine).program, it.machine};
    for (size_t i = 0; i < it.statements.size(); ++i) {
      const Nest &before = *it.groups.nests[i], &after = *cut.groups.nests[i];
      if (it.groups.groups[before.source].partition != cut.groups.groups[after.source].partition ||
          it.groups.groups[before.destination].partition != cut.groups.groups[after.destination].partition)
        return;
    }
    EXPECT_EQ(partition_of(cut), partition_of(it)) << ir::print(cut.program);
    ++kept;
  });
  EXPECT_GT(kept, programs / 2);
}

}  // namespace
}  // namespace tileproof::penguin
