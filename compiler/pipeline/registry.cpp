#include "compiler/pipeline/registry.h"

#include "compiler/pipeline/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tileproof::pipeline {
namespace {

class Verifier {
 public:
  explicit Verifier(const Registry& registry) : registry_(registry) {}

  ir::Diagnostics run() {
    for (const Pass& pass : registry_.passes) verify(pass);
    for (const NamedPipeline& pipeline : registry_.pipelines) verify(pipeline);
    return std::move(errors_);
  }

 private:
  void fault(const std::string& of, std::string message, std::string mend) {
    errors_.push_back({of, {}, std::move(message), std::move(mend)});
  }

  /// A pass and a pipeline are named by the same text, so they share their names.
  void verify_name(const std::string& name) {
    if (!is_name(name)) fault(name, "is no name", "write it in small letters, digits and dashes");
    if (!names_.insert(name).second) fault(name, "two passes or pipelines have this name", "rename one of them");
  }

  void verify(const Pass& pass) {
    verify_name(pass.name);
    if (!pass.run) fault(pass.name, "has no function", "set `run`");
    std::set<std::string> names;
    for (const OptionDeclaration& option : pass.options) {
      if (!is_name(option.name) || !names.insert(option.name).second)
        fault(pass.name, fmt::format("option `{}` is no name or occurs twice", option.name), "rename it");
      if (std::holds_alternative<MachineConstant>(option.default_value)) continue;
      const std::string text = std::visit(
          [](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, MachineConstant>) {
              return value.name;
            } else {
              return to_string(OptionValue(value));
            }
          },
          option.default_value);
      if (const auto value = parse_value(option, text); !value) fault(pass.name, value.error().message, value.error().mend);
    }
    std::set<std::string> remarks;
    for (const RemarkDeclaration& remark : pass.vocabulary) {
      if (!is_name(remark.id) || !remarks.insert(remark.id).second)
        fault(pass.name, fmt::format("remark `{}` is no name or occurs twice", remark.id), "rename it");
    }
  }

  void verify(const NamedPipeline& pipeline) {
    verify_name(pipeline.name);
    const std::expected<Pipeline, ir::Diagnostics> parsed = parse_pipeline(pipeline.name, registry_, pipeline.name);
    if (!parsed) errors_.insert(errors_.end(), parsed.error().begin(), parsed.error().end());
  }

  const Registry& registry_;
  std::set<std::string> names_;
  ir::Diagnostics errors_;
};

}  // namespace

std::string_view name(RemarkKind kind) { return kind == RemarkKind::applied ? "applied" : "declined"; }

bool is_name(std::string_view text) {
  return !text.empty() && text.front() != '-' &&
         std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

const Pass* Registry::pass(std::string_view name) const {
  const auto found = std::ranges::find(passes, name, &Pass::name);
  return found == passes.end() ? nullptr : &*found;
}

ir::Diagnostics verify(const Registry& registry) { return Verifier(registry).run(); }

}  // namespace tileproof::pipeline
