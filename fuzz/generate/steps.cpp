#include "fuzz/generate/steps.h"

#include <algorithm>

namespace tileproof::fuzz {

using ir::Op;

namespace {

/// While it lives, the scene has no tensor in the buffer `root`: a formula that writes it must not read it elsewhere.
class Hidden {
 public:
  Hidden(Scene& scene, const std::string& root) : scene_(scene), all_(scene.tensors) {
    std::erase_if(scene.tensors, [&](const Tensor& tensor) { return tensor.root == root; });
  }
  ~Hidden() { scene_.tensors = std::move(all_); }
  Hidden(const Hidden&) = delete;
  Hidden& operator=(const Hidden&) = delete;

 private:
  Scene& scene_;
  std::vector<Tensor> all_;
};

}  // namespace

// ---- parts ----

NestOptions Steps::freedom(const Tensor& tensor) const {
  NestOptions options;
  options.ordered_loops = ir::bits(tensor.dtype) < 8;   // iterations that share a byte race
  return options;
}

ir::Expression Steps::value_for(const Tensor& tensor, Formula& formula, int depth) {
  return tensor.range != 0 ? formula.steering(tensor.range) : formula.value(depth);
}

ir::Statement Steps::assign(std::string opcode, const Tensor& tensor, const Nest& nest, ir::Expression value) {
  ir::Statement statement;
  statement.opcode = std::move(opcode);
  statement.destination = tensor.name;
  statement.indices = values(nest.coordinates);
  statement.value = std::move(value);
  statement.axes = nest.axes;
  statement.where = nest.conditions;
  return statement;
}

/// A scratch buffer beside the statement.
void Steps::maybe_clobber(ir::Statement& statement, ir::Block& out) {
  if (!choices_.chance(5)) return;
  const Dim size = literal_dim(choices_.extent(8));
  const Tensor scratch = declare(out, {size}, dtype(), ir::Role::none);
  statement.clobbers.push_back(scratch.name);
}

// ---- whole tensors ----

Tensor Steps::make(ir::Block& out, ir::Role role) {
  std::vector<Dim> shape = choices_.chance(70) ? choices_.pick(scene_.tensors).dims : dims(64);
  const bool is_steering = role == ir::Role::none && choices_.chance(8);
  if (is_steering) {
    const int64_t range = choices_.extent(9);
    const Tensor tensor = declare(out, std::move(shape), ir::Dtype::i32, role, range);
    fill(tensor, out);
    return tensor;
  }
  pending_.clear();
  const ir::Dtype dtype = this->dtype();
  const Tensor tensor =
      choices_.chance(20) ? through_view(out, std::move(shape), dtype, role) : declare(out, std::move(shape), dtype, role);
  const std::vector<Tensor> bases = std::exchange(pending_, {});
  if (choices_.chance(10)) {
    ir::Group group;
    group.name = scene_.fresh("g");
    fill(tensor, group.body);
    out.push_back({std::move(group)});
  } else {
    fill(tensor, out);
  }
  append(scene_.tensors, bases);
  return tensor;
}

// ---- other steps ----

void Steps::in_place(ir::Block& out) {
  std::vector<Tensor> list;
  for (const Tensor& t : scene_.tensors)
    if (t.is_writable && t.range == 0) list.push_back(t);
  if (list.empty()) return;
  const Tensor tensor = choices_.pick(list);
  const Nest nest = make_nest(scene_, tensor.dims, freedom(tensor));
  const Hidden hidden(scene_, tensor.root);
  Formula formula(scene_, nest.coordinates, tame_);
  ir::Statement s = assign("update", tensor, nest, formula.value(1));
  if (choices_.chance(50)) {
    s.update = choices_.pick({ir::Update::add, ir::Update::max, ir::Update::min});
  } else {
    s.value = binary(choices_.pick({Op::add, Op::max, Op::multiply, Op::subtract}), ir::read(tensor.name, s.indices), s.value);
  }
  if (choices_.chance(30)) s.where.push_back(formula.condition());
  surround(nest.loops, {{std::move(s)}}, out);
}

/// A counter decides how often a step in place runs.
void Steps::repeat(ir::Block& out) {
  const int64_t times = choices_.between(0, 3);
  const Tensor count = declare(out, {literal_dim(1)}, ir::Dtype::i32, ir::Role::none, 8);
  const auto counter = [&](std::string opcode, ir::Expression value) {
    ir::Statement s;
    s.opcode = std::move(opcode);
    s.destination = count.name;
    s.indices = {ir::integer(0)};
    s.value = std::move(value);
    return s;
  };
  const ir::Expression now = ir::read(count.name, {ir::integer(0)});
  out.push_back({counter("memset", ir::integer(0))});
  ir::While loop;
  loop.conditions.push_back(compare(Op::less, now, ir::integer(times)));
  loop.limit = ir::integer(times + choices_.between(0, 2));
  in_place(loop.body);
  loop.body.push_back({counter("count", plus(now, 1))});
  out.push_back({std::move(loop)});
}

void Steps::move(ir::Block& out) {
  std::vector<Tensor> buffers;
  for (const Tensor& t : scene_.tensors)
    if (!t.is_view()) buffers.push_back(t);
  ir::Move move;
  std::vector<Tensor> fresh;
  const Tensor first = choices_.pick(buffers);
  for (const Tensor& other : buffers) {   // a swap
    if (!first.is_writable || !other.is_writable || other.name == first.name || other.dtype != first.dtype ||
        other.dims != first.dims)
      continue;
    if (other.range != first.range || !choices_.chance(70)) continue;
    move.destinations = {first.name, other.name};
    move.sources = {other.name, first.name};
    break;
  }
  for (uint64_t i = 0, count = 1 + choices_.below(2); i < count && move.destinations.size() <= i; ++i) {
    const Tensor source = i == 0 ? first : choices_.pick(buffers);
    fresh.push_back(declare(out, source.dims, source.dtype, ir::Role::none, source.range));
    move.destinations.push_back(fresh.back().name);
    move.sources.push_back(source.name);
  }
  out.push_back({std::move(move)});
  append(scene_.tensors, fresh);
}

/// A loop whose iterations each replace a tensor by what they made of it.
void Steps::rotate(ir::Block& out) {
  std::vector<Tensor> list;
  for (const Tensor& t : scene_.tensors)
    if (t.is_writable && t.range == 0) list.push_back(t);
  if (list.empty()) return;
  const Tensor carried = choices_.pick(list);
  ir::Loop loop;
  loop.name = scene_.fresh("b");
  loop.range = {ir::integer(0), ir::integer(choices_.between(1, 3))};
  const Tensor next = declare(loop.body, carried.dims, carried.dtype, ir::Role::none);
  if (choices_.chance(20)) {
    ir::Opaque opaque;
    opaque.name = "kernel";
    opaque.arguments = {{ir::Role::in, carried.name}, {ir::Role::out, next.name}};
    loop.body.push_back({std::move(opaque)});
  } else {
    fill_map(next, loop.body);
  }
  loop.body.push_back({ir::Move{{carried.name}, {next.name}, {}}});
  out.push_back({std::move(loop)});
}

void Steps::opaque(ir::Block& out) {
  ir::Opaque opaque;
  opaque.name = choices_.pick({"random", "kernel"});
  std::vector<Tensor> buffers;
  for (const Tensor& t : scene_.tensors)
    if (!t.is_view()) buffers.push_back(t);
  choices_.shuffle(buffers);
  for (size_t i = 0; i < buffers.size() && i < 2; ++i) {
    const bool writes = buffers[i].is_writable && buffers[i].range == 0 && choices_.chance(40);
    opaque.arguments.push_back({writes ? ir::Role::inout : ir::Role::in, buffers[i].name});
  }
  std::vector<Dim> shape = dims(16);
  const Tensor result = declare(out, std::move(shape), dtype(), ir::Role::none);
  opaque.arguments.push_back({ir::Role::out, result.name});
  out.push_back({std::move(opaque)});
  scene_.tensors.push_back(result);
}

/// A loop that never runs.
void Steps::nothing(ir::Block& out) {
  ir::Loop loop;
  loop.name = scene_.fresh("b");
  loop.range = {ir::integer(2), ir::integer(choices_.between(0, 2))};
  loop.kind = choices_.pick({ir::LoopKind::seq, ir::LoopKind::par});
  in_place(loop.body);
  out.push_back({std::move(loop)});
}

void Steps::step(ir::Block& out) {
  switch (choices_.below(19)) {
    case 9:
    case 10: return in_place(out);
    case 11: return view(out);
    case 12: return move(out);
    case 13: return opaque(out);
    case 14: return repeat(out);
    case 15: return nothing(out);
    case 16: return rotate(out);
    case 17:
    case 18: return steered(out);
    default: break;
  }
  const Tensor tensor = make(out, choices_.chance(25) ? ir::Role::out : ir::Role::none);
  scene_.tensors.push_back(tensor);
}

void Steps::result(ir::Block& out) { scene_.tensors.push_back(make(out, ir::Role::out)); }

}  // namespace tileproof::fuzz
