// Edits at random places of generated programs: each either declines, with a text and nothing changed, or keeps the meaning.
#include "compiler/transform/interchange.h"
#include "compiler/transform/localize.h"
#include "compiler/transform/move_to_loop.h"
#include "compiler/transform/multiply_by_ones.h"
#include "compiler/transform/names.h"
#include "compiler/transform/replace_access.h"
#include "compiler/transform/rfactor.h"
#include "compiler/transform/split.h"
#include "compiler/transform/substitute.h"
#include "fuzz/retile/retile.h"
#include "props/transform/transform_case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

namespace tileproof::transform {
namespace {

/// All blocks of a program that hold an item.
void blocks_of(ir::Block& body, std::vector<ir::Block*>& blocks) {
  if (!body.empty()) blocks.push_back(&body);
  for (ir::Item& item : body) {
    if (auto* loop = std::get_if<ir::Loop>(&item.node)) blocks_of(loop->body, blocks);
    if (auto* branch = std::get_if<ir::If>(&item.node))
      blocks_of(branch->then_body, blocks), blocks_of(branch->else_body, blocks);
    if (auto* group = std::get_if<ir::Group>(&item.node)) blocks_of(group->body, blocks);
  }
}

class Editing {
 public:
  Editing(fuzz::Choices& choices, ir::Program program)
      : choices_(choices), program_(std::move(program)), names_(program_), environment_(program_) {}

  std::map<std::string, int> done, declined;

  /// Some edits by the primitive, or by any of them. Empty, or what a primitive did wrong.
  std::string edit(const std::string& only, int times) {
    for (int i = 0; i < times; ++i) {
      const std::string primitive = choices_.chance(50)
                                        ? only
                                        : choices_.pick<std::string>({"split", "move", "move", "interchange", "read", "result",
                                                                      "scan", "rfactor", "replace"});
      const ir::Program before = program_;
      const Outcome<> outcome = one(primitive);
      if (outcome) {
        ++done[primitive];
        continue;
      }
      ++declined[fmt::format("{}: {}", primitive, name(outcome.error().id))];
      if (outcome.error().text.empty()) return primitive + " declines without a text";
      if (before != program_) return primitive + " declines and changes the program";
    }
    return "";
  }
  const ir::Program& program() const { return program_; }

 private:
  fuzz::Choices& choices_;
  ir::Program program_;
  FreshNames names_;
  Environment environment_;

  struct Place {
    ir::Block* block = nullptr;
    size_t index = 0;
    ir::Item& item() const { return (*block)[index]; }
  };

  std::optional<Place> pick(const std::function<bool(ir::Item&)>& suits) {
    std::vector<ir::Block*> blocks;
    blocks_of(program_.body, blocks);
    std::vector<Place> places;
    for (ir::Block* block : blocks)
      for (size_t i = 0; i < block->size(); ++i)
        if (suits((*block)[i])) places.push_back({block, i});
    if (places.empty()) return std::nullopt;
    return choices_.pick(places);
  }

  static bool is_statement(ir::Item& item) { return std::holds_alternative<ir::Statement>(item.node); }
  static Outcome<> nothing() { return refuse(RefusalId::not_a_nest, "no place for it"); }

  std::string any_axis(const ir::Statement& s) { return s.axes.empty() ? "none" : choices_.pick(s.axes).name; }

  Tile any_tile(const ir::Statement& s, std::set<std::string> named) {
    Tile tile{.name = names_.fresh("t")};
    if (choices_.chance(40)) return tile;
    for (const ir::Axis& axis : s.axes) {
      if (!named.contains(axis.name) && !choices_.chance(5)) continue;
      (choices_.chance(50) ? tile.partition : tile.free).push_back(axis.name);
    }
    return tile;
  }

  Outcome<> one(const std::string& primitive) {
    if (primitive == "split") {
      const auto place = pick(is_statement);
      if (!place) return nothing();
      ir::Statement& s = statement(place->item());
      const std::string axis = any_axis(s);
      return split_axis(s, axis, choices_.between(0, 7), {names_.fresh("b"), choices_.chance(50) ? axis : names_.fresh("i")},
                        choices_.chance(25) ? SplitWay::interleaved : SplitWay::blocked);
    }
    if (primitive == "move") {
      const auto place = pick([](ir::Item& item) { return statement_of_nest(item) != nullptr; });
      if (!place) return nothing();
      return move_to_loop(place->item(), any_axis(*statement_of_nest(place->item())),
                          choices_.pick({ir::LoopKind::seq, ir::LoopKind::seq, ir::LoopKind::par, ir::LoopKind::shard}),
                          environment_);
    }
    if (primitive == "interchange") {
      const bool any = choices_.chance(10);
      const auto place = pick([any](ir::Item& item) {
        const auto* loop = std::get_if<ir::Loop>(&item.node);
        return loop != nullptr && (any || (loop->body.size() == 1 && std::holds_alternative<ir::Loop>(loop->body[0].node)));
      });
      return place ? interchange(std::get<ir::Loop>(place->item().node), environment_) : nothing();
    }
    if (primitive == "read") {
      const auto place = pick(is_statement);
      if (!place) return nothing();
      const ir::Statement& s = statement(place->item());
      const std::vector<ReadPath> reads = reads_of(s);
      if (reads.empty()) return nothing();
      const ReadPath path = choices_.pick(reads);
      const Tile tile = any_tile(s, names_in(*read_at(s, path)));
      return forget(localize_read(*place->block, place->index, path, tile, environment_));
    }
    if (primitive == "result") {
      const auto place = pick([](ir::Item& item) { return statement_of_nest(item) != nullptr; });
      if (!place) return nothing();
      const ir::Statement& s = *statement_of_nest(place->item());
      std::set<std::string> named;
      for (const ir::Axis& axis : s.axes)
        if (axis.kind != ir::AxisKind::reduce) named.insert(axis.name);
      Tile tile = any_tile(s, named);
      if (choices_.chance(60)) tile.dtype = ir::accumulate_dtype(s, environment_.dtypes());
      const std::optional<Tile> copy = choices_.chance(30) ? std::optional(any_tile(s, named)) : std::nullopt;
      return forget(localize_result(*place->block, place->index, tile, environment_, copy));
    }
    if (primitive == "scan") {
      const auto place = pick([this](ir::Item& item) {
        const auto* s = std::get_if<ir::Statement>(&item.node);
        return s != nullptr &&
               (choices_.chance(5) || std::ranges::find(s->axes, ir::AxisKind::seq, &ir::Axis::kind) != s->axes.end());
      });
      if (!place) return nothing();
      std::set<std::string> named;
      for (const ir::Axis& axis : statement(place->item()).axes) named.insert(axis.name);
      return forget(localize_scan(*place->block, place->index, any_tile(statement(place->item()), named), environment_));
    }
    const auto place = pick(is_statement);
    if (place && primitive == "rfactor")
      return rfactor(*place->block, place->index, any_axis(statement(place->item())), {.name = names_.fresh("p")}, environment_);
    if (place && primitive == "ones") {
      ir::Statement& s = statement(place->item());
      Tile ones{.name = names_.fresh("one"),
                .space = "sbuf",
                .bar = true,
                .opcode = "memset",
                .dtype = ir::accumulate_dtype(s, environment_.dtypes())};
      for (const ir::Axis& axis : s.axes)
        if (choices_.chance(50)) ones.partition.push_back(axis.name);
      return multiply_by_ones(*place->block, place->index, ones, environment_);
    }
    if (!place || place->index == 0) return nothing();
    std::vector<size_t> copies;
    for (size_t i = 0; i < place->index; ++i)
      if (is_statement((*place->block)[i])) copies.push_back(i);
    if (copies.empty()) return nothing();
    const size_t copy = choices_.pick(copies);
    const auto* s = std::get_if<ir::Statement>(&(*place->block)[copy].node);
    if (s == nullptr) return nothing();
    const std::string from = choices_.chance(50) || s->value.op != ir::Op::read ? s->destination : s->value.name;
    return replace_access(*place->block, copy, place->index, from, environment_);
  }

  static Outcome<> forget(const Outcome<std::string>& outcome) {
    if (!outcome) return std::unexpected(outcome.error());
    return {};
  }
};

class Primitives : public testing::TestWithParam<const char*> {};

TEST_P(Primitives, KeepTheMeaningOfGeneratedProgramsOrDecline) {
  std::map<std::string, int> done, declined, verdicts;
  int undecided = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    fuzz::Choices choices = fuzz::Choices::from_seed(seed);
    const fuzz::RetiledPair pair = fuzz::retile(choices);
    // Tiled programs have loops, views and addresses; their originals whole statements.
    const ir::Program& before = seed % 3 == 0 ? pair.tiled : pair.original;
    fuzz::Choices again = choices;
    Editing editing(choices, before), same(again, before);
    const std::string wrong = editing.edit(GetParam(), 6);
    ASSERT_EQ(wrong, "") << seed;
    same.edit(GetParam(), 6);
    ASSERT_EQ(editing.program(), same.program()) << "not deterministic: " << seed;
    const std::string found = verdict(before, editing.program());
    ++verdicts[found];
    // The empty first part of a maximum of i32 is one of the identities that the oracle does not decide.
    const bool is_undecided = found.starts_with("unsupported");
    undecided += is_undecided;
    EXPECT_TRUE(found == "tested" || is_undecided) << found << ", " << seed << "\n"
                                                   << ir::print(before) << ir::print(editing.program());
    for (const auto& [primitive, count] : editing.done) done[primitive] += count;
    for (const auto& [reason, count] : editing.declined) declined[reason] += count;
  }
  EXPECT_GT(done[GetParam()], 40);
  EXPECT_LE(undecided, 4);
  if (HasFailure())
    for (const auto& counts : {done, declined, verdicts})
      for (const auto& [what, count] : counts) fmt::print("{:6} {}\n", count, what);
}

INSTANTIATE_TEST_SUITE_P(All, Primitives,
                         testing::Values("split", "move", "interchange", "read", "result", "scan", "rfactor", "ones", "replace"),
                         [](const auto& information) { return std::string(information.param); });

}  // namespace
}  // namespace tileproof::transform
