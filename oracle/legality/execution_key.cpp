#include "oracle/legality/execution_key.h"

#include "compiler/ir/floor_divide.h"

#include <algorithm>
#include <utility>

namespace tileproof::oracle {
namespace {

using ir::Expression;
using ir::Op;
using machine::Form;

/// Wide enough that no range decides a `floordiv` or `min`, and that no product of an index with it overflows.
constexpr int64_t far = int64_t{1} << 40;

void collect_names(const Expression& e, std::vector<ir::Axis>& names) {
  if (e.op == Op::variable && std::ranges::find(names, e.name, &ir::Axis::name) == names.end()) {
    names.emplace_back().name = e.name;
  }
  for (const Expression& operand : e.operands) collect_names(operand, names);
}

bool reads(const Expression& e) { return e.op == Op::read || std::ranges::any_of(e.operands, reads); }

}  // namespace

ExecutionKey::ExecutionKey(const machine::StatementAccesses& text, const machine::Machine& machine) {
  const ir::Statement& statement = *text.statement;
  axes_ = statement.axes.size();
  names_.reserve(2 * axes_);
  for (const ir::Axis& axis : statement.axes) names_.emplace_back().name = axis.name;
  for (const Expression& condition : statement.where) collect_names(condition, names_);
  for (const machine::Access& access : text.accesses) {
    for (const Expression& index : access.indices) collect_names(index, names_);
    if (access.buffer->address) {
      collect_names(access.buffer->address->partition, names_);
      collect_names(access.buffer->address->byte, names_);
    }
  }
  anywhere_ = {std::vector<int64_t>(names_.size(), -far), std::vector<int64_t>(names_.size(), far)};
  for (const Expression& condition : statement.where) add_condition(condition);
  for (const machine::Access& access : text.accesses) {
    const machine::Space* space = machine.space(access.buffer->space);
    const size_t partition_rank = access.buffer->partition_rank.value_or(0);
    const bool partitions_matter = space != nullptr && !space->starts.empty();
    const bool elements_matter = ir::bits(access.buffer->dtype) < 8 || (space != nullptr && space->bank_bytes);
    for (size_t d = 0; d < access.indices.size(); ++d) {
      const std::optional<Form> form = form_of(access.indices[d]);
      if (!form) {
        if (!is_plain_read(access.indices[d])) add_variables(access.indices[d]);
      } else if (d < partition_rank ? partitions_matter : elements_matter) {
        add_sum(rest_of(*form));
      }
    }
    if (access.buffer->address) {
      add_offset(access.buffer->address->partition);
      add_offset(access.buffer->address->byte);
    }
  }
}

int64_t ExecutionKey::Sum::value(const machine::Lookup& lookup) const {
  int64_t sum = constant;
  for (const auto& [name, coefficient] : terms) sum += coefficient * lookup(name);
  return sum;
}

std::optional<Form> ExecutionKey::form_of(const Expression& expression) const {
  static const machine::Lookup nothing = [](std::string_view) { return int64_t{0}; };
  if (reads(expression)) return std::nullopt;
  Form form = machine::form_of(expression, names_, anywhere_, nothing);
  return form.affine ? std::optional(std::move(form)) : std::nullopt;
}

ExecutionKey::Sum ExecutionKey::rest_of(const Form& form) const {
  Sum rest{form.constant, {}};
  for (const Form::Term& term : form.terms)
    if (term.axis >= axes_) rest.terms.emplace_back(names_[term.axis].name, term.coefficient);
  return rest;
}

bool ExecutionKey::is_plain_read(const Expression& index) const {
  return index.op == Op::read &&
         std::ranges::all_of(index.operands, [&](const Expression& operand) { return form_of(operand).has_value(); });
}

void ExecutionKey::add_condition(const Expression& condition) {
  if (!ir::is_comparison(condition.op) || reads(condition)) return;
  std::optional<Form> left = form_of(condition.operands[0]), right = form_of(condition.operands[1]);
  if (!left || !right) {
    add_variables(condition);
    return;
  }
  Form difference = machine::multiply_add(*std::move(right), -1, *std::move(left));
  Sum rest = rest_of(difference);
  std::erase_if(difference.terms, [&](const Form::Term& term) { return term.axis >= axes_; });
  cuts_.push_back({std::move(difference.terms), std::move(rest)});
}

void ExecutionKey::add_sum(Sum sum) {
  if (!sum.terms.empty()) values_.push_back(std::move(sum));
}

void ExecutionKey::add_offset(const Expression& offset) {
  if (const std::optional<Form> form = form_of(offset)) {
    add_sum(rest_of(*form));
  } else {
    add_variables(offset);
  }
}

void ExecutionKey::add_variables(const Expression& expression) {
  std::vector<ir::Axis> variables;
  collect_names(expression, variables);
  for (const ir::Axis& variable : variables) {
    const auto known = std::ranges::find(names_, variable.name, &ir::Axis::name);
    if (static_cast<size_t>(known - names_.begin()) >= axes_) values_.push_back({0, {{variable.name, 1}}});
  }
}

void ExecutionKey::append(std::span<const int64_t> extents, const machine::Lookup& lookup, std::vector<int64_t>& key) const {
  key.insert(key.end(), extents.begin(), extents.end());
  for (const Cut& cut : cuts_) {
    const Form::Term* wide = nullptr;
    size_t wides = 0;
    for (const Form::Term& term : cut.axes) {
      if (extents[term.axis] <= 1) continue;
      wide = &term;
      ++wides;
    }
    if (wides > 1) continue;   // such a condition cuts no axis
    const int64_t rest = cut.rest.value(lookup);
    if (wide == nullptr) {
      key.push_back((rest > 0) - (rest < 0));
      continue;
    }
    // Bounds beyond either end of the axis are all alike. Whether one is met exactly tells `<` from `<=`.
    const int64_t last = extents[wide->axis];
    const int64_t quotient = std::clamp<int64_t>(ir::floor_divide(-rest, wide->coefficient), -2, last + 1);
    key.push_back(quotient);
    key.push_back(quotient >= -1 && quotient <= last && rest % wide->coefficient == 0);
  }
  for (const Sum& sum : values_) key.push_back(sum.value(lookup));
}

}  // namespace tileproof::oracle
