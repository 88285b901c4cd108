// Searches for divisors, and lengths that a pair of hardware counters can count.
#include "compiler/penguin/cut_arithmetic.h"
#include "oracle/prove/catalogue.h"
#include "oracle/prove/hint.h"

namespace tileproof::prove {
namespace {

namespace ar = penguin::arithmetic;

const Term E = Term::variable("E"), b = Term::variable("bound"), x = Term::variable("x"), d = Term::variable("d"),
           k = Term::variable("k");

/// `d` stands for any divisor of E: E == d * k.
const Formula divisor = E >= 1 && d >= 1 && k >= 1 && E == d * k;

std::vector<Goal> search_down() {
  const Term next = ar::divisor_step(E, x);
  return {{"before the first step", divisor && x == b && d <= b, d <= x},
          {"a step passes over no divisor", divisor && x >= 1 && d <= x,
           x >= d && apart(x, E / x - k) && (x != d || E % x == 0) && d <= next},
          {"a step stays at or above 1", E >= 1 && x >= 1, E % Term(1) == 0 && (x != 1 || E % x == 0) && next >= 1},
          {"it stays only at a divisor", E >= 1 && x >= 1 && next == x, E % x == 0},
          {"it descends elsewhere", E >= 1 && x >= 1 && next != x, next < x}};
}

std::vector<Goal> search_up() {
  // q runs upwards; E / q is what it finds. A divisor d <= bound leaves over k == E / d.
  const Term q = Term::variable("q"), next = ar::codivisor_step(E, q);
  return {
      {"the first candidate passes over none", divisor && b >= 1 && d <= b, d * k <= b * k && E <= b * k && ar::trips(E, b) <= k},
      {"a step passes over none", divisor && q >= 1 && q <= k, apart(q, E / q - d) && (q != k || E % q == 0) && next <= k},
      {"where it stays it has a divisor", E >= 1 && q >= 1 && next == q, E % q == 0 && E == q * (E / q)},
      {"within the bound", E >= 1 && b >= 1 && q >= ar::trips(E, b) && x >= 1 && E == q * x,
       ar::trips(E, b) * b >= E && q * b >= ar::trips(E, b) * b && q * b >= q * x && x <= b},
      {"and no divisor within the bound is larger", divisor && q >= 1 && q <= k && x >= 1 && E == q * x,
       q * d <= k * d && q * d <= q * x && d <= x},
      {"what it has passed leaves no divisor above E / q", divisor && q >= 1 && q <= k,
       q * d <= k * d && q * d <= E && d <= E / q}};
}

// A length n is counted by two counters of at most K each where n == f * s.
const Term n = Term::variable("n"), K = Term::variable("K"), f = Term::variable("f"), s = Term::variable("s");
const Formula pair = n == f * s && f >= 1 && s >= f && s <= K;

std::vector<Goal> search_bound() {
  return {{"the smaller factor", pair, f * f <= f * s && f * f <= n && f * s <= f * K && n <= f * K && ar::trips(n, K) <= f}};
}

std::vector<Goal> beyond_square() {
  return {{"", n > K * K && K >= 1 && f >= 1 && s >= 1 && f <= K && s <= K, f * s <= K * s && K * s <= K * K && f * s != n}};
}

std::vector<Goal> larger_factor() {
  // The search runs down from root + 1, root * root <= n < (root + 1) * (root + 1), and stays where it has found a divisor.
  const Term root = Term::variable("root"), next = ar::divisor_step(n, x);
  const Formula any_pair = n == f * s && f >= 1 && s >= f;
  return {{"the start is not below the smaller factor", any_pair && root >= 1 && n < (root + 1) * (root + 1),
           f * f <= f * s && f <= root + 1},
          {"a step passes over no smaller factor", any_pair && x >= 1 && f <= x,
           apart(x, n / x - s) && (x != f || n % x == 0) && f <= next},
          {"what is found leaves the smallest larger factor", any_pair && x >= f && k >= 1 && n == x * k,
           x * k == f * s && x * k >= f * k && f * s >= f * k && k <= s},
          {"no square is a multiple of the number after its root", root >= 1,
           apart(root + 1, k - root + 1) && (root + 1) * k - root * root == (root + 1) * (k - root + 1) - 1 &&
               (root + 1) * k != root * root},
          {"the found divisor itself is no larger than any larger factor",
           any_pair && root >= 1 && root * root <= n && x <= root + 1 && n == x * k && (root + 1) * k != root * root,
           s * s >= f * s && s >= root && (s >= root + 1 || s == root) && (s >= root + 1 || f >= root) &&
               (s >= root + 1 || n == root * root) && (x <= root || s >= root + 1) && x <= s}};
}

std::vector<Goal> tile_lengths() {
  const Term t = Term::variable("t"), o = Term::variable("o");
  return {{"", E >= 1 && t >= 1 && o >= 0 && o < ar::trips(E, t),
           trips_and_tail(E, t) && ordered(t, o, E / t) && ordered(t, o + 1, E / t) && min(t, E - o * t) >= 1 &&
               (min(t, E - o * t) == t || min(t, E - o * t) == ar::tail(E, t))}};
}

std::vector<Goal> balanced() {
  const Term t = Term::variable("t"), trips = ar::trips(E, t), even = ar::trips(E, trips);
  return {{"", E >= 1 && t >= 1,
           trips * t >= E && even >= 1 && even <= t && even * trips >= E && (even - 1) * trips < E &&
               ordered(even, trips, ar::trips(E, even) - 1) && ar::trips(E, even) <= trips}};
}

}  // namespace

std::vector<Lemma> divisor_lemmas() {
  constexpr std::string_view largest = "penguin::largest_divisor";
  return {
      {.name = "divisor.down",
       .function = largest,
       .statement = "The search downwards ends, and at the largest divisor within the bound.",
       .sizes = "extent, bound: 1 or more",
       .goals = search_down},
      {.name = "divisor.up",
       .function = largest,
       .statement =
           "The search upwards from ceil(E / bound) ends at the q for which E / q is the largest divisor within the bound; "
           "stopped before, it leaves no divisor above E / q.",
       .sizes = "extent, bound: 1 or more",
       .goals = search_up},
      {.name = "sdim.search-bound",
       .function = "machine::larger_factor",
       .statement = "A length that two counters of at most K count has a factor from ceil(n / K) up to sqrt(n): the search needs "
                    "no other.",
       .sizes = "length, counter: any",
       .tie = Tie::conformance,
       .goals = search_bound},
      {.name = "sdim.beyond-square",
       .function = "machine::larger_factor",
       .statement = "No two counters of at most K count a length above K * K.",
       .sizes = "length, counter: any",
       .tie = Tie::conformance,
       .goals = beyond_square},
      {.name = "sdim.factoring",
       .function = "machine::larger_factor",
       .statement = "The search downwards from sqrt(n) + 1 ends at a pair of factors whose larger one no other pair undercuts.",
       .sizes = "length: 1 or more",
       .tie = Tie::conformance,
       .goals = larger_factor},
      {.name = "sdim.tile-lengths",
       .function = "penguin::arithmetic::tail",
       .statement = "Every tile of an axis has the length of the tile or that of the tail: no other length need be counted.",
       .sizes = "extent, tile: 1 or more",
       .goals = tile_lengths},
      {.name = "trips.balanced",
       .function = "penguin::arithmetic::trips",
       .statement = "ceil(E / ceil(E / t)) is no more than t and takes no more trips.",
       .sizes = "extent, tile: 1 or more",
       .goals = balanced},
  };
}

}  // namespace tileproof::prove
