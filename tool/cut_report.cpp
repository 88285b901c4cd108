#include "tool/cut_report.h"

#include "compiler/penguin/cut_arithmetic.h"
#include "tool/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

namespace tileproof::tool {
namespace {

namespace ar = penguin::arithmetic;
using penguin::AxisCut;
using penguin::AxisFactor;
using penguin::AxisMap;
using penguin::CutAxis;
using penguin::DimCut;

std::vector<int64_t> extents_of(const penguin::PriorityOrder<CutAxis>& axes) {
  std::vector<int64_t> extents;
  for (const CutAxis& axis : axes) extents.push_back(axis.extent);
  return extents;
}

/// nullopt: beyond 64 bits.
std::optional<int64_t> product(const penguin::PriorityOrder<CutAxis>& axes) {
  int64_t all = 1;
  for (const CutAxis& axis : axes) {
    if (axis.extent == 0) return 0;
  }
  for (const CutAxis& axis : axes) {
    if (__builtin_mul_overflow(all, axis.extent, &all)) return std::nullopt;
  }
  return all;
}

std::string count(const std::optional<int64_t>& number) { return number ? fmt::format("{}", *number) : "more than 2^63 - 1"; }

std::string plural(int64_t number, std::string_view one) { return fmt::format("{} {}{}", number, one, number == 1 ? "" : "s"); }

template <class Axes>
std::string listed(const Axes& axes) {
  std::string text;
  for (const CutAxis& axis : axes) text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", axis.name, axis.extent);
  return "[" + text + "]";
}

std::string summary(const CutReport& report) {
  if (!report.cut.dim) return "nothing is cut: everything fits into one tile";
  const std::string dim = fmt::format("dimension {} ({})", *report.cut.dim, report.axes[*report.cut.dim].name);
  if (!report.cut.tile) return fmt::format("after {}, which is whole in the tile", dim);
  return fmt::format("in {}, {} of {} in a tile", dim, *report.cut.tile, report.axes[*report.cut.dim].extent);
}

/// The steps of compute_cut in words, one line each.
std::vector<std::string> reasons(const CutReport& report) {
  std::vector<std::string> lines;
  const auto say = [&]<class... Part>(fmt::format_string<Part...> format, Part&&... parts) {
    lines.push_back(fmt::format(format, std::forward<Part>(parts)...));
  };
  const DimCut& cut = report.cut;
  if (!cut.dim) {
    say("all axes together have {} elements; the budget is {}", count(product(report.axes)), report.cut_size);
    return lines;
  }
  int64_t committed = 1;
  size_t i = 0;
  for (; !ar::exceeds(committed, report.axes[i].extent, report.cut_size); ++i) {
    committed *= report.axes[i].extent;
    say("{}:{} fits whole: {} of {}", report.axes[i].name, report.axes[i].extent, committed, report.cut_size);
  }
  const CutAxis& axis = report.axes[i];
  const int64_t most = ar::tile_of(report.cut_size, committed);
  say("{}:{} does not fit whole; {} / {} leaves room for {} of it", axis.name, axis.extent, report.cut_size, committed,
      plural(most, "slice"));
  int64_t tile = most;
  if (report.options.multiple > 1) {
    const int64_t step = ar::alignment_step(report.options.multiple, std::gcd(report.options.multiple, committed));
    tile = ar::aligned_tile(most, step);
    if (ar::lacks_aligned_tile(most, step)) {
      say("no tile of up to {} is a multiple of {} elements: it stays unaligned", plural(most, "slice"), report.options.multiple);
    } else if (tile != most) {
      say("rounded down to {}, so that the tile is a multiple of {} elements", plural(tile, "slice"), report.options.multiple);
    }
  }
  const bool backed_off = *cut.dim < i;
  const int64_t taken = backed_off ? 1 : *cut.tile;
  if (report.options.uniform && taken != tile) say("uniform: the largest divisor of {} up to {} is {}", axis.extent, tile, taken);
  if (report.options.uniform && cut.unaligned && report.options.multiple > 1)
    say("no uniform tile that fits is a multiple of {} elements", report.options.multiple);
  if (backed_off) say("a single slice splits nothing off, so the cut is after {}", report.axes[*cut.dim].name);
  if (cut.degenerate) say("degenerate: no divisor but 1 fits; a caller may drop uniformity or keep the tensor off the chip");
  return lines;
}

/// The tiles along the split axis, each a box; "...": more than fit on a line.
std::string picture(const AxisCut& lists) {
  constexpr int64_t most_boxes = 6;
  const AxisMap& map = lists.axes[*lists.split];
  const int64_t tile = map.tile ? lists.tile[map.tile->position].extent : 1;
  std::string line;
  for (int64_t trip = 0; trip < lists.trips; ++trip) {
    if (lists.trips > most_boxes && trip == most_boxes - 2) {
      line += " ... ";
      trip = lists.trips - 1;
    }
    const int64_t first = trip * tile;
    const bool ragged = trip + 1 == lists.trips && lists.tail > 0;
    const int64_t last = first + (ragged ? lists.tail : tile) - 1;
    line += first == last ? fmt::format("[{}", first) : fmt::format("[{}..{}", first, last);
    line += ragged ? fmt::format(" and {} idle]", tile - lists.tail) : "]";
  }
  return line;
}

std::string swapped_picture(const AxisCut& lists) {
  const AxisFactor& high = *lists.axes[*lists.split].tile;
  if (lists.tile[high.position].extent == 1) return "trip j holds j";
  return fmt::format("trip j holds j, j + {}, ...", high.coefficient);
}

std::string proof_text(const prove::Discharge& proof) {
  if (proof.verdict == prove::Verdict::proved)
    return fmt::format("proved for all extents of this class: {}", plural(static_cast<int64_t>(proof.proved), "obligation"));
  return fmt::format("{}: {}{}{}", name(proof.verdict), proof.obligation, proof.reason.empty() ? "" : ": ", proof.reason);
}

}  // namespace

std::string cut_text(const CutReport& report) {
  const AxisCut& lists = report.lists;
  std::string text = "cut: " + summary(report) + "\n";
  const auto line = [&](std::string_view label, const std::string& value) { text += fmt::format("  {:<12} {}\n", label, value); };
  if (!report.machine.empty())
    line("machine", fmt::format("{}: cut size {}, a multiple of {}", report.machine, report.cut_size, report.options.multiple));
  line("shape", listed(report.axes) + ", highest priority first");
  line("loop", listed(lists.loop) + ", highest priority first");
  line("tile", listed(lists.tile) + ", highest priority first");
  line("nest",
       fmt::format("{} around {}, outermost first", listed(emission_order(lists.loop)), listed(emission_order(lists.tile))));
  line("budget", fmt::format("{} of {} elements in a tile", count(product(lists.tile)), report.cut_size));
  line("tiles", count(product(lists.loop)));
  if (lists.split) {
    const AxisMap& map = lists.axes[*lists.split];
    line("trips", fmt::format("{} over {}", lists.trips, map.axis.name));
    line("tail", lists.tail == 0 ? "none"
                                 : fmt::format("{} in the last trip: where {} < {}", lists.tail,
                                               index_expression(lists, *lists.split), map.axis.extent));
    line("index", fmt::format("{} = {}", map.axis.name, index_expression(lists, *lists.split)));
    line("picture", report.swapped ? swapped_picture(lists) : picture(lists));
  }
  if (report.cut.unaligned) line("unaligned", fmt::format("the tile is no multiple of {} elements", report.options.multiple));
  if (report.cut.degenerate) line("degenerate", "the tile is a single slice");
  std::string_view label = "why";
  for (const std::string& reason : reasons(report)) {
    line(label, reason);
    label = "";
  }
  if (report.proof) {
    line("proof", proof_text(*report.proof));
    for (const prove::Discharged& each : report.proof->each) line("", fmt::format("{:<12} {}", each.name, name(each.verdict)));
  }
  if (report.swapped) line("", "swapped: the tile has the high-order factor and the axes right of it, the rest loops");
  return text;
}

std::string cut_record(const CutReport& report, ExitCode exit) {
  const auto nullable = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  const AxisCut& lists = report.lists;
  Json record = record_head("cut", report.proof ? std::string(name(report.proof->verdict)) : "done", exit);
  record["machine"] = report.machine.empty() ? Json(nullptr) : Json(report.machine);
  record["shape"] = extents_of(report.axes);
  record["cut_size"] = report.cut_size;
  record["uniform"] = report.options.uniform;
  record["multiple"] = report.options.multiple;
  record["swap"] = report.swapped;
  record["cut_dim"] = nullable(report.cut.dim);
  record["cut_tile_size"] = nullable(report.cut.tile);
  record["unaligned"] = report.cut.unaligned;
  record["degenerate"] = report.cut.degenerate;
  record["loop"] = extents_of(lists.loop);
  record["tile"] = extents_of(lists.tile);
  record["trips"] = lists.trips;
  record["tail"] = lists.tail;
  record["tiles"] = nullable(product(lists.loop));
  record["axes"] = Json::array();
  for (size_t i = 0; i < lists.axes.size(); ++i) {
    const AxisMap& map = lists.axes[i];
    record["axes"].push_back({{"name", map.axis.name},
                              {"extent", map.axis.extent},
                              {"loop", map.loop ? Json(lists.loop[map.loop->position].name) : Json(nullptr)},
                              {"tile", map.tile ? Json(lists.tile[map.tile->position].name) : Json(nullptr)},
                              {"index", index_expression(lists, i)}});
  }
  record["why"] = reasons(report);
  record["obligations"] = report.proof ? Json::array() : Json(nullptr);
  if (report.proof) {
    for (const prove::Discharged& each : report.proof->each)
      record["obligations"].push_back({{"name", each.name}, {"verdict", name(each.verdict)}});
  }
  return record_text(record);
}

}  // namespace tileproof::tool
