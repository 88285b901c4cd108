#include "compiler/penguin/instruction_probe.h"

#include "compiler/machine/access.h"
#include "compiler/machine/operation.h"
#include "compiler/machine/unify.h"
#include "compiler/transform/terms.h"

#include <string>
#include <utility>
#include <vector>

namespace tileproof::penguin {
namespace {

using transform::number;

constexpr const char* row = "r";
constexpr const char* column = "c";

/// A program of one instruction on tiles, over `r` rows and `c` columns.
class Probe {
 public:
  Probe(std::string_view opcode, int64_t rows, int64_t columns, bool reduces_rows) : extents_{rows, columns} {
    statement_.opcode = opcode;
    statement_.axes = {{row, number(rows), reduces_rows ? ir::AxisKind::reduce : ir::AxisKind::parallel, {}, {}},
                       {column, number(columns), ir::AxisKind::parallel, {}, {}}};
  }

  /// A tile of partitions by elements, and its element at a point.
  ir::Expression tile(std::string name, std::string_view space, ir::Dtype dtype, std::string_view partition,
                      std::string_view free) {
    ir::Buffer buffer;
    buffer.name = std::move(name);
    buffer.dtype = dtype;
    buffer.space = space;
    std::vector<ir::Expression> indices;
    for (const std::string_view axis : {partition, free}) {
      buffer.extents.push_back(number(axis == row ? extents_[0] : axis == column ? extents_[1] : 1));
      indices.push_back(axis.empty() ? number(0) : ir::variable(std::string(axis)));
    }
    buffer.partition_rank = 1;
    ir::Expression element = ir::read(buffer.name, std::move(indices));
    program_.body.push_back({std::move(buffer)});
    return element;
  }

  bool is_legal(ir::Expression destination, ir::Update update, ir::Expression value, const machine::Machine& machine,
                std::optional<ir::Dtype> accumulate = {}) {
    const auto alternatives = machine.alternatives(statement_.opcode);
    if (alternatives.empty()) return false;
    statement_.destination = destination.name;
    statement_.indices = std::move(destination.operands);
    statement_.update = update;
    statement_.value = std::move(value);
    statement_.accumulate = accumulate;
    if (accumulate) statement_.start = ir::Claim{};
    for (const ir::Item& item : program_.body)
      if (machine.space(std::get<ir::Buffer>(item.node).space) == nullptr) return false;
    program_.body.push_back({std::move(statement_)});
    const std::vector<machine::StatementAccesses> accesses = machine::resolve_accesses(program_);
    const machine::Lookup lookup = [](std::string_view) { return int64_t{0}; };
    const std::vector<machine::Operation> operations{machine::make_operation(accesses[0], extents_, lookup)};
    return machine::judge(operations, alternatives, machine).reasons.empty();
  }

 private:
  std::vector<int64_t> extents_;
  ir::Program program_;
  ir::Statement statement_;
};

}  // namespace

bool transposes(const machine::Machine& machine, std::string_view space, ir::Dtype dtype, int64_t rows, int64_t columns) {
  Probe probe("transpose", rows, columns, false);
  ir::Expression operand = probe.tile("a", "sbuf", dtype, row, column), result = probe.tile("d", space, dtype, column, row);
  return probe.is_legal(std::move(result), ir::Update::assign, std::move(operand), machine);
}

std::string transposing_space(const machine::Machine& machine, ir::Dtype dtype, int64_t rows, int64_t columns) {
  for (const char* const space : {"psum", "sbuf"})
    if (transposes(machine, space, dtype, rows, columns)) return space;
  return "";
}

bool reduces_partitions(const machine::Machine& machine, ir::Update update, ir::Dtype from, ir::Dtype to, int64_t rows,
                        int64_t columns) {
  Probe probe("partition_reduce", rows, columns, true);
  ir::Expression operand = probe.tile("a", "sbuf", from, row, column), result = probe.tile("d", "sbuf", to, "", column);
  return probe.is_legal(std::move(result), update, std::move(operand), machine, from);
}

bool sums_by_matmul(const machine::Machine& machine, ir::Dtype dtype, int64_t rows, int64_t columns) {
  Probe probe("matmul", rows, columns, true);
  ir::Expression ones = probe.tile("s", "sbuf", dtype, row, ""), operand = probe.tile("a", "sbuf", dtype, row, column),
                 result = probe.tile("d", "psum", dtype, "", column);
  return probe.is_legal(std::move(result), ir::Update::add,
                        transform::binary(ir::Op::multiply, std::move(ones), std::move(operand)), machine, dtype);
}

}  // namespace tileproof::penguin
