#include "compiler/penguin/macro.h"

#include "compiler/ir/verify.h"
#include "compiler/penguin/axis_class.h"
#include "compiler/transform/move_to_loop.h"
#include "compiler/transform/multiply_by_ones.h"
#include "compiler/transform/substitute.h"

#include <algorithm>
#include <iterator>
#include <ranges>

namespace tileproof::penguin {

using transform::Tile;

namespace {

bool has_read(const ir::Expression& e) { return e.op == ir::Op::read || std::ranges::any_of(e.operands, has_read); }

std::string opcode_without_reduction(const ir::Statement& s) {
  if (!reads_in(s.value).empty() || s.update != ir::Update::assign) return "map";
  const auto names_any = [&](const auto& self, const ir::Expression& e) -> bool {
    return e.op == ir::Op::variable ||
           std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return self(self, operand); });
  };
  return names_any(names_any, s.value) ? "iota" : "memset";
}

ir::Block& innermost(ir::Block& nest) {
  ir::Block* body = &nest;
  while (auto* loop = std::get_if<ir::Loop>(&(*body)[0].node)) body = &loop->body;
  return *body;
}

/// Of the statement itself, which writes `destination`: an old value that is loaded into its tile comes first.
size_t place_of(const ir::Block& body, const std::string& destination, const std::string& opcode) {
  for (size_t i = body.size(); i-- > 0;) {
    const auto* statement = std::get_if<ir::Statement>(&body[i].node);
    if (statement != nullptr && statement->destination == destination && statement->opcode == opcode) return i;
  }
  return 0;
}

/// Whether the read is one of the arms of a `select`, so that it may be evaluated at some points only.
bool is_in_an_arm(const ir::Statement& s, const transform::ReadPath& path) {
  const ir::Expression* e = &s.value;
  for (const size_t step : path) {
    if (e->op == ir::Op::select && step > 0) return true;
    e = &e->operands[step];
  }
  return false;
}

}  // namespace

transform::Outcome<ir::Block> Macro::of(const ir::Statement& original, const Parts& parts, const Operation& operation,
                                        const Tensors& tensors) {
  ir::Statement s = original;
  std::erase_if(s.tags,
                [](const ir::Tag& tag) { return tag.name == "pf" || tag.name == "by"; });  // this pass alone acts upon them
  const bool contracts = operation.kind == OperationKind::contraction;
  const std::string by = contracts ? "matmul" : partition_sum_of(original);
  s.opcode = !by.empty()                                  ? by
             : operation.kind == OperationKind::reduction ? "reduce"
             : operation.kind == OperationKind::scan      ? "scan"
                                                          : opcode_without_reduction(s);
  const std::string opcode = s.opcode;
  std::set<std::string> tiles;   // on chip
  ir::Block nest, filled;
  nest.push_back({std::move(s)});
  if (!contracts && by == "matmul") {
    auto ones = with_ones(nest, parts);
    if (!ones) return std::unexpected(std::move(ones.error()));
    filled = std::move(*ones);
    tiles.insert(std::get<ir::Buffer>(filled[0].node).name);
  }
  if (auto done = loops_around(nest, parts.loops); !done) return std::unexpected(std::move(done.error()));
  ir::Block& body = innermost(nest);

  if (operation.kind == OperationKind::scan) {
    const auto tile = scan_result(body, original, parts);
    if (!tile) return std::unexpected(tile.error());
    tiles.insert(*tile);
    if (auto done = operands(body, 1, parts, operation, tiles); !done) return std::unexpected(std::move(done.error()));
    return nest;
  }
  // Old values come before the tile of the new ones takes the name.
  size_t before = 0;
  if (parts.reduced_loops.empty()) {
    const auto loaded = operands(body, 0, parts, operation, tiles, original.destination);
    if (!loaded) return std::unexpected(loaded.error());
    before = *loaded;
  }
  const auto tile = result(body, before, original, parts, by == "matmul", tensors);
  if (!tile) return std::unexpected(tile.error());
  const size_t place = place_of(body, *tile, opcode);
  for (const std::string& axis : parts.reduced_loops)
    if (auto done = transform::move_to_loop(body[place], axis, ir::LoopKind::seq, environment_); !done)
      return std::unexpected(std::move(done.error()));
  ir::Block* inner = &body;
  size_t index = place;
  while (auto* loop = std::get_if<ir::Loop>(&(*inner)[index].node)) {
    inner = &loop->body;
    index = 0;
  }
  if (auto done = operands(*inner, index, parts, operation, tiles); !done) return std::unexpected(std::move(done.error()));
  nest.insert(nest.begin(), std::make_move_iterator(filled.begin()), std::make_move_iterator(filled.end()));
  return nest;
}

transform::Outcome<> Macro::loops_around(ir::Block& nest, const Names& axes) {
  for (const std::string& axis : axes)
    if (auto done = transform::move_to_loop(nest[0], axis, ir::LoopKind::par, environment_); !done) return done;
  return {};
}

bool Macro::fits_a_pattern(const std::vector<ir::Expression>& indices, const Parts& parts) const {
  const std::optional<int64_t> most = machine_.constant("pattern");
  if (!most) return true;
  int64_t dims = 0;
  for (const Names* axes : {&parts.free, &parts.reduced_free})
    dims += std::ranges::count_if(*axes, [&](const std::string& axis) {
      return std::ranges::any_of(indices, [&](const ir::Expression& index) { return names_axis(index, axis); });
    });
  return dims <= *most;
}

bool Macro::reads_in_place(const ir::Statement& s, const transform::ReadPath& path, const Parts& parts,
                           const Operation& operation) const {
  const ir::Expression& read = *transform::read_at(s, path);
  if (!is_on_chip(read.name) || is_in_an_arm(s, path)) return false;
  const bool keeps_dtype = operation.kind != OperationKind::contraction ||
                           operation.contraction.dtypes[path[0]] == environment_.find(read.name)->dtype;
  return keeps_dtype && fits_a_pattern(read.operands, parts);
}

/// `nest`, a sum, becomes one of products with a tile of ones. Returns what declares and fills the tile.
transform::Outcome<ir::Block> Macro::with_ones(ir::Block& nest, const Parts& parts) {
  const Tile ones{.name = names_.fresh("ones"),
                  .partition = parts.reduced_partition,
                  .bar = true,
                  .opcode = "memset",
                  .dtype = ir::accumulate_dtype(std::get<ir::Statement>(nest[0].node), environment_.dtypes())};
  if (auto done = transform::multiply_by_ones(nest, 0, ones, environment_); !done)
    return std::unexpected(std::move(done.error()));
  ir::Block before(std::make_move_iterator(nest.begin()), std::make_move_iterator(nest.begin() + 2));
  nest.erase(nest.begin(), nest.begin() + 2);
  return before;
}

/// Returns what the statement writes then: a tile, or the tensor itself.
transform::Outcome<std::string> Macro::result(ir::Block& body, size_t index, const ir::Statement& s, const Parts& parts,
                                              bool in_psum, const Tensors& tensors) {
  const ir::Dtype stored = tensors.find(s.destination)->dtype, accumulate = ir::accumulate_dtype(s, tensors.dtypes());
  const bool in_accumulator = in_psum || (!parts.reduced_loops.empty() && stored != accumulate);
  const bool stays = is_on_chip(s.destination);
  if (stays && !in_accumulator && fits_a_pattern(s.indices, parts)) return s.destination;
  Tile tile;
  tile.opcode = store_to(s.destination);
  tile.bar = true;
  tile.partition = parts.partition;
  tile.free = parts.free;
  std::optional<Tile> copy;
  if (in_accumulator) {
    if (!stays) {
      copy = tile;
      copy->name = names_.fresh(s.destination + "t");
      copy->opcode = "copy";
    }
    tile.dtype = accumulate;
    tile.name = names_.fresh(in_psum ? "ps" : "acc");
    if (in_psum) tile.space = "psum";
  } else {
    tile.name = names_.fresh(s.destination + "t");
  }
  return transform::localize_result(body, index, tile, environment_, copy, stays ? "copy" : "load");
}

transform::Outcome<std::string> Macro::scan_result(ir::Block& body, const ir::Statement& s, const Parts& parts) {
  Tile tile;
  tile.opcode = store_to(s.destination);
  tile.bar = true;
  tile.partition = parts.partition;
  tile.free = parts.free;
  tile.free.insert(tile.free.end(), parts.reduced_free.begin(), parts.reduced_free.end());
  tile.name = names_.fresh(s.destination + "t");
  return transform::localize_scan(body, 0, tile, environment_);
}

/// Loads tiles of what the statement at `index` reads, of the buffer `only` or of all that are no `tiles` yet, and returns where it then stands.
transform::Outcome<size_t> Macro::operands(ir::Block& body, size_t index, const Parts& parts, const Operation& operation,
                                           std::set<std::string>& tiles, const std::optional<std::string>& only) {
  // A read gives way to one of the tile, in the same place; what its indices read goes with it.
  for (const transform::ReadPath& path : transform::reads_of(std::get<ir::Statement>(body[index].node))) {
    const ir::Statement& s = std::get<ir::Statement>(body[index].node);
    const ir::Expression* read = transform::read_at(s, path);
    if (read == nullptr || tiles.contains(read->name) || (only && read->name != *only)) continue;
    if (reads_in_place(s, path, parts, operation)) continue;
    const auto loaded = transform::localize_read(body, index, path, operand(s, path, parts, operation), environment_);
    if (!loaded) return std::unexpected(loaded.error());
    tiles.insert(*loaded);
    const auto after = indices(body, index + 1, parts, operation);
    if (!after) return std::unexpected(after.error());
    index = *after + 1;
  }
  return index;
}

/// Loads tiles of what the indices of the load at `index` read, and returns where it then stands.
transform::Outcome<size_t> Macro::indices(ir::Block& body, size_t index, const Parts& parts, const Operation& operation) {
  const auto inner = [](const transform::ReadPath& path) { return !path.empty(); };
  for (const transform::ReadPath& path :
       transform::reads_of(std::get<ir::Statement>(body[index].node)) | std::views::filter(inner)) {
    const ir::Statement& load = std::get<ir::Statement>(body[index].node);
    const auto loaded = transform::localize_read(body, index, path, operand(load, path, parts, operation), environment_);
    if (!loaded) return std::unexpected(loaded.error());
    index += 2;
  }
  return index;
}

Tile Macro::operand(const ir::Statement& s, const transform::ReadPath& path, const Parts& parts, const Operation& operation) {
  const ir::Expression& read = *transform::read_at(s, path);
  Tile tile;
  tile.name = names_.fresh(read.name + "t");
  tile.bar = true;
  if (is_on_chip(read.name)) tile.opcode = "copy";
  if (std::ranges::any_of(read.operands, has_read)) tile.opcode = "gather";
  if (operation.kind == OperationKind::contraction) {
    const bool is_stationary = path[0] == operation.contraction.stationary_operand;
    tile.partition = parts.reduced_partition;
    tile.free = is_stationary ? parts.partition : parts.free;
    tile.dtype = operation.contraction.dtypes[path[0]];
    return tile;
  }
  // A tensor without a partition axis is loaded once for each partition: no engine broadcasts across them.
  tile.partition = parts.lanes_of_operands();
  for (const Names* list : {&parts.free, &parts.reduced_free})
    for (const std::string& axis : *list)
      if (names_axis(read, axis)) tile.free.push_back(axis);
  return tile;
}

}  // namespace tileproof::penguin
