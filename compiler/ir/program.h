// The language: one representation for a whole-tensor program and for its fully tiled form.
//
//   File ── Program ── Item: Buffer | View | Statement | Loop | If | While | Group | Move | Opaque
//
// A statement is the only thing that computes. Everything is a plain value: copying a program copies it, == compares the
// programs and ignores the places in the text they came from.
#pragma once

#include "compiler/ir/expression.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tileproof::ir {

/// `{P ag=3 axes=[1, 2, k] decayed}`: what one pass hands on to another. The oracle never reads tags.
struct TagValue {
  std::variant<std::monostate, int64_t, std::string, std::vector<std::variant<int64_t, std::string>>> value;
  bool operator==(const TagValue&) const = default;
};
struct Tag {
  std::string name;
  TagValue value;   ///< monostate: the tag is a bare name
  bool operator==(const Tag&) const = default;
};
using Tags = std::vector<Tag>;

/// `param n : 1..4096`: an integer with an inclusive range.
struct Parameter {
  std::string name;
  int64_t low = 1;
  int64_t high = 1;
  Location location;
  bool operator==(const Parameter& other) const;
};

enum class Role : uint8_t { none, in, out, inout };

/// `at PARTITION:BYTE`; expressions over parameters and loop variables.
struct Address {
  Expression partition;
  Expression byte;
  bool operator==(const Address&) const = default;
};

/// A half-open range of one dimension: `lo..hi`, or `hi` alone (lo is 0).
struct Range {
  Expression low;
  Expression high;
  bool operator==(const Range&) const = default;
};

/// `buffer NAME : dtype[partition dims | free dims] SPACE ROLE at P:B valid [...] range lo..hi`
struct Buffer {
  std::string name;
  Tags tags;
  Dtype dtype = Dtype::f32;
  std::vector<Expression> extents;          ///< over parameters; elements
  std::optional<size_t> partition_rank;     ///< how many leading dims stand before the bar; nullopt: no bar
  std::string space;                        ///< "dram", "sbuf", ...
  Role role = Role::none;
  std::optional<Address> address;
  std::vector<Range> valid;                 ///< empty: no claim
  std::optional<Range> range;               ///< integer buffers: the half-open range of the values
  Location location;
  bool operator==(const Buffer& other) const;
};

enum class AxisKind : uint8_t { parallel, reduce, seq };

/// `m:128 {P ag=3} reduce`
struct Axis {
  std::string name;
  Expression extent;   ///< over parameters and enclosing loop variables; may be 0
  AxisKind kind = AxisKind::parallel;
  Tags tags;
  Location location;
  bool operator==(const Axis& other) const;
};

/// `view NAME[i:6 | j:4] = BASE[i floordiv 3, i mod 3, j]`: another index space for a buffer or view, without a copy.
struct View {
  std::string name;
  Tags tags;
  std::vector<Axis> dims;                   ///< kind is always parallel
  std::optional<size_t> partition_rank;
  std::string base;
  std::vector<Expression> indices;          ///< quasi-affine in the dims, injective
  Location location;
  bool operator==(const View& other) const;
};

enum class Update : uint8_t { assign, add, multiply, max, min, bit_and, bit_or, bit_xor };

/// `start`, `start C`, `stop C`: empty conditions hold always.
struct Claim {
  std::vector<Expression> conditions;
  bool operator==(const Claim&) const = default;
};

/// `OPCODE dst[index, ...] <op>= value over ... where ... start ... stop ... acc ... clobbers ...`
struct Statement {
  std::string opcode;
  Tags tags;
  std::string destination;
  std::vector<Expression> indices;
  Update update = Update::assign;
  Expression value;
  std::vector<Axis> axes;
  std::vector<Expression> where;            ///< comparisons, all of which must hold
  std::optional<Claim> start;
  std::optional<Claim> stop;
  std::optional<Dtype> accumulate;          ///< nullopt: the default of docs/language.md
  std::vector<std::string> clobbers;
  Location location;
  bool operator==(const Statement& other) const;
};

struct Item;
using Block = std::vector<Item>;

enum class LoopKind : uint8_t { seq, par, shard, thread };

/// `for i {tags} in lo..hi KIND { ... }`; half-open.
struct Loop {
  std::string name;
  Tags tags;
  Range range;
  LoopKind kind = LoopKind::seq;
  Block body;
  Location location;
  bool operator==(const Loop& other) const;
};

/// `if a < b and c == d { ... } else { ... }`
struct If {
  std::vector<Expression> conditions;
  Block then_body;
  Block else_body;
  Location location;
  bool operator==(const If& other) const;
};

/// `while a < b max N { ... }`
struct While {
  std::vector<Expression> conditions;
  Expression limit;
  Block body;
  Location location;
  bool operator==(const While& other) const;
};

/// `group NAME as OPCODE tags {...} { ... }`: a bracket without meaning.
struct Group {
  std::string name;
  std::optional<std::string> opcode;
  Tags tags;
  Block body;
  Location location;
  bool operator==(const Group& other) const;
};

/// `move a, b = x, y`: whole buffers of equal dtype and extents, all read before any is written.
struct Move {
  std::vector<std::string> destinations;
  std::vector<std::string> sources;
  Location location;
  bool operator==(const Move& other) const;
};

/// `opaque NAME(in a, inout state, out b)`: a keyed function of the whole contents of its in and inout buffers.
struct Opaque {
  struct Argument {
    Role role = Role::in;
    std::string buffer;
    bool operator==(const Argument&) const = default;
  };
  std::string name;
  std::vector<Argument> arguments;
  Location location;
  bool operator==(const Opaque& other) const;
};

struct Item {
  std::variant<Buffer, View, Statement, Loop, If, While, Group, Move, Opaque> node;
  bool operator==(const Item& other) const;
};

enum class ProgramKind : uint8_t { plain, incore, aic, aiv, group, orchestration, opaque };

/// `program NAME kind KIND machine NAME tags {...} { params, items }`
struct Program {
  std::string name;
  ProgramKind kind = ProgramKind::plain;
  std::optional<std::string> machine;
  Tags tags;
  std::vector<Parameter> parameters;
  Block body;
  Location location;
  bool operator==(const Program& other) const;
};

struct File {
  std::string name;                 ///< as the user named it; not part of the value
  std::vector<Program> programs;
  bool operator==(const File& other) const { return programs == other.programs; }
};

std::string_view name(LoopKind kind);
std::string_view name(AxisKind kind);
std::string_view name(Role role);
std::string_view name(ProgramKind kind);
/// "=", "+=", "*=", "max=", ...
std::string_view spelling(Update update);

/// The label of each statement in textual order: its opcode and its place among the statements of that opcode, `matmul#1`.
std::vector<std::pair<const Statement*, std::string>> labelled_statements(const Program& program);

}  // namespace tileproof::ir
