// The lattice tier: the identities of real max and min, no others, and its bounds.
#include "oracle/domain/lattice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tileproof::oracle {
namespace {

using ir::Dtype;
using ir::Op;

constexpr uint64_t memory = uint64_t{1} << 28;

template <class Base, bool Distribute>
struct World {
  using Domain = Lattice<Base, Distribute>;
  using Value = typename Domain::Value;
  Domain d;
  explicit World(std::vector<Dtype> dtypes = {Dtype::f32, Dtype::bf16, Dtype::i8}, uint64_t key = 1, uint64_t bytes = memory)
      : d({std::move(dtypes), {{0, 0}, {1, 0}, {6, 0}, {5, -1}}, true, true, false}, {}, key, bytes) {}
  Value operator()(int64_t element, Dtype dtype = Dtype::f32) { return d.input({"x", 99, dtype, element, 1000, 0, 0}); }
  Value store(Value v, Dtype to, Dtype from = Dtype::f32) { return d.narrow(v, {from, to, ir::is_float(from), 0}); }
  Value relu(Value v) { return d.max(v, d.integer(0)); }
  Value clamp(Value v, int64_t low, int64_t high) { return d.min(d.max(v, d.integer(low)), d.integer(high)); }
  Value exp(Value v) { return d.apply(Op::exp, std::vector{v}); }
  bool equal(Value a, Value b) { return d.digest(a) == d.digest(b) && !d.exceeded(); }
};
using Plain = World<Field, false>;
using Distributing = World<Field, true>;
using OfPairs = World<ExpPair, false>;

TEST(LatticeLaws, AreThoseOfADistributiveLattice) {
  Plain w;
  auto& d = w.d;
  for (int i = 0; i < 100; ++i) {
    const auto a = w(3 * i), b = w(3 * i + 1), c = w(3 * i + 2);
    EXPECT_TRUE(w.equal(d.max(a, a), a));
    EXPECT_TRUE(w.equal(d.max(a, b), d.max(b, a)));
    EXPECT_TRUE(w.equal(d.max(d.max(a, b), c), d.max(a, d.max(b, c))));
    EXPECT_TRUE(w.equal(d.max(a, d.min(a, b)), a));
    EXPECT_TRUE(w.equal(d.min(a, d.max(a, b)), a));
    EXPECT_TRUE(w.equal(d.min(a, d.max(b, c)), d.max(d.min(a, b), d.min(a, c))));
    EXPECT_TRUE(w.equal(d.max(a, d.min(b, c)), d.min(d.max(a, b), d.max(a, c))));
    EXPECT_TRUE(w.equal(d.negate(d.max(a, b)), d.min(d.negate(a), d.negate(b))));
    EXPECT_FALSE(w.equal(d.max(a, b), a));
    EXPECT_FALSE(w.equal(d.max(a, b), d.min(a, b)));
    EXPECT_FALSE(w.equal(d.max(d.min(a, b), c), d.max(a, d.min(b, c))));
    EXPECT_FALSE(w.equal(d.max(d.max(a, b), c), d.max(a, b)));
    EXPECT_FALSE(w.equal(d.apply(Op::abs, std::vector{a}), a));
    EXPECT_TRUE(w.equal(d.apply(Op::abs, std::vector{a}), d.apply(Op::abs, std::vector{d.negate(a)})));
  }
}

/// Random terms over a few atoms: equal images iff equal for all orders of the atoms.
TEST(LatticeLaws, HoldForRandomTermsExactlyWhereTheyHoldForAllOrders) {
  constexpr int atoms = 4;
  std::mt19937_64 random(5);
  Plain w;
  auto& d = w.d;
  struct Node {
    int op, left, right;
  };
  std::vector<int> order(atoms);
  int equal_pairs = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<Plain::Value> values;
    std::vector<Node> nodes;
    for (int i = 0; i < atoms; ++i) {
      values.push_back(w(i));
      nodes.push_back({2, i, i});
    }
    for (int i = 0; i < 8; ++i) {
      const Node node{static_cast<int>(random() % 2), static_cast<int>(random() % values.size()),
                      static_cast<int>(random() % values.size())};
      const auto a = values[static_cast<size_t>(node.left)], b = values[static_cast<size_t>(node.right)];
      values.push_back(node.op == 0 ? d.max(a, b) : d.min(a, b));
      nodes.push_back(node);
    }
    const size_t p = values.size() - 1, q = values.size() - 2;
    bool always = true;
    for (int i = 0; i < atoms; ++i) order[static_cast<size_t>(i)] = i;
    do {
      std::vector<int> ranks;
      for (const Node& node : nodes) {
        const auto at = [&](int i) { return ranks[static_cast<size_t>(i)]; };
        ranks.push_back(node.op == 2   ? order[static_cast<size_t>(node.left)]
                        : node.op == 0 ? std::max(at(node.left), at(node.right))
                                       : std::min(at(node.left), at(node.right)));
      }
      always = always && ranks[p] == ranks[q];
    } while (std::ranges::next_permutation(order).found);
    EXPECT_EQ(w.equal(values[p], values[q]), always);
    equal_pairs += always ? 1 : 0;
  }
  EXPECT_GT(equal_pairs, 10);
}

TEST(LatticeClamps, AreIdempotentAndKnowTheLiterals) {
  Plain w;
  auto& d = w.d;
  const auto x = w(0), y = w(1);
  EXPECT_TRUE(w.equal(w.relu(w.relu(x)), w.relu(x)));
  EXPECT_TRUE(w.equal(w.clamp(w.clamp(x, 0, 6), 0, 6), w.clamp(x, 0, 6)));
  EXPECT_TRUE(w.equal(w.clamp(x, 0, 6), d.max(d.min(x, d.integer(6)), d.integer(0))));
  EXPECT_TRUE(w.equal(w.relu(d.max(x, y)), d.max(w.relu(x), w.relu(y))));
  EXPECT_TRUE(w.equal(d.max(d.integer(0), d.literal({5, -1})), d.literal({5, -1})));
  EXPECT_TRUE(w.equal(d.min(w.relu(x), d.integer(-1)), d.integer(-1)));
  EXPECT_FALSE(w.equal(w.clamp(x, 0, 6), w.relu(x)));
  EXPECT_FALSE(w.equal(w.relu(x), x));
  EXPECT_FALSE(w.equal(d.max(x, d.integer(1)), w.relu(x)));
}

TEST(LatticeOverlap, ForgivesDuplicatesAndNothingElse) {
  Plain w;
  auto& d = w.d;
  const auto max_of = [&](std::vector<int> elements) {
    auto m = d.identity(ir::Update::max);
    for (const int e : elements) m = d.accumulate(ir::Update::max, m, w(e));
    return m;
  };
  EXPECT_TRUE(w.equal(max_of({0, 1, 2, 3, 4, 5}), max_of({0, 1, 2, 3, 2, 3, 4, 5})));
  EXPECT_FALSE(w.equal(max_of({0, 1, 2, 3, 4, 5}), max_of({0, 1, 2, 3, 3, 4})));
  EXPECT_FALSE(w.equal(max_of({0, 1, 2, 3, 4, 5}), max_of({0, 1, 2, 3, 4, 5, 6})));
}

TEST(LatticeRanges, MakeTheBoundsOfIntegerDtypesNeutral) {
  Plain w({Dtype::f32, Dtype::i8, Dtype::u8});
  auto& d = w.d;
  const auto x = w(0, Dtype::i8), y = w(1, Dtype::u8);
  EXPECT_TRUE(w.equal(w.relu(y), y));
  EXPECT_TRUE(w.equal(d.max(x, d.integer(-128)), x));
  EXPECT_TRUE(w.equal(d.min(x, d.integer(127)), x));
  EXPECT_TRUE(w.equal(d.min(d.negate(y), d.integer(0)), d.negate(y)));
  EXPECT_FALSE(w.equal(w.relu(x), x));
  EXPECT_FALSE(w.equal(d.max(x, d.integer(-127)), x));
  EXPECT_FALSE(w.equal(d.max(y, d.integer(1)), y));
  EXPECT_FALSE(w.equal(w.relu(w(2)), w(2)));
}

TEST(LatticeRounding, MapsOverTheAtoms) {
  Plain w;
  auto& d = w.d;
  const auto x = w(0), y = w(1);
  EXPECT_TRUE(w.equal(w.store(w.relu(x), Dtype::bf16), w.relu(w.store(x, Dtype::bf16))));
  EXPECT_TRUE(w.equal(w.store(d.max(x, y), Dtype::bf16), d.max(w.store(x, Dtype::bf16), w.store(y, Dtype::bf16))));
  EXPECT_TRUE(
      w.equal(w.store(d.min(d.negate(x), y), Dtype::bf16), d.min(d.negate(w.store(x, Dtype::bf16)), w.store(y, Dtype::bf16))));
  EXPECT_TRUE(w.equal(w.store(w.clamp(x, -128, 127), Dtype::i8), w.store(x, Dtype::i8)));   // a float saturates
  EXPECT_FALSE(w.equal(w.store(d.max(x, y), Dtype::bf16), d.max(w.store(x, Dtype::bf16), y)));
  EXPECT_TRUE(w.equal(w.store(w.store(w.relu(x), Dtype::bf16), Dtype::bf16), w.store(w.relu(x), Dtype::bf16)));
}

TEST(LatticeWrapping, IsNotMonotoneButLeavesAloneWhatFits) {
  Plain w({Dtype::i32, Dtype::i8});
  auto& d = w.d;
  const auto x = w(0, Dtype::i32), y = w(1, Dtype::i32), a = w(2, Dtype::i8), b = w(3, Dtype::i8);
  const auto wrap = [&](Plain::Value v) { return w.store(v, Dtype::i8, Dtype::i32); };
  EXPECT_FALSE(w.equal(wrap(d.max(x, y)), d.max(wrap(x), wrap(y))));
  EXPECT_TRUE(w.equal(wrap(w.clamp(x, -128, 127)), w.clamp(x, -128, 127)));
  EXPECT_TRUE(w.equal(wrap(d.max(a, b)), d.max(a, b)));
  EXPECT_FALSE(w.equal(wrap(w.clamp(x, -128, 128)), w.clamp(x, -128, 128)));
}

TEST(LatticeImage, IsOddAndSurvivesATransposeByMultiplication) {
  Plain w;
  auto& d = w.d;
  const auto x = w(0), y = w(1), m = d.max(x, y);
  EXPECT_TRUE(w.equal(d.subtract(m, m), d.integer(0)));
  EXPECT_TRUE(w.equal(d.add(m, d.min(d.negate(x), d.negate(y))), d.integer(0)));
  const auto copied = d.add(d.multiply(m, d.integer(1)), d.multiply(w(3), d.integer(0)));
  EXPECT_TRUE(w.equal(d.max(copied, y), m));
  EXPECT_TRUE(w.equal(d.max(d.negate(copied), d.negate(y)), d.negate(y)));
  EXPECT_TRUE(w.equal(w.store(copied, Dtype::bf16), w.store(m, Dtype::bf16)));
}

TEST(LatticeImage, IsTheSameInAnotherDomainOfTheSameKey) {
  Plain one, two, other({Dtype::f32, Dtype::bf16, Dtype::i8}, 2);
  two.d.digest(two.d.max(two(7), two(8)));   // another history
  EXPECT_EQ(one.d.digest(one.relu(one.d.max(one(0), one(1)))), two.d.digest(two.d.max(two.relu(two(1)), two(0))));
  EXPECT_NE(one.d.digest(one.relu(one(0))), other.d.digest(other.relu(other(0))));
}

TEST(LatticeSymbols, FollowTheOrder) {
  Plain w;
  auto& d = w.d;
  const auto m = d.max(w(0), w(1)), low = d.negate(d.infinity());
  EXPECT_TRUE(w.equal(d.max(m, low), m));
  EXPECT_TRUE(w.equal(d.max(m, d.infinity()), d.infinity()));
  EXPECT_TRUE(w.equal(d.min(m, low), low));
  EXPECT_TRUE(d.is_nan(d.max(d.nan(), m)));
  EXPECT_TRUE(Plain::Domain::is_poison(d.max(m, Plain::Domain::poison())));
  EXPECT_TRUE(Plain::Domain::is_poison(d.add(Plain::Domain::poison(), m)));
}

TEST(LatticeDistributing, MovesABiasThroughAMax) {
  Distributing w;
  auto& d = w.d;
  const auto x = w(0), y = w(1), bias = w(2);
  EXPECT_TRUE(w.equal(d.max(d.add(x, bias), d.add(y, bias)), d.add(d.max(x, y), bias)));
  EXPECT_TRUE(w.equal(d.min(d.subtract(x, bias), d.subtract(y, bias)), d.subtract(d.min(x, y), bias)));
  EXPECT_TRUE(w.equal(d.max(d.multiply(x, d.literal({5, -1})), d.multiply(y, d.literal({5, -1}))),
                      d.multiply(d.max(x, y), d.literal({5, -1}))));
  EXPECT_TRUE(w.equal(d.min(d.multiply(x, d.integer(-3)), d.multiply(y, d.integer(-3))), d.multiply(d.integer(-3), d.max(x, y))));
  EXPECT_TRUE(w.equal(d.add(d.max(x, y), d.max(bias, w(3))), d.max(d.add(d.max(x, y), bias), d.add(d.max(x, y), w(3)))));
  EXPECT_TRUE(w.equal(d.subtract(d.max(x, y), d.max(y, x)), d.integer(0)));
  EXPECT_FALSE(w.equal(d.multiply(d.max(x, y), bias), d.max(d.multiply(x, bias), d.multiply(y, bias))));
  Plain plain;
  EXPECT_FALSE(plain.equal(plain.d.max(plain.d.add(plain(0), plain(2)), plain.d.add(plain(1), plain(2))),
                           plain.d.add(plain.d.max(plain(0), plain(1)), plain(2))));
}

/// Softmax over eight keys, whole and online in tiles of two.
TEST(LatticeOfPairs, AcceptsOnlineSoftmaxAndRefusesAForgottenRescale) {
  OfPairs w;
  auto& d = w.d;
  auto whole_max = d.identity(ir::Update::max);
  for (int i = 0; i < 8; ++i) whole_max = d.max(whole_max, w(i));
  auto whole = d.integer(0), value = d.integer(0);
  for (int i = 0; i < 8; ++i) {
    const auto p = w.exp(d.subtract(w(i), whole_max));
    whole = d.add(whole, p);
    value = d.add(value, d.multiply(p, w(100 + i)));
  }
  const auto online = [&](bool rescale) {
    auto m = d.identity(ir::Update::max), sum = d.integer(0), out = d.integer(0);
    for (int tile = 0; tile < 4; ++tile) {
      auto next = m;
      for (int i = 2 * tile; i < 2 * tile + 2; ++i) next = d.max(next, w(i));
      const auto scale = w.exp(d.subtract(m, next));
      sum = d.multiply(sum, scale);
      if (rescale) out = d.multiply(out, scale);
      for (int i = 2 * tile; i < 2 * tile + 2; ++i) {
        const auto p = w.exp(d.subtract(w(i), next));
        sum = d.add(sum, p);
        out = d.add(out, d.multiply(p, w(100 + i)));
      }
      m = next;
    }
    return d.divide(out, sum);
  };
  EXPECT_TRUE(w.equal(online(true), d.divide(value, whole)));
  EXPECT_FALSE(w.equal(online(false), d.divide(value, whole)));
}

TEST(LatticeBounds, AreSaidWhenATermHasTooManyAtoms) {
  Plain w;
  auto& d = w.d;
  auto m = d.identity(ir::Update::max);
  for (int i = 0; i < 4096; ++i) m = d.max(m, w(i));
  d.digest(m);
  EXPECT_FALSE(d.exceeded());
  d.digest(d.max(m, w(4096)));
  EXPECT_TRUE(d.exceeded());
  EXPECT_NE(d.reason().find("4096"), std::string::npos);
}

TEST(LatticeBounds, AreSaidWhenTheArenaIsFull) {
  Plain w({Dtype::f32}, 1, 10'000);
  auto m = w.d.identity(ir::Update::max);
  for (int i = 0; i < 1000; ++i) m = w.d.max(m, w(i));
  EXPECT_TRUE(w.d.exceeded());
  EXPECT_FALSE(w.d.reason().empty());
}

TEST(LatticeBounds, AreSaidWhenANormalFormExplodes) {
  Plain w;
  auto& d = w.d;
  auto m = d.integer(0);
  for (int i = 0; i < 20; ++i) m = i % 2 == 0 ? d.max(m, d.min(w(2 * i), w(2 * i + 1))) : d.max(m, d.min(w(2 * i), w(2 * i + 1)));
  d.digest(m);   // the normal form of its negation has 2^20 clauses
  EXPECT_TRUE(d.exceeded());
}

}  // namespace
}  // namespace tileproof::oracle
