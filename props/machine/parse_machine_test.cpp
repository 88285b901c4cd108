// The text of machine files: what it gives, and what is said about text that is wrong.
#include "compiler/ir/text.h"
#include "compiler/machine/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace tileproof::machine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Machine parse(std::string_view body) {
  auto machine = parse_machine(fmt::format("machine 1\nmachine m {{\n{}\n}}\n", body), "m.machine");
  EXPECT_TRUE(machine) << (machine ? "" : ir::to_string(machine.error().front()));
  return machine ? *machine : Machine{};
}

/// The first error of a machine with this body, as people see it.
std::string error(std::string_view body) {
  const auto machine = parse_machine(fmt::format("machine 1\nmachine m {{\n{}\n}}\n", body), "m.machine");
  return machine ? "no error" : ir::to_string(machine.error().front());
}

constexpr std::string_view spaces =
    "space dram space pad { partitions 8 bytes 256 } space acc2 { partitions 8 bytes 64 bank 32 }\n";
std::string opcode_error(std::string_view lines) { return error(fmt::format("{}opcode op {{\n{}\n}}", spaces, lines)); }

TEST(ParseMachine, ReadsConstantsInTermsOfEarlierOnes) {
  const Machine m = parse("constant psum_bank = 2048\nconstant all = 8 * psum_bank - 1");
  EXPECT_EQ(m.constant("all"), 16383);
  EXPECT_EQ(m.constant("nothing"), std::nullopt);
}

TEST(ParseMachine, ReadsSpaces) {
  const Machine m = parse("space pad { partitions 8 bytes 256 bank 32 align 4 row 2 start 1..4 at 0, 4 start 5..8 at 0 }");
  const Space* pad = m.space("pad");
  ASSERT_NE(pad, nullptr);
  EXPECT_EQ(pad->partitions, 8);
  EXPECT_EQ(pad->bytes, 256);
  EXPECT_EQ(pad->bank_bytes, 32);
  EXPECT_EQ(pad->alignment, 4);
  EXPECT_EQ(pad->row, 2);
  EXPECT_THAT(pad->starts, ElementsAre(StartRule{1, 4, {0, 4}}, StartRule{5, 8, {0}}));
}

TEST(ParseMachine, ASpaceWithoutBodyHasNoLimits) {
  const Machine m = parse("space dram");
  EXPECT_EQ(m.space("dram")->bytes, std::nullopt);
  EXPECT_EQ(m.space("dram")->partitions, std::nullopt);
}

TEST(ParseMachine, ReadsAMatmul) {
  const Machine m = parse(std::string(spaces) +
                          "opcode matmul { D[p | f] += S[k | p] * M[k | f]  D in acc2 : f32  limit k <= 8  bank D  acc f32 }");
  const auto forms = m.alternatives("matmul");
  ASSERT_EQ(forms.size(), 1U);
  const Formula& formula = forms[0]->formulas.at(0);
  EXPECT_EQ(formula.text, "D[p | f] += S[k | p] * M[k | f]");
  EXPECT_THAT(formula.updates, ElementsAre(ir::Update::add));
  EXPECT_EQ(formula.value.op, ir::Op::multiply);
  EXPECT_EQ(formula.shapes.at(1).role, "S");
  EXPECT_THAT(formula.shapes[1].partition, ElementsAre(Letter{"k", false}));
  EXPECT_TRUE(forms[0]->role("D")->one_bank);
  EXPECT_THAT(forms[0]->accumulate, ElementsAre(ir::Dtype::f32));
  EXPECT_EQ(forms[0]->limits.at(0).left.kind, Limit::Term::Kind::letter);
}

TEST(ParseMachine, ReadsSeveralUpdates) {
  const Machine m = parse("opcode reduce { D[p | f] = | += | max= | and= | or= any(A[p | (f) (r)]) }");
  EXPECT_THAT(m.alternatives("reduce").at(0)->formulas.at(0).updates,
              ElementsAre(ir::Update::assign, ir::Update::add, ir::Update::max, ir::Update::bit_and, ir::Update::bit_or));
  EXPECT_TRUE(m.opcodes.at(0).formulas[0].shapes.at(1).free.at(0).at(1).may_miss);
}

TEST(ParseMachine, ACommaOrdersRunsOfDimensions) {
  const Machine m = parse("opcode row_max { D[r] max= A[r, c d] }");
  const Shape& shape = m.opcodes.at(0).formulas.at(0).shapes.at(1);
  ASSERT_EQ(shape.free.size(), 2U);
  EXPECT_THAT(shape.free[1], ElementsAre(Letter{"c", false}, Letter{"d", false}));
  EXPECT_FALSE(shape.has_bar);
}

TEST(ParseMachine, SeveralFormulasMakeAGroup) {
  const Machine m = parse("opcode two { M[p |] max= A[p | f]  D[p | f] = A[p | f] - M[p |] }");
  EXPECT_EQ(m.opcodes.at(0).formulas.size(), 2U);
}

TEST(ParseMachine, TheSameNameTwiceMakesAlternatives) {
  const Machine m = parse("opcode copy { D[p | f] = A[p | f] } opcode copy { D[*] = A[*] } opcode fill { D[*] = scalar }");
  EXPECT_EQ(m.alternatives("copy").size(), 2U);
  EXPECT_THAT(m.opcode_names(), ElementsAre("copy", "fill"));
}

TEST(ParseMachine, NamedListsOfDtypesMayBeMixedWithDtypes) {
  const Machine m = parse("dtypes small = i4, i8\nopcode copy { D[*] = A[*]  A : small, f32 }");
  EXPECT_THAT(m.opcodes.at(0).role("A")->dtypes, ElementsAre(ir::Dtype::i4, ir::Dtype::i8, ir::Dtype::f32));
}

TEST(ParseMachine, CommentsStandAnywhereAndStayOutOfFormulas) {
  const Machine m = parse("opcode add { # two tiles\n D[p | f] = # sum\n A[p | f] + B[p | f] # end\n }");
  EXPECT_EQ(m.opcodes.at(0).formulas.at(0).text, "D[p | f] = A[p | f] + B[p | f]");
}

TEST(ParseMachine, TheNameMayHaveDashes) {
  EXPECT_EQ(parse_machine("machine 1 machine ascend-910b { }", "x")->name, "ascend-910b");
}

TEST(ParseMachineErrors, NameThePlaceAndTheMend) {
  EXPECT_EQ(error("spade dram"), "m.machine:3:1: error: `spade` begins no part of a machine; did you mean `space`?");
}

TEST(ParseMachineErrors, AMissingFirstLine) {
  EXPECT_THAT(ir::to_string(parse_machine("space dram", "m").error().front()), HasSubstr("write `machine 1`"));
}

TEST(ParseMachineErrors, TextThatEndsEarly) {
  EXPECT_THAT(ir::to_string(parse_machine("machine 1 machine m { space dram {", "m").error().front()),
              HasSubstr("the text ends"));
}

TEST(ParseMachineErrors, SeveralAreReportedAtOnce) {
  const auto machine = parse_machine("machine 1\nmachine m {\nspace a { bytes 0 }\nspace b { bytes -1 }\n}", "m");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().size(), 2U);
}

TEST(ParseMachineErrors, AnUnknownConstant) {
  EXPECT_THAT(error("constant lane = 4\nspace s { bytes 2 * lame }"), HasSubstr("did you mean `lane`?"));
}
TEST(ParseMachineErrors, AConstantTwice) { EXPECT_THAT(error("constant a = 1\nconstant a = 2"), HasSubstr("declared twice")); }
TEST(ParseMachineErrors, AFigureBelowOne) { EXPECT_THAT(error("space s { partitions 0 }"), HasSubstr("partitions is 0")); }
TEST(ParseMachineErrors, ADivisionByZero) {
  EXPECT_THAT(error("constant a = 4 floordiv 0"), HasSubstr("division by a number below 1"));
}
TEST(ParseMachineErrors, BanksThatDoNotFillTheSpace) {
  EXPECT_THAT(error("space s { bytes 100 bank 32 }"), HasSubstr("no whole number of banks"));
}
TEST(ParseMachineErrors, StartRulesWithoutPartitions) {
  EXPECT_THAT(error("space s { start 1..2 at 0 }"), HasSubstr("no partitions"));
}
TEST(ParseMachineErrors, StartRulesThatMeet) {
  EXPECT_THAT(error("space s { partitions 8 start 1..4 at 0 start 4..8 at 0 }"), HasSubstr("make the rules disjoint"));
}

TEST(ParseMachineErrors, AnOpcodeWithoutFormula) { EXPECT_THAT(opcode_error(""), HasSubstr("has no formula")); }
TEST(ParseMachineErrors, ARuleForARoleThatNoFormulaHas) {
  EXPECT_THAT(opcode_error("D[*] = A[*]\nB in pad"), HasSubstr("no formula before it has the role `B`"));
}
TEST(ParseMachineErrors, ARuleBeforeItsFormula) {
  EXPECT_THAT(opcode_error("A in pad\nD[*] = A[*]"), HasSubstr("write the formula first"));
}
TEST(ParseMachineErrors, AnUnknownSpace) { EXPECT_THAT(opcode_error("D[*] = A[*]\nA in pat"), HasSubstr("did you mean `pad`?")); }
TEST(ParseMachineErrors, AnUnknownDtype) {
  EXPECT_THAT(opcode_error("D[*] = A[*]\nA : bf15"), HasSubstr("did you mean `bf16`?"));
}
TEST(ParseMachineErrors, ALimitOnAnUnknownLetter) {
  EXPECT_THAT(opcode_error("D[p | f] = A[p | f]\nlimit q <= 4"), HasSubstr("neither a constant nor a letter"));
}
TEST(ParseMachineErrors, ALimitWithoutComparison) {
  EXPECT_THAT(opcode_error("D[p | f] = A[p | f]\nlimit p"), HasSubstr("expected a comparison"));
}
TEST(ParseMachineErrors, BytesOfAnUnknownRole) {
  EXPECT_THAT(opcode_error("D[p | f] = A[p | f]\nlimit bytes(B) <= 4"), HasSubstr("has the role `B`"));
}
TEST(ParseMachineErrors, ABankInASpaceWithoutBanks) {
  EXPECT_THAT(opcode_error("D[p | f] = A[p | f]\nD in pad\nbank D"), HasSubstr("pad, which has no banks"));
}
TEST(ParseMachineErrors, ALetterTwiceInOneRole) { EXPECT_THAT(opcode_error("D[p | p] = A[p | f]"), HasSubstr("stands twice")); }
TEST(ParseMachineErrors, AnOptionalLetterOnTheDestination) {
  EXPECT_THAT(opcode_error("D[p | (f)] = A[p | f]"), HasSubstr("on the destination"));
}
TEST(ParseMachineErrors, ARoleWithoutLetters) { EXPECT_THAT(opcode_error("D[p | f] = A"), HasSubstr("has no letters")); }
TEST(ParseMachineErrors, ARoleNamedLikeAWordOfTheFile) {
  EXPECT_THAT(opcode_error("D[p | f] = limit[p | f]"), HasSubstr("a word of machine files"));
}
TEST(ParseMachineErrors, AFunctionWithTooFewOperands) {
  EXPECT_THAT(opcode_error("D[p | f] = max(A[p | f])"), HasSubstr("takes 2 operands"));
}
TEST(ParseMachineErrors, SameWithOneRole) { EXPECT_THAT(opcode_error("D[*] = A[*]\nsame D"), HasSubstr("`same` with one role")); }
TEST(ParseMachineErrors, AnUnknownLine) { EXPECT_THAT(opcode_error("D[*] = A[*]\nlimits"), HasSubstr("did you mean `limit`?")); }

TEST(ParseMachineErrors, HostileNestingEndsEarly) {
  std::string body = "constant a = ";
  body.append(100'000, '(');
  EXPECT_THAT(error(body), HasSubstr("nest deeper"));
  std::string chain = "constant a = 1";
  for (int i = 0; i < 100'000; ++i) chain += "+1";
  EXPECT_THAT(error(chain), HasSubstr("too many operands"));
}

TEST(FindMachine, KnowsTheBuiltInOnesByName) {
  for (const std::string& name : builtin_machines()) {
    const auto machine = find_machine(name);
    ASSERT_TRUE(machine) << ir::to_string(machine.error().front());
    EXPECT_EQ(machine->name, name);
  }
}

TEST(FindMachine, SuggestsANameThatIsNear) {
  const auto machine = find_machine("trn22");
  ASSERT_FALSE(machine);
  EXPECT_THAT(ir::to_string(machine.error().front()), HasSubstr("did you mean `trn2`?"));
}

TEST(FindMachine, ReadsAFile) {
  const auto machine = find_machine("compiler/machine/files/toy.machine");
  ASSERT_TRUE(machine) << ir::to_string(machine.error().front());
  EXPECT_EQ(machine->name, "toy");
}

TEST(FindMachine, SaysThatAFileIsMissing) {
  EXPECT_THAT(ir::to_string(find_machine("no/such.machine").error().front()), HasSubstr("no/such.machine"));
}

// ---- docs/machines.md ----

/// The first machine of the page.
std::string example_of_the_page() {
  const auto page = ir::read_text("docs/machines.md");
  EXPECT_TRUE(page) << (page ? "" : ir::to_string(page.error()));
  const size_t begin = page->find("```\nmachine 1\n") + 4;
  return page->substr(begin, page->find("```", begin) - begin);
}

TEST(MachinesPage, ItsExampleIsAMachine) {
  const auto machine = parse_machine(example_of_the_page(), "mynpu.machine");
  ASSERT_TRUE(machine) << ir::to_string(machine.error().front());
  EXPECT_THAT(machine->opcode_names(), ElementsAre("load", "store", "matmul", "map"));
}

TEST(MachinesPage, ShowsTheErrorThatAMisspeltSpaceGives) {
  std::string text = example_of_the_page();
  text.replace(text.find("D in accumulators"), 17, "D in accumulator");
  const auto machine = parse_machine(text, "mynpu.machine");
  ASSERT_FALSE(machine);
  EXPECT_THAT(*ir::read_text("docs/machines.md"), HasSubstr(ir::to_string(machine.error().front())));
}

}  // namespace
}  // namespace tileproof::machine
