#include "fuzz/mutate/edits.h"

#include <algorithm>
#include <optional>

namespace tileproof::fuzz {

namespace {

ir::Dtype any_dtype(Choices& choices) { return ir::all_dtypes()[choices.below(ir::all_dtypes().size())]; }

/// A bar stands between two dims.
void move_bar(std::optional<size_t>& rank, size_t dims, Choices& choices) {
  rank = dims < 2 || rank ? std::nullopt : std::optional<size_t>(1 + choices.below(dims - 1));
}

/// Adds a dim like one that is there, or takes one away; the bar goes where it would not stand between two.
template <class Dim>
void resize_dims(std::vector<Dim>& dims, std::optional<size_t>& rank, Choices& choices) {
  if (dims.size() > 1 && choices.chance(50))
    dims.pop_back();
  else
    dims.push_back(Dim(dims.front()));
  if (rank && *rank >= dims.size()) rank.reset();
}

void toggle_claim(std::optional<ir::Claim>& claim) {
  if (claim)
    claim.reset();
  else
    claim.emplace();
}

}  // namespace

bool edit_buffer(ir::File& file, Choices& choices) {
  const std::vector<ir::Buffer*> buffers = all<ir::Buffer>(file);
  if (buffers.empty()) return false;
  ir::Buffer& buffer = *choices.pick(buffers);
  const ir::Buffer& other = *choices.pick(buffers);
  switch (choices.below(8)) {
    case 0: buffer.dtype = any_dtype(choices); break;
    case 1: buffer.role = choices.pick({ir::Role::none, ir::Role::in, ir::Role::out, ir::Role::inout}); break;
    case 2: buffer.space = choices.chance(50) ? other.space : choices.pick({"dram", "sbuf", "psum"}); break;
    case 3: move_bar(buffer.partition_rank, buffer.extents.size(), choices); break;
    case 4: resize_dims(buffer.extents, buffer.partition_rank, choices); break;
    case 5:
      if (buffer.address)
        buffer.address.reset();
      else
        buffer.address = other.address ? *other.address : ir::Address{number(0), number(0)};
      break;
    case 6:
      if (!buffer.valid.empty())
        buffer.valid.clear();
      else
        for (const ir::Expression& extent : buffer.extents) buffer.valid.push_back({number(0), extent});
      break;
    default:
      if (buffer.range)
        buffer.range.reset();
      else
        buffer.range = ir::Range{number(0), number(choices.between(1, 256))};
      break;
  }
  return true;
}

bool edit_statement(ir::File& file, Choices& choices) {
  const std::vector<ir::Statement*> statements = all<ir::Statement>(file);
  if (statements.empty()) return false;
  ir::Statement& s = *choices.pick(statements);
  const ir::Statement& other = *choices.pick(statements);
  using ir::Update;
  switch (choices.below(8)) {
    case 0:
      s.update = choices.pick({Update::assign, Update::add, Update::multiply, Update::max, Update::min, Update::bit_and,
                               Update::bit_or, Update::bit_xor});
      break;
    case 1: toggle_claim(s.start); break;
    case 2: toggle_claim(s.stop); break;
    case 3:
      if (s.accumulate)
        s.accumulate.reset();
      else
        s.accumulate = any_dtype(choices);
      break;
    case 4:
      s.opcode = choices.chance(50) ? other.opcode : choices.pick({"map", "reduce", "matmul", "load", "store", "copy"});
      break;
    case 5:
      if (s.clobbers.empty())
        s.clobbers.push_back(other.destination);
      else
        s.clobbers.pop_back();
      break;
    case 6: {
      const ir::Expression value = other.value;   // `other` may be `s`
      s.value = value;
      break;
    }
    default: choices.shuffle(s.indices); break;
  }
  return true;
}

bool edit_axis(ir::File& file, Choices& choices) {
  std::vector<ir::Statement*> statements = all<ir::Statement>(file);
  std::erase_if(statements, [](const ir::Statement* s) { return s->axes.empty(); });
  std::vector<ir::View*> views = all<ir::View>(file);
  if (!views.empty() && (statements.empty() || choices.chance(20))) {
    ir::View& view = *choices.pick(views);
    if (choices.chance(50))
      move_bar(view.partition_rank, view.dims.size(), choices);
    else
      resize_dims(view.dims, view.partition_rank, choices);
    return true;
  }
  if (statements.empty()) return false;
  std::vector<ir::Axis>& axes = choices.pick(statements)->axes;
  const size_t at = choices.below(axes.size());
  switch (choices.below(4)) {
    case 0: axes[at].kind = choices.pick({ir::AxisKind::parallel, ir::AxisKind::reduce, ir::AxisKind::seq}); break;
    case 1: axes.erase(axes.begin() + static_cast<ptrdiff_t>(at)); break;
    case 2: axes.push_back(ir::Axis(axes[at])); break;
    default: choices.shuffle(axes); break;
  }
  return true;
}

bool edit_loop(ir::File& file, Choices& choices) {
  const std::vector<ir::Loop*> loops = all<ir::Loop>(file);
  if (loops.empty()) return false;
  ir::Loop& loop = *choices.pick(loops);
  if (choices.chance(60))
    loop.kind = choices.pick({ir::LoopKind::seq, ir::LoopKind::par, ir::LoopKind::shard, ir::LoopKind::thread});
  else if (choices.chance(50))
    loop.range.low = binary(ir::Op::add, std::move(loop.range.low), number(1));
  else
    loop.range.high = binary(choices.pick({ir::Op::add, ir::Op::subtract}), std::move(loop.range.high), number(1));
  return true;
}

bool edit_program(ir::File& file, Choices& choices) {
  if (file.programs.empty()) return false;
  const size_t at = choices.below(file.programs.size());
  ir::Program& program = file.programs[at];
  using enum ir::ProgramKind;
  switch (choices.below(5)) {
    case 0: program.kind = choices.pick({plain, incore, aic, aiv, group, orchestration}); break;
    case 1:
      if (program.machine)
        program.machine.reset();
      else
        program.machine = choices.pick({"trn2", "trn1", "ascend-910b"});
      break;
    case 2:
      if (program.parameters.empty() || choices.chance(50))
        program.parameters.push_back({.name = "n", .low = 1, .high = choices.between(1, 4096), .location = {}});
      else
        program.parameters.pop_back();
      break;
    case 3: file.programs.push_back(ir::Program(program)); break;
    default:
      if (file.programs.size() > 1) file.programs.erase(file.programs.begin() + static_cast<ptrdiff_t>(at));
      break;
  }
  return true;
}

bool edit_tags(ir::File& file, Choices& choices) {
  std::vector<ir::Tags*> places;
  for (ir::Program& program : file.programs) places.push_back(&program.tags);
  for (ir::Buffer* buffer : all<ir::Buffer>(file)) places.push_back(&buffer->tags);
  for (ir::Loop* loop : all<ir::Loop>(file)) places.push_back(&loop->tags);
  for (ir::Group* group : all<ir::Group>(file)) places.push_back(&group->tags);
  for (ir::Statement* s : all<ir::Statement>(file)) {
    places.push_back(&s->tags);
    for (ir::Axis& axis : s->axes) places.push_back(&axis.tags);
  }
  if (places.empty()) return false;
  ir::Tags& tags = *choices.pick(places);
  if (!tags.empty() && choices.chance(50)) {
    tags.pop_back();
    return true;
  }
  ir::Tag tag{choices.pick({"P", "F", "B", "ag", "pg", "principal", "max", "for"}), {}};
  if (choices.chance(30)) tag.value.value = choices.between(-1, 4);
  if (choices.chance(20)) tag.value.value = std::vector<std::variant<int64_t, std::string>>{int64_t{1}, std::string("k")};
  tags.push_back(std::move(tag));
  return true;
}

}  // namespace tileproof::fuzz
