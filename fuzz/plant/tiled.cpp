#include "fuzz/plant/tiled.h"

#include "fuzz/reduce/walk.h"

#include <algorithm>

namespace tileproof::plant {
namespace {

using fuzz::constant;
using ir::Op;

void collect(ir::Block& block, std::vector<ir::Loop*>& loops, std::vector<Place>& result) {
  for (size_t i = 0; i < block.size(); ++i) {
    if (std::holds_alternative<ir::Statement>(block[i].node)) result.push_back({&block, i, loops});
    if (auto* group = std::get_if<ir::Group>(&block[i].node)) collect(group->body, loops, result);
    if (auto* loop = std::get_if<ir::Loop>(&block[i].node)) {
      loops.push_back(loop);
      collect(loop->body, loops, result);
      loops.pop_back();
    }
  }
}

}  // namespace

ir::Loop* Place::innermost(ir::LoopKind kind) const {
  for (size_t i = loops.size(); i-- > 0;)
    if (loops[i]->kind == kind) return loops[i];
  return nullptr;
}

std::vector<Place> places(ir::Program& program) {
  std::vector<Place> result;
  std::vector<ir::Loop*> loops;
  collect(program.body, loops, result);
  return result;
}

void each_place(ir::Program& program, const std::function<bool(const ir::Statement&)>& wanted,
                const std::function<void(const Place&)>& f) {
  for (const Place& place : places(program))
    if (wanted(place.statement())) f(place);
}

ir::Buffer* buffer_named(ir::Program& program, const std::string& name) {
  ir::Buffer* found = nullptr;
  fuzz::each<ir::Buffer>(program, [&](ir::Buffer& buffer) {
    if (buffer.name == name) found = &buffer;
  });
  return found;
}

std::vector<size_t> tiles_in(const ir::Block& block) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < block.size(); ++i) {
    const auto* buffer = std::get_if<ir::Buffer>(&block[i].node);
    if (buffer != nullptr && buffer->partition_rank) positions.push_back(i);
  }
  return positions;
}

int64_t free_elements(const ir::Buffer& tile) {
  int64_t product = 1;
  for (size_t i = tile.partition_rank.value_or(0); i < tile.extents.size(); ++i) product *= constant(tile.extents[i]).value_or(1);
  return product;
}

std::optional<Tail> tail_of(const ir::Expression& condition) {
  if (condition.op != Op::less || condition.operands[0].op != Op::add) return std::nullopt;
  const ir::Expression &high = condition.operands[0].operands[0], &low = condition.operands[0].operands[1];
  const auto extent = constant(condition.operands[1]);
  if (!extent || low.op != Op::variable) return std::nullopt;
  if (high.op == Op::variable) return Tail{1, high.name, low.name, *extent};
  if (high.op != Op::multiply || high.operands[1].op != Op::variable) return std::nullopt;
  const auto tile = constant(high.operands[0]);
  if (!tile || *tile < 1) return std::nullopt;
  return Tail{*tile, high.operands[1].name, low.name, *extent};
}

std::vector<size_t> tails_of(const ir::Statement& s) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < s.where.size(); ++i)
    if (tail_of(s.where[i])) positions.push_back(i);
  return positions;
}

std::optional<int64_t> trips(const ir::Loop& loop) {
  const auto low = constant(loop.range.low), high = constant(loop.range.high);
  return low && high ? std::optional(*high - *low) : std::nullopt;
}

bool names(const ir::Expression& e, const std::string& name) { return fuzz::mentions(e, {name}); }

ir::Axis* axis_named(ir::Statement& s, const std::string& name) {
  const auto found = std::ranges::find(s.axes, name, &ir::Axis::name);
  return found == s.axes.end() ? nullptr : &*found;
}

ir::Expression* summand(ir::Expression& index, const std::string& variable) {
  if (index.op == Op::variable) return index.name == variable ? &index : nullptr;
  if (index.op == Op::multiply && constant(index.operands[0]) && index.operands[1].op == Op::variable)
    return index.operands[1].name == variable ? &index : nullptr;
  if (index.op != Op::add && index.op != Op::subtract) return nullptr;
  if (ir::Expression* found = summand(index.operands[0], variable)) return found;
  return index.op == Op::add ? summand(index.operands[1], variable) : nullptr;
}

int64_t factor(const ir::Expression& summand) {
  return summand.op == Op::multiply ? constant(summand.operands[0]).value_or(1) : 1;
}

}  // namespace tileproof::plant
