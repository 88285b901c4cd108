// A compiler that checks its own tiler: `check_my_tiler right` passes, `check_my_tiler wrong` is refuted.
#include <tileproof.h>

#include <iostream>
#include <string>

namespace ir = tileproof::ir;
namespace oracle = tileproof::oracle;

namespace {

constexpr const char* before = R"(tile 1
program twice {
  buffer x : f32[10] dram in
  buffer y : f32[10] dram out
  map y[i] = 2 * x[i] over i:10
}
)";

ir::Expression replaced(ir::Expression expression, const std::string& variable, const ir::Expression& by) {
  if (expression.op == ir::Op::variable && expression.name == variable) return by;
  for (ir::Expression& operand : expression.operands) operand = replaced(operand, variable, by);
  return expression;
}

/// Cuts the first axis of every statement into tiles of `size`: `over i:10` becomes `for i_tile in 0..3 par { over i:4 }`. The
/// wrong tiler rounds the number of tiles down, and drops the tail.
ir::Program tile(ir::Program program, int64_t size, bool is_wrong) {
  for (ir::Item& item : program.body) {
    auto* const found = std::get_if<ir::Statement>(&item.node);
    if (found == nullptr || found->axes.empty()) continue;
    ir::Statement statement = *found;
    ir::Axis& axis = statement.axes.front();
    const int64_t extent = ir::to_integer(axis.extent.value).value();
    const ir::Expression whole =
        ir::make(ir::Op::add, {ir::make(ir::Op::multiply, {ir::integer(size), ir::variable("i_tile")}), ir::variable(axis.name)});
    for (ir::Expression& index : statement.indices) index = replaced(index, axis.name, whole);
    statement.value = replaced(statement.value, axis.name, whole);
    statement.where.push_back(ir::make(ir::Op::less, {whole, ir::integer(extent)}));
    axis.extent = ir::integer(size);
    const int64_t tiles = is_wrong ? extent / size : (extent + size - 1) / size;
    item.node = ir::Loop{.name = "i_tile",
                         .range = {ir::integer(0), ir::integer(tiles)},
                         .kind = ir::LoopKind::par,
                         .body = {ir::Item{statement}}};
  }
  return program;
}

int complain(const ir::Diagnostics& errors) {
  for (const ir::Diagnostic& error : errors) std::cerr << to_string(error) << '\n';
  return 2;
}

}  // namespace

int main(int count, char** words) {
  const bool is_wrong = count > 1 && std::string(words[1]) == "wrong";
  const auto file = ir::parse(before, "before");
  if (!file) return complain(file.error());

  const auto tiler = [&](const ir::Program& program) { return tile(program, 4, is_wrong); };
  const auto report = oracle::check_pass(file->programs.front(), tiler);
  if (!report) return complain(report.error());

  std::cout << oracle::headline(*report) << '\n';
  for (const oracle::Finding& finding : report->findings) std::cout << "  " << finding_text(finding, "tiled") << '\n';
  return oracle::exit_code(report->verdict);
}
