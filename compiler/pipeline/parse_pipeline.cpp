#include "compiler/ir/suggestion.h"
#include "compiler/pipeline/pipeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>

namespace tileproof::pipeline {
namespace {

/// `NAME=VALUE`, with where it stands.
struct WrittenOption {
  std::string_view name, value;
  size_t at = 0, value_at = 0;
};

/// `NAME{...}`.
struct WrittenStep {
  std::string_view name;
  size_t at = 0;
  std::vector<WrittenOption> options;
};

class Parser {
 public:
  /// Of the registry's pipelines only the first `known` are known.
  Parser(std::string_view text, const Registry& registry, size_t known, std::string_view file_name)
      : text_(text), registry_(registry), known_(std::span(registry.pipelines).first(known)), file_name_(file_name) {}

  std::expected<Pipeline, ir::Diagnostics> run() {
    Pipeline pipeline;
    skip_blanks();
    bool more = at_ < text_.size();
    while (more && errors_.empty()) {
      const WrittenStep step = read_step();
      if (errors_.empty()) append(step, pipeline);
      more = errors_.empty() && take(',');
    }
    if (errors_.empty() && at_ < text_.size())
      fault(at_, fmt::format("{} where a comma or the end is wanted", shown(at_)), "write `PASS{OPTION=VALUE, ...}, PASS, ...`");
    if (!errors_.empty()) return std::unexpected(std::move(errors_));
    return pipeline;
  }

 private:
  void fault(size_t at, std::string message, std::string mend) {
    errors_.push_back({std::string(file_name_), {1, static_cast<uint32_t>(at + 1)}, std::move(message), std::move(mend)});
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_blanks();
    return true;
  }

  /// Everything up to a blank or a sign of the grammar.
  std::string_view read_word() {
    const size_t begin = at_;
    at_ = std::min(text_.find_first_of(" \t\n,{}=", at_), text_.size());
    const std::string_view word = text_.substr(begin, at_ - begin);
    skip_blanks();
    return word;
  }

  std::string shown(size_t at) const { return at == text_.size() ? "the end" : ir::quoted(text_.substr(at)); }

  WrittenStep read_step() {
    WrittenStep step{.name = {}, .at = at_, .options = {}};
    step.name = read_word();
    if (step.name.empty()) {
      fault(step.at, fmt::format("{} where the name of a pass is wanted", shown(step.at)), known_names());
      return step;
    }
    if (!take('{') || take('}')) return step;
    do {
      WrittenOption option{.name = {}, .value = {}, .at = at_};
      option.name = read_word();
      const bool assigned = !option.name.empty() && take('=');
      option.value_at = at_;
      if (assigned) option.value = read_word();
      if (option.value.empty()) {
        fault(option.at, fmt::format("{} where an option is wanted", shown(option.at)), "write OPTION=VALUE");
        return step;
      }
      step.options.push_back(option);
    } while (take(','));
    if (!take('}')) fault(at_, "the options do not end", "write } behind the last one");
    return step;
  }

  std::string known_names() const {
    std::vector<std::string_view> names;
    for (const NamedPipeline& pipeline : known_) names.push_back(pipeline.name);
    for (const Pass& pass : registry_.passes) names.push_back(pass.name);
    if (names.empty()) return "leave the pipeline empty: there are no passes";
    return fmt::format("name a pipeline or a pass: {}", fmt::join(names, ", "));
  }

  /// The passes that a name stands for.
  std::optional<std::vector<Step>> steps_of(const WrittenStep& written) {
    if (const Pass* const pass = registry_.pass(written.name)) return std::vector<Step>{{*pass, {}}};
    const auto named = std::ranges::find(known_, written.name, &NamedPipeline::name);
    if (named == known_.end()) {
      std::vector<std::string_view> names;
      for (const NamedPipeline& pipeline : known_) names.push_back(pipeline.name);
      for (const Pass& pass : registry_.passes) names.push_back(pass.name);
      fault(written.at, fmt::format("no pass or pipeline is called {}", ir::quoted(written.name)),
            ir::suggestion(written.name, names, known_names()));
      return std::nullopt;
    }
    const auto before = static_cast<size_t>(named - known_.begin());
    std::expected<Pipeline, ir::Diagnostics> inner = Parser(named->text, registry_, before, named->name).run();
    if (!inner) {
      errors_ = std::move(inner.error());
      return std::nullopt;
    }
    return std::move(inner->steps);
  }

  void append(const WrittenStep& written, Pipeline& pipeline) {
    std::optional<std::vector<Step>> steps = steps_of(written);
    if (!steps) return;
    for (size_t i = 0; i < written.options.size(); ++i) {
      const WrittenOption& option = written.options[i];
      const auto same = [&](const WrittenOption& other) { return other.name == option.name; };
      if (std::any_of(written.options.begin(), written.options.begin() + static_cast<std::ptrdiff_t>(i), same)) {
        fault(option.at, fmt::format("option {} is given twice", ir::quoted(option.name)), "give it once");
      } else {
        give(written, option, *steps);
      }
    }
    for (Step& step : *steps) pipeline.steps.push_back(std::move(step));
  }

  void give(const WrittenStep& written, const WrittenOption& option, std::vector<Step>& steps) {
    std::vector<std::string_view> declared;
    bool taken = false;
    for (Step& step : steps) {
      for (const OptionDeclaration& declaration : step.pass.options) {
        declared.push_back(declaration.name);
        if (declaration.name != option.name) continue;
        taken = true;
        std::expected<OptionValue, ir::Diagnostic> value = parse_value(declaration, option.value);
        if (value) {
          step.given.insert_or_assign(declaration.name, std::move(*value));
        } else {
          fault(option.value_at, std::move(value.error().message), std::move(value.error().mend));
          return;
        }
      }
    }
    if (taken) return;
    std::ranges::sort(declared);
    const auto repeated = std::ranges::unique(declared);
    declared.erase(repeated.begin(), repeated.end());
    fault(option.at, fmt::format("{} has no option {}", ir::quoted(written.name), ir::quoted(option.name)),
          ir::suggestion(
              option.name, declared,
              declared.empty() ? "leave it out: there are none" : fmt::format("its options are {}", fmt::join(declared, ", "))));
  }

  std::string_view text_;
  const Registry& registry_;
  std::span<const NamedPipeline> known_;
  std::string_view file_name_;
  size_t at_ = 0;
  ir::Diagnostics errors_;
};

}  // namespace

std::expected<Pipeline, ir::Diagnostics> parse_pipeline(std::string_view text, const Registry& registry,
                                                        std::string_view file_name) {
  return Parser(text, registry, registry.pipelines.size(), file_name).run();
}

std::string to_string(const Pipeline& pipeline) {
  std::vector<std::string> steps;
  for (const Step& step : pipeline.steps) {
    std::vector<std::string> options;
    for (const auto& [name, value] : step.given) options.push_back(fmt::format("{}={}", name, to_string(value)));
    steps.push_back(options.empty() ? step.pass.name : fmt::format("{}{{{}}}", step.pass.name, fmt::join(options, ",")));
  }
  return fmt::format("{}", fmt::join(steps, ","));
}

}  // namespace tileproof::pipeline
