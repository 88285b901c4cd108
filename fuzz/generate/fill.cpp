// The part of Steps that fills whole tensors: as one statement or as two, as a reduction, a scan, a scatter, in branches, through tiles.
#include "fuzz/generate/steps.h"

#include <algorithm>

namespace tileproof::fuzz {

using ir::Op;

namespace {

/// True where the comparison is false.
ir::Expression opposite(ir::Expression comparison) {
  switch (comparison.op) {
    case Op::less: comparison.op = Op::greater_equal; break;
    case Op::less_equal: comparison.op = Op::greater; break;
    case Op::greater: comparison.op = Op::less_equal; break;
    case Op::greater_equal: comparison.op = Op::less; break;
    case Op::equal: comparison.op = Op::not_equal; break;
    default: comparison.op = Op::equal; break;
  }
  return comparison;
}

/// A negative number becomes so large a one in an unsigned dtype that small floats do not hold it.
bool holds_negatives(ir::Dtype dtype) { return ir::is_float(dtype) || ir::lowest(dtype) < 0; }

/// `e` with another name for a variable.
ir::Expression renamed(ir::Expression e, const std::string& from, const std::string& to) {
  if (e.op == Op::variable && e.name == from) e.name = to;
  for (ir::Expression& operand : e.operands) operand = renamed(std::move(operand), from, to);
  return e;
}

}  // namespace

void Steps::fill(const Tensor& tensor, ir::Block& out) {
  if (tensor.range != 0) return choices_.chance(30) ? fill_reduce(tensor, out) : fill_map(tensor, out);
  switch (choices_.below(12)) {
    case 1:
    case 2: return fill_reduce(tensor, out);
    case 3:
    case 4:
    case 5: return fill_staged(tensor, out);
    case 6: return fill_scan(tensor, out);
    case 7: return fill_halves(tensor, out);
    case 8:
      if (fill_scatter(tensor, out)) return;
      break;
    case 9: return fill_branches(tensor, out);
    case 10: return fill_reduce(tensor, out);
    default: break;
  }
  fill_map(tensor, out);
}

void Steps::fill_map(const Tensor& tensor, ir::Block& out) {
  const Nest nest = make_nest(scene_, tensor.dims, freedom(tensor));
  Formula formula(scene_, nest.coordinates, tame_);
  ir::Block body;
  ir::Statement statement = assign("map", tensor, nest, value_for(tensor, formula, 2));
  if (tensor.range == 0 && choices_.chance(5)) statement.accumulate = ir::Dtype::f64;
  maybe_clobber(statement, body);
  if (!nest.loops.empty() && choices_.chance(10)) {  // the first iterations have a formula of their own
    ir::If branch;
    branch.conditions = {choices_.pick(nest.first)};
    branch.else_body.push_back({statement});
    statement.value = value_for(tensor, formula, 1);
    branch.then_body.push_back({std::move(statement)});
    body.push_back({std::move(branch)});
  } else {
    body.push_back({std::move(statement)});
  }
  surround(nest.loops, std::move(body), out);
}

/// Two statements with opposite conditions.
void Steps::fill_halves(const Tensor& tensor, ir::Block& out) {
  const Nest nest = make_nest(scene_, tensor.dims, freedom(tensor));
  Formula formula(scene_, nest.coordinates, tame_);
  const ir::Expression condition = formula.condition();
  ir::Statement first = assign("map", tensor, nest, formula.value(2));
  ir::Statement second = assign("memset", tensor, nest, number(choices_.between(holds_negatives(tensor.dtype) ? -1 : 0, 2)));
  first.where.push_back(condition);
  second.where.push_back(opposite(condition));
  ir::Block body;
  body.push_back({std::move(second)});
  body.push_back({std::move(first)});
  surround(nest.loops, std::move(body), out);
}

void Steps::fill_reduce(const Tensor& tensor, ir::Block& out) {
  const int64_t room = std::max<int64_t>(1, scene_.most_points / std::max<int64_t>(1, tensor.most_elements()));
  std::vector<Dim> reduced;
  for (uint64_t i = 0, rank = 1 + choices_.below(2); i < rank; ++i)
    reduced.push_back(dim(std::min<int64_t>(room, i == 0 ? 13 : 3)));
  Nest nest = make_nest(scene_, tensor.dims, freedom(tensor));
  NestOptions reduce_options;
  reduce_options.reduces = true;
  const Nest reduce = make_nest(scene_, reduced, reduce_options);
  std::vector<Coordinate> coordinates = nest.coordinates;
  append(coordinates, reduce.coordinates);
  Formula formula(scene_, coordinates, tame_);

  int64_t terms = 1;
  for (const Dim& dim : reduced) terms *= dim.most;
  using Update = ir::Update;
  ir::Statement s = assign("reduce", tensor, nest, value_for(tensor, formula, 2));
  s.update = choices_.pick({Update::add, Update::add, Update::max, Update::min, Update::add});
  if (tensor.range != 0) s.update = choices_.pick({Update::max, Update::min});
  if (tensor.range == 0 && terms <= 3 && choices_.chance(30)) s.update = Update::multiply;
  if (tensor.range == 0 && ir::is_integer(tensor.dtype) && choices_.chance(40)) {
    s.value = formula.whole(2);
    s.update = choices_.pick({Update::add, Update::bit_and, Update::bit_or, Update::bit_xor, Update::max});
  }
  append(s.axes, reduce.axes);
  choices_.shuffle(s.axes);
  append(s.where, reduce.conditions);
  if (choices_.chance(10)) s.accumulate = tensor.range == 0 ? ir::Dtype::f64 : choices_.pick({ir::Dtype::i16, ir::Dtype::i64});
  if (s.update == Update::bit_and || s.update == Update::bit_or || s.update == Update::bit_xor) s.accumulate.reset();

  std::vector<ir::Loop> loops = nest.loops;
  append(loops, reduce.loops);
  choices_.shuffle(loops);
  const bool is_partial = s.update == Update::add && tensor.range == 0 && !reduce.axes.empty() && choices_.chance(25);
  if (is_partial) {  // restricts what is added, never what is written
    const ir::Axis& axis = choices_.pick(reduce.axes);
    const ir::Expression left = binary(choices_.pick({Op::mod, Op::floordiv}), ir::variable(axis.name), ir::integer(2));
    const Op op = choices_.pick({Op::equal, Op::less_equal, Op::greater});
    s.where.push_back(compare(op, left, ir::integer(choices_.between(0, 1))));
  }
  if (choices_.chance(20) && tensor.range == 0) {  // begun by a statement of its own, at a finite value
    const Nest fresh = make_nest(scene_, tensor.dims, freedom(tensor));
    surround(fresh.loops, {{assign("memset", tensor, fresh, number(choices_.between(0, 1)))}}, out);
  } else {
    s.start.emplace(ir::Claim{reduce.first});
    if (!is_partial && choices_.chance(40)) s.stop.emplace(ir::Claim{reduce.last});
  }
  if (s.update == Update::add && tensor.range == 0 && choices_.chance(3)) {  // a sum over nothing
    s.axes.push_back({scene_.fresh("j"), ir::integer(0), ir::AxisKind::reduce, {}, {}});
    s.stop.reset();
  }
  ir::Block body;
  maybe_clobber(s, body);
  body.push_back({std::move(s)});
  surround(std::move(loops), std::move(body), out);
}

/// Each element from the one before it.
void Steps::fill_scan(const Tensor& tensor, ir::Block& out) {
  const size_t along = choices_.below(tensor.dims.size());
  NestOptions across = freedom(tensor), ordered;
  ordered.ordered = true;
  Nest nest;
  for (size_t i = 0; i < tensor.dims.size(); ++i) {
    Nest one = make_nest(scene_, {tensor.dims[i]}, i == along ? ordered : across);
    append(nest.loops, one.loops);
    append(nest.axes, one.axes);
    append(nest.coordinates, one.coordinates);
    append(nest.conditions, one.conditions);
  }
  choices_.shuffle(nest.axes);
  choices_.shuffle(nest.loops);
  Formula formula(scene_, nest.coordinates, tame_);
  const ir::Expression here = nest.coordinates[along].value;
  std::vector<ir::Expression> before = values(nest.coordinates);
  before[along] = plus(here, -1);
  const ir::Expression last = ir::read(tensor.name, std::move(before));
  ir::Statement s = assign("scan", tensor, nest, {});
  const Op op = choices_.pick({Op::add, Op::max, Op::multiply});
  ir::Expression begin = formula.value(1), next = formula.value(1);
  s.value = select(compare(Op::equal, here, ir::integer(0)), std::move(begin), binary(op, last, std::move(next)));
  surround(nest.loops, {{std::move(s)}}, out);
}

/// Tiles of its own: load, compute, store.
void Steps::fill_staged(const Tensor& tensor, ir::Block& out) {
  NestOptions options = freedom(tensor);
  options.cut_percent = 80;
  const Nest nest = make_nest(scene_, tensor.dims, options);
  std::vector<size_t> order;
  for (size_t i = 0; i < nest.local.size(); ++i) order.push_back(i);
  if (choices_.chance(40)) choices_.shuffle(order);
  ir::Block body;
  int64_t next = 0;
  const auto tile = [&](ir::Dtype dtype, bool is_valid) {
    Tensor t{scene_.fresh("s"), dtype, {}, {}, 0, true};
    t.root = t.name;
    ir::Buffer buffer;
    buffer.name = t.name;
    buffer.dtype = dtype;
    buffer.space = "lram";
    int64_t row = 1;
    for (const size_t i : order) {
      t.dims.push_back(nest.local[i].dim);
      buffer.extents.push_back(nest.local[i].dim.extent);
      if (is_valid) buffer.valid.push_back({ir::integer(0), nest.valid[i]});
    }
    if (order.size() > 1 && choices_.chance(50)) buffer.partition_rank = 1;
    for (size_t i = buffer.partition_rank.value_or(0); i < t.dims.size(); ++i) row *= t.dims[i].most;
    if (choices_.chance(50)) {  // the tiles of all such steps share their bytes
      ir::Expression byte = ir::integer(next);
      const int64_t size = bytes_of(dtype, row);
      if (!nest.loops.empty() && choices_.chance(30)) {
        byte = plus(times(size, binary(Op::mod, ir::variable(nest.loops[0].name), ir::integer(2))), byte);
        next += size;
      }
      next += size;
      buffer.address = ir::Address{ir::integer(0), std::move(byte)};
    }
    const bool has_address = buffer.address.has_value();
    body.push_back({std::move(buffer)});
    return std::pair(t, has_address);
  };
  std::vector<ir::Expression> place;
  for (const size_t i : order) place.push_back(nest.local[i].value);
  const auto into = [&](std::string opcode, const Tensor& t, ir::Expression value) {
    ir::Statement s = assign(std::move(opcode), t, nest, std::move(value));
    s.indices = place;
    return s;
  };

  Formula outside(scene_, nest.coordinates, tame_);
  const Tensor& source = choices_.pick(scene_.tensors);
  const bool is_claimed = choices_.chance(20);
  const auto [loaded, loaded_address] = tile(choices_.chance(70) ? source.dtype : dtype(), is_claimed);
  body.push_back({into("load", loaded, outside.read(source))});
  Tensor result = loaded;
  bool has_address = loaded_address;
  if (choices_.chance(60)) {
    const auto [computed, computed_address] = tile(dtype(), false);
    const std::vector<Tensor> all = std::exchange(scene_.tensors, {});
    const ir::Expression other = Formula(scene_, nest.local, tame_).value(1);
    scene_.tensors = all;
    const Op op = choices_.pick({Op::max, Op::add, Op::multiply, Op::min});
    ir::Statement s = into("map", computed, binary(op, ir::read(loaded.name, place), other));
    // Lanes outside of the domain hold garbage: computing on it is legal, except where its bytes may be another's.
    if (!loaded_address && !computed_address && !is_claimed && choices_.chance(40)) s.where.clear();
    maybe_clobber(s, body);
    body.push_back({std::move(s)});
    result = computed;
    has_address = computed_address;
  }
  ir::Expression stored = ir::read(result.name, place);
  if (!has_address && choices_.chance(20)) {  // read through a view of the tile
    ir::View view;
    view.name = scene_.fresh("w");
    view.base = result.name;
    for (const Dim& dim : result.dims) {
      view.dims.push_back({scene_.fresh("d"), dim.extent, ir::AxisKind::parallel, {}, {}});
      view.indices.push_back(ir::variable(view.dims.back().name));
    }
    std::vector<ir::Expression> indices = place;
    std::ranges::reverse(view.dims);
    std::ranges::reverse(indices);
    stored = ir::read(view.name, std::move(indices));
    body.push_back({std::move(view)});
  }
  ir::Statement store = assign("store", tensor, nest, std::move(stored));
  if (choices_.chance(15)) {  // through a window into the tensor that moves with the loops
    ir::View window;
    window.name = scene_.fresh("w");
    window.base = tensor.name;
    window.indices = store.indices;
    for (size_t i = 0; i < nest.local.size(); ++i) {
      window.dims.push_back({scene_.fresh("d"), nest.local[i].dim.extent, ir::AxisKind::parallel, {}, {}});
      window.indices[i] = renamed(std::move(window.indices[i]), nest.local[i].value.name, window.dims.back().name);
    }
    store.destination = window.name;
    store.indices = values(nest.local);
    body.push_back({std::move(window)});
  }
  body.push_back({std::move(store)});
  surround(nest.loops, std::move(body), out);
}

bool Steps::fill_scatter(const Tensor& tensor, ir::Block& out) {
  const Tensor* targets = nullptr;
  for (const Tensor& t : scene_.tensors) {
    if (t.range != 0 && tensor.dims[0].is_literal() && t.range <= tensor.dims[0].most) targets = &t;
  }
  if (targets == nullptr || tensor.most_elements() * targets->most_elements() > scene_.most_points) return false;
  const Nest clear = make_nest(scene_, tensor.dims, freedom(tensor));
  surround(clear.loops, {{assign("memset", tensor, clear, ir::integer(0))}}, out);
  const Nest rest = make_nest(scene_, {tensor.dims.begin() + 1, tensor.dims.end()}, freedom(tensor));
  NestOptions reduce_options;
  reduce_options.reduces = true;
  const Nest points = make_nest(scene_, targets->dims, reduce_options);
  std::vector<Coordinate> coordinates = rest.coordinates;
  append(coordinates, points.coordinates);
  ir::Statement s = assign("scatter", tensor, rest, Formula(scene_, coordinates, tame_).value(1));
  s.update = choices_.pick({ir::Update::add, ir::Update::add, ir::Update::max});
  s.indices.insert(s.indices.begin(), ir::read(targets->name, values(points.coordinates)));
  append(s.axes, points.axes);
  append(s.where, points.conditions);
  std::vector<ir::Loop> loops = rest.loops;
  append(loops, points.loops);
  surround(std::move(loops), {{std::move(s)}}, out);
  return true;
}

/// The same tensor in both arms.
void Steps::fill_branches(const Tensor& tensor, ir::Block& out) {
  ir::If branch;
  ir::Expression left =
      scene_.parameters.empty() ? ir::integer(choices_.between(0, 3)) : ir::variable(choices_.pick(scene_.parameters).name);
  const Op op = choices_.pick({Op::less, Op::equal});
  branch.conditions.push_back(compare(op, std::move(left), ir::integer(choices_.between(1, 3))));
  fill_map(tensor, branch.then_body);
  choices_.chance(50) ? fill_staged(tensor, branch.else_body) : fill_reduce(tensor, branch.else_body);
  out.push_back({std::move(branch)});
}

}  // namespace tileproof::fuzz
