#include "fuzz/reduce/same_finding.h"

#include "compiler/ir/text.h"
#include "compiler/pipeline/pipeline.h"
#include "fuzz/reduce/walk.h"
#include "oracle/pipeline/verify_pipeline.h"

#include <algorithm>
#include <cctype>
#include <exception>
#include <map>
#include <ranges>
#include <string_view>
#include <tuple>
#include <utility>

namespace tileproof::fuzz {
namespace {

using Names = std::set<std::string, std::less<>>;

/// What the programmer has named, and reports speak of.
Names names_in(ir::Program program) {
  Names names;
  for (const ir::Parameter& p : program.parameters) names.insert(p.name);
  each_item(program.body, [&](ir::Item& item) {
    each_memory_name(item, [&](const std::string& name) { names.insert(name); });
    each_expression(item, [&](ir::Expression& whole, Use use) {
      each_node(whole, use, [&](ir::Expression& e, Use) {
        if (e.op == ir::Op::variable) names.insert(e.name);
      });
    });
    if (const auto* loop = std::get_if<ir::Loop>(&item.node)) names.insert(loop->name);
    if (const auto* group = std::get_if<ir::Group>(&item.node)) names.insert(group->name);
    if (const auto* s = std::get_if<ir::Statement>(&item.node))
      for (const ir::Axis& axis : s->axes) names.insert(axis.name);
  });
  return names;
}

/// Its words without those that hold a digit, a quote or a bracket and those that are `names`: the others are names and numbers.
std::string kind_of(std::string_view reason, const Names& names) {
  std::string kind;
  for (const auto part : std::views::split(reason, ' ')) {
    const std::string_view word(part.begin(), part.end());
    const bool is_plain = std::ranges::none_of(
        word, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) || c == '#' || c == '`' || c == '['; });
    const std::string_view bare = word.substr(0, word.find_last_not_of(".,;:") + 1);
    if (is_plain && word.size() > 1 && !names.contains(bare)) kind.append(word) += ' ';
  }
  return kind;
}

/// The buffer of this name, or under the view of this name.
std::optional<ir::Buffer> buffer_of(ir::Program program, std::string name) {
  std::map<std::string, std::string> bases;
  each<ir::View>(program, [&](ir::View& view) { bases[view.name] = view.base; });
  for (auto base = bases.find(name); base != bases.end(); base = bases.find(name)) name = base->second;
  std::optional<ir::Buffer> found;
  each<ir::Buffer>(program, [&](ir::Buffer& buffer) {
    if (buffer.name == name) found = buffer;
  });
  return found;
}

std::optional<ir::Update> update_of(const ir::Program& program, const std::string& label) {
  for (const auto& [statement, name] : ir::labelled_statements(program))
    if (name == label) return statement->update;
  return std::nullopt;
}

}  // namespace

Judge pair_judge(oracle::CheckOptions options) {
  return [options = std::move(options)](const Subject& subject) -> Judgement {
    if (subject.programs.size() != 2) return {.outcome = "no pair"};
    auto report = oracle::check(subject.programs[0], subject.programs[1], options);
    if (!report) return {.outcome = "another interface", .why = report.error().front().message};
    return {.outcome = "checked", .tiled = subject.programs[1], .report = std::move(*report)};
  };
}

Judge pipeline_judge(pipeline::Registry passes, oracle::CheckOptions options) {
  return [passes = std::move(passes), options = std::move(options)](const Subject& subject) -> Judgement {
    const auto pipeline = pipeline::parse_pipeline(subject.pipeline, passes);
    if (subject.programs.size() != 1 || !pipeline) return {.outcome = "no pipeline"};
    try {
      oracle::PipelineReport result = oracle::verify_pipeline(subject.programs.front(), *pipeline, options);
      Judgement judgement{.outcome = "checked", .pass = result.pass, .report = std::move(result.report)};
      if (!result.passes.empty()) judgement.tiled = std::move(result.passes.back().stage.program);
      return judgement;
    } catch (const std::exception& error) {
      return {.outcome = "exception", .why = error.what()};
    }
  };
}

bool FindingTrait::is_kept_by(const FindingTrait& reduced) const {
  const auto same = [](const FindingTrait& trait) {
    return std::tie(trait.outcome, trait.pass, trait.reason, trait.verdict, trait.finding, trait.opcode, trait.update, trait.role,
                    trait.space, trait.misses, trait.has_extra, trait.repeats, trait.differs_everywhere);
  };
  return same(*this) == same(reduced) && std::ranges::includes(others, reduced.others);
}

FindingTrait trait_of(const Judgement& judgement) {
  const Names names = judgement.tiled ? names_in(*judgement.tiled) : Names();
  FindingTrait trait;
  trait.outcome = judgement.outcome;
  trait.pass = judgement.pass;
  if (!judgement.report) {
    trait.reason = kind_of(judgement.why, names);
    return trait;
  }
  const oracle::CheckReport& report = *judgement.report;
  trait.verdict = report.verdict;
  if (report.findings.empty()) trait.reason = kind_of(report.reason, names);
  for (const oracle::Finding& finding : report.findings) trait.others.insert(finding.id);
  if (!report.findings.empty()) {
    const oracle::Finding& decisive = report.findings.front();
    trait.finding = decisive.id;
    trait.opcode = decisive.statement.substr(0, decisive.statement.find('#'));
    if (decisive.id >= oracle::FindingId::capacity) trait.reason = kind_of(decisive.detail, names);
    if (judgement.tiled) {
      trait.update = update_of(*judgement.tiled, decisive.statement);
      if (const std::optional<ir::Buffer> buffer = buffer_of(*judgement.tiled, decisive.buffer)) {
        trait.role = buffer->role;
        trait.space = buffer->space;
      }
    }
  }
  if (report.difference) {
    trait.misses = !report.difference->missing.empty();
    trait.has_extra = !report.difference->extra.empty();
    trait.repeats = !report.difference->repeated.empty();
    trait.differs_everywhere = report.difference->differing == report.difference->compared;
  }
  return trait;
}

Interesting same_finding(FindingTrait wanted, Judge judge) {
  return [wanted = std::move(wanted), judge = std::move(judge)](const Subject& subject) {
    return wanted.is_kept_by(trait_of(judge(subject)));
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
