// The reference evaluator, rule by rule. Values are plain integers: an input element is its place in the buffer.
#include "oracle/interpret/reference.h"

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "fuzz/generate/agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tileproof::oracle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr int64_t infinite = 1'000'000;

class Plain {
 public:
  enum class Kind : uint8_t { number, poison, nan };
  struct Value {
    int64_t number = 0;
    Kind kind = Kind::number;
  };
  static Value poison() { return {0, Kind::poison}; }
  static bool is_poison(Value v) { return v.kind == Kind::poison; }
  bool is_nan(Value v) const { return v.kind == Kind::nan; }
  Value input(const InputElement& at) const { return {at.element}; }
  Value integer(int64_t value) const { return {value}; }
  Value literal(ir::Decimal d) const { return {d.digits}; }
  Value infinity() const { return {infinite}; }
  Value nan() const { return {0, Kind::nan}; }
  Value negate(Value a) const { return on({a}, -a.number); }
  Value add(Value a, Value b, ir::Dtype) const { return on({a, b}, a.number + b.number); }
  Value subtract(Value a, Value b, ir::Dtype) const { return on({a, b}, a.number - b.number); }
  Value multiply(Value a, Value b, ir::Dtype) const { return on({a, b}, a.number * b.number); }
  Value divide(Value a, Value b, ir::Dtype) const { return b.number == 0 ? nan() : on({a, b}, a.number / b.number); }
  Value min(Value a, Value b) const { return on({a, b}, std::min(a.number, b.number)); }
  Value max(Value a, Value b) const { return on({a, b}, std::max(a.number, b.number)); }
  Value compare(ir::Op, Value a, Value b) const { return on({a, b}, a.number < b.number); }
  Value select(Value c, Value a, Value b) const { return on({c, a, b}, c.number != 0 ? a.number : b.number); }
  Value apply(ir::Op, std::span<const Value> values, ir::Dtype) const { return values[0]; }
  Value narrow(Value v, const Narrowing& n) const {
    return ir::is_integer(n.to) && v.kind == Kind::number ? Value{wrap_to(n.to, v.number)} : v;
  }
  Value identity(ir::Update update) const {
    return {update == ir::Update::multiply ? 1
            : update == ir::Update::max    ? -infinite
            : update == ir::Update::min    ? infinite
                                           : 0};
  }
  Value accumulate(ir::Update update, Value old, Value value, ir::Dtype dtype) const {
    switch (update) {
      case ir::Update::multiply: return multiply(old, value, dtype);
      case ir::Update::max: return max(old, value);
      case ir::Update::min: return min(old, value);
      default: return add(old, value, dtype);
    }
  }
  uint64_t digest(Value v) const { return static_cast<uint64_t>(v.number); }
  Value from_digest(uint64_t d) const { return {static_cast<int64_t>(d % 1000)}; }

 private:
  static Value on(std::initializer_list<Value> operands, int64_t number) {
    for (const Kind kind : {Kind::poison, Kind::nan}) {
      for (const Value& v : operands)
        if (v.kind == kind) return {0, kind};
    }
    return {number};
  }
};
static_assert(Domain<Plain>);

using Result = Run<Plain::Value>;

/// Runs `program t { body }`. The fast interpreter must see the same.
Result run(std::string_view body, RunOptions options = {}) {
  const auto file = ir::parse(fmt::format("tile 1 program t {{ {} }}", body), "test");
  if (!file) {
    ADD_FAILURE() << ir::to_string(file.error().front());
    return {};
  }
  for (const ir::Diagnostic& wrong : ir::verify(*file)) ADD_FAILURE() << ir::to_string(wrong);
  const ir::Program& program = file->programs.front();
  if (options.kinds.index_inputs.empty()) options.kinds = common_kinds(program, program);
  EXPECT_EQ(fuzz::disagreement(program, options, [] { return Plain(); }), "") << body;
  Plain domain;
  return evaluate_reference(program, domain, options);
}

/// "name statement buffer[element]" of each finding.
std::vector<std::string> findings(const Result& result) {
  std::vector<std::string> list;
  for (const Finding& f : result.findings)
    list.push_back(fmt::format("{} {} {}[{}]", name(f.id), f.statement, f.buffer, fmt::join(f.element, ",")));
  return list;
}

/// The elements of the first output; "P" is poison, "N" a NaN.
std::vector<std::string> elements(const Result& result, size_t output = 0) {
  std::vector<std::string> list;
  if (result.outputs.size() <= output) return list;
  for (const int64_t v : result.outputs[output].integers) list.push_back(v == integer_poison ? "P" : std::to_string(v));
  for (const Plain::Value& v : result.outputs[output].values) {
    list.push_back(v.kind == Plain::Kind::poison ? "P" : v.kind == Plain::Kind::nan ? "N" : std::to_string(v.number));
  }
  return list;
}

// ---- values ----

TEST(ReferenceStatement, EvaluatesItsFormulaAtEveryPoint) {
  const Result result = run("buffer x : f32[3] dram in  buffer y : f32[3] dram out  map y[i] = 2 * x[i] + i over i:3");
  EXPECT_THAT(elements(result), ElementsAre("0", "3", "6"));
  EXPECT_EQ(result.points, 3U);
  EXPECT_THAT(result.outputs[0].writers, ElementsAre(1U, 1U, 1U));
}

TEST(ReferenceStatement, CountsThePointsWhereAllConditionsHold) {
  const Result result = run("buffer y : f32[4] dram inout  map y[i] = 7 over i:9 where i < 4 and i >= 2");
  EXPECT_EQ(result.points, 2U);
  EXPECT_THAT(elements(result), ElementsAre("0", "1", "7", "7"));
  EXPECT_THAT(result.outputs[0].writers, ElementsAre(0U, 0U, 1U, 1U));
}

TEST(ReferenceReduction, AddsToTheOldValue) {
  EXPECT_THAT(
      elements(run("buffer x : f32[2, 3] dram in  buffer y : f32[2] dram inout  reduce y[i] += x[i, k] over i:2, k:3 reduce")),
      ElementsAre("3", "13"));
}

TEST(ReferenceReduction, BeginsAtTheIdentityWithStart) {
  EXPECT_THAT(
      elements(
          run("buffer x : f32[2, 3] dram in  buffer y : f32[2] dram out  reduce y[i] max= x[i, k] over k:3 reduce, i:2 start")),
      ElementsAre("2", "5"));
}

TEST(ReferenceReduction, WritesTheIdentityWhereNothingIsAdded) {
  EXPECT_THAT(elements(run("buffer y : f32[2] dram out  reduce y[i] += i over i:2, k:0 reduce start")), ElementsAre("0", "0"));
  EXPECT_THAT(elements(run("buffer y : f32[2] dram out  reduce y[i] += 5 over i:2, k:3 reduce where k + i == 3 start")),
              ElementsAre("0", "5"));
}

TEST(ReferenceReduction, LeavesAloneWhatItAddsNothingTo) {
  const Result result = run("buffer y : f32[2] dram out  reduce y[i] += 5 over i:2, k:3 reduce where k + i == 3");
  EXPECT_THAT(findings(result), ElementsAre("not-written - y[0]", "poison-output reduce#1 y[1]"));
}

TEST(ReferenceReduction, BeginsAnewWhereStartHolds) {
  EXPECT_THAT(elements(run("buffer y : f32[2] dram out  for k in 0..3 seq { reduce y[i] += k + i over i:2 start k == 1 }")),
              ElementsAre("3", "5"));
}

TEST(ReferenceReduction, GivesScatteredDuplicatesOneSum) {
  EXPECT_THAT(elements(run("buffer y : f32[2] dram inout  scatter y[k mod 2] += k over k:4 reduce")), ElementsAre("2", "5"));
}

TEST(ReferenceScan, RunsSeqAxesInOrder) {
  EXPECT_THAT(elements(run("buffer y : f32[4] dram out  scan y[i] = select(i == 0, 1, 2 * y[i - 1]) over i:4 seq")),
              ElementsAre("1", "2", "4", "8"));
}

TEST(ReferenceStore, WrapsIntegers) {
  EXPECT_THAT(elements(run("buffer y : i8[2] dram out  map y[i] = 200 * i over i:2")), ElementsAre("0", "-56"));
}

TEST(ReferenceView, ComposesWithViews) {
  EXPECT_THAT(elements(run("buffer x : f32[2, 3] dram in  buffer y : f32[2] dram out"
                           "  view v[a:6] = x[a floordiv 3, a mod 3]  view w[b:2] = v[2*b + 1]  copy y[i] = w[i] over i:2")),
              ElementsAre("1", "3"));
}

TEST(ReferenceView, SeesTheLoopVariablesOfItsDeclarationAndNotThoseOfItsUse) {
  EXPECT_THAT(elements(run("buffer x : f32[6] dram in  buffer y : f32[6] dram out"
                           "  for b in 0..3 par { view v[i:2] = x[2*b + i]  copy y[2*b + i] = v[1 - i] over i:2 }")),
              ElementsAre("1", "0", "3", "2", "5", "4"));
}

TEST(ReferenceControl, TakesBranchesGroupsAndParameters) {
  RunOptions options;
  options.parameters["n"] = 3;
  EXPECT_THAT(elements(run("param n : 1..4  buffer y : f32[n] dram out"
                           "  if n < 3 { memset y[i] = 1 over i:n } else { group g { memset y[i] = n over i:n } }",
                           options)),
              ElementsAre("3", "3", "3"));
}

TEST(ReferenceControl, RepeatsWhileAConditionHolds) {
  EXPECT_THAT(
      elements(run("buffer y : i32[1] dram out range 0..9  memset y[0] = 0  while y[0] < 3 max 5 { map y[0] = y[0] + 1 }")),
      ElementsAre("3"));
}

TEST(ReferenceMove, ReadsAllBeforeItWritesAny) {
  const Result result =
      run("buffer a : f32[2] dram inout  buffer b : f32[2] dram inout  map a[i] = 7 over i:2  move a, b = b, a");
  EXPECT_THAT(elements(result, 0), ElementsAre("0", "1"));
  EXPECT_THAT(elements(result, 1), ElementsAre("7", "7"));
  EXPECT_EQ(result.outputs[0].writers[0], 0U) << "a move is no statement";
}

TEST(ReferenceOpaque, IsAFunctionOfItsInputs) {
  const char* const text = "buffer x : f32[2] dram in  buffer y : f32[3] dram out  opaque f(in x, out y)";
  EXPECT_EQ(elements(run(text)), elements(run(text)));
  EXPECT_NE(elements(run(text)), elements(run("buffer x : f32[2] dram in  buffer y : f32[3] dram out  opaque g(in x, out y)")));
}

TEST(ReferenceOpaque, IsPoisonIfAnInputIs) {
  EXPECT_THAT(elements(run("buffer t : f32[2] dram  buffer y : f32[1] dram out  memset t[0] = 1  opaque f(in t, out y)")),
              ElementsAre("P"));
}

// ---- races ----

TEST(ReferenceRace, IsAnElementThatTwoIterationsWrite) {
  EXPECT_THAT(findings(run("buffer y : f32[1] dram out  for i in 0..2 par { map y[0] = i }")), ElementsAre("race map#1 y[0]"));
  EXPECT_THAT(findings(run("buffer y : f32[1] dram out  for i in 0..2 seq { map y[0] = i }")), IsEmpty());
}

TEST(ReferenceRace, IsFoundOnceForABuffer) {
  EXPECT_THAT(findings(run("buffer y : f32[9] dram out  for i in 0..2 par { map y[j] = i over j:9  map y[j] = j over j:9 }")),
              ElementsAre("race map#1 y[0]"));
}

TEST(ReferenceRace, IsAReadOfWhatAnotherIterationWrote) {
  EXPECT_THAT(findings(run("buffer y : f32[4] dram inout  for i in 1..4 par { map y[i] = y[i - 1] }")),
              ElementsAre("race map#1 y[1]"));
}

TEST(ReferenceRace, IsDecidedByTheFirstDifferenceOfTheTwoPaths) {
  EXPECT_THAT(findings(run("buffer y : f32[1] dram out  for s in 0..2 seq { for i in 0..1 par { map y[0] = s } }")), IsEmpty());
  EXPECT_THAT(findings(run("buffer y : f32[1] dram out  for i in 0..2 par { for s in 0..2 seq { map y[0] = s } }")),
              ElementsAre("race map#1 y[0]"));
  EXPECT_THAT(findings(run("buffer y : f32[2] dram out  for i in 0..2 par { map y[i] = 1  map y[i] = 2 }")), IsEmpty())
      << "one iteration is in order";
}

TEST(ReferenceRace, ForgetsBuffersThatEachIterationHasForItself) {
  EXPECT_THAT(
      findings(run("buffer y : f32[2] dram out  for i in 0..2 par { buffer t : f32[1] dram  map t[0] = i  map y[i] = t[0] }")),
      IsEmpty());
  EXPECT_THAT(
      findings(run("buffer y : f32[2] dram out  buffer t : f32[1] dram  for i in 0..2 par { map t[0] = i  map y[i] = t[0] }")),
      ElementsAre("race map#1 t[0]"));
}

TEST(ReferenceRace, IsTwoPointsOfParallelAxesOnOneElement) {
  EXPECT_THAT(findings(run("buffer y : f32[1] dram out  map y[0] = i over i:2")), ElementsAre("race map#1 y[0]"));
  EXPECT_THAT(findings(run("buffer y : f32[4] dram inout  map y[i] = y[3 - i] over i:4")), ElementsAre("race map#1 y[1]"));
  EXPECT_THAT(findings(run("buffer y : f32[4] dram inout  map y[i] = y[3 - i] over i:4 seq")), IsEmpty());
}

TEST(ReferenceRace, ExemptsAccumulationOverReduceAxes) {
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  reduce y[0] += i over i:2")), ElementsAre("race reduce#1 y[0]"));
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  reduce y[0] += i over i:2 reduce")), IsEmpty());
  EXPECT_THAT(findings(run("buffer y : f32[2] dram inout  scatter y[k mod 2] += 1 over k:4")),
              ElementsAre("race scatter#1 y[0]"));
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  for i in 0..2 par { reduce y[0] += i }")),
              ElementsAre("race reduce#1 y[0]"));
}

TEST(ReferenceRace, IsAReadOfTheElementThatIsBeingAccumulated) {
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  reduce y[0] += y[0] over k:2 reduce")),
              ElementsAre("race reduce#1 y[0]"));
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  reduce y[0] += y[0] over k:1 reduce")), IsEmpty())
      << "there is no second point";
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  reduce y[0] += y[0]")), IsEmpty());
}

TEST(ReferenceRace, IsNotAReadAfterStartByTheOnlyPointThatAdds) {
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  reduce y[0] += y[0] over k:3 reduce where k > 1 start")), IsEmpty());
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  reduce y[0] += y[0] over k:3 reduce where k > 0 start")),
              ElementsAre("race reduce#1 y[0]"));
}

TEST(ReferenceRace, IsOneByteThatTwoIterationsWrite) {
  EXPECT_THAT(findings(run("buffer y : i4[4] dram out  for i in 0..4 par { map y[i] = i }")), ElementsAre("race map#1 y[1]"));
  EXPECT_THAT(findings(run("buffer y : i4[4] dram out  for i in 0..2 par { map y[2*i + j] = i over j:2 }")), IsEmpty());
  EXPECT_THAT(findings(run("buffer y : i4[3 | 1] dram out  for i in 0..3 par { map y[i, 0] = i }")), IsEmpty())
      << "partitions share no byte";
  EXPECT_THAT(findings(run("buffer y : i4[4] dram out  map y[i] = i over i:4")), IsEmpty()) << "axes do not race on bytes";
  EXPECT_THAT(findings(run("buffer y : i4[4] dram out  for i in 0..4 seq { map y[i] = i }")), IsEmpty());
}

TEST(ReferenceOrder, ChangesNothingLegal) {
  const char* const text =
      "buffer x : f32[7] dram in  buffer y : f32[7] dram out  for b in 0..4 par { map y[2*b + i] = x[2*b + i] over i:2 where 2*b "
      "+ i < 7 }";
  const auto expected = elements(run(text));
  for (const Order order : {Order::reversed, Order::shuffled}) {
    RunOptions options;
    options.order = order;
    EXPECT_EQ(elements(run(text, options)), expected) << name(order);
  }
}

TEST(ReferenceOrder, TurnsConcurrentLoopsOnly) {
  RunOptions reversed;
  reversed.order = Order::reversed;
  EXPECT_THAT(elements(run("buffer y : f32[1] dram out  for i in 0..3 par { map y[0] = i }", reversed)), ElementsAre("0"));
  EXPECT_THAT(elements(run("buffer y : f32[1] dram out  for i in 0..3 seq { map y[0] = i }", reversed)), ElementsAre("2"));
}

// ---- bounds, poison, claims ----

TEST(ReferenceBounds, SkipThePointAndGoOn) {
  const Result result = run("buffer x : f32[3] dram in  buffer y : f32[4] dram out  map y[i] = x[i] over i:4");
  EXPECT_THAT(findings(result), ElementsAre("out-of-bounds map#1 x[3]", "not-written - y[3]"));
  EXPECT_THAT(elements(result), ElementsAre("0", "1", "2", "P"));
  EXPECT_EQ(result.points, 3U);
}

TEST(ReferenceBounds, AreMetInTheOrderOfTheOperands) {
  EXPECT_THAT(findings(run("buffer x : i64[4] dram in range 0..4  buffer b : f32[3] dram in  buffer y : f32[4] dram inout"
                           "  map y[i] = b[i] + select(x[i + 3] < 2, 1, 2) over i:4")),
              ElementsAre("out-of-bounds map#1 x[4]", "out-of-bounds map#1 b[3]"));
}

TEST(ReferenceBounds, HoldForEachDimByItself) {
  EXPECT_THAT(findings(run("buffer x : f32[2, 3] dram in  buffer y : f32[1] dram out  map y[0] = x[0, 3]  memset y[0] = 0")),
              ElementsAre("out-of-bounds map#1 x[0,3]"));
}

TEST(ReferenceBounds, OfAViewAreReportedForTheBufferBehindIt) {
  EXPECT_THAT(findings(run("buffer x : f32[9] dram in  buffer y : f32[1] dram inout  view v[a:2] = x[a + 1]  map y[0] = v[2]")),
              ElementsAre("out-of-bounds map#1 x[3]"));
}

TEST(ReferenceBounds, OfWhatIsNotEvaluatedDoNotMatter) {
  EXPECT_THAT(
      findings(run("buffer x : f32[2] dram in  buffer y : f32[4] dram inout  map y[i] = select(i < 2, x[i], 0) over i:4")),
      IsEmpty());
  EXPECT_THAT(findings(run("buffer x : f32[2] dram in  buffer y : f32[4] dram inout  map y[i] = x[i] over i:4 where i < 2")),
              IsEmpty());
}

TEST(ReferenceView, MustBeInjective) {
  EXPECT_THAT(findings(run("buffer x : f32[9] dram inout  view v[a:3, b:3] = x[2*a + b]")), ElementsAre("view - v[]"));
}

TEST(ReferencePoison, IsStrict) {
  const Result result = run("buffer t : f32[2] dram  buffer y : f32[2] dram out  memset t[1] = 1  map y[i] = 0 * t[i] over i:2");
  EXPECT_THAT(elements(result), ElementsAre("P", "0"));
  EXPECT_THAT(findings(result), ElementsAre("poison-output map#1 y[0]"));
}

TEST(ReferencePoison, MayBeComputedOnIfItIsNotStored) {
  EXPECT_THAT(findings(run("buffer x : f32[3] dram in  buffer y : f32[3] dram out  buffer t : f32[4] dram  buffer u : f32[4] dram"
                           "  load t[i] = x[i] over i:3  map u[i] = t[i] + 1 over i:4  store y[i] = u[i] over i:3")),
              IsEmpty());
}

TEST(ReferencePoison, IsWhatAFreshBufferHolds) {
  EXPECT_THAT(findings(run("buffer y : f32[2] dram out  for i in 0..2 seq { buffer t : f32[1] dram  memset t[0] = 1 over j:1 "
                           "where i == 0  map y[i] = t[0] }")),
              ElementsAre("poison-output map#1 y[1]"));
}

TEST(ReferencePoison, MustNotSteer) {
  EXPECT_THAT(
      findings(
          run("buffer t : i32[2] dram  buffer y : f32[2] dram inout  memset t[1] = 0  map y[i] = 5 over i:2 where t[i] == 0")),
      ElementsAre("poison-index map#1 t[0]"));
  EXPECT_THAT(findings(run("buffer t : i32[1] dram  buffer y : f32[2] dram inout  map y[t[0]] = 5")),
              ElementsAre("poison-index map#1 t[0]"));
  EXPECT_THAT(findings(run("buffer t : i32[1] dram  buffer y : f32[2] dram inout  for i in 0..t[0] seq { map y[i] = 5 }")),
              ElementsAre("poison-index - t[0]"));
}

TEST(ReferenceOutput, MustBeWritten) {
  EXPECT_THAT(findings(run("buffer y : f32[2, 2] dram out  map y[0, i] = i over i:2")), ElementsAre("not-written - y[1,0]"));
  EXPECT_THAT(findings(run("buffer y : f32[2, 2] dram inout  map y[0, i] = i over i:2")), IsEmpty());
}

TEST(ReferenceOutput, MustNotBeNan) {
  EXPECT_THAT(findings(run("buffer y : f32[2] dram out  map y[i] = i / i over i:2")), ElementsAre("nan-output map#1 y[0]"));
  EXPECT_THAT(findings(run("buffer t : i8[1] dram  buffer y : f32[1] dram out  map t[0] = cast(f32, 1) / 0  memset y[0] = 0")),
              ElementsAre("nan-output map#1 t[0]"));
}

TEST(ReferenceClaim, OfARangeIsCheckedAtTheStore) {
  EXPECT_THAT(
      findings(run(
          "buffer t : i32[4] dram range 0..3  buffer y : f32[9] dram inout  map t[i] = i over i:4  map y[t[i]] = 0 over i:4")),
      ElementsAre("range map#1 t[3]"));
}

TEST(ReferenceClaim, OfValidElementsIsCheckedAtTheRead) {
  EXPECT_THAT(findings(run("buffer t : f32[4] dram valid [3]  buffer u : f32[4] dram  buffer y : f32[1] dram inout"
                           "  memset t[i] = 0 over i:2  map u[i] = t[3 - i] over i:4")),
              ElementsAre("valid-claim map#1 t[2]"));
}

TEST(ReferenceClaim, OfTheLastAccumulationIsCheckedAtTheRead) {
  const auto text = [](int read_at) {
    return fmt::format(
        "buffer a : f32[1] dram  buffer y : f32[3] dram inout  for k in 0..3 seq {{"
        " reduce a[0] += k start k == 0 stop k == 2  if k == {} {{ map y[k] = a[0] }} }}",
        read_at);
  };
  EXPECT_THAT(findings(run(text(1))), ElementsAre("stop-claim map#1 a[0]"));
  EXPECT_THAT(findings(run(text(2))), IsEmpty());
}

TEST(ReferenceWhile, MustEndWithinItsLimit) {
  EXPECT_THAT(findings(run("buffer y : i32[1] dram inout range 0..1  while y[0] < 9 max 2 { memset y[0] = 0 }")),
              ElementsAre("while-limit - -[]"));
}

// ---- bytes ----

TEST(ReferenceOverlap, IsAReadOfBytesThatAnotherBufferTook) {
  const auto text = [](int byte) {
    return fmt::format(
        "buffer a : f32[2] s at 0:0  buffer b : f32[2] s at 0:{}  buffer y : f32[2] dram out"
        "  memset a[i] = 1 over i:2  memset b[i] = 2 over i:2  map y[i] = a[i] over i:2",
        byte);
  };
  EXPECT_THAT(findings(run(text(4))), ElementsAre("overlap map#1 a[1]", "poison-output map#1 y[1]"));
  EXPECT_THAT(findings(run(text(8))), IsEmpty());
}

TEST(ReferenceOverlap, IsNotAReadOfWhatWasNeverWritten) {
  EXPECT_THAT(findings(run("buffer u : f32[2] dram  buffer y : f32[4] dram out  for b in 0..2 seq { buffer t : f32[3] s at 0:0"
                           "  memset t[i] = 1 over i:3 where 3*b + i < 4  map y[3*b + i] = t[i] over i:3 where 3*b + i < 4  map "
                           "u[i] = t[i + 1] over i:2 }")),
              IsEmpty())
      << "the lanes of the tail are undefined, and nobody has lost them";
}

TEST(ReferenceOverlap, EndsWhereABufferWritesAgain) {
  EXPECT_THAT(findings(run("buffer a : f32[1] s at 0:0  buffer b : f32[1] s at 0:0  buffer y : f32[1] dram out"
                           "  memset a[0] = 1  memset b[0] = 2  memset a[0] = 3  map y[0] = a[0]")),
              IsEmpty());
}

TEST(ReferenceOverlap, IsAMatterOfOneSpace) {
  EXPECT_THAT(
      findings(run("buffer a : u8[4] s at 0:0  buffer c : u8[32] u at 0:0  buffer y : f32[4] dram out"
                   "  memset a[i] = 1 over i:4  memset c[i] = 2 over i:32  for k in 0..1 seq {  buffer d : u8[1] u at 0:(k + 40)"
                   "  buffer b : f32[4] s at 0:(16*k + 16)  map b[i] = a[i] + c[i + 20] over i:4  map y[i] = b[i] over i:4 }")),
      IsEmpty());
}

TEST(ReferenceOverlap, IsNotAConditionOfThePointThatWrites) {
  EXPECT_THAT(findings(run("buffer x : i8[3 | 1] dram in at 0:0 range 0..2  buffer y : f32[3 | 1] dram out at 0:0"
                           "  map y[i, 0] = 1 over i:3 where x[i, 0] < 2")),
              IsEmpty());
}

TEST(ReferenceOverlap, OfAByteIsNotMendedByANeighbourInIt) {
  const auto text = [](std::string_view again) {
    return fmt::format(
        "buffer a : i4[4] s at 0:0  buffer b : u8[1] s at 0:0  buffer y : i8[4] dram out"
        "  memset a[i] = 1 over i:4  memset b[0] = 2  memset a[i] = 3 over i:4 where {}  map y[i] = a[i] over i:4",
        again);
  };
  EXPECT_THAT(findings(run(text("i == 0"))), ElementsAre("overlap map#1 a[1]", "poison-output map#1 y[1]"));
  EXPECT_THAT(findings(run(text("i <= 1"))), IsEmpty());
}

TEST(ReferenceOverlap, AllowsInPlaceWorkOfOneWidth) {
  const auto text = [](std::string_view from, std::string_view to) {
    return fmt::format(
        "buffer x : f32[4] dram in  buffer a : {}[4] s at 0:0  buffer b : {}[4] s at 0:0  buffer y : f32[4] dram out"
        "  load a[i] = x[i] over i:4  map b[i] = a[i] over i:4  store y[i] = b[i] over i:4",
        from, to);
  };
  EXPECT_THAT(findings(run(text("f32", "i32"))), IsEmpty());
  EXPECT_THAT(findings(run(text("bf16", "f32"))), ElementsAre("overlap map#1 a[1]", "poison-output store#1 y[1]")) << "widening";
  EXPECT_THAT(findings(run(text("f32", "bf16"))), ElementsAre("overlap map#1 a[0]"))
      << "narrowing: in another order of the points a[0] is lost";
}

TEST(ReferenceClobbers, PoisonTheirBufferAndTakeItsBytes) {
  EXPECT_THAT(findings(run("buffer a : f32[1] s at 0:0  buffer b : f32[1] s at 0:0  buffer y : f32[1] dram out"
                           "  memset a[0] = 1  map y[0] = 2 clobbers b  map y[0] = a[0]")),
              ElementsAre("overlap map#2 a[0]", "poison-output map#2 y[0]"));
}

// ---- warnings, kinds, limits ----

TEST(ReferenceOverwritten, CountsWhatNobodyRead) {
  const Result result = run("buffer y : f32[2] dram out  memset y[i] = 1 over i:2  map y[i] = y[0] over i:2 seq");
  EXPECT_EQ(result.overwritten, 1U) << "y[0] was read";
  ASSERT_EQ(result.overwrites.size(), 1U);
  EXPECT_EQ(result.overwrites[0].statement, "map#1");
  EXPECT_THAT(result.overwrites[0].element, ElementsAre(1));
}

TEST(ReferenceOverwritten, IsNotAccumulation) {
  EXPECT_EQ(run("buffer y : f32[1] dram out  memset y[0] = 0  for k in 0..3 seq { reduce y[0] += k }").overwritten, 0U);
  EXPECT_EQ(run("buffer y : f32[1] dram out  memset y[0] = 0  for k in 0..3 seq { reduce y[0] += k start }").overwritten, 3U);
}

TEST(ReferenceKinds, GiveIndexInputsTrueIntegers) {
  const char* const text =
      "buffer i : i32[2] dram in range 0..3  buffer x : f32[3] dram in  buffer y : f32[2] dram out  map y[k] = x[i[k]] over k:2";
  RunOptions options;
  options.pattern = Pattern::highest;
  EXPECT_THAT(elements(run(text, options)), ElementsAre("2", "2"));
  options.pattern = Pattern::ramp;
  EXPECT_THAT(elements(run(text, options)), ElementsAre("0", "1"));
}

TEST(ReferenceKinds, HaveIdentitiesOfTheirOwn) {
  EXPECT_THAT(elements(run("buffer t : i8[1] dram out  buffer y : f32[300] dram inout  reduce t[0] max= 0 over k:0 reduce start  "
                           "map y[t[0] + 128] = 0")),
              ElementsAre("-128"));
}

TEST(ReferenceKinds, RefuseAnIndexThatIsComputedFromData) {
  const Result result =
      run("buffer x : f32[1] dram in  buffer t : i32[1] dram  buffer y : f32[2] dram inout  map t[0] = x[0]  map y[t[0]] = 0");
  EXPECT_EQ(result.status, RunStatus::unsupported);
  EXPECT_FALSE(result.reason.empty());
}

TEST(ReferenceLimits, EndTheRun) {
  const char* const text = "buffer y : f32[4] dram out  for b in 0..1000 seq { memset y[i] = 0 over i:4 }";
  RunOptions few, late, small;
  few.limits.points = 10;
  late.limits.deadline = std::chrono::steady_clock::now();
  small.limits.bytes = 16;
  EXPECT_EQ(run(text, few).status, RunStatus::out_of_points);
  EXPECT_EQ(run(text, late).status, RunStatus::out_of_time);
  EXPECT_EQ(run(text, small).status, RunStatus::out_of_memory);
}

TEST(ReferenceLimits, StopAfterSoManyFindings) {
  RunOptions options;
  options.findings = 2;
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  a y[1] = 0  b y[1] = 0  c y[1] = 0", options)),
              ElementsAre("out-of-bounds a#1 y[1]", "out-of-bounds b#1 y[1]"));
}

}  // namespace
}  // namespace tileproof::oracle
