// A million points at which a lemma's formula and the compiler's function give the same number.
#include "compiler/machine/form.h"
#include "compiler/machine/limit.h"
#include "compiler/penguin/cut_arithmetic.h"
#include "compiler/penguin/dim_cut.h"
#include "compiler/penguin/divisor.h"
#include "oracle/prove/term.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace tileproof::prove {
namespace {

namespace ar = penguin::arithmetic;

constexpr int million = 1'000'000;

int64_t up_to(std::mt19937_64& random, int64_t most) { return 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(most)); }

TEST(Conformance, OfTheArithmeticOnTermsAndOnNumbers) {
  const Term E = Term::variable("E"), t = Term::variable("t");
  const std::vector<std::pair<Term, int64_t (*)(int64_t, int64_t)>> functions{
      {ar::trips(E, t), [](int64_t e, int64_t x) { return ar::trips(e, x); }},
      {ar::tail(E, t), [](int64_t e, int64_t x) { return ar::tail(e, x); }},
      {ar::aligned_tile(E, t), [](int64_t e, int64_t x) { return ar::aligned_tile(e, x); }},
      {ar::divisor_step(E, t), [](int64_t e, int64_t x) { return ar::divisor_step(e, x); }},
      {ar::codivisor_step(E, t), [](int64_t e, int64_t x) { return ar::codivisor_step(e, x); }}};
  std::mt19937_64 random(1);
  for (int point = 0; point < million / 5; ++point) {
    const int64_t most = point % 2 == 0 ? 40 : int64_t{1} << 40, extent = up_to(random, most), tile = up_to(random, extent);
    for (const auto& [term, function] : functions)
      ASSERT_EQ(evaluate(term, {{"E", extent}, {"t", tile}}), function(extent, tile)) << extent << " " << tile;
  }
}

// sdim.factoring, sdim.search-bound, sdim.beyond-square: the larger factor of the pair whose larger factor is least.
TEST(Conformance, OfTheLargerFactorUpToAMillion) {
  std::vector<int32_t> smaller(million + 1, 1);
  for (int32_t factor = 2; factor * factor <= million; ++factor) {
    for (int32_t n = factor * factor; n <= million; n += factor) smaller[static_cast<size_t>(n)] = factor;
  }
  for (int32_t n = 1; n <= million; ++n) ASSERT_EQ(machine::larger_factor(n), n / smaller[static_cast<size_t>(n)]) << n;
}

// divisor.down and divisor.up: both searches, and the switch between them.
TEST(Conformance, OfTheLargestDivisorWithItsDefinition) {
  for (int64_t extent = 1; extent <= 1415; ++extent) {   // a million pairs
    int64_t largest = 1;
    for (int64_t bound = 1; bound <= extent; ++bound) {
      if (extent % bound == 0) largest = bound;
      ASSERT_EQ(penguin::largest_divisor(extent, bound), largest) << extent << " " << bound;
    }
  }
}

// The cut lemmas: what they call c, most and t is what compute_cut returns.
TEST(Conformance, OfComputeCutWithTheArithmeticThatIsProved) {
  std::mt19937_64 random(2);
  for (int point = 0; point < million; ++point) {
    std::vector<int64_t> extents(1 + random() % 4);
    for (int64_t& extent : extents) extent = up_to(random, point % 2 == 0 ? 6 : 700);
    const int64_t budget = up_to(random, 600), multiple = point % 3 == 0 ? up_to(random, 33) : 1;
    size_t i = 0;
    int64_t c = 1;
    while (i < extents.size() && !ar::exceeds(c, extents[i], budget)) c *= extents[i++];
    penguin::DimCut expected;
    if (i < extents.size()) {
      const int64_t step = ar::alignment_step(multiple, std::gcd(multiple, c)), most = ar::tile_of(budget, c);
      const int64_t tile = ar::aligned_tile(most, step);
      const bool moves_left = ar::backs_off(tile) && i > 0;
      expected.dim = moves_left ? i - 1 : i;
      if (!moves_left) expected.tile = tile;
      expected.unaligned = ar::lacks_aligned_tile(most, step);
    }
    const auto cut = penguin::compute_cut(extents, budget, {.uniform = false, .multiple = multiple});
    ASSERT_TRUE(cut.has_value());
    ASSERT_EQ(cut->dim, expected.dim);
    ASSERT_EQ(cut->tile, expected.tile);
    ASSERT_EQ(cut->unaligned, expected.unaligned);
  }
}

// delinearize.access, and the offsets that delinearize.any-offset says to refuse.
TEST(Conformance, OfFormsUnderFloordivAndMod) {
  using ir::Op;
  std::mt19937_64 random(4);
  const std::vector<ir::Axis> axes{{.name = "a"}, {.name = "b"}};
  const machine::Lookup none = [](std::string_view) { return int64_t{0}; };
  int64_t points = 0;
  while (points < million) {
    const int64_t t = 2 + static_cast<int64_t>(random() % 30), k = static_cast<int64_t>(random() % 9) - 4,
                  rows = 2 + static_cast<int64_t>(random() % 9);
    const ir::Expression a = ir::variable("a"), b = ir::variable("b");
    const ir::Expression linear =
        ir::make(Op::add, {ir::make(Op::add, {ir::make(Op::multiply, {ir::integer(t), a}), b}), ir::integer(t * k)});
    const machine::Box box = machine::whole_box(std::vector<int64_t>{rows, t});
    const machine::Form row = machine::form_of(ir::make(Op::floordiv, {linear, ir::integer(t)}), axes, box, none);
    const machine::Form column = machine::form_of(ir::make(Op::mod, {linear, ir::integer(t)}), axes, box, none);
    ASSERT_EQ(row, (machine::Form{k, {{0, 1}}, true}));
    ASSERT_EQ(column, (machine::Form{0, {{1, 1}}, true}));
    const ir::Expression slipped = ir::make(Op::add, {linear, ir::integer(1)});
    ASSERT_FALSE(machine::form_of(ir::make(Op::floordiv, {slipped, ir::integer(t)}), axes, box, none).affine);
    points += rows * t;   // all of them at once: the forms speak of every point of the box
  }
}

// cut.no-overflow: a product that leaves 64 bits is over every budget, as it is over the integers.
TEST(Conformance, OfExceedsWithExactProducts) {
  std::mt19937_64 random(3);
  for (int point = 0; point < million; ++point) {
    const int64_t a = static_cast<int64_t>(random() >> (1 + random() % 62)),
                  b = static_cast<int64_t>(random() >> (1 + random() % 62));
    const int64_t limit = static_cast<int64_t>(random() >> (1 + random() % 62));
    __extension__ using Wide = __int128;
    ASSERT_EQ(ar::exceeds(a, b, limit), static_cast<Wide>(a) * b > limit) << a << " * " << b << " > " << limit;
  }
}

}  // namespace
}  // namespace tileproof::prove
