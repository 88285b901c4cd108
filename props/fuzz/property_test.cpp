// The properties that the fuzz targets assert hold of right code, and each of them sees the mistake that it is there for.
#include "fuzz/property/cut.h"
#include "fuzz/property/pipeline.h"
#include "fuzz/property/text.h"

#include "compiler/ir/text.h"
#include "compiler/penguin/penguin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tileproof::fuzz {
namespace {

using penguin::CutError;
using penguin::DimCut;
using testing::HasSubstr;
using testing::IsEmpty;
using Extents = std::span<const int64_t>;

std::vector<uint8_t> bytes_of_seed(uint64_t seed, size_t most) {
  std::mt19937_64 random(seed);
  std::vector<uint8_t> bytes(random() % most);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

TEST(CutProperty, HoldsOfComputeCut) {
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    const auto bytes = bytes_of_seed(seed, 100);
    Choices choices(bytes);
    const CutCase drawn = draw_cut(choices);
    ASSERT_THAT(broken_by_cut(drawn), IsEmpty()) << to_string(drawn);
  }
}

TEST(CutProperty, IsPutToCutsOfAllSorts) {
  int cut = 0, uniform = 0, unaligned = 0, errors = 0;
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    const auto bytes = bytes_of_seed(seed, 100);
    Choices choices(bytes);
    const CutCase drawn = draw_cut(choices);
    const auto made = penguin::compute_cut(drawn.extents, drawn.cut_size, drawn.options);
    errors += !made;
    if (!made || !made->dim) continue;
    ++cut;
    uniform += drawn.options.uniform;
    unaligned += made->unaligned;
  }
  EXPECT_GT(cut, 2000);
  EXPECT_GT(uniform, 500);
  EXPECT_GT(unaligned, 300);
  EXPECT_GT(errors, 25);
}

/// compute_cut, and then a mistake of one's own.
template <class Spoil>
ComputeCut spoiled(Spoil spoil) {
  return [spoil](Extents extents, int64_t cut_size, penguin::CutOptions options) {
    auto cut = penguin::compute_cut(extents, cut_size, options);
    if (cut) spoil(*cut, extents);
    return cut;
  };
}

const CutCase ragged{.extents = {3, 1000}, .cut_size = 512, .options = {}};

TEST(CutProperty, SeesATileOverTheBudget) {
  EXPECT_EQ(broken_by_cut(ragged, spoiled([](DimCut& cut, Extents) {
                            if (cut.tile) ++*cut.tile;
                          })),
            "the tile is over the budget");
}

TEST(CutProperty, SeesATileThatIsTooSmall) {
  const auto smaller = spoiled([](DimCut& cut, Extents) {
    if (cut.tile) --*cut.tile;
  });
  EXPECT_EQ(broken_by_cut(ragged, smaller), "a larger tile fits: 170 slices");
  EXPECT_EQ(broken_by_cut({.extents = {int64_t{1} << 40}, .cut_size = int64_t{1} << 20, .options = {}}, smaller),
            "a larger tile fits");
}

TEST(CutProperty, SeesThatNothingIsCut) {
  EXPECT_EQ(broken_by_cut(ragged, spoiled([](DimCut& cut, Extents) { cut = {}; })), "nothing is cut, though not everything fits");
}

TEST(CutProperty, SeesThatWhatFitsIsCut) {
  EXPECT_EQ(broken_by_cut({.extents = {4, 4}, .cut_size = 16, .options = {}},
                          spoiled([](DimCut& cut, Extents) { cut = {.dim = 0, .tile = {}}; })),
            "what fits is cut");
}

TEST(CutProperty, SeesAUniformTileThatDividesNothing) {
  EXPECT_EQ(broken_by_cut({.extents = {100}, .cut_size = 30, .options = {.uniform = true}}, spoiled([](DimCut& cut, Extents) {
                            if (cut.tile == 25) cut.tile = 26;
                          })),
            "a uniform tile does not divide its extent");
}

TEST(CutProperty, SeesThatAlignmentIsForgotten) {
  const CutCase aligned{.extents = {1000}, .cut_size = 50, .options = {.multiple = 32}};
  const auto forgets = [](Extents extents, int64_t cut_size, penguin::CutOptions) {
    return penguin::compute_cut(extents, cut_size);
  };
  EXPECT_EQ(broken_by_cut(aligned, forgets), "the flag `unaligned` is wrong");
  EXPECT_EQ(broken_by_cut(aligned, spoiled([](DimCut& cut, Extents) {
                            if (cut.tile) cut = {.dim = 0, .tile = 50, .unaligned = true};
                          })),
            "an aligned tile fits: 32 slices");
}

TEST(CutProperty, SeesThatATileIsCutAgain) {
  const auto halves = [](Extents extents, int64_t cut_size, penguin::CutOptions options) {
    return extents.size() == 1 ? std::expected<DimCut, CutError>(DimCut{.dim = 0, .tile = 5})
                               : penguin::compute_cut(extents, cut_size, options);
  };
  EXPECT_THAT(broken_by_cut({.extents = {10, 100}, .cut_size = 10, .options = {}}, halves), HasSubstr("a tile is cut again"));
}

TEST(CutProperty, SeesThatANegativeExtentIsCut) {
  EXPECT_EQ(broken_by_cut({.extents = {-4}, .cut_size = 4, .options = {}},
                          [](Extents, int64_t, penguin::CutOptions) { return DimCut{}; }),
            "what is no shape, cut size or multiple is cut");
}

pipeline::Registry penguin_registry() { return {penguin::passes(), {penguin::penguin_pipeline()}}; }

TEST(PipelineProperty, HoldsOfPenguin) {
  const pipeline::Registry registry = penguin_registry();
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto bytes = bytes_of_seed(seed, 400);
    Choices choices(bytes);
    const PipelineCase drawn = draw_pipeline_case(choices);
    ASSERT_THAT(broken_by_pipeline(drawn, registry), IsEmpty()) << to_string(drawn);
  }
}

TEST(PipelineProperty, HoldsOfPenguinOnProgramsWithLoops) {
  const pipeline::Registry registry = penguin_registry();
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const auto bytes = bytes_of_seed(seed, 400);
    Choices choices(bytes);
    const PipelineCase drawn = draw_nest_case(choices);
    ASSERT_THAT(broken_by_pipeline(drawn, registry), IsEmpty()) << to_string(drawn);
  }
}

/// `penguin`, and behind it a pass that spoils what was made.
template <class Spoil>
std::string broken_behind_penguin(const std::string& program, Spoil spoil) {
  pipeline::Registry registry = penguin_registry();
  registry.passes.push_back({.name = "spoil",
                             .summary = "makes a mistake",
                             .needs = "nothing",
                             .ensures = "nothing",
                             .options = {},
                             .vocabulary = {},
                             .run = [spoil](const ir::Program& given, const pipeline::Context&) {
                               ir::Program spoiled = given;
                               spoil(spoiled);
                               return std::expected<ir::Program, ir::Diagnostics>(spoiled);
                             }});
  PipelineCase c;
  c.program = ir::parse(program, "test").value().programs.front();
  for (const GraphMachine& machine : graph_machines())
    if (machine.name == "trn2-tight") c.machine = &machine;
  c.pipeline = "penguin,spoil";
  return broken_by_pipeline(c, registry);
}

constexpr const char* doubled =
    "tile 1 program p { buffer x : f32[40, 40] dram in  buffer y : f32[40, 40] dram out  map y[i, j] = 2*x[i, j] over i:40, j:40 "
    "}";

TEST(PipelineProperty, SeesAnotherMeaning) {
  EXPECT_THAT(broken_behind_penguin(doubled, [](ir::Program&) {}), IsEmpty());
  EXPECT_THAT(broken_behind_penguin(doubled, [](ir::Program& program) { program.body.pop_back(); }), HasSubstr("refuted"));
}

TEST(PipelineProperty, SeesAStatementThatNobodyAnswersFor) {
  pipeline::Registry silent = penguin_registry();
  for (pipeline::Pass& pass : silent.passes)
    pass.run = [](ir::Program program, const pipeline::Context&) {
      return std::expected<ir::Program, ir::Diagnostics>(std::move(program));
    };
  PipelineCase c;
  c.program = ir::parse(doubled, "test").value().programs.front();
  c.machine = &graph_machines().front();
  c.pipeline = "penguin";
  EXPECT_EQ(broken_by_pipeline(c, silent), "no remark for map#1");
}

TEST(PipelineProperty, SeesWhatIsNotLegal) {
  const std::string broken = broken_behind_penguin(doubled, [](ir::Program& program) {
    program = ir::parse(doubled, "test").value().programs.front();   // right, but nothing of it is tiled
  });
  EXPECT_THAT(broken, HasSubstr("refuted"));
}

TEST(PipelineProperty, SeesWhatIsNotWellFormed) {
  EXPECT_THAT(broken_behind_penguin(doubled, [](ir::Program& program) { program.body.push_back(program.body.front()); }),
              HasSubstr("spoil"));
}

TEST(TextProperty, HoldsOfAnyBytes) {
  EXPECT_THAT(broken_by_text(""), IsEmpty());
  EXPECT_THAT(broken_by_text(doubled), IsEmpty());
  EXPECT_THAT(broken_by_text(std::string_view("tile 1\0", 7)), IsEmpty());
}

}  // namespace
}  // namespace tileproof::fuzz
