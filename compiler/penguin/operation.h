// What the tiler sees in a whole-tensor statement: how it computes, and which of its axes play which part.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/machine/machine.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::penguin {

enum class OperationKind : uint8_t {
  elementwise,   // no axis is reduced
  reduction,     // the reduced axes lie along the free dimension of a tile
  scan,          // one seq axis, which lies whole along the free dimension of a tile
  contraction,   // a sum of products of two tensors, which the machine's `matmul` computes
};

std::string_view spelling(OperationKind kind);

/// The parts that axes play in `D[p, f] += S[k, p] * M[k, f]`, as positions in Statement::axes.
struct Contraction {
  size_t stationary_operand = 0;   ///< of the product, 0 or 1
  std::array<ir::Dtype, 2> dtypes{};   ///< of the two operands in their tiles, in the order of the product
  std::vector<size_t> contracted;  ///< in both operands, and reduced
  std::vector<size_t> stationary;  ///< in the stationary operand only
  std::vector<size_t> moving;      ///< in the moving operand only
  std::vector<size_t> batch;       ///< in both operands, and in the result
};

struct Operation {
  OperationKind kind = OperationKind::elementwise;
  Contraction contraction;
};

/// Why a statement is left as it is.
enum class Untileable : uint8_t {
  inside_of_a_nest,     // it stands in a `while` or an instruction
  sequential_axis,      // several, or one beside a reduced axis or in an accumulation
  indirect_access,      // it scatters, or reads by an index that is itself read by an index
  data_condition,       // a condition reads a buffer
  on_chip,              // a tensor lies in an on-chip memory already, or is a view
  reads_destination,    // it reads other elements of the tensor that it writes
  scatters,             // the destination depends on a reduced axis
  clobbers,
  unknown_dtype,        // the machine does not load such elements, or does not compute on them
};
/// The word of the passes' vocabulary ("sequential-axis"), and one line that says what it means.
std::string_view name(Untileable reason);
std::string_view meaning(Untileable reason);
inline constexpr size_t untileable_count = 9;

/// The buffers and views that a statement sees, by name; a view stands for the buffer behind it. Groups that stand side by
/// side may use one name for different buffers.
class Tensors {
 public:
  /// nullptr: none of that name.
  const ir::Buffer* find(const std::string& name) const;
  bool is_view(const std::string& name) const;
  /// For ir::accumulate_dtype and ir::value_type.
  auto dtypes() const {
    return [this](const std::string& name) {
      const ir::Buffer* buffer = find(name);
      return buffer == nullptr ? std::nullopt : std::optional(buffer->dtype);
    };
  }

 private:
  struct Scope;
  std::shared_ptr<const Scope> scope_;
  friend std::vector<Tensors> tensors_of(const ir::Program& program);
};

/// What each of whole_tensor_statements(program) sees. They refer to the buffers of `program`, which must outlive them.
std::vector<Tensors> tensors_of(const ir::Program& program);

/// Whether a tiler looks at what is in the group: it is no instruction, and not tiled already (the tag `tiled`).
bool is_open(const ir::Group& group);

/// The statements that a tiler looks at, in textual order: those of the program, of its loops and branches, and of open groups.
/// Each time that a statement is executed it is one operation on whole tensors; loops and branches around it stay.
std::vector<const ir::Statement*> whole_tensor_statements(const ir::Program& program);
std::vector<ir::Statement*> whole_tensor_statements(ir::Program& program);
/// Calls f(body) on the bodies of an item in which whole_tensor_statements looks, in textual order.
template <class F>
void each_open_body(auto& item, const F& f) {
  if (auto* group = std::get_if<ir::Group>(&item.node); group != nullptr && is_open(*group)) f(group->body);
  if (auto* loop = std::get_if<ir::Loop>(&item.node)) f(loop->body);
  if (auto* branch = std::get_if<ir::If>(&item.node)) f(branch->then_body), f(branch->else_body);
}

/// Those in groups that are tiled already.
std::set<const ir::Statement*> tiled_statements(const ir::Program& program);

/// What `statement` is to the tiler. A sum of products that begins anew everywhere is a contraction if a form of the machine's `matmul` admits the dtypes of
/// both operands, each axis is in at least one of them and one in no more than one, each reduced axis in both, the conditions on
/// reduced axes are tails, and no axis has a class that contradicts its part; a reduction otherwise. An axis that is tagged `P` and in one operand only makes this operand the stationary one; the first one is it
/// otherwise. Source: seed 000 and spec passes 1.3 for the parts; what is no contraction is our choice.
std::expected<Operation, Untileable> operation_of(const ir::Statement& statement, const Tensors& tensors,
                                                  const machine::Machine& machine);

/// What a remark says where `operation_of` gives this reason: its meaning, or, of a dtype, which one it is and which ones the machine takes there.
std::string explanation(Untileable reason, const ir::Statement& statement, const Tensors& tensors,
                        const machine::Machine& machine);

/// All reads in the order written; one inside of the index of another comes after it.
std::vector<const ir::Expression*> reads_in(const ir::Expression& value);

/// Whether the machine loads such elements and computes on them.
bool takes(const machine::Machine& machine, ir::Dtype dtype);

/// The dtypes that the operands of a matmul have in their tiles: their own where the machine multiplies these; else both the wider
/// one, where it holds the other's values and the machine multiplies it. nullopt: neither.
std::optional<std::array<ir::Dtype, 2>> operand_dtypes(ir::Dtype first, ir::Dtype second, const machine::Machine& machine);

}  // namespace tileproof::penguin
