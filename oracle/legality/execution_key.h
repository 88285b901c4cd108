// What of an execution a judgement depends on, as a few numbers: executions with equal keys are judged alike.
#pragma once

#include "compiler/machine/access.h"
#include "compiler/machine/form.h"
#include "compiler/machine/machine.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::oracle {

/// Prepared once for a statement, so that a key costs a few sums of products.
class ExecutionKey {
 public:
  ExecutionKey(const machine::StatementAccesses& text, const machine::Machine& machine);

  /// Appends the key of the execution with these extents: how the conditions cut the axes, where accesses begin as far as
  /// partitions, banks and bytes care, and the variables of everything that is not affine.
  void append(std::span<const int64_t> extents, const machine::Lookup& lookup, std::vector<int64_t>& key) const;

 private:
  /// constant + sum of coefficient * variable, over all names that are no axes.
  struct Sum {
    int64_t constant = 0;
    std::vector<std::pair<std::string, int64_t>> terms;
    int64_t value(const machine::Lookup& lookup) const;
  };
  /// A condition, as `sum of axes + rest` compared with 0. It cuts an axis if that is the only one of more than one value.
  struct Cut {
    std::vector<machine::Form::Term> axes;
    Sum rest;
  };

  void add_condition(const ir::Expression& condition);
  void add_offset(const ir::Expression& offset);
  void add_sum(Sum sum);
  void add_variables(const ir::Expression& expression);
  /// Over `names_`; nullopt: not affine.
  std::optional<machine::Form> form_of(const ir::Expression& expression) const;
  Sum rest_of(const machine::Form& form) const;
  /// `BUFFER[affine, ...]`: what it depends on does not change with the values of variables.
  bool is_plain_read(const ir::Expression& index) const;

  machine::Box anywhere_;               ///< what the names may be: anything
  std::vector<ir::Axis> names_;         ///< of the axes, then of every other variable as if it were one
  size_t axes_ = 0;
  std::vector<Cut> cuts_;
  std::vector<Sum> values_;             ///< what goes into the key as it is
};

}  // namespace tileproof::oracle
