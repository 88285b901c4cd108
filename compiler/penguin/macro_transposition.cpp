// Transpositions of partitions as instructions.
#include "compiler/penguin/instruction_probe.h"
#include "compiler/penguin/macro.h"

#include <fmt/format.h>

namespace tileproof::penguin {

using transform::Tile;

transform::Outcome<ir::Block> Macro::of_transposition(ir::Statement s, const Operation& operation, const Tensors& tensors) {
  const std::string space =
      transposing_space(machine_, tensors.find(s.value.name)->dtype, most_elements(s, AxisClass::partition, environment_),
                        most_elements(s, AxisClass::free, environment_));
  if (!space.empty()) return transposition(std::move(s), space, tensors);
  std::erase_if(s.tags, [](const ir::Tag& tag) { return tag.name == "pf"; });
  exchange_classes(s);
  const int64_t lanes = most_elements(s, AxisClass::partition, environment_);
  if (const machine::Space* sbuf = machine_.space("sbuf"); sbuf != nullptr && sbuf->partitions && lanes > *sbuf->partitions)
    return transform::refuse(transform::RefusalId::bad_tile,
                             fmt::format("{} lanes, and sbuf has {} partitions", lanes, *sbuf->partitions));
  return of(s, Parts(s), operation, tensors);
}

/// The operand is loaded as it lies, and an instruction transposes it.
transform::Outcome<ir::Block> Macro::transposition(ir::Statement s, const std::string& space, const Tensors& tensors) {
  const Parts parts = parts_of(s);
  std::erase_if(s.tags, [](const ir::Tag& tag) { return tag.name == "pf"; });
  const ir::Dtype read = tensors.find(s.value.name)->dtype, stored = tensors.find(s.destination)->dtype;
  const bool reads_chip = is_on_chip(s.value.name), stays = is_on_chip(s.destination);
  s.opcode = "transpose";
  const bool is_last = space == "sbuf" && read == stored;   // what the instruction writes is the result
  Tile turned{.name = names_.fresh(space == "psum" ? "ps" : s.destination + "t"),
              .space = space,
              .partition = parts.free,
              .free = parts.partition,
              .bar = true,
              .opcode = store_to(s.destination),
              .dtype = read};
  std::optional<Tile> copy;
  if (!is_last && !stays)
    copy = Tile{.name = names_.fresh(s.destination + "t"),
                .partition = parts.free,
                .free = parts.partition,
                .bar = true,
                .opcode = "copy"};
  const Tile operand{.name = names_.fresh(s.value.name + "t"), .partition = parts.partition, .free = parts.free, .bar = true};
  ir::Block nest;
  nest.push_back({std::move(s)});
  if (auto done = loops_around(nest, parts.loops); !done) return std::unexpected(std::move(done.error()));
  ir::Block* body = &nest;
  while (auto* loop = std::get_if<ir::Loop>(&(*body)[0].node)) body = &loop->body;
  const bool in_place = stays && is_last;
  if (!in_place)
    if (auto done = transform::localize_result(*body, 0, turned, environment_, copy); !done)
      return std::unexpected(std::move(done.error()));
  if (!reads_chip)
    if (auto done = transform::localize_read(*body, in_place ? 0 : 1, {}, operand, environment_); !done)
      return std::unexpected(std::move(done.error()));
  return nest;
}

}  // namespace tileproof::penguin
