// A program lowered for the fast interpreter: names are slots, views are composed into the accesses, parameters are constants.
// It does not depend on the domain.
#pragma once

#include "compiler/ir/program.h"
#include "oracle/domain/domain.h"
#include "oracle/interpret/integer_code.h"
#include "oracle/interpret/kinds.h"
#include "oracle/interpret/run.h"

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tileproof::oracle {

/// `relation` of an integer code with zero.
struct Condition {
  enum class Relation : uint8_t { not_negative, zero, not_zero };
  IntegerCode code;
  Relation relation = Relation::not_negative;

  bool holds(int64_t value) const {
    return relation == Relation::not_negative ? value >= 0 : relation == Relation::zero ? value == 0 : value != 0;
  }
};

/// What the interpreter keeps beside the elements of a buffer, decided once for a program: nothing is kept for most buffers.
struct Tracking {
  bool races = false;     ///< written inside a par, shard or thread loop that its declaration stands outside of
  bool bytes = false;     ///< its address range may meet that of another buffer of the space
  bool state = false;     ///< out and inout: written, read, last writer
  bool valid = false;     ///< has a `valid` claim
  bool stop = false;      ///< a statement with `stop` accumulates into it
  bool any() const { return races || bytes || state || valid || stop; }
  /// An element read is what it holds: who read and wrote it is kept, and no more.
  bool only_marks() const { return !bytes && !valid && !stop; }
};

struct BufferCode {
  const ir::Buffer* source = nullptr;
  std::vector<int64_t> extents;
  std::vector<int64_t> strides;          ///< row-major, in elements
  int64_t count = 0;
  bool is_index = false;
  bool is_output = false;  ///< out or inout
  Tracking tracking;
  int64_t low = 0, high = 0;             ///< declared range, half-open; equal: none
  int64_t row_elements = 0;              ///< elements of one partition (of the whole buffer where there is no bar)
  std::vector<std::pair<IntegerCode, IntegerCode>> valid;
  std::optional<std::pair<IntegerCode, IntegerCode>> address;   ///< partition, byte
  uint32_t space = 0;                    ///< number of its space, for byte owners
};

/// One place of the text that touches a buffer.
struct AccessCode {
  struct Bound {
    IntegerCode index;
    IntegerCode extent;
  };
  uint32_t buffer = 0;
  std::vector<IntegerCode> indices;      ///< into the root buffer
  size_t view_rank = 0;                  ///< so many of `views`, the first ones, tell elements apart; 0: not known
  std::vector<Bound> views;              ///< indices that must lie within the extents of the views on the way
  bool affine = false;  ///< of what a statement assigns, or reads as data: all of the above is
  std::vector<int64_t> strides;  ///< ... and then the steps of the access along each axis of the statement, in elements
};

/// A node of a statement's value. Operands are nodes of the same statement.
struct ValueNode {
  enum class Kind : uint8_t { data, integer, literal, operation, cast, choose };
  Kind kind = Kind::operation;
  ir::Op op = ir::Op::add;
  int32_t operands[3] = {-1, -1, -1};
  uint32_t access = 0;                   ///< data: an access of a data-kind buffer
  IntegerCode integer;  ///< integer: a true integer that enters the value; choose: the index condition (nonzero: first arm)
  ir::Decimal literal;
  ir::Dtype computed = ir::Dtype::f32;  ///< the dtype that the operation is computed in
  Narrowing narrowing;  ///< cast
  bool of_read = false;  ///< cast: to what the buffer holds that was read; of no effect unless narrowing was left to the reader
};

struct AxisCode {
  Slot slot = 0;
  IntegerCode extent;
  ir::AxisKind kind = ir::AxisKind::parallel;
  bool in_claims = false;  ///< `start` or `stop` depends on it
  bool in_value = false;  ///< an integer of the value depends on it: apart from the indices of what is read
};

struct StatementCode {
  const ir::Statement* source = nullptr;
  Site site = 0;
  std::string label;
  std::vector<AxisCode> axes;  ///< their slots follow one another
  std::vector<Condition> where;  ///< without reduce axes
  std::vector<Condition> reduce_where;  ///< with reduce axes
  std::optional<std::vector<Condition>> start, stop;
  uint32_t destination = 0;  ///< access
  std::vector<uint32_t> reads;  ///< accesses of data-kind buffers in the value
  std::vector<ValueNode> value;  ///< data-kind; the last is the root
  IntegerCode integer_value;  ///< index-kind destination
  bool is_index = false;
  bool copies = false;  ///< assigns an element of a data-kind buffer of the destination's dtype as it is
  bool has_choice = false;
  bool has_reduce = false;
  bool scatters = false;  ///< the destination depends on a reduce axis
  bool reads_own_buffer = false;  ///< the value reads the buffer of the destination
  bool meets_own_bytes = false;  ///< the value reads another buffer whose bytes may be the destination's
  bool tells_axes_apart =
      false;  ///< each axis but reduce axes has an index of the destination to itself: no two points meet there
  bool plain_integers = true;  ///< those of the value and of the claims, apart from indices of what is read, are affine
  ir::Dtype accumulate = ir::Dtype::f32;
  ir::Dtype combine = ir::Dtype::f32;  ///< what sums are computed in before they are rounded to `accumulate`
  std::optional<Narrowing> to_accumulate;  ///< at the end of an accumulation of floats
  Narrowing to_destination;  ///< of an accumulation of integers: from their accumulate dtype, unless that leaves no trace
  std::vector<uint32_t> clobbers;  ///< buffers
  std::vector<uint32_t> buffers_read;  ///< each once, for observers; index-kind ones included

  /// Which of the axes the slot is; `axes.size()` or more: none.
  size_t axis_of(Slot slot) const { return axes.empty() ? 0 : slot - axes.front().slot; }
};

struct NodeCode;
using BlockCode = std::vector<NodeCode>;

enum class Injectivity : uint8_t { yes, no, undecided };

struct DeclareCode {
  uint32_t buffer;
};
struct ViewCode {
  const ir::View* source;
  uint32_t buffer;
  std::vector<Slot> slots;  ///< of its dims
  std::vector<IntegerCode> extents;
  std::vector<IntegerCode> indices;  ///< into its base, in terms of its own dims
  std::optional<Injectivity> injectivity;  ///< where nothing but its own dims decides it
};
struct RunStatementCode {
  uint32_t statement;
};
struct LoopCode {
  std::string_view name;
  Slot slot;
  IntegerCode low, high;
  ir::LoopKind kind;
  std::shared_ptr<BlockCode> body;
  ir::Location location;
};
struct IfCode {
  std::vector<Condition> conditions;
  std::shared_ptr<BlockCode> then_body, else_body;
  ir::Location location;
};
struct WhileCode {
  std::vector<Condition> conditions;
  IntegerCode limit;
  std::shared_ptr<BlockCode> body;
  ir::Location location;
};
struct MoveCode {
  std::vector<uint32_t> destinations, sources;
  ir::Location location;
};
struct OpaqueCode {
  const ir::Opaque* source;
  std::vector<uint32_t> buffers;  ///< in the order of the arguments
};

struct NodeCode {
  std::variant<DeclareCode, ViewCode, RunStatementCode, LoopCode, IfCode, WhileCode, MoveCode, OpaqueCode, BlockCode> node;
};

struct Code {
  std::vector<BufferCode> buffers;
  std::vector<AccessCode> accesses;
  std::vector<StatementCode> statements;
  BlockCode body;
  uint32_t slots = 0;
  Parameters parameters;
};

/// `program` is well formed and `parameters` gives each of its parameters a value. Error: why the interpreter does not support it.
using LoweredProgram = std::expected<Code, std::string>;
LoweredProgram lower(const ir::Program& program, const Parameters& parameters, const Kinds& kinds);

/// Nothing is kept beside the elements any more: for further runs, with the same order and index-kind inputs, of a program that had
/// no finding. No writers are known of its outputs.
void forget_tracking(Code& code);

}  // namespace tileproof::oracle
