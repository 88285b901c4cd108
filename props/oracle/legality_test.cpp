// Each limit of a machine, at and just past it. The programs are walked, not computed: loops, conditions on loop variables,
// declarations and accesses are all that an observer of legality sees.
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/machine/form.h"
#include "oracle/interpret/run.h"
#include "oracle/legality/legality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>

namespace tileproof::oracle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Executes the control flow of a program and tells an observer.
class Walk final : public Environment {
 public:
  Walk(const ir::Program& program, Observer& observer, Parameters parameters) : observer_(observer), values_(std::move(parameters)) {
    const auto labelled = ir::labelled_statements(program);
    for (Site site = 0; site < labelled.size(); ++site) sites_[labelled[site].first] = site;
    block(program.body);
  }
  int64_t value(std::string_view name) const override { return values_.find(name)->second; }
  Instance instance(std::string_view buffer) const override { return instances_.find(buffer)->second; }

 private:
  int64_t evaluate(const ir::Expression& e) const {
    return machine::form_of(e, {}, {}, [this](std::string_view name) { return value(name); }).constant;
  }
  void block(const ir::Block& items) {
    std::vector<std::string> declared;
    for (const ir::Item& item : items) std::visit([&](const auto& node) { visit(node, declared); }, item.node);
    for (const std::string& name : declared) {
      observer_.release(instances_.at(name));
      instances_.erase(name);
    }
  }
  void visit(const ir::Buffer& buffer, std::vector<std::string>& declared) {
    std::vector<int64_t> extents;
    for (const ir::Expression& extent : buffer.extents) extents.push_back(evaluate(extent));
    std::optional<std::pair<int64_t, int64_t>> address;
    if (buffer.address) address = {evaluate(buffer.address->partition), evaluate(buffer.address->byte)};
    instances_[buffer.name] = ++last_;
    declared.push_back(buffer.name);
    observer_.declare(last_, buffer, extents, address);
  }
  void visit(const ir::View& view, std::vector<std::string>&) { bases_[view.name] = view.base; }
  void visit(const ir::Statement& statement, std::vector<std::string>&) {
    std::vector<int64_t> extents;
    for (const ir::Axis& axis : statement.axes) extents.push_back(evaluate(axis.extent));
    observer_.execute(statement, sites_.at(&statement), extents, *this);
    touch(statement.value);
    access(statement.destination, true);
  }
  void visit(const ir::Loop& loop, std::vector<std::string>&) {
    const int64_t high = evaluate(loop.range.high);
    for (int64_t i = evaluate(loop.range.low); i < high; ++i) {
      values_[loop.name] = i;
      block(loop.body);
    }
  }
  void visit(const ir::If& branch, std::vector<std::string>&) { block(branch.then_body); }
  void visit(const ir::While& loop, std::vector<std::string>&) { block(loop.body); }
  void visit(const ir::Group& group, std::vector<std::string>&) { block(group.body); }
  void visit(const ir::Move& move, std::vector<std::string>&) {
    for (const std::string& source : move.sources) access(source, false);
    for (const std::string& destination : move.destinations) access(destination, true);
  }
  void visit(const ir::Opaque& opaque, std::vector<std::string>&) {
    for (const auto& argument : opaque.arguments) access(argument.buffer, argument.role != ir::Role::in);
  }
  void touch(const ir::Expression& e) {
    if (e.op == ir::Op::read) access(e.name, false);
    for (const ir::Expression& operand : e.operands) touch(operand);
  }
  void access(std::string name, bool is_write) {
    while (bases_.contains(name)) name = bases_.at(name);
    observer_.access(instances_.at(name), is_write);
  }

  Observer& observer_;
  Parameters values_;
  std::map<const ir::Statement*, Site> sites_;
  std::map<std::string, Instance, std::less<>> instances_;
  std::map<std::string, std::string> bases_;
  Instance last_ = 0;
};

std::vector<Finding> findings(const std::string& machine_name, std::string_view body, Parameters parameters = {}) {
  const auto machine = machine::find_machine(machine_name);
  EXPECT_TRUE(machine) << ir::to_string(machine.error().front());
  auto file = ir::parse(fmt::format("tile 1 program p {{\n{}\nbuffer result : f32[1] dram out\n}}", body), "p.tile");
  EXPECT_TRUE(file) << (file ? "" : ir::to_string(file.error().front()));
  if (!machine || !file) return {};
  const ir::Program& program = file->programs.front();
  for (const ir::Diagnostic& diagnostic : ir::verify(program, "p.tile")) ADD_FAILURE() << ir::to_string(diagnostic);
  Legality legality(program, *machine);
  Walk(program, legality, std::move(parameters));
  return legality.finish();
}

/// "capacity - t": what corpus files expect.
std::vector<std::string> names(const std::vector<Finding>& found) {
  std::vector<std::string> result;
  for (const Finding& finding : found) result.push_back(fmt::format("{} {} {}", name(finding.id), finding.statement, finding.buffer));
  return result;
}
std::vector<std::string> on_toy(std::string_view body) { return names(findings("toy", body)); }
std::vector<std::string> on_trn2(std::string_view body) { return names(findings("trn2", body)); }
std::string detail(const std::string& machine, std::string_view body) {
  const auto found = findings(machine, body);
  return found.empty() ? "legal" : found.front().detail;
}

// ---- opcodes ----

constexpr std::string_view operands = R"(
  buffer x : bf16[8, 8] dram in  buffer s : bf16[8 | 8] pad  buffer m : bf16[8 | 8] pad  buffer d : f32[8 | 8] accumulator
  load s[k, p] = x[p, k] over k:8, p:8
  load m[k, f] = x[k, f] over k:8, f:8
)";
std::vector<std::string> matmul_on_toy(std::string_view rest) { return on_toy(fmt::format("{}{}", operands, rest)); }

TEST(Legality, AcceptsAnInstanceOfAnOpcode) {
  EXPECT_THAT(matmul_on_toy("matmul d[p, f] += s[k, p] * m[k, f] over p:8, f:8, k:8 reduce start"), IsEmpty());
}
TEST(Legality, FindsAnUnknownOpcode) {
  EXPECT_THAT(matmul_on_toy("matmull d[p, f] += s[k, p] * m[k, f] over p:8, f:8, k:8 reduce start"), ElementsAre("unknown matmull#1 -"));
  EXPECT_EQ(detail("toy", "buffer t : f32[8 | 4] pad memsett t[p, f] = 0 over p:8, f:4"), "toy has no opcode `memsett`; did you mean `memset`?");
}
TEST(Legality, FindsAnotherFormula) {
  EXPECT_THAT(matmul_on_toy("matmul d[p, f] += s[p, k] * m[k, f] over p:8, f:8, k:8 reduce start"), ElementsAre("opcode matmul#1 -"));
}
TEST(Legality, FindsAnOperandInAnotherSpace) {
  EXPECT_THAT(matmul_on_toy("matmul d[p, f] += s[k, p] * x[k, f] over p:8, f:8, k:8 reduce start"), ElementsAre("operand-space matmul#1 x"));
}
TEST(Legality, FindsAnotherDtype) {
  EXPECT_THAT(on_toy(R"(buffer x : f32[8, 8] dram in buffer t : bf16[8 | 8] pad load t[p, f] = x[p, f] over p:8, f:8)"), ElementsAre("operand-dtype load#1 x"));
}
TEST(Legality, FindsAnotherAccumulateDtype) {
  EXPECT_THAT(matmul_on_toy("matmul d[p, f] += s[k, p] * m[k, f] over p:8, f:8, k:8 reduce start acc bf16"), ElementsAre("operand-dtype matmul#1 -"));
}
TEST(Legality, ASkippedExecutionIsNotJudged) {
  EXPECT_THAT(matmul_on_toy("for i in 0..2 seq { matmul d[p, f] += s[p, k] * m[k, f] over p:8, f:8, k:8 reduce where 8*i + p < 0 start }"), IsEmpty());
}

// ---- limits, at and past them ----

TEST(LegalityLimits, Contraction) {
  const auto program = [](int k) {
    return fmt::format(R"(buffer x : bf16[400, 400] dram in buffer s : bf16[128 | 2, 128] sbuf buffer m : bf16[128 | 2, 512] sbuf buffer d : f32[128 | 512] psum
      load s[k, h, p] = x[p, 128*h + k] over k:128, h:2, p:128
      load m[k, h, f] = x[128*h + k, f] over k:128, h:2, f:400
      matmul d[p, f] += s[k mod 128, k floordiv 128, p] * m[k mod 128, k floordiv 128, f] over p:128, f:400, k:{} reduce start)", k);
  };
  EXPECT_THAT(on_trn2(program(128)), IsEmpty());
  EXPECT_THAT(on_trn2(program(129)), ElementsAre("opcode matmul#1 -"));
}

TEST(LegalityLimits, PartitionsOfAMatmulAreNamedWithTheirFigures) {
  EXPECT_EQ(detail("trn2", R"(buffer s : bf16[200 | 16] sbuf buffer m : bf16[200 | 16] sbuf buffer d : f32[16 | 16] psum
                              matmul d[p, f] += s[k, p] * m[k, f] over p:16, f:16, k:200 reduce start)"),
            "s spans 200 partitions; sbuf of trn2 has 128");
  const auto found = findings("trn2", R"(buffer s : bf16[200 | 16] sbuf buffer m : bf16[200 | 16] sbuf buffer d : f32[16 | 16] psum
                              matmul d[p, f] += s[k, p] * m[k, f] over p:16, f:16, k:200 reduce start)");
  EXPECT_THAT(names(found), ElementsAre("partitions - s", "partitions - m", "limit matmul#1 s"));
  EXPECT_EQ(found.back().detail, "k spans 200 partitions; matmul on trn2 takes at most 128 (the nearest of its 2 forms)");
}

TEST(LegalityLimits, FreeExtentsOfAMatmul) {
  const auto program = [](int p, int f) {
    return fmt::format(R"(buffer s : bf16[8 | 256] sbuf buffer m : bf16[8 | 600] sbuf buffer d : f32[128 | 1024] psum
      matmul d[p mod 128, f] += s[k, p] * m[k, f] over p:{}, f:{}, k:8 reduce start)", p, f);
  };
  EXPECT_THAT(on_trn2(program(128, 512)), IsEmpty());
  EXPECT_THAT(on_trn2(program(129, 512)), ElementsAre("limit matmul#1 s"));
  EXPECT_THAT(on_trn2(program(128, 513)), ElementsAre("limit matmul#1 m", "bank matmul#1 d"));
}

TEST(LegalityLimits, TransferLength) {
  const auto program = [](int f) {
    return fmt::format("buffer x : f32[8, 16] dram in buffer t : f32[8 | 16] pad load t[p, f] = x[p, f] over p:8, f:{}", f);
  };
  EXPECT_THAT(on_toy(program(8)), IsEmpty());
  EXPECT_THAT(on_toy(program(9)), ElementsAre("limit load#1 -"));
}

TEST(LegalityLimits, DimensionsOfAnAccessPattern) {
  const auto program = [](std::string_view index) {
    return fmt::format("buffer t : bf16[8 | 3, 3, 3] pad buffer u : bf16[8 | 2, 2, 2] pad map u[p, a, b, c] = t[p, {}] over p:8, a:2, b:2, c:2", index);
  };
  EXPECT_THAT(on_toy(program("0, a, b")), IsEmpty());
  EXPECT_THAT(on_toy(program("a, b, c")), ElementsAre("limit map#1 t"));
}

TEST(LegalityLimits, FactorsOfACount) {
  const auto program = [](int r) {
    return fmt::format("buffer t : i8[8 | 2, 64] pad buffer u : i32[8 | 2] pad sum u[p, f] += t[p, f, r] over p:8, f:2, r:{} reduce start", r);
  };
  EXPECT_THAT(on_toy(program(49)), IsEmpty());
  EXPECT_THAT(on_toy(program(48)), ElementsAre("limit sum#1 t"));   // 6 x 8
  EXPECT_THAT(on_toy(program(11)), ElementsAre("limit sum#1 t"));   // a prime
  EXPECT_THAT(on_toy(program(42)), IsEmpty());                      // 6 x 7
}

TEST(LegalityLimits, MultiplesOfAnExtent) {
  const auto program = [](int f) {
    return fmt::format("buffer t : i8[8 | 4, 4] pad buffer u : i32[8 | 4] pad sum u[p, f] += t[p, f, r] over p:8, f:{}, r:4 reduce start", f);
  };
  EXPECT_THAT(on_toy(program(4)), IsEmpty());
  EXPECT_THAT(on_toy(program(3)), ElementsAre("limit sum#1 t"));
}

TEST(LegalityLimits, ATailIsJudgedByItsDeclaredExtent) {
  EXPECT_THAT(on_toy("buffer x : f32[8, 16] dram in buffer t : f32[8 | 16] pad load t[p, f] = x[p, f] over p:8, f:16 where f < 8"),
              ElementsAre("limit load#1 -"));
}

// ---- banks ----

TEST(LegalityBanks, AnAccumulatorLiesInOneBank) {
  const auto program = [](std::string_view address, int first) {
    return fmt::format(R"({} buffer e : f32[8 | 16] accumulator {}
      matmul e[p, {} + f] += s[k, p] * m[k, f] over p:8, f:8, k:8 reduce start)", operands, address, first);
  };
  EXPECT_THAT(on_toy(program("", 0)), IsEmpty());
  EXPECT_THAT(on_toy(program("", 8)), IsEmpty());
  EXPECT_THAT(on_toy(program("", 1)), ElementsAre("bank matmul#1 e"));
  EXPECT_THAT(on_toy(program("at 0:0", 8)), IsEmpty());
}

TEST(LegalityBanks, AddressesMoveTheWindow) {
  const auto program = [](int byte) {
    return fmt::format(R"({} buffer e : f32[8 | 4] accumulator at 0:{}
      matmul e[p, f] += s[k, p] * m[k, f] over p:8, f:4, k:8 reduce start)", operands, byte);
  };
  EXPECT_THAT(on_toy(program(16)), IsEmpty());
  EXPECT_THAT(on_toy(program(20)), ElementsAre("bank matmul#1 e"));
}

TEST(LegalityBanks, EveryPassOfALoopIsSeen) {
  EXPECT_THAT(on_toy(fmt::format(R"({} buffer e : f32[8 | 16] accumulator
      for h in 0..3 seq {{ matmul e[p, 5*h + f] += s[k, p] * m[k, f] over p:8, f:4, k:8 reduce start }})", operands)),
              ElementsAre("bank matmul#1 e"));
}

TEST(LegalityBanks, AConditionCutsTheWindow) {
  const auto program = [](int bound) {
    return fmt::format(R"({} buffer e : f32[8 | 16] accumulator at 0:0
      matmul e[p, 4 + f] += s[k, p] * m[k, f] over p:8, f:8, k:8 reduce where f < {} start)", operands, bound);
  };
  EXPECT_THAT(on_toy(program(4)), IsEmpty());
  EXPECT_THAT(on_toy(program(5)), ElementsAre("bank matmul#1 e"));
}

// ---- partitions ----

TEST(LegalityPartitions, ABufferHasAtMostThoseOfItsSpace) {
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pad memset t[p, f] = 0 over p:8, f:4"), IsEmpty());
  EXPECT_THAT(on_toy("buffer t : f32[9 | 4] pad memset t[p, f] = 0 over p:8, f:4"), ElementsAre("partitions - t"));
  EXPECT_THAT(on_toy("buffer t : f32[3, 3 | 4] pad memset t[0, p, f] = 0 over p:2, f:4"), ElementsAre("partitions - t"));
}
TEST(LegalityPartitions, BarsStandWhereTheSpaceHasPartitions) {
  EXPECT_THAT(on_toy("buffer t : f32[8, 4] pad"), ElementsAre("partitions - t"));
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] dram"), ElementsAre("partitions - t"));
}

std::vector<std::string> starts_on_toy(int count, int start, std::string_view address = "") {
  return on_toy(fmt::format("buffer t : f32[8 | 4] pad {} memset t[{} + p, f] = 0 over p:{}, f:4", address, start, count));
}
TEST(LegalityStarts, FollowTheCountOfPartitions) {
  EXPECT_THAT(starts_on_toy(2, 2), IsEmpty());
  EXPECT_THAT(starts_on_toy(2, 1), ElementsAre("start-partition memset#1 t"));
  EXPECT_THAT(starts_on_toy(3, 4), IsEmpty());
  EXPECT_THAT(starts_on_toy(3, 2), ElementsAre("start-partition memset#1 t"));
  EXPECT_THAT(starts_on_toy(5, 0), IsEmpty());
  EXPECT_THAT(starts_on_toy(5, 2), ElementsAre("start-partition memset#1 t"));
}
TEST(LegalityStarts, CountFromTheAddress) {
  EXPECT_THAT(on_toy("buffer t : f32[2 | 4] pad at 2:0 memset t[p, f] = 0 over p:2, f:4"), IsEmpty());
  EXPECT_THAT(on_toy("buffer t : f32[2 | 4] pad at 3:0 memset t[p, f] = 0 over p:2, f:4"), ElementsAre("start-partition memset#1 t"));
}
TEST(LegalityStarts, AConditionShortensTheAccess) {
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pad memset t[4 + p, f] = 0 over p:8, f:4 where p < 4"), IsEmpty());
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pad memset t[3 + p, f] = 0 over p:8, f:4 where p >= 1 and p < 5"), IsEmpty());
}
TEST(LegalityStarts, PartitionsAreNeighbours) {
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pad memset t[2*p, f] = 0 over p:4, f:4"), ElementsAre("start-partition memset#1 t"));
}
TEST(LegalityStarts, DoNotBindTransfers) {
  EXPECT_THAT(on_toy("buffer x : f32[3, 4] dram in buffer t : f32[8 | 4] pad load t[2*p + 1, f] = x[p, f] over p:3, f:4"), IsEmpty());
}
TEST(LegalityStarts, OfTrn2) {   // spec/neuron.md 4.5
  const auto program = [](int count, int start) {
    return fmt::format("buffer t : f32[128 | 4] sbuf memset t[{} + p, f] = 0 over p:{}, f:4", start, count);
  };
  EXPECT_THAT(on_trn2(program(32, 96)), IsEmpty());
  EXPECT_THAT(on_trn2(program(33, 96)), ElementsAre("start-partition memset#1 t"));
  EXPECT_THAT(on_trn2(program(64, 64)), IsEmpty());
  EXPECT_THAT(on_trn2(program(64, 32)), ElementsAre("start-partition memset#1 t"));
  EXPECT_THAT(on_trn2(program(65, 0)), IsEmpty());
  EXPECT_EQ(detail("trn2", program(48, 32)), "t is accessed on partitions 32..79; 48 partitions of sbuf begin at 0 or 64 on trn2");
}

// ---- addresses ----

std::vector<std::string> placed(std::string_view extents, std::string_view at) { return on_toy(fmt::format("buffer t : f32[{}] pad at {}", extents, at)); }
TEST(LegalityAddresses, EndWithinTheSpace) {
  EXPECT_THAT(placed("8 | 4", "0:240"), IsEmpty());
  EXPECT_THAT(placed("8 | 4", "0:244"), ElementsAre("capacity - t"));
  EXPECT_THAT(placed("8 | 4", "0:256"), ElementsAre("address - t"));
}
TEST(LegalityAddresses, EndWithinThePartitions) {
  EXPECT_THAT(placed("4 | 4", "4:0"), IsEmpty());
  EXPECT_THAT(placed("4 | 4", "5:0"), ElementsAre("address - t"));
}
TEST(LegalityAddresses, AreAligned) {
  EXPECT_THAT(placed("8 | 4", "0:8"), IsEmpty());
  EXPECT_THAT(placed("8 | 4", "0:6"), ElementsAre("alignment - t"));
}
TEST(LegalityAddresses, MayDependOnLoops) {
  EXPECT_THAT(on_toy("for i in 0..3 seq { buffer t : f32[8 | 4] pad at 0:(120*i) memset t[p, f] = 0 over p:8, f:4 }"), IsEmpty());
  EXPECT_THAT(on_toy("for i in 0..3 seq { buffer t : f32[8 | 4] pad at 0:(122*i) memset t[p, f] = 0 over p:8, f:4 }"),
              ElementsAre("alignment - t", "capacity - t"));
}
TEST(LegalityAddresses, UnknownSpacesAreNamed) { EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pat"), ElementsAre("unknown - t")); }

// ---- packed elements ----

TEST(LegalityPacking, AWindowBeginsWithAByte) {
  const auto program = [](std::string_view index) {
    return fmt::format("buffer x : i4[8, 16] dram in buffer t : i4[8 | 8] pad load t[p, f] = x[p, {}] over p:8, f:4", index);
  };
  EXPECT_THAT(on_toy(program("f")), IsEmpty());
  EXPECT_THAT(on_toy(program("2 + f")), IsEmpty());
  EXPECT_THAT(on_toy(program("3 + f")), ElementsAre("alignment load#1 x"));
  EXPECT_THAT(on_toy(program("2*f")), IsEmpty());
}
TEST(LegalityPacking, EveryRowBeginsWithAByte) {
  EXPECT_THAT(on_toy("buffer x : i4[8, 5] dram in buffer t : i4[8 | 8] pad load t[p, f] = x[p, f] over p:8, f:4"), ElementsAre("alignment load#1 x"));
  // Whole rows follow each other: one run.
  EXPECT_THAT(on_toy("buffer x : i4[8, 5] dram in buffer t : i4[8 | 8] pad load t[p, f] = x[p, f] over p:8, f:5"), IsEmpty());
}

// ---- capacity ----

TEST(LegalityCapacity, ASingleBuffer) {
  EXPECT_THAT(on_toy("buffer t : f32[8 | 64] pad memset t[p, f] = 0 over p:8, f:8"), IsEmpty());
  EXPECT_THAT(on_toy("buffer t : f32[8 | 65] pad memset t[p, f] = 0 over p:8, f:8"), ElementsAre("capacity - t"));
}

TEST(LegalityCapacity, ThePeakOfLiveBuffers) {
  const auto program = [](int columns) {
    return fmt::format(R"(buffer a : f32[8 | 32] pad buffer b : f32[8 | {}] pad
      memset a[p, f] = 0 over p:8, f:8
      map b[p, f] = a[p, f] over p:8, f:8)", columns);
  };
  EXPECT_THAT(on_toy(program(32)), IsEmpty());
  EXPECT_THAT(on_toy(program(33)), ElementsAre("capacity - b"));
  EXPECT_EQ(detail("toy", program(33)), "260 bytes in each partition are live when b is first written by map#1; pad of toy has 256");
}

TEST(LegalityCapacity, ALifeGoesFromTheFirstWriteToTheLastRead) {
  EXPECT_THAT(on_toy(R"(buffer a : f32[8 | 32] pad buffer b : f32[8 | 32] pad buffer c : f32[8 | 32] pad
      memset a[p, f] = 0 over p:8, f:8
      map b[p, f] = a[p, f] over p:8, f:8
      map c[p, f] = b[p, f] over p:8, f:8)"), IsEmpty());
  EXPECT_THAT(on_toy(R"(buffer a : f32[8 | 32] pad buffer b : f32[8 | 32] pad buffer c : f32[8 | 32] pad
      memset a[p, f] = 0 over p:8, f:8
      map b[p, f] = a[p, f] over p:8, f:8
      map c[p, f] = b[p, f] + a[p, f] over p:8, f:8)"), ElementsAre("capacity - c"));
}

TEST(LegalityCapacity, BanksAreTakenWhole) {
  EXPECT_THAT(on_toy(R"(buffer a : f32[8 | 1] accumulator buffer b : f32[8 | 1] accumulator buffer c : f32[8 | 1] pad
      map a[p, f] = 0 over p:8, f:1
      map b[p, f] = a[p, f] over p:8, f:1
      map c[p, f] = a[p, f] + b[p, f] over p:8, f:1)"), IsEmpty());
  EXPECT_THAT(on_toy(R"(buffer a : f32[8 | 1] accumulator buffer b : f32[8 | 9] accumulator buffer c : f32[8 | 1] pad
      map a[p, f] = 0 over p:8, f:1
      map b[p, f] = a[p, 0] over p:8, f:9
      map c[p, f] = a[p, f] + b[p, f] over p:8, f:1)"), ElementsAre("capacity - b"));
}

TEST(LegalityCapacity, BuffersOfALoopMakeRoomForThoseOfTheNextPass) {
  EXPECT_THAT(on_toy("for i in 0..1000 seq { buffer a : f32[8 | 64] pad memset a[p, f] = 0 over p:8, f:8 }"), IsEmpty());
}

TEST(LegalityCapacity, AHoistedBufferStaysLiveThroughALoop) {
  EXPECT_THAT(on_toy(R"(buffer h : f32[8 | 4] pad memset h[p, f] = 0 over p:8, f:4
      for i in 0..40000 seq { buffer a : f32[8 | 61] pad memset a[p, f] = 0 over p:8, f:8  map a[p, f] = a[p, f] + h[p, 0] over p:8, f:8 })"),
              ElementsAre("capacity - a"));
  EXPECT_THAT(on_toy(R"(buffer h : f32[8 | 4] pad memset h[p, f] = 0 over p:8, f:4
      for i in 0..40000 seq { buffer a : f32[8 | 60] pad memset a[p, f] = 0 over p:8, f:8  map a[p, f] = a[p, f] + h[p, 0] over p:8, f:8 })"),
              IsEmpty());
}

TEST(LegalityCapacity, MovesReadAndWrite) {
  EXPECT_THAT(on_toy(R"(buffer a : f32[8 | 32] pad buffer b : f32[8 | 32] pad buffer c : f32[8 | 32] pad
      memset a[p, f] = 0 over p:8, f:8
      map b[p, f] = a[p, f] over p:8, f:8
      move c = b
      map c[p, f] = c[p, f] + 1 over p:8, f:8)"), IsEmpty());
}

TEST(LegalityCapacity, OfSbufAndPsum) {   // spec/neuron.md 4.1
  EXPECT_THAT(on_trn2("buffer t : u8[128 | 212984] sbuf memset t[p, f] = 0 over p:128, f:4"), IsEmpty());
  EXPECT_THAT(on_trn2("buffer t : u8[128 | 212985] sbuf memset t[p, f] = 0 over p:128, f:4"), ElementsAre("capacity - t"));
  EXPECT_THAT(on_trn2("buffer t : f32[128 | 4096] psum memset t[p, f] = 0 over p:128, f:4"), IsEmpty());
  EXPECT_THAT(on_trn2("buffer t : f32[128 | 4097] psum memset t[p, f] = 0 over p:128, f:4"), ElementsAre("capacity - t"));
}

// ---- groups, views, parameters ----

constexpr std::string_view shifted = R"(buffer a : bf16[8 | 16] pad buffer m : f32[8 | 1] pad buffer d : f32[8 | 16] pad
  memset a[p, f] = 1 over p:8, f:16
  group g as row_shift {{
    fold m[p, 0] max= a[p, f] over p:8, f:{0} reduce start
    anything d[p, f] = a[p, f] - m[p, 0] over p:8, f:{0}
  }})";

TEST(LegalityGroups, AreJudgedAsOneInstruction) {
  EXPECT_THAT(on_toy(fmt::format(shifted, 16)), IsEmpty());
  EXPECT_THAT(on_toy(fmt::format("buffer z : f32[1 | 1] pad {}", fmt::format(shifted, 16))), IsEmpty());
}
TEST(LegalityGroups, HaveLimits) {
  EXPECT_THAT(on_toy(R"(buffer a : bf16[8 | 32] pad buffer m : f32[8 | 1] pad buffer d : f32[8 | 32] pad
    group g as row_shift { fold m[p, 0] max= a[p, f] over p:8, f:17 reduce start  anything d[p, f] = a[p, f] - m[p, 0] over p:8, f:17 })"),
              ElementsAre("limit fold#1 a"));
}
TEST(LegalityGroups, AreKnownOrNot) {
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pad group g as quantize { memset t[p, f] = 0 over p:8, f:4 }"), ElementsAre("unknown memset#1 -"));
}
TEST(LegalityGroups, HoldStatementsOnly) {
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pad group g as row_shift { for i in 0..2 seq { memset t[p, f] = 0 over p:8, f:4 } }"),
              ElementsAre("opcode memset#1 -"));
}
TEST(LegalityGroups, WithoutOpcodeAreOnlyBrackets) {
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pad group g { memset t[p, f] = 0 over p:8, f:4 }"), IsEmpty());
}

TEST(LegalityViews, AreResolvedToTheBytesBehindThem) {
  EXPECT_THAT(on_toy(R"(buffer t : f32[8 | 4] pad view upper[p:4 | f:4] = t[4 + p, f] memset upper[p, f] = 0 over p:4, f:4)"), IsEmpty());
  EXPECT_THAT(on_toy(R"(buffer t : f32[8 | 4] pad view middle[p:4 | f:4] = t[2 + p, f] memset middle[p, f] = 0 over p:4, f:4)"),
              ElementsAre("start-partition memset#1 middle"));
}

TEST(LegalityParameters, GiveExtents) {
  constexpr std::string_view body = "param n : 1..16 buffer x : f32[8, n] dram in buffer t : f32[8 | 16] pad load t[p, f] = x[p, f] over p:8, f:n";
  EXPECT_THAT(names(findings("toy", body, {{"n", 8}})), IsEmpty());
  EXPECT_THAT(names(findings("toy", body, {{"n", 9}})), ElementsAre("limit load#1 -"));
}

TEST(LegalityFindings, AreReportedOnceForEachStatement) {
  EXPECT_THAT(on_toy("for i in 0..8 seq { buffer t : f32[8 | 4] pad memset t[1 + p, f] = 0 over p:2, f:4 memset t[1 + p, f] = i over p:2, f:4 }"),
              ElementsAre("start-partition memset#1 t", "start-partition memset#2 t"));
}

// ---- the example of the design ----

TEST(LegalityOfTheDesignExample, ATiledMatmulIsLegalOnTrn2) {
  EXPECT_THAT(on_trn2(R"(
  buffer x : bf16[300, 800] dram in
  buffer w : bf16[800, 3200] dram in
  buffer y : bf16[300, 3200] dram out
  for mb in 0..3 par { for nb in 0..7 par {
    buffer acc1 : f32[128 | 512] psum
    for kb in 0..7 seq {
      buffer xt : bf16[128 | 128] sbuf
      buffer wt : bf16[128 | 512] sbuf
      load   xt[k, m] = x[128*mb + m, 128*kb + k]  over k:128, m:128 where 128*mb + m < 300 and 128*kb + k < 800
      load   wt[k, n] = w[128*kb + k, 512*nb + n]  over k:128, n:512 where 128*kb + k < 800 and 512*nb + n < 3200
      matmul acc1[m, n] += xt[k, m] * wt[k, n]     over m:128, n:512, k:128 reduce
             where 128*mb + m < 300 and 512*nb + n < 3200 and 128*kb + k < 800   start kb == 0
    }
    buffer yt : bf16[128 | 512] sbuf
    map   yt[p, f] = max(acc1[p, f], 0)         over p:128, f:512 where 128*mb + p < 300 and 512*nb + f < 3200
    store y[128*mb + p, 512*nb + f] = yt[p, f]  over p:128, f:512 where 128*mb + p < 300 and 512*nb + f < 3200
  } })"), IsEmpty());
}

}  // namespace
}  // namespace tileproof::oracle
