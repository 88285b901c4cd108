// Does an opcode's formula fit a statement? Unification binds roles to accesses and letters to sets of axes.
#pragma once

#include "compiler/machine/machine.h"
#include "compiler/machine/operation.h"

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::machine {

/// Why a statement is not an instance of an opcode, the vaguest first: a later kind means that more of the opcode fits.
struct Reason {
  enum class Kind : uint8_t { formula, axes, space, dtype, limit, bank };
  Kind kind = Kind::formula;
  std::string role;                ///< the role concerned; empty: none
  std::string letter;              ///< the letter concerned; empty: none
  std::string buffer;              ///< as the statement names it; empty: none
  const ir::Statement* statement = nullptr;
  std::string fact;                ///< "k spans 200 partitions"
  std::string rule;                ///< "takes at most 128", to be read after the name of the opcode
  bool axes_too = false;  ///< space: the axes would not fit either, so that less of the opcode fits than `axes` alone says
};

/// A role and the access that plays it. A role of `any` may be played by several accesses.
struct BoundRole {
  std::string role;
  size_t operation = 0;  ///< which statement of a group; 0 for a single one
  size_t access = 0;  ///< into the accesses of that statement
};

/// A letter and the axes that it stands for, those of one value left out.
struct BoundLetter {
  std::string letter;
  size_t operation = 0;
  std::vector<uint32_t> axes;
  int64_t extent = 1;  ///< product of the extents
  bool on_partitions = false;  ///< it stands before a bar somewhere
};

struct Binding {
  const Opcode* opcode = nullptr;
  std::vector<BoundRole> roles;
  std::vector<BoundLetter> letters;

  /// The first access that plays the role; nullptr: none does.
  const BoundRole* role(std::string_view name) const;
  const BoundLetter* letter(std::string_view name) const;
};

/// All ways in which one formula of `opcode` fits one statement; never empty. Looks at the update, the expression, spaces,
/// axes and lanes; dtypes and limits are judged by `rule_violations`. `number` goes into Binding's operation fields.
std::expected<std::vector<Binding>, Reason> unify(const Operation& operation, const Opcode& opcode, size_t formula = 0,
                                                  size_t number = 0);

/// The same for the statements of a group: each formula is met by one statement, in any order; a role that occurs in several
/// formulas is one buffer, a letter one extent.
std::expected<std::vector<Binding>, Reason> unify_group(std::span<const Operation> operations, const Opcode& opcode);

/// Dtypes, accumulate dtype, indirect accesses, masks, limits, banks. Empty: the instruction is legal.
std::vector<Reason> rule_violations(std::span<const Operation> operations, const Binding& binding, const Machine& machine);

struct Judgement {
  std::optional<Binding> binding;  ///< of the alternative that fits best; nullopt: no formula fits
  std::vector<Reason> reasons;  ///< empty: legal; otherwise of the alternative that comes closest
};

/// Is it an instance of one of the alternatives of its opcode? `operations`: one statement, or those of a group.
/// Precondition: neither is empty.
Judgement judge(std::span<const Operation> operations, std::span<const Opcode* const> alternatives, const Machine& machine);

}  // namespace tileproof::machine
