// A machine is data: memory spaces, named constants, and opcodes as formula schemas with named roles. docs/machines.md gives
// the text form and how to write one's own.
//
//   Machine ── Constant | Space ── StartRule
//           └─ Opcode ── Formula ── Shape ── Run of letters
//                     └─ RoleRule | LetterRule | Limit
#pragma once

#include "compiler/ir/program.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::machine {

/// `constant NAME = VALUE`
struct Constant {
  std::string name;
  int64_t value = 0;
  bool operator==(const Constant&) const = default;
};

/// `start 33..64 at 0, 64`: an access to so many partitions (bounds inclusive) begins at one of these.
struct StartRule {
  int64_t low = 1;
  int64_t high = 1;
  std::vector<int64_t> starts;
  bool operator==(const StartRule&) const = default;
};

/// `space NAME { ... }`. Where a space has partitions, all byte figures are per partition.
struct Space {
  std::string name;
  std::optional<int64_t> partitions;   ///< nullopt: the space has none, and its buffers no bar
  std::optional<int64_t> bytes;        ///< capacity; nullopt: not limited
  std::optional<int64_t> bank_bytes;  ///< a buffer without an address occupies whole banks of this size, from the start of one
  int64_t alignment = 1;  ///< bytes: buffers begin at a multiple
  int64_t row = 1;  ///< bytes: the last dimension of a buffer is a multiple
  std::vector<StartRule> starts;  ///< empty: an access may start at any partition
  ir::Location location;
};

/// A place in a shape: `p`, or `(p)` where a part of the letter's axes, or all of them, may be missing (a broadcast).
struct Letter {
  std::string name;
  bool may_miss = false;
  bool operator==(const Letter&) const = default;
};

/// Neighbouring dimensions, in any order, that the axes of these letters index. An empty run is indexed by no axis.
using Run = std::vector<Letter>;

/// `D[p | f, g h]`: which axes may index which dimensions of a role. `D[*]`: any axes, anyhow.
struct Shape {
  std::string role;
  bool anything = false;  ///< `[*]`
  bool has_bar = false;  ///< partition dimensions are told apart; otherwise all are in `free`
  Run partition;
  std::vector<Run> free;  ///< in the order of the dimensions
  ir::Location location;
};

/// The right side of a formula.
struct Pattern {
  enum class Kind : uint8_t {
    role,  // one read, of this shape
    any,  // any expression over reads of these shapes (each any number of times), literals, axes and loop variables
    scalar,  // any expression without reads and axes
    literal,  // exactly this number
    operation,  // this operator over the operands, in either order where it commutes
  };
  Kind kind = Kind::role;
  ir::Op op = ir::Op::add;
  ir::Decimal value;
  std::vector<size_t> shapes;  ///< role: one, any: all admitted; indices into Formula::shapes
  std::vector<Pattern> operands;
};

/// `D[p | f] += S[k | p] * M[k | f]`, or with several updates: `D[p | f] += | max= A[p | f r]`.
struct Formula {
  std::vector<ir::Update> updates;
  std::vector<Shape> shapes;  ///< the destination first, then those of the value in textual order
  Pattern value;
  std::string text;  ///< as written, for people
  ir::Location location;
};

/// `D in psum : f32, bf16`; `indirect D in sbuf`; `bank D`
struct RoleRule {
  std::string role;
  std::vector<std::string> spaces;  ///< empty: any
  std::vector<ir::Dtype> dtypes;  ///< empty: any
  std::vector<std::string> indirect;  ///< spaces of the integer buffers that its indices may read; empty: none may
  bool one_bank = false;  ///< what one execution touches lies in one bank
};

/// `axis f : seq`: the kinds of axis that a letter takes. Without a rule: parallel where the destination has it, else reduce.
/// The letter `*` stands for axes that only `[*]` shapes use; without a rule: parallel.
struct LetterRule {
  std::string letter;
  std::vector<ir::AxisKind> kinds;
};

/// `limit f * bytes(D) <= 2048`. Letters stand for the product of the extents of their axes.
struct Limit {
  /// A tree over integers. Names of constants are already values.
  struct Term {
    enum class Kind : uint8_t {
      integer,
      letter,  // its extent
      points,  // the product of the extents of all axes
      bytes,
      bits,  // of one element of a role
      rank,  // dimensions of the buffer of a role
      row,  // bytes of its last dimension
      dims,  // dimensions of the access pattern of a role beside its partitions, neighbours merged where they are contiguous
      factor,  // factor(n): the larger factor where n is split into two factors as equal as can be
      operation,  // add, subtract, multiply, floordiv, mod, min, max
    };
    Kind kind = Kind::integer;
    ir::Op op = ir::Op::add;
    int64_t value = 0;
    std::string name;  ///< letter or role
    std::vector<Term> operands;
  };
  ir::Op relation = ir::Op::less_equal;
  Term left, right;
  std::string left_text, right_text;  ///< as written, for people
  ir::Location location;
};

/// `opcode NAME { ... }`. An opcode may be written several times: these are its alternatives, and one that fits is enough.
struct Opcode {
  std::string name;
  std::vector<Formula> formulas;  ///< one: a statement; several: the statements of a `group ... as NAME`, in this order
  std::vector<RoleRule> roles;
  std::vector<LetterRule> letters;
  std::vector<std::vector<std::string>> same_dtype;  ///< roles whose dtypes are equal
  std::vector<Limit> limits;
  std::vector<ir::Dtype> accumulate;  ///< admitted accumulate dtypes; empty: any
  std::vector<std::string> masks;  ///< spaces of the buffers that `where` may read; empty: it reads none
  bool any_partition = false;  ///< not bound by the start rules, nor to contiguous partitions (DMA)
  bool any_lane = false;  ///< element of one partition may meet elements of another (DMA, shuffles)
  bool casts = false;  ///< operands may be cast to any dtype on the way in
  ir::Location location;

  const RoleRule* role(std::string_view role_name) const;
  const LetterRule* letter(std::string_view letter_name) const;
};

struct Machine {
  std::string name;
  std::vector<Constant> constants;
  std::vector<Space> spaces;
  std::vector<Opcode> opcodes;  ///< in textual order

  /// The value of a named constant, e.g. `partition_multiple`; nullopt: the machine does not define it.
  std::optional<int64_t> constant(std::string_view constant_name) const;
  const Space* space(std::string_view space_name) const;
  /// All alternatives of an opcode; empty: the machine does not have it.
  std::vector<const Opcode*> alternatives(std::string_view opcode_name) const;
  /// The names of its opcodes, each once, in textual order.
  std::vector<std::string> opcode_names() const;
};

/// Reads the text of a machine file. Errors carry a place and a mend.
std::expected<Machine, ir::Diagnostics> parse_machine(std::string_view text, std::string file_name);

/// A built-in machine by its name, or a machine file by its path (anything that has a slash or ends in `.machine`).
std::expected<Machine, ir::Diagnostics> find_machine(const std::string& name_or_path);

/// The names of the machines that are built in, in alphabetical order.
std::vector<std::string> builtin_machines();

}  // namespace tileproof::machine
