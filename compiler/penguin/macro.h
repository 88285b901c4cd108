// The nest of one statement: loops around its tiles, and what happens in them.
#pragma once

#include "compiler/machine/machine.h"
#include "compiler/penguin/operation.h"
#include "compiler/penguin/tile_parts.h"
#include "compiler/transform/localize.h"
#include "compiler/transform/names.h"

#include <optional>
#include <set>
#include <string>

namespace tileproof::penguin {

/// Writes nests. What they declare is added to `environment` and `names`, which must outlive it, as `machine` and `locals` must.
///
/// `locals` are the tensors that stay on chip: an instruction reads and writes them where they lie, or a copy takes the place of a load or a
/// store. Their indices are still those of the whole tensor (local_layout.h says where the elements lie).
class Macro {
 public:
  Macro(const machine::Machine& machine, transform::Environment& environment, transform::FreshNames& names,
        const std::set<std::string>& locals)
      : machine_(machine), environment_(environment), names_(names), locals_(locals) {}

  /// The nest of a transposition of partitions: an instruction where there is one, and a load in the other order otherwise.
  transform::Outcome<ir::Block> of_transposition(ir::Statement s, const Operation& operation, const Tensors& tensors);

  /// The nest of any other statement.
  transform::Outcome<ir::Block> of(const ir::Statement& original, const Parts& parts, const Operation& operation,
                                   const Tensors& tensors);

 private:
  const machine::Machine& machine_;
  transform::Environment& environment_;
  transform::FreshNames& names_;
  const std::set<std::string>& locals_;

  bool is_on_chip(const std::string& tensor) const { return locals_.contains(tensor); }
  /// What a tile is emptied by, into this tensor.
  std::string store_to(const std::string& tensor) const { return is_on_chip(tensor) ? "copy" : "store"; }
  /// Whether an instruction can walk the elements of this access where they lie.
  bool fits_a_pattern(const std::vector<ir::Expression>& indices, const Parts& parts) const;
  bool reads_in_place(const ir::Statement& s, const transform::ReadPath& path, const Parts& parts,
                      const Operation& operation) const;

  transform::Outcome<ir::Block> transposition(ir::Statement s, const std::string& space, const Tensors& tensors);
  transform::Outcome<ir::Block> with_ones(ir::Block& nest, const Parts& parts);
  transform::Outcome<> loops_around(ir::Block& nest, const Names& axes);
  transform::Outcome<std::string> result(ir::Block& body, size_t index, const ir::Statement& s, const Parts& parts, bool in_psum,
                                         const Tensors& tensors);
  transform::Outcome<std::string> scan_result(ir::Block& body, const ir::Statement& s, const Parts& parts);
  transform::Outcome<size_t> operands(ir::Block& body, size_t index, const Parts& parts, const Operation& operation,
                                      std::set<std::string>& tiles, const std::optional<std::string>& only = std::nullopt);
  transform::Outcome<size_t> indices(ir::Block& body, size_t index, const Parts& parts, const Operation& operation);
  transform::Tile operand(const ir::Statement& s, const transform::ReadPath& path, const Parts& parts,
                          const Operation& operation);
};

}  // namespace tileproof::penguin
