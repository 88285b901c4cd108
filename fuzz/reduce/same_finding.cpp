#include "fuzz/reduce/same_finding.h"

#include "compiler/machine/machine.h"
#include "fuzz/reduce/walk.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace tileproof::fuzz {
namespace {

/// Words that hold no digit, dot or quote: the others are names and numbers.
std::string kind_of(const std::string& reason) {
  std::string kind;
  for (size_t at = 0; at < reason.size();) {
    const size_t end = std::min(reason.find(' ', at), reason.size());
    const std::string word = reason.substr(at, end - at);
    const bool is_plain = std::ranges::none_of(
        word, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) || c == '#' || c == '`' || c == '['; });
    if (is_plain && word.size() > 1) kind += word + ' ';
    at = end + 1;
  }
  return kind;
}

std::optional<ir::Role> role_of(ir::Program program, std::string name) {
  std::map<std::string, std::string> bases;
  each<ir::View>(program, [&](ir::View& view) { bases[view.name] = view.base; });
  for (auto base = bases.find(name); base != bases.end(); base = bases.find(name)) name = base->second;
  std::optional<ir::Role> role;
  each<ir::Buffer>(program, [&](ir::Buffer& buffer) {
    if (buffer.name == name) role = buffer.role;
  });
  return role;
}

bool keeps(const FindingTrait& wanted, const oracle::CheckOptions& options, const ir::Program& original,
           const ir::Program& tiled) {
  const auto report = oracle::check(original, tiled, options);
  return report && wanted.is_kept_by(trait_of(*report, tiled));
}

}  // namespace

bool FindingTrait::is_kept_by(const FindingTrait& reduced) const {
  return reduced.verdict == verdict && reduced.reason == reason && reduced.finding == finding && reduced.opcode == opcode &&
         reduced.role == role && reduced.misses == misses && reduced.has_extra == has_extra && reduced.repeats == repeats &&
         std::ranges::includes(others, reduced.others);
}

FindingTrait trait_of(const oracle::CheckReport& report, const ir::Program& tiled) {
  FindingTrait trait;
  trait.verdict = report.verdict;
  if (report.findings.empty()) trait.reason = kind_of(report.reason);
  for (const oracle::Finding& finding : report.findings) trait.others.insert(finding.id);
  if (!report.findings.empty()) {
    const oracle::Finding& decisive = report.findings.front();
    trait.finding = decisive.id;
    trait.opcode = decisive.statement.substr(0, decisive.statement.find('#'));
    trait.role = role_of(tiled, decisive.buffer);
  }
  if (report.difference) {
    trait.misses = !report.difference->missing.empty();
    trait.has_extra = !report.difference->extra.empty();
    trait.repeats = !report.difference->repeated.empty();
  }
  return trait;
}

Interesting same_finding(FindingTrait wanted, oracle::CheckOptions options) {
  return [wanted = std::move(wanted), options = std::move(options)](const Subject& subject) {
    return subject.programs.size() == 2 && keeps(wanted, options, subject.programs[0], subject.programs[1]);
  };
}

Interesting same_finding(FindingTrait wanted, oracle::CheckOptions options, Compile compile) {
  return [wanted = std::move(wanted), options = std::move(options), compile = std::move(compile)](const Subject& subject) {
    if (subject.programs.size() != 1) return false;
    const std::optional<ir::Program> tiled = compile(subject.programs[0], subject.pipeline);
    return tiled && keeps(wanted, options, subject.programs[0], *tiled);
  };
}

std::function<bool(const ir::Program&, const ir::Program&)> same_meaning(const FindingTrait& wanted,
                                                                         oracle::CheckOptions options) {
  using enum oracle::FindingId;
  const bool is_about_meaning = wanted.finding == value || wanted.finding == rounding_only || wanted.finding == overflow;
  if (!is_about_meaning) return {};
  options.machine = nullptr;
  return [options = std::move(options)](const ir::Program& program, const ir::Program& edited) {
    const auto report = oracle::check(program, edited, options);
    return report && oracle::exit_code(report->verdict) == 0;
  };
}

}  // namespace tileproof::fuzz
