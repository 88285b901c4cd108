// docs/goldens.md: what the pipeline `penguin` makes of each program of corpus/real, figure by figure. What its rows say is
// measured here; those that are derived by hand below, and the marked ones on the page, keep the measure honest.
#include "compiler/analysis/cost.h"
#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/operation.h"
#include "oracle/equivalence/check.h"
#include "props/penguin/corpus_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace tileproof::penguin {
namespace {

using analysis::Cost;
using Row = std::vector<std::string>;
using testing::IsEmpty;

const machine::Machine& machine_named(const std::string& name) {
  static std::map<std::string, machine::Machine> machines;
  const auto found = machines.find(name);
  return found == machines.end() ? machines.emplace(name, *machine::find_machine(name)).first->second : found->second;
}
constexpr auto machine_names = {"trn2", "trn3", "trn1"};

// ---- the page ----

/// The rows of the table below the heading `## TITLE`, without its head.
std::vector<Row> table(const std::string& title) {
  std::ifstream page("docs/goldens.md");
  std::vector<Row> rows;
  bool is_here = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) is_here = line == "## " + title;
    if (!is_here || !line.starts_with('|')) continue;
    Row row;
    for (size_t at = 1, bar = line.find('|', 1); bar != std::string::npos; at = bar + 1, bar = line.find('|', at)) {
      const size_t first = std::min(line.find_first_not_of(' ', at), bar), last = line.find_last_not_of(' ', bar - 1);
      row.push_back(first == bar ? "" : line.substr(first, last + 1 - first));
    }
    rows.push_back(std::move(row));
  }
  if (rows.size() > 2) rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

std::string text(const std::vector<Row>& rows) {
  std::string lines;
  for (const Row& row : rows) lines += fmt::format("| {} |\n", fmt::join(row, " | "));
  return lines;
}

/// Says in full what the rows should be, so that they can be compared, judged, and taken over.
void expect_table(const std::string& title, const std::vector<Row>& measured) {
  const std::vector<Row> shown = table(title);
  for (size_t i = 0; i < std::max(shown.size(), measured.size()); ++i) {
    if (i < shown.size() && i < measured.size() && shown[i] == measured[i]) continue;
    ADD_FAILURE() << "docs/goldens.md, table \"" << title << "\", row " << i + 1 << " is\n"
                  << (i < shown.size() ? text({shown[i]}) : "(missing)\n") << "and is measured as\n"
                  << (i < measured.size() ? text({measured[i]}) : "(nothing)\n") << "all rows as measured:\n"
                  << text(measured);
    return;
  }
}

// ---- what is measured ----

std::string grouped(int64_t n) {
  std::string digits = std::to_string(n);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

analysis::SpaceCost space(const Cost& cost, std::string_view name) {
  const auto found = std::ranges::find(cost.spaces, name, &analysis::SpaceCost::space);
  return found == cost.spaces.end() ? analysis::SpaceCost{} : *found;
}

int64_t executions(const Cost& cost, const std::string& opcode) {
  const auto found = cost.executions.find(opcode);
  return found == cost.executions.end() ? 0 : found->second;
}

/// Steps and points of a program that each statement would need if nothing but its own shape kept lanes idle.
struct Steps {
  double points = 0, steps = 0;
  double percent(double lanes) const { return 100 * points / (lanes * steps); }
};

int64_t literal(const ir::Expression& e) { return ir::to_integer(e.value).value_or(1); }

/// Of a step that goes through an axis of `extent` lanes, how many of `lanes` can be at work on average.
double busy(int64_t extent, int64_t lanes) {
  const int64_t blocks = (extent + lanes - 1) / lanes;
  return static_cast<double>(extent) / static_cast<double>(blocks);
}

/// A matmul has rows, columns or contraction on the lanes; anything else any of its points. Dynamic extents are at their largest.
void add_possible(const ir::Block& block, std::vector<analysis::Dimension>& loops, const analysis::ParameterValues& highest,
                  int64_t lanes, Steps& sum) {
  for (const ir::Item& item : block) {
    if (const auto* loop = std::get_if<ir::Loop>(&item.node)) {
      loops.push_back({loop->name, loop->range});
      add_possible(loop->body, loops, highest, lanes, sum);
      loops.pop_back();
    } else if (const auto* branch = std::get_if<ir::If>(&item.node)) {
      add_possible(branch->then_body, loops, highest, lanes, sum);
      add_possible(branch->else_body, loops, highest, lanes, sum);
    } else if (const auto* group = std::get_if<ir::Group>(&item.node)) {
      add_possible(group->body, loops, highest, lanes, sum);
    } else if (const auto* s = std::get_if<ir::Statement>(&item.node)) {
      std::vector<analysis::Dimension> axes;
      for (const ir::Axis& axis : s->axes) axes.push_back({axis.name, {ir::integer(0), axis.extent}});
      const double points = static_cast<double>(analysis::count_points(axes, {}, highest).points);
      double at_once = points;
      for (const ir::Axis& axis : s->axes)
        if (axis.kind == ir::AxisKind::seq) at_once /= static_cast<double>(literal(axis.extent));
      double at_work = busy(static_cast<int64_t>(at_once), lanes);
      if (s->opcode == "matmul") {
        at_work = 1;
        for (const ir::Axis& axis : s->axes) at_work = std::max(at_work, busy(literal(axis.extent), lanes));
      }
      const double times = static_cast<double>(analysis::count_points(loops, {}, highest).points);
      sum.points += times * points;
      sum.steps += times * points / at_work;
    }
  }
}

/// Percent of the lanes that could be busy, by the shapes of the statements alone.
double possible(const ir::Program& original, const machine::Machine& machine) {
  analysis::ParameterValues highest;
  for (const ir::Parameter& parameter : original.parameters) highest[parameter.name] = parameter.high;
  const int64_t lanes = *machine.space("sbuf")->partitions;
  std::vector<analysis::Dimension> loops;
  Steps sum;
  add_possible(original.body, loops, highest, lanes, sum);
  return sum.percent(static_cast<double>(lanes));
}

double occupancy(const Cost& cost) { return 100 * static_cast<double>(cost.busy_lanes) / static_cast<double>(cost.lanes); }

Row figures(const std::string& name, const Cost& cost, double possible_percent) {
  const auto sbuf = space(cost, "sbuf"), psum = space(cost, "psum");
  Row row{name};
  for (const int64_t n :
       {cost.trips, executions(cost, "matmul"), psum.tiles, psum.bytes, sbuf.tiles, sbuf.bytes, cost.dma_in, cost.dma_out})
    row.push_back(grouped(n));
  row.push_back(fmt::format("{:.0f} %", occupancy(cost)));
  row.push_back(fmt::format("{:.0f} %", possible_percent));
  if (!cost.exact) row.push_back("upper bounds");
  return row;
}

bool is_conditional(const ir::Statement& s, const std::string& axis) {
  const auto names = [&](const auto& self, const ir::Expression& e) -> bool {
    return (e.op == ir::Op::variable && e.name == axis) ||
           std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return self(self, operand); });
  };
  return std::ranges::any_of(s.where, [&](const ir::Expression& condition) { return names(names, condition); });
}

/// What a statement computes at a time: loops around its tile, the axes on the partitions and along the free dimension of the
/// tile, and how many elements of an axis its last tile has where it is ragged.
Row cuts(const ir::Statement& original, const ir::Statement& cut) {
  std::vector<std::string> loops, partitions, free, tails;
  for (const ir::Axis& axis : cut.axes) {
    const std::string part = axis.name + " " + ir::print(axis.extent);
    const AxisClass axis_class = *class_of(axis);
    (axis_class == AxisClass::block ? loops : axis_class == AxisClass::partition ? partitions : free).push_back(part);
    const auto whole = std::ranges::find(original.axes, axis.name, &ir::Axis::name);
    if (whole == original.axes.end() || whole->extent == axis.extent || !is_conditional(cut, axis.name)) continue;
    const int64_t tail = *ir::to_integer(whole->extent.value) % *ir::to_integer(axis.extent.value);
    if (tail != 0) tails.push_back(fmt::format("{} {}", axis.name, tail));
  }
  Row row;
  for (const auto& list : {loops, partitions, free, tails})
    row.push_back(list.empty() ? "-" : fmt::format("{}", fmt::join(list, ", ")));
  return row;
}

/// What the passes leave as it is, and why.
std::vector<Row> left_alone(const std::string& name, const pipeline::Stage& stage) {
  std::vector<Row> rows;
  for (const pipeline::Remark& remark : stage.remarks) {
    const Row row{name, remark.statement, remark.id};
    if (remark.kind == pipeline::RemarkKind::declined && std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
  }
  return rows;
}

struct Occupancy {
  std::string name;
  double percent = 0, possible = 0;
};

struct Measured {
  std::vector<Row> figures, cuts, left, on_trn3;
  std::vector<Occupancy> occupancies;
  std::vector<std::string> suitable;
};

const std::string cutting =
    "bn-mean-var,quantize-mx,par-axes-annotation,ag-ordering,p-compute-cutting,bf-compute-cutting,loop-splitting";

bool is_whole(const std::string& name, const std::string& machine) {
  return left_alone(name, compiled(corpus_program(name), "penguin", machine_named(machine))).empty();
}

/// Where the others leave a part alone: they have no instruction for it.
bool is_for_trn3_alone(const std::string& name) {
  return is_whole(name, "trn3") && !is_whole(name, "trn1") && !is_whole(name, "trn2");
}

Measured measure(const machine::Machine& machine) {
  Measured all;
  for (const std::string& name : corpus_programs()) {
    const ir::Program original = corpus_program(name);
    const pipeline::Stage stage = compiled(original, "penguin", machine);
    const std::vector<Row> left = left_alone(name, stage);
    if (is_for_trn3_alone(name)) {
      if (left.empty())
        all.on_trn3.push_back(figures(name, analysis::cost(stage.program, &machine), possible(original, machine)));
      continue;
    }
    all.left.insert(all.left.end(), left.begin(), left.end());
    if (!left.empty()) continue;
    all.suitable.push_back(name);
    const Cost cost = analysis::cost(stage.program, &machine);
    all.figures.push_back(figures(name, cost, possible(original, machine)));
    all.occupancies.push_back({name, occupancy(cost), possible(original, machine)});
    const ir::Program cut = compiled(original, cutting, machine).program;
    const auto before = ir::labelled_statements(original), after = ir::labelled_statements(cut);
    const std::set<const ir::Statement*> tiled = tiled_statements(cut);
    for (const auto& [statement, label] : after) {  // stages stand where what they were made of stands in the text
      if (tiled.contains(statement)) continue;
      const auto original_of =
          std::ranges::find(before, statement->location.line, [](const auto& each) { return each.first->location.line; });
      Row row = cuts(*original_of->first, *statement);
      row.insert(row.begin(), {name, label});
      all.cuts.push_back(std::move(row));
    }
  }
  return all;
}

/// The rows of `rows` that are not among `others`.
std::vector<Row> without(std::vector<Row> rows, const std::vector<Row>& others) {
  std::erase_if(rows, [&](const Row& row) { return std::ranges::find(others, row) != others.end(); });
  return rows;
}

TEST(Goldens, AreWhatThePipelineMakesForEachMachine) {
  for (const std::string name : machine_names) {
    SCOPED_TRACE(name);
    const Measured measured = measure(machine_named(name));
    if (name == "trn1")
      expect_table("Figures on trn1", without(measured.figures, table("Figures")));
    else
      expect_table("Figures", measured.figures);
    expect_table("Cuts", measured.cuts);
    expect_table("Left alone", measured.left);
    if (name == "trn3") expect_table("On trn3 alone", measured.on_trn3);
    for (const Occupancy& each : measured.occupancies) EXPECT_GE(2 * each.percent, each.possible) << each.name;
    if (HasFailure()) return;
  }
}

// ---- by hand ----

Cost cost_of(const std::string& body) {
  const auto file = ir::parse("tile 1\nprogram p {\n" + body + "\n}\n", "p");
  const machine::Machine& machine = machine_named("trn2");
  return analysis::cost(compiled(file->programs.front(), "penguin", machine).program, &machine);
}

// 300 = 128 + 128 + 44 rows, 800 = 6 * 128 + 32 contracted, 3200 = 6 * 512 + 128 columns: 3 * 7 tiles of the result, each in one
// bank (512 f32) and from 7 matmuls. x is loaded for each of 7 column tiles, w for each of 3 row tiles, and the bias once for each row.
// z stays in SBUF, 3 rows of f32 in each partition, beside a tile of the bias (f32) and one of the result (bf16).
TEST(Goldens, AMatmulOf300x800x3200ByHand) {
  const machine::Machine& machine = machine_named("trn2");
  const ir::Program original = corpus_program("matmul_bias_relu");
  const Cost cost = analysis::cost(compiled(original, "penguin", machine).program, &machine);
  EXPECT_EQ(executions(cost, "matmul"), 3 * 7 * 7);
  EXPECT_EQ(space(cost, "psum").tiles, 3 * 7);
  EXPECT_EQ(space(cost, "psum").bytes, 512 * 4);
  EXPECT_EQ(space(cost, "psum").partitions, 128);
  EXPECT_EQ(cost.trips, 3 * 7 * 7 + 3 * 7);
  const int64_t x = 300 * 800 * 2, w = 800 * 3200 * 2, b = 300 * 3200 * 4, y = 300 * 3200 * 2;
  EXPECT_EQ(cost.dma_in, 7 * x + 3 * w + b);
  EXPECT_EQ(cost.dma_out, y);
  EXPECT_EQ(space(cost, "sbuf").bytes, 3 * 3200 * 4 + 512 * (4 + 2));
  const ir::Program cut = compiled(original, cutting, machine).program;
  const Row expected{"mb 3, nb 7, kb 7", "m 128, k 128", "n 512", "m 44, n 128, k 32"};
  EXPECT_EQ(cuts(*ir::labelled_statements(original)[0].first, *ir::labelled_statements(cut)[0].first), expected);
}

// Scores, exponentials and sums of attention stay on chip: q, k and v go in once, y goes out.
TEST(Goldens, AnAttentionOf128x128ByHand) {
  const machine::Machine& machine = machine_named("trn2");
  const Cost cost = analysis::cost(compiled(corpus_program("attention_softmax"), "penguin", machine).program, &machine);
  EXPECT_EQ(executions(cost, "matmul"), 2);
  EXPECT_EQ(executions(cost, "transpose"), 1);
  EXPECT_EQ(cost.dma_in, 3 * 128 * 128 * 2);
  EXPECT_EQ(cost.dma_out, 128 * 128 * 2);
}

// 200 = 128 + 72 rows, 300 = 2 * 128 + 44 contracted, 700 = 512 + 188 columns.
TEST(Goldens, AMatmulOf200x300x700ByHand) {
  const Cost cost = cost_of(
      "buffer x : bf16[200, 300] dram in\nbuffer w : bf16[300, 700] dram in\nbuffer y : f32[200, 700] dram out\n"
      "matmul y[m, n] += x[m, k] * w[k, n] over m:200, n:700, k:300 reduce start");
  EXPECT_EQ(executions(cost, "matmul"), 2 * 2 * 3);
  EXPECT_EQ(space(cost, "psum").tiles, 2 * 2);
  EXPECT_EQ(cost.dma_in, 2 * (200 * 300 * 2) + 2 * (300 * 700 * 2));
  EXPECT_EQ(cost.dma_out, 200 * 700 * 4);
}

// 256 = 2 * 128 partitions, 1024 = 2 * 512 elements in each.
TEST(Goldens, AnAdditionOf256x1024ByHand) {
  const machine::Machine& machine = machine_named("trn2");
  const Cost cost = analysis::cost(compiled(corpus_program("add_256x1024"), "penguin", machine).program, &machine);
  EXPECT_EQ(cost.trips, 2 * 2);
  EXPECT_EQ(space(cost, "sbuf").tiles, 3 * 2 * 2);
  EXPECT_EQ(space(cost, "sbuf").bytes, 3 * 512 * 2);
  EXPECT_EQ(space(cost, "sbuf").partitions, 128);
  EXPECT_EQ(cost.dma_in, 2 * 256 * 1024 * 2);
  EXPECT_EQ(cost.dma_out, 256 * 1024 * 2);
}

// 1024 = 2 * 512 columns of 128 channels: each is loaded once. A tile of 512 bf16, 2 * 6 statistics, a mean and a variance.
TEST(Goldens, StatisticsOf128x1024ByHand) {
  const machine::Machine& machine = machine_named("trn2");
  const Cost cost = analysis::cost(compiled(corpus_program("batchnorm_stats_128x1024"), "penguin", machine).program, &machine);
  EXPECT_EQ(cost.trips, 2);
  EXPECT_EQ(executions(cost, "bn_stats"), 2);
  EXPECT_EQ(executions(cost, "bn_aggr"), 1);
  EXPECT_EQ(space(cost, "sbuf").bytes, 512 * 2 + 2 * 6 * 4);
  EXPECT_EQ(cost.dma_in, 128 * 1024 * 2);
  EXPECT_EQ(cost.dma_out, 2 * 128 * 4);
}

// ---- right and legal ----

/// Points of the statements of a whole-tensor program. Those of a check are a dozen times as many.
int64_t points(const ir::Program& program) {
  int64_t sum = 0;
  for (const auto& [statement, label] : ir::labelled_statements(program)) {
    std::vector<analysis::Dimension> axes;
    for (const ir::Axis& axis : statement->axes) axes.push_back({axis.name, {ir::integer(0), axis.extent}});
    analysis::ParameterValues highest;
    for (const ir::Parameter& parameter : program.parameters) highest[parameter.name] = parameter.high;
    sum += analysis::count_points(axes, {}, highest).points;
  }
  return sum;
}
constexpr int64_t most_points = 1'500'000;

class Golden : public testing::TestWithParam<std::string> {};

/// The larger ones are in ci/demo and ci/deep.
TEST_P(Golden, IsRightAndLegalOnEachMachine) {
  const ir::Program original = corpus_program(GetParam());
  for (const std::string name : machine_names) {
    SCOPED_TRACE(name);
    const machine::Machine& machine = machine_named(name);
    oracle::CheckOptions options;
    options.machine = &machine;
    options.keys = name == "trn2" ? 0 : 1;  // almost all programs are equal but for the machine
    const auto report = oracle::check(original, compiled(original, "penguin", machine).program, options);
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->verdict, oracle::Verdict::tested) << report->reason;
    EXPECT_THAT(report->findings, IsEmpty());
  }
}

std::vector<std::string> small_programs() {
  std::vector<std::string> names;
  for (const std::string& name : corpus_programs()) {
    const ir::Program original = corpus_program(name);
    if (is_whole(name, "trn2") && points(original) <= most_points) names.push_back(name);
  }
  return names;
}

TEST(GoldenOfTrn3, IsRightAndLegal) {
  const machine::Machine& machine = machine_named("trn3");
  for (const std::string& name : corpus_programs()) {
    if (!is_for_trn3_alone(name)) continue;
    const ir::Program original = corpus_program(name);
    const auto report = oracle::check(original, compiled(original, "penguin", machine).program, {.machine = &machine});
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->verdict, oracle::Verdict::tested) << name << report->reason;
  }
}

INSTANTIATE_TEST_SUITE_P(CorpusReal, Golden, testing::ValuesIn(small_programs()), [](const auto& one) { return one.param; });

}  // namespace
}  // namespace tileproof::penguin
