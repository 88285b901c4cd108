// Steps that leave a subject as long as it is, but easier to read.
#include "compiler/ir/reserved.h"
#include "fuzz/reduce/steps.h"
#include "fuzz/reduce/walk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <map>
#include <set>

namespace tileproof::fuzz {
namespace {

/// Names in order of appearance: one letter of `letters` as long as there are some, then letters with numbers.
class ShortNames {
 public:
  explicit ShortNames(std::string_view letters) : letters_(letters) {}

  const std::string& of(const std::string& name) {
    const auto found = names_.find(name);
    if (found != names_.end()) return found->second;
    std::string short_name;
    do {
      short_name = letters_[next_ % letters_.size()];
      if (next_ >= letters_.size()) short_name += std::to_string(next_ / letters_.size());
      ++next_;
    } while (!ir::is_name(short_name));
    return names_[name] = short_name;
  }

 private:
  std::string_view letters_;
  size_t next_ = 0;
  std::map<std::string, std::string> names_;
};

struct PassText {
  std::string name;
  std::vector<std::string> options;
};

/// "a,b{x=1,y=2}" as far as it is of that form.
std::vector<PassText> passes_of(const std::string& pipeline) {
  std::vector<PassText> passes(1);
  bool inside = false;
  for (const char c : pipeline) {
    PassText& pass = passes.back();
    if (c == '{')
      inside = true, pass.options.emplace_back();
    else if (c == '}')
      inside = false;
    else if (c == ',' && !inside)
      passes.emplace_back();
    else if (c == ',')
      pass.options.emplace_back();
    else
      (inside ? pass.options.back() : pass.name) += c;
  }
  return passes;
}

std::string text_of(const std::vector<PassText>& passes) {
  std::vector<std::string> texts;
  for (const PassText& pass : passes) {
    texts.push_back(pass.name);
    if (!pass.options.empty()) texts.back() += fmt::format("{{{}}}", fmt::join(pass.options, ","));
  }
  return fmt::format("{}", fmt::join(texts, ","));
}

/// Simpler values of "NAME=NUMBER".
std::vector<std::string> simpler(const std::string& option) {
  const size_t equals = option.find('=');
  if (equals == std::string::npos) return {};
  const char* const end = option.data() + option.size();
  int64_t value = 0;
  const auto [rest, error] = std::from_chars(option.data() + equals + 1, end, value);
  if (error != std::errc() || rest != end || value < 2) return {};
  std::vector<std::string> options;
  for (const int64_t less : {int64_t{1}, value / 16, value / 2, value - 1})
    if (less > 0) options.push_back(fmt::format("{}={}", option.substr(0, equals), less));
  return options;
}

}  // namespace

void make_dtypes_f32(Subject& subject, Places& places) {
  std::set<std::string> seen, taken;   // by name, so that an interface buffer changes in both programs
  for (ir::Program& program : subject.programs) {
    each<ir::Buffer>(program, [&](ir::Buffer& buffer) {
      if (buffer.dtype != ir::Dtype::f32 && seen.insert(buffer.name).second && places.next()) taken.insert(buffer.name);
    });
  }
  for (ir::Program& program : subject.programs) {
    each<ir::Buffer>(program, [&](ir::Buffer& buffer) {
      if (!taken.contains(buffer.name)) return;
      buffer.dtype = ir::Dtype::f32;
      buffer.range.reset();
    });
  }
}

void shorten_names(Subject& subject, Places& places) {
  if (!places.next()) return;
  ShortNames memory("abcdefgh"), integers("ijklmnopqrstuvwxyz"), groups("g");   // no name may hide another one
  const auto rename = [](std::string& name, ShortNames& names) { name = names.of(name); };
  for (ir::Program& program : subject.programs) {
    for (ir::Parameter& p : program.parameters) rename(p.name, integers);
    each_item(program.body, [&](ir::Item& item) {
      if (auto* loop = std::get_if<ir::Loop>(&item.node)) rename(loop->name, integers);
      if (auto* s = std::get_if<ir::Statement>(&item.node))
        for (ir::Axis& axis : s->axes) rename(axis.name, integers);
      if (auto* view = std::get_if<ir::View>(&item.node))
        for (ir::Axis& dim : view->dims) rename(dim.name, integers);
      if (auto* group = std::get_if<ir::Group>(&item.node)) rename(group->name, groups);
      each_memory_name(item, [&](std::string& name) { rename(name, memory); });
      each_expression(item, [&](ir::Expression& whole, Use use) {
        each_node(whole, use, [&](ir::Expression& e, Use) {
          if (e.op == ir::Op::variable) rename(e.name, integers);
        });
      });
    });
  }
}

void simplify_pipeline(Subject& subject, Places& places) {
  if (subject.pipeline.empty()) return;
  const std::vector<PassText> passes = passes_of(subject.pipeline);
  const auto take = [&](const auto& edit) {
    if (!places.next()) return false;
    std::vector<PassText> edited = passes;
    edit(edited);
    subject.pipeline = text_of(edited);
    return true;
  };
  for (size_t i = 0; i < passes.size() && passes.size() > 1; ++i)
    if (take([&](auto& edited) { edited.erase(edited.begin() + static_cast<std::ptrdiff_t>(i)); })) return;
  for (size_t i = 0; i < passes.size(); ++i) {
    for (size_t k = 0; k < passes[i].options.size(); ++k) {
      const auto drop = [&](auto& edited) {
        edited[i].options.erase(edited[i].options.begin() + static_cast<std::ptrdiff_t>(k));
      };
      if (take(drop)) return;
      for (const std::string& option : simpler(passes[i].options[k]))
        if (take([&](auto& edited) { edited[i].options[k] = option; })) return;
    }
  }
}

}  // namespace tileproof::fuzz
