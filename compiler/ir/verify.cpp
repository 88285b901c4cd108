#include "compiler/ir/verify.h"

#include "compiler/ir/reserved.h"
#include "compiler/ir/suggestion.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_set>

namespace tileproof::ir {
namespace {

/// Enough to work on; the rest follows from them more often than not.
constexpr size_t most_diagnostics = 20;

constexpr IndexPlace loop_bound{"a bound of a loop", true, false, true};
constexpr IndexPlace branch_condition{"a condition", true, false, true};
constexpr IndexPlace while_limit{"the limit of a while", true};

/// The first element whose word stands in the list before it too; nullptr: none. Most lists have one or two.
template <class Element, class Word = std::identity>
const Element* first_repeated(const std::vector<Element>& list, const Word& word_of = {}) {
  constexpr size_t few = 8;
  if (list.size() <= few) {
    for (auto element = list.begin(); element != list.end(); ++element)
      if (std::ranges::find(list.begin(), element, std::invoke(word_of, *element), word_of) != element) return &*element;
    return nullptr;
  }
  std::unordered_set<std::string_view> seen;
  const auto repeated =
      std::ranges::find_if(list, [&](const Element& each) { return !seen.insert(std::invoke(word_of, each)).second; });
  return repeated == list.end() ? nullptr : &*repeated;
}

/// Equal for all values of the parameters, as far as is plain to see.
bool same_extents(const Buffer& a, const Buffer& b, const auto& interval_of) {
  return std::ranges::equal(a.extents, b.extents, [&](const Expression& left, const Expression& right) {
    if (left == right) return true;
    const auto one = interval_of(left), other = interval_of(right);
    return one && other && one->is_point() && *one == *other;
  });
}

std::string shape(const Buffer& buffer) {
  std::string dims;
  for (const Expression& extent : buffer.extents) dims += (dims.empty() ? "" : ", ") + print(extent);
  return fmt::format("{}[{}]", name(buffer.dtype), dims);
}

}  // namespace

// ---- names and messages ----

void Verifier::report(Location location, std::string message, std::string mend) {
  if (diagnostics_.size() >= most_diagnostics) return;
  // In the order of the text, although a rule about a whole construct is judged after those about its parts.
  const auto place = std::ranges::upper_bound(diagnostics_, location, {}, &Diagnostic::location);
  diagnostics_.insert(place, {std::string(file_name_), location, std::move(message), std::move(mend)});
}

void Verifier::declare(const std::string& name, const Symbol& symbol) {
  if (!is_name(name)) {
    report(symbol.location, fmt::format("{} cannot be the name of {}", quoted(name), description(symbol.kind)),
           "names are letters, digits and `_`, and not words of the language");
  }
  const Symbol* earlier = scope_.declare(name, symbol);
  if (earlier == nullptr) return;
  const std::string where =
      earlier->location == Location{} ? "" : fmt::format(" at {}:{}", earlier->location.line, earlier->location.column);
  report(symbol.location, fmt::format("`{}` is already {}{}", name, description(earlier->kind), where),
         "choose another name: a name must not hide a visible one");
}

const Symbol* Verifier::find(const std::string& name, Location location, bool memory) {
  const Symbol* symbol = scope_.find(name);
  if (symbol == nullptr) {
    // To look for the nearest of many names is slow, and in vain once there are errors enough.
    if (diagnostics_.size() < most_diagnostics && unknown_.insert(name).second) {
      const std::string otherwise =
          memory ? fmt::format("declare it with `buffer {} : ...` before this line", name)
                 : fmt::format("declare it as a parameter, a loop variable or an axis: `over {}:...`", name);
      report(location, fmt::format("unknown name {}", quoted(name)), suggestion(name, scope_.visible(memory), otherwise));
    }
    return nullptr;
  }
  if (symbol->is_memory() == memory) return symbol;
  if (memory) {
    report(location, fmt::format("`{}` is {}, not a buffer", name, description(symbol->kind)),
           fmt::format("write `{}` without an index", name));
  } else {
    report(location, fmt::format("`{}` is {}, and has no value as a whole", name, description(symbol->kind)),
           fmt::format("read an element: `{}[...]`", name));
  }
  return nullptr;
}

void Verifier::tags(const Tags& tags, Location location, std::string_view owner) {
  const auto word = [&](const std::string& text) {
    if (!is_word(text))
      report(location, fmt::format("{} in the tags of `{}` is not a word", quoted(text), owner), "letters, digits and `_`");
  };
  for (const Tag& tag : tags) {
    word(tag.name);
    if (const auto* text = std::get_if<std::string>(&tag.value.value)) word(*text);
    if (const auto* list = std::get_if<3>(&tag.value.value)) {
      for (const auto& atom : *list) {
        if (const auto* text = std::get_if<std::string>(&atom)) word(*text);
      }
    }
  }
  if (const Tag* twice = first_repeated(tags, &Tag::name)) {
    report(location, fmt::format("the tag `{}` of `{}` is given twice", twice->name, owner),
           "give it once; several values are a list: `[1, 2]`");
  }
}

std::optional<Interval> Verifier::interval_of(const Expression& e) const {
  return interval(e, [&](std::string_view name) -> std::optional<Interval> {
    const Symbol* symbol = scope_.find(name);
    if (symbol == nullptr || symbol->kind != Symbol::Kind::parameter) return std::nullopt;
    return Interval{symbol->parameter->low, symbol->parameter->high};
  });
}

void Verifier::written(const Symbol& symbol, const std::string& name, Location location) {
  if (symbol.buffer == nullptr || symbol.buffer->role != Role::in) return;
  const std::string through = symbol.kind == Symbol::Kind::view ? fmt::format(" through the view `{}`", name) : "";
  report(location, fmt::format("`{}` is `in` and is written{}", symbol.buffer->name, through),
         fmt::format("declare `{}` as inout, or write another buffer", symbol.buffer->name));
}

// ---- the walk ----

void Verifier::run() {
  if (!is_name(program_.name))
    report(program_.location, fmt::format("{} is not the name of a program", quoted(program_.name)), "choose another");
  if (program_.machine && !is_machine_name(*program_.machine)) {
    report(program_.location, fmt::format("{} is not the name of a machine", quoted(*program_.machine)),
           "`machine trn2` for example");
  }
  tags(program_.tags, program_.location, program_.name);
  parameters();
  block(program_.body, 0);
  const bool has_result = std::ranges::any_of(program_.body, [](const Item& item) {
    const auto* buffer = std::get_if<Buffer>(&item.node);
    return buffer != nullptr && (buffer->role == Role::out || buffer->role == Role::inout);
  });
  if (!has_result) {
    report(program_.location, fmt::format("the program `{}` has no `out` or `inout` buffer", program_.name),
           "declare the buffer that holds its result as `out`");
  }
}

void Verifier::block(const Block& body, int depth) {
  for (const Item& each : body) std::visit([&](const auto& node) { item(node, depth); }, each.node);
}

void Verifier::nested(const Block& body, int depth, Location location) {
  if (depth + 1 >= TextLimits{}.depth) {
    report(location, fmt::format("blocks nest deeper than {}", TextLimits{}.depth), "flatten loops that only nest");
    return;
  }
  const ScopedNames names(scope_);
  block(body, depth + 1);
}

void Verifier::item(const Loop& loop, int depth) {
  tags(loop.tags, loop.location, loop.name);
  index(loop.range.low, loop_bound, loop.location);
  index(loop.range.high, loop_bound, loop.location);
  const ScopedNames names(scope_);
  declare(loop.name, Symbol{Symbol::Kind::loop, loop.location});
  nested(loop.body, depth, loop.location);
}

void Verifier::item(const If& branch, int depth) {
  if (branch.conditions.empty())
    report(branch.location, "an `if` without a condition", "give a comparison, or leave the `if` out");
  conditions(branch.conditions, branch_condition, branch.location);
  nested(branch.then_body, depth, branch.location);
  nested(branch.else_body, depth, branch.location);
}

void Verifier::item(const While& repeat, int depth) {
  if (repeat.conditions.empty()) report(repeat.location, "a `while` without a condition", "give a comparison");
  conditions(repeat.conditions, branch_condition, repeat.location);
  index(repeat.limit, while_limit, repeat.location);
  if (const auto limit = interval_of(repeat.limit); limit && limit->high < 0) {
    report(repeat.location, "the limit of a `while` is negative", "give the greatest number of iterations");
  }
  nested(repeat.body, depth, repeat.location);
}

void Verifier::item(const Group& group, int depth) {
  if (!is_name(group.name))
    report(group.location, fmt::format("{} is not the name of a group", quoted(group.name)), "choose another");
  if (group.opcode && !is_opcode(*group.opcode))
    report(group.location, fmt::format("{} is not an opcode", quoted(*group.opcode)), "choose another");
  tags(group.tags, group.location, group.name);
  nested(group.body, depth, group.location);
}

void Verifier::item(const Move& move, int) {
  if (move.destinations.empty() || move.destinations.size() != move.sources.size()) {
    report(move.location, fmt::format("a move of {} sources to {} destinations", move.sources.size(), move.destinations.size()),
           "give one source for each destination: `move a, b = x, y`");
  }
  if (const std::string* twice = first_repeated(move.destinations)) {
    report(move.location, fmt::format("`{}` is moved to twice", *twice), "name each destination once");
  }
  for (size_t i = 0; i < move.destinations.size(); ++i) {
    const Buffer* to = whole_buffer(move.destinations[i], move.location, "`move`");
    if (to != nullptr) written(*scope_.find(move.destinations[i]), move.destinations[i], move.location);
    const Buffer* from = i < move.sources.size() ? whole_buffer(move.sources[i], move.location, "`move`") : nullptr;
    if (to == nullptr || from == nullptr) continue;
    if (to->dtype != from->dtype || !same_extents(*to, *from, [&](const Expression& e) { return interval_of(e); })) {
      report(move.location, fmt::format("`{}` is {} and `{}` is {}", to->name, shape(*to), from->name, shape(*from)),
             "a move needs equal dtypes and extents: convert with a statement");
    }
  }
}

void Verifier::item(const Opaque& opaque, int) {
  if (!is_name(opaque.name))
    report(opaque.location, fmt::format("{} is not the name of an operation", quoted(opaque.name)), "choose another");
  bool has_result = false;
  for (const Opaque::Argument& argument : opaque.arguments) {
    const Buffer* buffer = whole_buffer(argument.buffer, opaque.location, "`opaque`");
    if (argument.role == Role::none)
      report(opaque.location, fmt::format("the argument `{}` has no role", argument.buffer), "in, inout or out");
    if (argument.role == Role::in) continue;
    has_result = true;
    if (buffer != nullptr) written(*scope_.find(argument.buffer), argument.buffer, opaque.location);
  }
  if (const Opaque::Argument* twice = first_repeated(opaque.arguments, &Opaque::Argument::buffer)) {
    report(opaque.location, fmt::format("`{}` is an argument twice", twice->buffer),
           "an argument that is read and written is `inout`");
  }
  if (!has_result)
    report(opaque.location, fmt::format("`{}` has no result", opaque.name), "give it an `out` or `inout` argument");
}

Diagnostics verify(const Program& program, std::string_view file_name) {
  Diagnostics diagnostics;
  Verifier(program, file_name, diagnostics).run();
  return diagnostics;
}

Diagnostics verify(const File& file) {
  Diagnostics diagnostics;
  if (file.programs.empty()) diagnostics.push_back({file.name, {}, "the file holds no program", "write `program NAME { ... }`"});
  std::unordered_set<std::string_view> names;
  for (const Program& program : file.programs) {
    if (!names.insert(program.name).second && diagnostics.size() < most_diagnostics) {
      diagnostics.push_back({file.name, program.location, fmt::format("a second program named {}", quoted(program.name)),
                             "give each program of a file a name of its own"});
    }
    Verifier(program, file.name, diagnostics).run();
  }
  return diagnostics;
}

}  // namespace tileproof::ir
