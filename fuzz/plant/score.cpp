#include "fuzz/plant/score.h"

#include "tool/in_order.h"
#include "tool/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <set>

namespace tileproof::plant {
namespace {

double nearest_rank(std::vector<double> values, int percentile) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const size_t rank = (values.size() * static_cast<size_t>(percentile) + 99) / 100;
  return values[std::max<size_t>(rank, 1) - 1];
}

uint64_t total(const std::map<std::string, uint64_t>& counts) {
  uint64_t sum = 0;
  for (const auto& [what, count] : counts) sum += count;
  return sum;
}

template <class F>
std::vector<double> of_finds(const std::vector<Hunt>& hunts, F f) {
  std::vector<double> values;
  for (const Hunt& hunt : hunts)
    if (hunt.find) values.push_back(f(*hunt.find));
  return values;
}

}  // namespace

bool Row::found() const {
  return !hunts.empty() && std::ranges::all_of(hunts, [](const Hunt& hunt) { return hunt.find.has_value(); });
}

double Row::cases(int percentile) const {
  return nearest_rank(of_finds(hunts, [](const Find& find) { return static_cast<double>(find.cases); }), percentile);
}

double Row::seconds(int percentile) const {
  return nearest_rank(of_finds(hunts, [](const Find& find) { return find.seconds; }), percentile);
}

std::vector<std::string> Row::findings() const {
  std::set<std::string> all;
  for (const Hunt& hunt : hunts)
    if (hunt.find) all.insert(hunt.find->finding);
  return {all.begin(), all.end()};
}

Seer Row::cheapest() const {
  Seer best = Seer::check;
  for (const Hunt& hunt : hunts)
    if (hunt.find) best = std::min(best, hunt.find->cheapest);
  return best;
}

const Find* Row::smallest() const {
  const Find* best = nullptr;
  const auto size = [](const Find& find) { return std::pair(find.statements, find.tiled.size()); };
  for (const Hunt& hunt : hunts)
    if (hunt.find && (best == nullptr || size(*hunt.find) < size(*best))) best = &*hunt.find;
  return best;
}

uint64_t Score::found() const { return static_cast<uint64_t>(std::ranges::count_if(rows, &Row::found)); }
uint64_t Score::false_alarms() const { return total(right.false_alarms); }
uint64_t Score::unsupported() const { return total(right.unsupported); }

uint64_t Score::harness_errors() const {
  uint64_t sum = 0;
  for (const Row& row : rows)
    for (const Hunt& hunt : row.hunts) sum += hunt.harness_errors;
  return sum;
}

double Score::median_seconds() const {
  std::vector<double> medians;
  for (const Row& row : rows) medians.push_back(row.seconds(50));
  return nearest_rank(medians, 50);
}

Score score(std::span<const PlantedBug* const> bugs, const ScoreOptions& options) {
  Score result;
  for (const PlantedBug* bug : bugs) result.rows.push_back({bug, {}});
  const auto say = [&](const std::string& what) {
    if (options.progress) options.progress(what);
  };
  const size_t hunts = bugs.size() * options.seeds;
  tool::in_order<Hunt>(
      hunts, options.jobs, [&](size_t i) { return hunt(*bugs[i / options.seeds], 1 + i % options.seeds, options.limits); },
      [&](size_t i, const Hunt& each) {
        result.rows[i / options.seeds].hunts.push_back(each);
        say(fmt::format("{} of {} hunts", i + 1, hunts));
        return true;
      });
  constexpr uint64_t chunk = 250;
  constexpr size_t most_alarming = 20;
  tool::in_order<std::vector<RightCase>>(
      (options.programs + chunk - 1) / chunk, options.jobs,
      [&](size_t i) {
        std::vector<RightCase> cases;
        for (uint64_t k = i * chunk; k < std::min<uint64_t>((i + 1) * chunk, options.programs); ++k)
          cases.push_back(right_case(0, k));
        return cases;
      },
      [&](size_t i, const std::vector<RightCase>& cases) {
        for (size_t k = 0; k < cases.size(); ++k) {
          const RightCase& each = cases[k];
          ++result.right.programs;
          if (each.is_false_alarm()) {
            ++result.right.false_alarms[fmt::format("{} {}", oracle::name(each.verdict), each.reason)];
            if (result.right.alarming.size() < most_alarming) result.right.alarming.push_back(i * chunk + k);
          } else if (each.verdict != oracle::Verdict::tested && each.verdict != oracle::Verdict::proved) {
            ++result.right.unsupported[each.reason];
          }
        }
        say(fmt::format("{} of {} programs by the right tiler", result.right.programs, options.programs));
        return true;
      });
  return result;
}

std::string print(const Score& score) {
  using tool::Column;
  std::vector<Column> columns{{"bug", 3},           {"models", 6},     {"cases", 6, true}, {"90 %", 6, true},
                              {"seconds", 7, true}, {"90 %", 7, true}, {"cheapest", 11},   {"findings", 0}};
  for (const Row& row : score.rows) {
    columns[0].width = std::max(columns[0].width, row.bug->name.size());
    columns[1].width = std::max(columns[1].width, row.bug->source.size());
  }
  std::string text = tool::table_head(columns);
  for (const Row& row : score.rows) {
    std::vector<std::string> cells{row.bug->name,
                                   row.bug->source,
                                   fmt::format("{:.0f}", row.cases(50)),
                                   fmt::format("{:.0f}", row.cases(90)),
                                   fmt::format("{:.3f}", row.seconds(50)),
                                   fmt::format("{:.3f}", row.seconds(90))};
    const auto finds = std::ranges::count_if(row.hunts, [](const Hunt& hunt) { return hunt.find.has_value(); });
    const std::string missed =
        row.found() ? "" : fmt::format("  MISSED by {} of {}", row.hunts.size() - static_cast<size_t>(finds), row.hunts.size());
    cells.push_back(finds == 0 ? "-" : std::string(name(row.cheapest())));
    cells.push_back(fmt::format("{}{}", fmt::join(row.findings(), " "), missed));
    text += tool::table_row(columns, cells);
  }
  if (!score.rows.empty()) {
    text += fmt::format("\n{} of {} planted bugs found, {:.3f} s in the median\n", score.found(), score.rows.size(),
                        score.median_seconds());
    if (score.harness_errors() > 0) text += fmt::format("{} harness errors\n", score.harness_errors());
  }
  if (score.right.programs == 0) return text;
  text +=
      fmt::format("right tiler: {} programs, {} false alarms, {:.2f} % unsupported\n", score.right.programs, score.false_alarms(),
                  100.0 * static_cast<double>(score.unsupported()) / static_cast<double>(score.right.programs));
  for (const auto& [what, count] : score.right.false_alarms) text += fmt::format("  {:8} false alarm: {}\n", count, what);
  for (const auto& [what, count] : score.right.unsupported) text += fmt::format("  {:8} {}\n", count, what);
  if (!score.right.alarming.empty())
    text += fmt::format("  cases that raised an alarm: {}\n", fmt::join(score.right.alarming, ", "));
  return text;
}

}  // namespace tileproof::plant
