// The part of Steps in which integers of all sizes steer: an input without a range is combined into a buffer that a condition compares.
#include "fuzz/generate/steps.h"

#include <limits>

namespace tileproof::fuzz {

using ir::Op;

namespace {

/// Far from zero, or a few steps from it; the lowest i64 has no literal of its own.
ir::Expression bound(Choices& choices) {
  constexpr int64_t greatest = std::numeric_limits<int64_t>::max();
  if (choices.chance(15)) return binary(Op::subtract, number(-greatest), ir::integer(1));
  return number(choices.pick({int64_t{0}, int64_t{1}, int64_t{-9}, int64_t{127}, int64_t{-32768}, int64_t{1} << 31,
                              int64_t{1} << 62, greatest, -greatest}));
}

}  // namespace

void Steps::steered(ir::Block& out) {
  using enum ir::Dtype;
  using Update = ir::Update;
  const Tensor wide = declare(out, dims(16), choices_.pick({i64, i32, u32, i64, i16, i8, u8, boolean}), ir::Role::in);
  const Dim kept = wide.dims.size() > 1 ? wide.dims[0] : literal_dim(1);
  const Tensor sum = declare(out, {kept}, choices_.pick({i64, i32, u32, i64, i16, u8, i4, boolean}), ir::Role::none);

  ir::Statement s;
  s.opcode = "reduce";
  s.destination = sum.name;
  std::vector<ir::Expression> place;
  for (const Dim& dim : wide.dims) {
    const bool is_kept = wide.dims.size() > 1 && place.empty();
    s.axes.push_back({scene_.fresh("k"), dim.extent, is_kept ? ir::AxisKind::parallel : ir::AxisKind::reduce, {}, {}});
    place.push_back(ir::variable(s.axes.back().name));
  }
  const ir::Expression reduced = place.back(), here = wide.dims.size() > 1 ? place.front() : ir::integer(0);
  s.indices = {here};
  s.value = ir::read(wide.name, place);
  if (choices_.chance(40)) {
    const Op op = choices_.pick({Op::add, Op::multiply, Op::max});
    s.value = binary(op, s.value, bound(choices_));
  }
  s.update = choices_.pick(
      {Update::max, Update::add, Update::min, Update::bit_and, Update::multiply, Update::bit_or, Update::bit_xor, Update::add});
  if (choices_.chance(50)) s.accumulate = choices_.pick({i16, i32, i64, u16, u32});
  if (choices_.chance(15)) s.where.push_back(compare(Op::less, reduced, ir::integer(choices_.between(0, 2))));
  if (choices_.chance(15)) {  // a reduce axis is named, and cancels
    const ir::Expression nothing =
        binary(choices_.pick({Op::add, Op::subtract}), here, binary(Op::multiply, ir::integer(0), reduced));
    s.where.push_back(compare(Op::less, nothing, ir::integer(choices_.between(0, 2))));
  }
  s.start.emplace();
  out.push_back({std::move(s)});

  const Tensor result = declare(out, {kept}, dtype(), ir::Role::none);
  const auto store = [&](int64_t value) {
    ir::Statement statement;
    statement.opcode = "memset";
    statement.axes.push_back({scene_.fresh("e"), kept.extent, ir::AxisKind::parallel, {}, {}});
    statement.destination = result.name;
    statement.indices = {ir::variable(statement.axes[0].name)};
    statement.value = ir::integer(value);
    return statement;
  };
  out.push_back({store(0)});
  ir::Statement branch = store(1);
  const ir::Expression at = branch.indices[0], steering = ir::read(sum.name, {at});
  const std::vector<ir::Expression> lefts{
      steering,           binary(Op::min, steering, ir::integer(5)),  plus(steering, 1),
      times(3, steering), binary(Op::add, steering, bound(choices_)), times(int64_t{1} << 62, at)};
  const Op op = choices_.pick({Op::less, Op::greater_equal, Op::equal, Op::not_equal, Op::less_equal, Op::greater});
  ir::Expression left = choices_.pick(lefts);
  branch.where.push_back(compare(op, std::move(left), bound(choices_)));
  out.push_back({std::move(branch)});
  scene_.tensors.push_back(result);  // `wide` steers: what it were moved into could not hold floats
}

}  // namespace tileproof::fuzz
