#include "oracle/explain/explain.h"

#include "oracle/equivalence/report.h"
#include "oracle/explain/comparison.h"
#include "oracle/explain/element_history.h"
#include "oracle/explain/memory_map.h"
#include "oracle/explain/neighbourhood.h"
#include "oracle/explain/origin_map.h"
#include "oracle/explain/tile_grid.h"
#include "oracle/interpret/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tileproof::oracle {
namespace {

constexpr uint64_t most_points = 1'000'000'000;   // of one run that explains: some ten seconds; ours
constexpr size_t most_outputs = 3;                // of a pass, drawn

class Explanation {
 public:
  Explanation(const ir::Program& original, const ir::Program& tiled, const CheckOptions& options, const CheckReport& report,
              std::chrono::steady_clock::time_point deadline)
      : options_(options),
        report_(report),
        subject_(report.verdict == Verdict::bad_original ? original : tiled),
        pair_{original, tiled, {}, {}, {}, {}} {
    const Kinds kinds = common_kinds(original, tiled);
    RunOptions& run = pair_.options;
    const bool passed = exit_code(report.verdict) == 0;
    run.parameters = passed && !report.parameters.empty() ? report.parameters.front() : report.failing_parameters;
    run.pattern = report.failing_pattern;
    run.level = report.failing_level;
    run.key = options.seed * 1000003u;   // that of the check's first run
    run.kinds = kinds;
    run.limits = {.points = std::min(options.max_points, most_points), .bytes = options.max_memory, .deadline = deadline};
    run.findings = 4096;                 // a run with findings goes on to its end
    pair_.signature = signature_of(original, tiled, kinds);
    pair_.original_code = lower(original, run.parameters, kinds);
    pair_.tiled_code = lower(tiled, run.parameters, kinds);
  }

  Pictures draw() {
    switch (report_.verdict) {
      case Verdict::proved:
      case Verdict::tested: outputs(); break;
      case Verdict::refuted:
      case Verdict::bad_original: finding(report_.findings.front()); break;
      default: not_drawn("the check was not decided");
    }
    if (!pair_.options.parameters.empty() && !pictures_.empty()) {
      std::string at;
      for (const auto& [name, value] : pair_.options.parameters) at += fmt::format("{}{}={}", at.empty() ? "" : " ", name, value);
      pictures_.front().title += fmt::format(" (at {})", at);
    }
    return std::move(pictures_);
  }

 private:
  const CheckOptions& options_;
  const CheckReport& report_;
  const ir::Program& subject_;   // whose findings they are
  LoweredPair pair_;
  Pictures pictures_;

  const LoweredProgram& code() const { return &subject_ == &pair_.tiled ? pair_.tiled_code : pair_.original_code; }
  void add(Pictures more) { std::ranges::move(more, std::back_inserter(pictures_)); }
  void not_drawn(std::string why) { pictures_.push_back({"pictures", {"not drawn: " + std::move(why)}}); }

  void outputs() {
    const Written written = trace_writes(pair_.tiled, pair_.tiled_code, pair_.options);
    if (!written.failure.empty()) return not_drawn(written.failure);
    for (const WrittenBuffer& buffer : written.buffers) {
      if (pictures_.size() == most_outputs) {
        pictures_.back().lines.push_back(left_out(written.buffers.size() - most_outputs, "output"));
        break;
      }
      pictures_.push_back(tile_grid(written, buffer, std::nullopt));
    }
  }

  void finding(const Finding& finding) {
    switch (finding.id) {
      case FindingId::value:
      case FindingId::rounding_only:
      case FindingId::overflow:
      case FindingId::nan_output: values(finding, true); break;
      case FindingId::not_written: values(finding, false); break;
      case FindingId::poison_output:
        values(finding, false);
        pictures_.push_back(element_history(touches(finding), finding));
        break;
      case FindingId::race: pictures_.push_back(race_picture(touches(finding), finding)); break;
      case FindingId::overlap:
        pictures_.push_back(map(finding));
        pictures_.push_back(element_history(touches(finding), finding));
        break;
      case FindingId::capacity:
      case FindingId::address: pictures_.push_back(map(finding)); break;
      case FindingId::out_of_bounds:
      case FindingId::poison_index:
      case FindingId::range:
      case FindingId::valid_claim:
      case FindingId::stop_claim:
        if (finding.element.empty()) {
          not_drawn(fmt::format("{} names no element", name(finding.id)));
        } else {
          pictures_.push_back(element_history(touches(finding), finding));
        }
        break;
      default:
        not_drawn(
            fmt::format("a picture adds nothing to {} ({}), which the report says in words", name(finding.id), code(finding.id)));
    }
    if (report_.findings.size() > 1) pictures_.back().lines.push_back(left_out(report_.findings.size() - 1, "finding"));
  }
  static std::string code(FindingId id) { return oracle::code(id); }

  Touches touches(const Finding& finding) const {
    return trace_touches(subject_, code(), pair_.options, finding.buffer, finding.element);
  }
  Picture map(const Finding& finding) const { return memory_map(subject_, code(), pair_.options, options_.machine, finding); }

  /// The output that holds the finding's element.
  void values(const Finding& finding, bool with_origins) {
    const Written written = trace_writes(subject_, code(), pair_.options);
    if (!written.failure.empty()) return not_drawn(written.failure);
    const WrittenBuffer* const buffer = written.find(finding.buffer);
    if (buffer == nullptr) return not_drawn(fmt::format("{} is no output", finding.buffer));
    pictures_.push_back(tile_grid(written, *buffer, finding.element));
    if (report_.verdict == Verdict::bad_original) return;   // nothing to compare with
    const Comparison comparison = compare_elements(pair_, *buffer);
    if (comparison.failure.empty()) {
      add(neighbourhood(written, *buffer, comparison, finding.element));
    } else {
      pictures_.push_back(
          {fmt::format("around {}", element_text(finding.buffer, finding.element)), {"not drawn: " + comparison.failure}});
    }
    if (with_origins) add(origin_maps(pair_, *buffer, finding.element));
  }
};

}  // namespace

Pictures explain(const ir::Program& original, const ir::Program& tiled, const CheckOptions& options, const CheckReport& report,
                 std::chrono::steady_clock::time_point deadline) {
  return Explanation(original, tiled, options, report, deadline).draw();
}

std::string to_text(const Pictures& pictures) {
  std::string text;
  for (const Picture& picture : pictures) {
    text += fmt::format("\n{}\n", picture.title);
    for (const std::string& line : picture.lines) text += line.empty() ? "\n" : fmt::format("  {}\n", line);
  }
  return text;
}

}  // namespace tileproof::oracle
