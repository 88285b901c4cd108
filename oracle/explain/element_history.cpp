#include "oracle/explain/element_history.h"

#include "oracle/equivalence/report.h"
#include "oracle/explain/canvas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace tileproof::oracle {
namespace {

constexpr size_t most_listed = 10;

std::string loops_text(const Touches& touches, const Touch& touch) {
  std::vector<std::string> parts;
  const auto& loops = touches.statements[touch.site].loops;
  for (size_t i = 0; i < loops.size(); ++i) parts.push_back(fmt::format("{}={}", loops[i]->name, touch.loops[i]));
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string point_text(const Touches& touches, const Touch& touch, const std::vector<int64_t>& point) {
  std::vector<std::string> parts;
  const auto& axes = touches.statements[touch.site].statement->axes;
  for (size_t i = 0; i < axes.size() && i < point.size(); ++i) parts.push_back(fmt::format("{}={}", axes[i].name, point[i]));
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string cut(std::string text, size_t width) {
  if (text.size() > width) text = text.substr(0, width - 3) + "...";
  return text;
}

/// The two, with what orders neither before the other; nullopt: they are ordered.
std::optional<std::string> without_order(const Touches& touches, const Touch& a, const Touch& b) {
  const auto &outer = touches.statements[a.site].loops, &inner = touches.statements[b.site].loops;
  for (size_t i = 0; i < outer.size() && i < inner.size() && outer[i] == inner[i]; ++i) {
    if (a.loops[i] == b.loops[i]) continue;
    if (outer[i]->kind == ir::LoopKind::seq) return std::nullopt;
    return fmt::format("iterations of `{}`, a {} loop{}", outer[i]->name, name(outer[i]->kind),
                       outer[i]->location.line == 0 ? "" : fmt::format(" in line {}", outer[i]->location.line));
  }
  return std::nullopt;
}

std::vector<std::string> described(const Touches& touches, const Touch& touch, const std::vector<int64_t>& point,
                                   const std::string& element) {
  const NestedStatement& at = touches.statements[touch.site];
  std::vector<std::string> lines;
  if (!at.loops.empty()) lines.push_back(cut(loops_text(touches, touch), 40));
  lines.push_back(
      cut(at.statement->location.line == 0 ? at.label : fmt::format("{}, line {}", at.label, at.statement->location.line), 40));
  if (!at.statement->axes.empty()) lines.push_back(cut("at " + point_text(touches, touch, point), 40));
  lines.push_back(cut(fmt::format("{} {}", touch.is_write ? "writes" : "reads", element), 40));
  return lines;
}

/// Two boxes that meet in the element.
void draw_two(Picture& picture, const std::vector<std::string>& a, const std::vector<std::string>& b,
              const std::string& element) {
  const auto width = [](const std::vector<std::string>& lines) {
    return std::ranges::max(lines, {}, &std::string::size).size() + 4;
  };
  Canvas canvas;
  const size_t height = std::max(a.size(), b.size()) + 1, second = width(a) + 4;
  canvas.box(0, 0, height, width(a) - 1);
  canvas.box(0, second, height, second + width(b) - 1);
  for (size_t i = 0; i < a.size(); ++i) canvas.text(i + 1, 2, a[i]);
  for (size_t i = 0; i < b.size(); ++i) canvas.text(i + 1, second + 2, b[i]);
  const size_t left = width(a) / 2, right = second + width(b) / 2;
  canvas.vertical(left, height, height + 1);
  canvas.vertical(right, height, height + 1);
  canvas.horizontal(height + 1, left, right);
  canvas.text(height + 2, left, cut(element, 60));
  for (std::string& line : canvas.lines()) picture.lines.push_back(std::move(line));
}

void add_left_out(Picture& picture, const Touches& touches) {
  for (const std::string& what : touches.left_out) picture.lines.push_back("not followed: " + what);
}

/// The first touch by the finding's statement, that reads if any of its does.
std::optional<size_t> culprit(const Touches& touches, const Finding& finding) {
  for (const bool is_write : {false, true}) {
    for (size_t i = 0; i < touches.all.size(); ++i) {
      if (touches.statements[touches.all[i].site].label == finding.statement && touches.all[i].is_write == is_write) return i;
    }
  }
  return std::nullopt;
}

}  // namespace

Picture element_history(const Touches& touches, const Finding& finding) {
  const std::string element = element_text(finding.buffer, finding.element);
  Picture picture{fmt::format("who touches {}", element), {}};
  if (!touches.failure.empty()) {
    picture.lines.push_back("not drawn: " + touches.failure);
    return picture;
  }
  const std::optional<size_t> last = culprit(touches, finding);
  if (!last) {
    picture.lines.push_back(fmt::format("not drawn: no access of {} to it was followed", finding.statement));
    add_left_out(picture, touches);
    return picture;
  }
  std::vector<const Touch*> shown;
  for (size_t i = 0; i <= *last; ++i) {
    if (touches.all[i].instance == touches.all[*last].instance) shown.push_back(&touches.all[i]);
  }
  if (shown.size() > most_listed) {
    picture.lines.push_back(fmt::format("... {} accesses before these", shown.size() - most_listed));
    shown.erase(shown.begin(), shown.end() - most_listed);
  }
  const bool is_written = std::ranges::any_of(shown.begin(), shown.end() - 1, &Touch::is_write);
  const bool should_be_written = finding.id != FindingId::out_of_bounds && finding.id != FindingId::range;
  if (!is_written && !touches.all[*last].is_write && should_be_written)
    picture.lines.emplace_back("(no statement has written it before)");
  for (const Touch* touch : shown) {
    const NestedStatement& at = touches.statements[touch->site];
    picture.lines.push_back(fmt::format(
        "{:>5}  {:<14} {:<24} {:<24} {}{}", at.statement->location.line == 0 ? "" : std::to_string(at.statement->location.line),
        cut(at.label, 14), cut(loops_text(touches, *touch), 24), cut(point_text(touches, *touch, touch->point), 24),
        touch->is_write ? "writes" : "reads", touch == shown.back() ? "  <-- the finding" : ""));
  }
  add_left_out(picture, touches);
  return picture;
}

Picture race_picture(const Touches& touches, const Finding& finding) {
  const std::string element = element_text(finding.buffer, finding.element);
  Picture picture{fmt::format("the two accesses to {} that have no order", element), {}};
  if (!touches.failure.empty()) {
    picture.lines.push_back("not drawn: " + touches.failure);
    return picture;
  }
  for (size_t j = 0; j < touches.all.size(); ++j) {
    const Touch& later = touches.all[j];
    if (touches.statements[later.site].label != finding.statement) continue;
    const Touch* const before = j == 0 ? nullptr : &touches.all[j - 1];
    const bool reads_itself = before != nullptr && later.is_write && !before->is_write && before->site == later.site &&
                              before->loops == later.loops && before->point != later.point;
    if (!later.other.empty() || reads_itself) {   // one execution
      const std::vector<std::string> first = later.other.empty() ? described(touches, *before, before->point, element)
                                                                 : described(touches, later, later.point, element);
      draw_two(picture, first, described(touches, later, later.other.empty() ? later.point : later.other, element), element);
      picture.lines.emplace_back("no order: points of one statement");
      add_left_out(picture, touches);
      return picture;
    }
    for (size_t i = 0; i < j; ++i) {
      const Touch& earlier = touches.all[i];
      if (earlier.instance != later.instance || !(earlier.is_write || later.is_write)) continue;
      const std::optional<std::string> why = without_order(touches, earlier, later);
      if (!why) continue;
      draw_two(picture, described(touches, earlier, earlier.point, element), described(touches, later, later.point, element),
               element);
      picture.lines.push_back("no order: " + *why);
      add_left_out(picture, touches);
      return picture;
    }
  }
  picture.lines.emplace_back("not drawn: the two accesses were not found among those followed");
  add_left_out(picture, touches);
  return picture;
}

}  // namespace tileproof::oracle
