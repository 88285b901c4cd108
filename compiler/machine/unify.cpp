#include "compiler/machine/unify.h"

#include "compiler/ir/text.h"
#include "compiler/machine/lanes.h"
#include "compiler/machine/letters.h"
#include "compiler/machine/match.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::machine {
namespace {

/// Bounds the ways in which the statements of a group may meet the formulas.
constexpr size_t most_bindings = 64;

std::string shortened(std::string text) {
  constexpr size_t longest = 80;
  if (text.size() > longest) text = text.substr(0, longest - 3) + "...";
  return text;
}

Reason no_match(const Operation& operation, const Formula& formula) {
  const ir::Statement& statement = operation.statement();
  std::vector<std::string> indices;
  for (const ir::Expression& index : statement.indices) indices.push_back(ir::print(index));
  return {Reason::Kind::formula,
          {},
          {},
          {},
          &statement,
          fmt::format("the statement computes `{}[{}] {} {}`", statement.destination, fmt::join(indices, ", "),
                      ir::spelling(statement.update), shortened(ir::print(statement.value))),
          fmt::format("computes `{}`", formula.text)};
}

/// Whether each access lies in a space of its role.
std::optional<Reason> misplaced(const Operation& operation, const Opcode& opcode, const Formula& formula, const Match& match) {
  for (size_t shape = 0; shape < formula.shapes.size(); ++shape) {
    const RoleRule* rule = opcode.role(formula.shapes[shape].role);
    if (!match.access_of_shape[shape] || rule == nullptr || rule->spaces.empty()) continue;
    const Access& access = operation.access(*match.access_of_shape[shape]);
    if (std::ranges::find(rule->spaces, access.buffer->space) != rule->spaces.end()) continue;
    return Reason{Reason::Kind::space,
                  rule->role,
                  {},
                  access.name,
                  &operation.statement(),
                  fmt::format("{} lies in {}", access.name, access.buffer->space),
                  fmt::format("{} {} {} {}", shape == 0 ? "puts" : "takes", rule->role, shape == 0 ? "into" : "from",
                              fmt::join(rule->spaces, ", "))};
  }
  return std::nullopt;
}

/// Joins what one more statement of a group binds, if roles and letters agree.
std::optional<Binding> join(const std::vector<const Operation*>& operations, Binding binding, const Binding& other) {
  for (const BoundRole& bound : other.roles) {
    for (const BoundRole& earlier : binding.roles) {
      const auto buffer = [&](const BoundRole& role) { return operations[role.operation]->access(role.access).buffer; };
      if (earlier.role == bound.role && buffer(earlier) != buffer(bound)) return std::nullopt;
    }
  }
  for (const BoundLetter& bound : other.letters) {
    for (const BoundLetter& earlier : binding.letters) {
      if (earlier.letter == bound.letter && earlier.extent != bound.extent) return std::nullopt;
    }
  }
  binding.roles.insert(binding.roles.end(), other.roles.begin(), other.roles.end());
  binding.letters.insert(binding.letters.end(), other.letters.begin(), other.letters.end());
  return binding;
}

class GroupUnifier {
 public:
  GroupUnifier(std::span<const Operation> operations, const Opcode& opcode) : opcode_(opcode), used_(operations.size(), false) {
    for (const Operation& operation : operations) operations_.push_back(&operation);
  }

  std::expected<std::vector<Binding>, Reason> unify_all() {
    meet(0, {&opcode_, {}, {}});
    if (bindings_.empty()) return std::unexpected(reason_);
    return std::move(bindings_);
  }

 private:
  /// Finds statements for the formulas from `formula` on.
  void meet(size_t formula, const Binding& so_far) {
    if (bindings_.size() >= most_bindings) return;
    if (formula == opcode_.formulas.size()) {
      bindings_.push_back(so_far);
      return;
    }
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (used_[i]) continue;
      const auto bindings = unify(*operations_[i], opcode_, formula, i);
      if (!bindings) {
        // The reason of the statement that stands in the place of its formula is the one that people look for.
        if (i == formula && (!failed_ || bindings.error().kind > reason_.kind)) reason_ = bindings.error();
        failed_ = failed_ || i == formula;
        continue;
      }
      used_[i] = true;
      for (const Binding& binding : *bindings) {
        if (const auto both = join(operations_, so_far, binding)) {
          meet(formula + 1, *both);
        } else if (!failed_) {
          reason_ = {Reason::Kind::axes,
                     {},
                     {},
                     operations_[i]->access(0).name,
                     &operations_[i]->statement(),
                     fmt::format("the statement on {} does not use the same buffers and extents as the others of its group",
                                 operations_[i]->access(0).name),
                     fmt::format("computes `{}` with one buffer for each role and one extent for each letter",
                                 opcode_.formulas[formula].text)};
        }
      }
      used_[i] = false;
    }
  }

  const Opcode& opcode_;
  std::vector<const Operation*> operations_;
  std::vector<bool> used_;
  std::vector<Binding> bindings_;
  Reason reason_;
  bool failed_ = false;
};

/// How close it comes: reasons of a late kind, and few of them.
bool closer(const std::vector<Reason>& left, const std::vector<Reason>& right) {
  const auto closeness = [](const Reason& reason) { return 2 * static_cast<int>(reason.kind) - (reason.axes_too ? 3 : 0); };
  const auto first = [&](const std::vector<Reason>& reasons) { return closeness(std::ranges::min(reasons, {}, closeness)); };
  if (first(left) != first(right)) return first(left) > first(right);
  return left.size() < right.size();
}

}  // namespace

const BoundRole* Binding::role(std::string_view name) const {
  const auto found = std::ranges::find(roles, name, &BoundRole::role);
  return found == roles.end() ? nullptr : &*found;
}

const BoundLetter* Binding::letter(std::string_view name) const {
  const auto found = std::ranges::find(letters, name, &BoundLetter::letter);
  return found == letters.end() ? nullptr : &*found;
}

std::expected<std::vector<Binding>, Reason> unify(const Operation& operation, const Opcode& opcode, size_t formula_index,
                                                  size_t number) {
  const Formula& formula = opcode.formulas[formula_index];
  const std::vector<Match> matches = match_value(operation, formula, opcode.casts);
  if (matches.empty()) return std::unexpected(no_match(operation, formula));
  std::vector<Binding> bindings;
  std::optional<Reason> reason;
  const auto keep = [&](Reason other) {
    if (!reason || other.kind > reason->kind) reason = std::move(other);
  };
  for (const Match& match : matches) {
    auto binding = bind_letters(operation, opcode, formula, match, number);
    auto crossing = binding ? crossing_lanes(operation, *binding, formula) : std::nullopt;
    if (auto wrong = misplaced(operation, opcode, formula, match)) {
      wrong->axes_too = !binding || crossing;
      keep(std::move(*wrong));
    } else if (!binding) {
      keep(std::move(binding.error()));
    } else if (crossing) {
      keep(std::move(*crossing));
    } else {
      bindings.push_back(std::move(*binding));
    }
  }
  if (bindings.empty()) return std::unexpected(*reason);
  return bindings;
}

std::expected<std::vector<Binding>, Reason> unify_group(std::span<const Operation> operations, const Opcode& opcode) {
  if (operations.size() != opcode.formulas.size()) {
    return std::unexpected(
        Reason{Reason::Kind::formula,
               {},
               {},
               {},
               &operations.front().statement(),
               operations.size() == 1 ? "it is one statement" : fmt::format("it is a group of {} statements", operations.size()),
               opcode.formulas.size() == 1 ? "is a single statement" : fmt::format("is a group of {}", opcode.formulas.size())});
  }
  if (operations.size() == 1) return unify(operations.front(), opcode);
  return GroupUnifier(operations, opcode).unify_all();
}

Judgement judge(std::span<const Operation> operations, std::span<const Opcode* const> alternatives, const Machine& machine) {
  Judgement best;
  bool first = true;
  for (const Opcode* opcode : alternatives) {
    auto bindings = unify_group(operations, *opcode);
    if (!bindings) {
      if (first || closer({bindings.error()}, best.reasons)) best = {std::nullopt, {bindings.error()}};
      first = false;
      continue;
    }
    for (Binding& binding : *bindings) {
      std::vector<Reason> reasons = rule_violations(operations, binding, machine);
      if (reasons.empty()) return {std::move(binding), {}};
      if (first || closer(reasons, best.reasons)) best = {std::move(binding), std::move(reasons)};
      first = false;
    }
  }
  return best;
}

}  // namespace tileproof::machine
