#include "oracle/interpret/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tileproof::oracle {

std::string_view name(Order order) {
  switch (order) {
    case Order::forward: return "forward";
    case Order::reversed: return "reversed";
    case Order::shuffled: return "shuffled";
  }
  return "?";
}

std::string_view name(Pattern pattern) {
  switch (pattern) {
    case Pattern::random: return "random";
    case Pattern::lowest: return "lowest";
    case Pattern::highest: return "highest";
    case Pattern::ramp: return "ramp";
    case Pattern::low_first: return "low-first";
    case Pattern::low_last: return "low-last";
    case Pattern::high_first: return "high-first";
    case Pattern::high_last: return "high-last";
    case Pattern::borders: return "borders";
    case Pattern::level: return "level";
  }
  return "?";
}

std::string text(Pattern pattern, int64_t level) {
  std::string said(name(pattern));
  return pattern == Pattern::level ? fmt::format("{} {}", said, level) : said;
}

int64_t iteration_at(Order order, uint64_t key, int64_t turn, int64_t count) {
  if (order == Order::forward || count < 2) return turn;
  if (order == Order::reversed) return count - 1 - turn;
  // An affine permutation: a stride coprime to the count, and an offset.
  const auto n = static_cast<uint64_t>(count);
  uint64_t stride = mix(key, n) % n;
  while (std::gcd(stride, n) != 1) stride = (stride + 1) % n;
  const uint64_t offset = mix(key, ~n) % n;
  __extension__ using Wide = unsigned __int128;
  return static_cast<int64_t>((static_cast<Wide>(stride) * static_cast<uint64_t>(turn) + offset) % n);
}

int64_t index_input(const RunOptions& options, const InputElement& input) {
  int64_t low = ir::lowest(input.dtype), last = ir::highest(input.dtype);
  if (input.low < input.high) {
    low = input.low;
    last = input.high - 1;
  }
  const auto span = static_cast<uint64_t>(last) - static_cast<uint64_t>(low);   // one less than the number of values
  const auto within = [&](uint64_t x) {
    return static_cast<int64_t>(static_cast<uint64_t>(low) + (span == ~uint64_t{0} ? x : x % (span + 1)));
  };
  const bool is_first = input.element == 0, is_last = input.element == input.count - 1;
  const uint64_t draw = mix(mix(options.key, input.buffer_hash), static_cast<uint64_t>(input.element));
  switch (options.pattern) {
    case Pattern::random: return within(draw);
    case Pattern::lowest: return low;
    case Pattern::highest: return last;
    case Pattern::ramp: return within(static_cast<uint64_t>(input.element));
    case Pattern::low_first: return is_first ? low : last;
    case Pattern::low_last: return is_last ? low : last;
    case Pattern::high_first: return is_first ? last : low;
    case Pattern::high_last: return is_last ? last : low;
    case Pattern::level: return std::clamp(options.level, low, last);
    case Pattern::borders: break;
  }
  const auto first = std::ranges::lower_bound(options.kinds.borders, low);
  const auto end = std::ranges::upper_bound(options.kinds.borders, last);
  if (first >= end) return within(draw);
  return first[static_cast<int64_t>(draw % static_cast<uint64_t>(end - first))];
}

}  // namespace tileproof::oracle
