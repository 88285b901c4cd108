#include "compiler/penguin/macro_generation.h"

#include "compiler/ir/verify.h"
#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/instruction_probe.h"
#include "compiler/penguin/tiling_pass.h"
#include "compiler/penguin/upper_bound.h"
#include "compiler/transform/localize.h"
#include "compiler/transform/move_to_loop.h"
#include "compiler/transform/multiply_by_ones.h"
#include "compiler/transform/names.h"
#include "compiler/transform/substitute.h"

#include <algorithm>
#include <ranges>
#include <set>

namespace tileproof::penguin {
namespace {

using transform::Environment;
using transform::FreshNames;
using transform::Tile;

using Names = std::vector<std::string>;

/// The axes of a statement by what becomes of them.
struct Parts {
  Names loops, reduced_loops;           // `B`; the second ones are reduced or seq axes
  Names partition, reduced_partition;   // `P`
  Names free, reduced_free;             // `F`

  explicit Parts(const ir::Statement& s) {
    std::vector<size_t> on_partitions, in_the_tile;
    for (const size_t i : parallel_axes(s)) {
      const std::optional<AxisClass> axis_class = class_of(s.axes[i]);
      if (axis_class == AxisClass::block) loops.push_back(s.axes[i].name);
      if (axis_class == AxisClass::partition) on_partitions.push_back(i);
      if (axis_class == AxisClass::free) in_the_tile.push_back(i);
    }
    order_by_group(s, on_partitions);
    order_by_group(s, in_the_tile);
    for (const size_t i : on_partitions) partition.push_back(s.axes[i].name);
    for (const size_t i : in_the_tile) free.push_back(s.axes[i].name);
    for (const ir::Axis& axis : s.axes) {
      if (axis.kind == ir::AxisKind::parallel) continue;
      const std::optional<AxisClass> axis_class = class_of(axis);
      if (axis_class == AxisClass::block) reduced_loops.push_back(axis.name);
      if (axis_class == AxisClass::partition) reduced_partition.push_back(axis.name);
      if (axis_class == AxisClass::free) reduced_free.push_back(axis.name);
    }
  }
};

/// The opcode that adds up along the partitions, by the tag `by` of a sum whose reduced axes lie there; empty: none.
std::string partition_sum_of(const ir::Statement& s) {
  const ir::Tag* tag = find_tag(s.tags, "by");
  const auto* opcode = tag == nullptr ? nullptr : std::get_if<std::string>(&tag->value.value);
  const bool adds_up =
      s.update == ir::Update::add && s.value.op == ir::Op::read && !axes_of(s, AxisClass::partition, true).empty();
  return opcode != nullptr && adds_up && (*opcode == "matmul" || *opcode == "partition_reduce") ? *opcode : "";
}

/// Whether the classes of the axes are those of what is read, and P and F change places in the result.
bool changes_partitions(const ir::Statement& s) {
  return find_tag(s.tags, "pf") != nullptr && s.update == ir::Update::assign && s.value.op == ir::Op::read;
}

/// The axes of any statement; those on the partitions of a transposition's operand in the order in which they index it.
Parts parts_of(const ir::Statement& s) {
  Parts parts(s);
  if (changes_partitions(s))
    std::ranges::stable_sort(parts.partition, {}, [&](const std::string& axis) {
      return std::ranges::find_if(s.value.operands, [&](const ir::Expression& index) { return names_axis(index, axis); }) -
             s.value.operands.begin();
    });
  return parts;
}

class Macro {
 public:
  Macro(const machine::Machine& machine, Environment& environment, FreshNames& names)
      : machine_(machine), environment_(environment), names_(names) {}

  /// The nest of a transposition of partitions: an instruction where there is one, and a load in the other order otherwise.
  transform::Outcome<ir::Block> of_transposition(ir::Statement s, const Operation& operation, const Tensors& tensors) {
    const std::string space = transposing_space(s, tensors);
    drop_tags(s);
    if (!space.empty()) return transposition(std::move(s), space, tensors);
    exchange_classes(s);
    return of(s, Parts(s), operation, tensors);
  }

  /// The nest of any other statement, in place of it.
  transform::Outcome<ir::Block> of(const ir::Statement& original, const Parts& parts, const Operation& operation,
                                   const Tensors& tensors) {
    ir::Statement s = original;
    drop_tags(s);
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
    for (const std::string& axis : parts.loops)
      if (auto done = transform::move_to_loop(nest[0], axis, ir::LoopKind::par, environment_); !done)
        return std::unexpected(std::move(done.error()));
    ir::Block& body = innermost(nest);
    body.reserve(8);   // tiles, loads and stores

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

 private:
  const machine::Machine& machine_;
  Environment& environment_;
  FreshNames& names_;

  /// The memory in which an instruction of the machine leaves the transposed tile; empty: there is none for a tile of this shape.
  std::string transposing_space(const ir::Statement& s, const Tensors& tensors) const {
    const ir::Dtype dtype = tensors.find(s.value.name)->dtype;
    const auto elements = [&](AxisClass axis_class) {
      int64_t product = 1;
      for (const size_t i : axes_of(s, axis_class, false)) {
        const auto range = ir::interval(s.axes[i].extent, [&](std::string_view name) { return environment_.range_of(name); });
        product =
            ir::multiply_saturating(product, range ? std::max<int64_t>(range->high, 1) : std::numeric_limits<int64_t>::max());
      }
      return product;
    };
    for (const char* const space : {"psum", "sbuf"})
      if (transposes(machine_, space, dtype, elements(AxisClass::partition), elements(AxisClass::free))) return space;
    return "";
  }

  /// What this pass alone acts upon.
  static void drop_tags(ir::Statement& s) {
    std::erase_if(s.tags, [](const ir::Tag& tag) { return tag.name == "pf" || tag.name == "by"; });
  }

  static void exchange_classes(ir::Statement& s) {
    for (ir::Axis& axis : s.axes)
      if (class_of(axis) != AxisClass::block)
        set_class(axis, class_of(axis) == AxisClass::partition ? AxisClass::free : AxisClass::partition);
  }

  /// The operand is loaded as it lies, and an instruction transposes it.
  transform::Outcome<ir::Block> transposition(ir::Statement s, const std::string& space, const Tensors& tensors) {
    const Parts parts = parts_of(s);
    const ir::Dtype read = tensors.find(s.value.name)->dtype, stored = tensors.find(s.destination)->dtype;
    s.opcode = "transpose";
    Tile turned{.name = names_.fresh(space == "psum" ? "ps" : s.destination + "t"),
                .space = space,
                .partition = parts.free,
                .free = parts.partition,
                .bar = true,
                .opcode = "store",
                .dtype = read};
    std::optional<Tile> copy;
    if (space == "psum" || read != stored)
      copy = Tile{.name = names_.fresh(s.destination + "t"),
                  .partition = parts.free,
                  .free = parts.partition,
                  .bar = true,
                  .opcode = "copy"};
    const Tile operand{.name = names_.fresh(s.value.name + "t"), .partition = parts.partition, .free = parts.free, .bar = true};
    ir::Block nest;
    nest.push_back({std::move(s)});
    for (const std::string& axis : parts.loops)
      if (auto done = transform::move_to_loop(nest[0], axis, ir::LoopKind::par, environment_); !done)
        return std::unexpected(std::move(done.error()));
    ir::Block& body = innermost(nest);
    if (auto done = transform::localize_result(body, 0, turned, environment_, copy); !done)
      return std::unexpected(std::move(done.error()));
    if (auto done = transform::localize_read(body, 1, {}, operand, environment_); !done)
      return std::unexpected(std::move(done.error()));
    return nest;
  }

  /// `nest`, a sum, becomes one of products with a tile of ones. Returns what declares and fills the tile.
  transform::Outcome<ir::Block> with_ones(ir::Block& nest, const Parts& parts) {
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

  static std::string opcode_without_reduction(const ir::Statement& s) {
    if (!reads_in(s.value).empty() || s.update != ir::Update::assign) return "map";
    const auto names_any = [&](const auto& self, const ir::Expression& e) -> bool {
      return e.op == ir::Op::variable ||
             std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return self(self, operand); });
    };
    return names_any(names_any, s.value) ? "iota" : "memset";
  }

  static ir::Block& innermost(ir::Block& nest) {
    ir::Block* body = &nest;
    while (auto* loop = std::get_if<ir::Loop>(&(*body)[0].node)) body = &loop->body;
    return *body;
  }

  transform::Outcome<std::string> result(ir::Block& body, size_t index, const ir::Statement& s, const Parts& parts, bool in_psum,
                                         const Tensors& tensors) {
    Tile tile;
    tile.opcode = "store";
    tile.bar = true;
    tile.partition = parts.partition;
    tile.free = parts.free;
    std::optional<Tile> copy;
    const ir::Dtype stored = tensors.find(s.destination)->dtype, accumulate = ir::accumulate_dtype(s, tensors.dtypes());
    if (in_psum || (!parts.reduced_loops.empty() && stored != accumulate)) {
      copy = tile;
      copy->name = names_.fresh(s.destination + "t");
      copy->opcode = "copy";
      tile.dtype = accumulate;
      tile.name = names_.fresh(in_psum ? "ps" : "acc");
      if (in_psum) tile.space = "psum";
    } else {
      tile.name = names_.fresh(s.destination + "t");
    }
    return transform::localize_result(body, index, tile, environment_, copy);
  }

  transform::Outcome<std::string> scan_result(ir::Block& body, const ir::Statement& s, const Parts& parts) {
    Tile tile;
    tile.opcode = "store";
    tile.bar = true;
    tile.partition = parts.partition;
    tile.free = parts.free;
    tile.free.insert(tile.free.end(), parts.reduced_free.begin(), parts.reduced_free.end());
    tile.name = names_.fresh(s.destination + "t");
    return transform::localize_scan(body, 0, tile, environment_);
  }

  /// Of the statement itself: an old value that is loaded into the tile before it comes first.
  static size_t place_of(const ir::Block& body, const std::string& tile, const std::string& opcode) {
    for (size_t i = body.size(); i-- > 0;) {
      const auto* statement = std::get_if<ir::Statement>(&body[i].node);
      if (statement != nullptr && statement->destination == tile && statement->opcode == opcode) return i;
    }
    return 0;
  }

  /// Loads tiles of what the statement at `index` reads, of the buffer `only` or of all that are no `tiles` yet, and returns where it then stands.
  transform::Outcome<size_t> operands(ir::Block& body, size_t index, const Parts& parts, const Operation& operation,
                                      std::set<std::string>& tiles, const std::optional<std::string>& only = std::nullopt) {
    // A read gives way to one of the tile, in the same place; what its indices read goes with it.
    for (const transform::ReadPath& path : transform::reads_of(std::get<ir::Statement>(body[index].node))) {
      const ir::Statement& s = std::get<ir::Statement>(body[index].node);
      const ir::Expression* read = transform::read_at(s, path);
      if (read == nullptr || tiles.contains(read->name) || (only && read->name != *only)) continue;
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
  transform::Outcome<size_t> indices(ir::Block& body, size_t index, const Parts& parts, const Operation& operation) {
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

  Tile operand(const ir::Statement& s, const transform::ReadPath& path, const Parts& parts, const Operation& operation) {
    const ir::Expression& read = *transform::read_at(s, path);
    Tile tile;
    tile.name = names_.fresh(read.name + "t");
    tile.bar = true;
    const auto has_read = [](const auto& self, const ir::Expression& e) -> bool {
      return e.op == ir::Op::read ||
             std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return self(self, operand); });
    };
    if (std::ranges::any_of(read.operands, [&](const ir::Expression& operand) { return has_read(has_read, operand); }))
      tile.opcode = "gather";
    if (operation.kind == OperationKind::contraction) {
      const bool is_stationary = path[0] == operation.contraction.stationary_operand;
      tile.partition = parts.reduced_partition;
      tile.free = is_stationary ? parts.partition : parts.free;
      tile.dtype = operation.contraction.dtypes[path[0]];
      return tile;
    }
    // A tensor without a partition axis is loaded once for each partition: no engine broadcasts across them.
    tile.partition = parts.reduced_partition.empty() ? parts.partition : parts.reduced_partition;
    for (const Names* list : {&parts.free, &parts.reduced_free})
      for (const std::string& axis : *list)
        if (names_axis(read, axis)) tile.free.push_back(axis);
    return tile;
  }
};

class Generation {
 public:
  Generation(const ir::Program& program, const pipeline::Context& context)
      : machine_(*context.machine),
        tensors_(tensors_of(program)),
        environment_(program),
        names_(program),
        remarks_(program, context),
        macro_(machine_, environment_, names_) {}

  /// `program`: the same.
  void run(ir::Program& program) {
    expand_statements(program.body, environment_,
                      [this](const ir::Statement& s, ir::Block& result) { return became_a_nest(s, result); });
  }

 private:
  const machine::Machine& machine_;
  std::vector<Tensors> tensors_;  ///< of the statements in textual order
  size_t next_ = 0;  ///< of them
  Environment environment_;
  FreshNames names_;
  Remarks remarks_;
  Macro macro_;

  /// Whether a condition may let out the first lanes of a tile: it bounds a partition axis from below, and no reduced axis inside of
  /// the tile brings them back.
  static bool masks_first_lanes(const ir::Statement& s, const Parts& parts) {
    const Names turned = changes_partitions(s) ? parts.free : Names{};
    Names inside;
    for (const ir::Axis& axis : s.axes)
      if (std::ranges::find(parts.reduced_free, axis.name) != parts.reduced_free.end() && axis.extent != ir::integer(1))
        inside.push_back(axis.name);
    const auto names_one_of = [](const ir::Expression& e, const Names& axes) {
      return std::ranges::any_of(axes, [&](const std::string& axis) { return names_axis(e, axis); });
    };
    const auto is_axis = [&](const std::string& axis_name) {
      return std::ranges::find(s.axes, axis_name, &ir::Axis::name) != s.axes.end();
    };
    const auto is_harmless = [&](const ir::Expression& condition) {
      if (names_one_of(condition, inside)) return true;
      for (const Names* lanes : {&parts.partition, &parts.reduced_partition, &turned}) {
        if (lanes->empty() || !names_one_of(condition, *lanes)) continue;
        const Names inner(lanes->begin() + 1, lanes->end());
        if (names_one_of(condition, inner) || !is_upper_bound(condition, [](const std::string&) { return true; }, is_axis))
          return false;
      }
      return true;
    };
    return !std::ranges::all_of(s.where, is_harmless);
  }

  bool has_opcode(const std::string& opcode) const {
    return std::ranges::find(machine_.opcodes, opcode, &machine::Opcode::name) != machine_.opcodes.end();
  }

  /// What the nest needs and the machine does not have: "opcode `store`"; empty: nothing.
  std::string lacking(const ir::Block& nest) const {
    for (const ir::Item& item : nest) {
      if (const auto* buffer = std::get_if<ir::Buffer>(&item.node); buffer != nullptr && machine_.space(buffer->space) == nullptr)
        return fmt::format("space `{}`", buffer->space);
      if (const auto* s = std::get_if<ir::Statement>(&item.node); s != nullptr && !has_opcode(s->opcode))
        return fmt::format("opcode `{}`", s->opcode);
      const auto* loop = std::get_if<ir::Loop>(&item.node);
      if (std::string found = loop == nullptr ? "" : lacking(loop->body); !found.empty()) return found;
    }
    return "";
  }

  bool became_a_nest(const ir::Statement& s, ir::Block& result) {
    const Tensors& tensors = tensors_[next_++];
    const auto operation = operation_of(s, tensors, machine_);
    if (!operation) {
      remarks_.add(s, name(operation.error()), explanation(operation.error(), s, tensors, machine_));
      return false;
    }
    const auto declined = [&](std::string_view id, std::string text) {
      remarks_.add(s, id, std::move(text));
      return false;
    };
    if (!is_classified(s)) return declined("not-annotated", "an axis has no class; par-axes-annotation gives it one");
    if (find_tag(s.tags, "uncut") != nullptr) return declined("no-cut", "a cutting pass has left it whole");
    const Parts parts = parts_of(s);
    const bool reduces_lanes = operation->kind == OperationKind::reduction && !parts.reduced_partition.empty();
    if (reduces_lanes && partition_sum_of(s).empty())
      return declined("partition-reduction", "a reduced axis lies on the partitions, along which no engine reduces");
    if (masks_first_lanes(s, parts))
      return declined("masked-partitions",
                      "a condition on the partitions lets the first of them out, and no engine starts at any lane");
    auto nest =
        changes_partitions(s) ? macro_.of_transposition(s, *operation, tensors) : macro_.of(s, parts, *operation, tensors);
    if (!nest) return declined("refused", std::string(transform::name(nest.error().id)) + ": " + nest.error().text);
    if (const std::string what = lacking(*nest); !what.empty())
      return declined("lacking", fmt::format("the machine {} has no {}, so the statement stays as it is", machine_.name, what));
    result = *std::move(nest);
    remarks_.add(s, "generated", std::string(changes_partitions(s) ? "transposition" : spelling(operation->kind)));
    return true;
  }
};

std::expected<ir::Program, ir::Diagnostics> run(ir::Program program, const pipeline::Context& context) {
  const auto machine = machine_of(context);
  if (!machine) return std::unexpected(machine.error());
  Generation(program, context).run(program);
  program.machine = (*machine)->name;
  return program;
}

}  // namespace

pipeline::Pass macro_generation() {
  using enum pipeline::RemarkKind;
  return {"macro-generation",
          "writes the loops around each tile, its loads and its stores",
          "every axis has a class, and the tiles are cut",
          "every statement that was not declined computes on tiles in on-chip memories",
          {},
          vocabulary({{"generated", applied, "the statement became a nest around tiles"},
                      {"not-annotated", declined, "an axis has no class"},
                      {"no-cut", declined, "the arithmetic, or the primitive, has no such cut"},
                      {"partition-reduction", declined, "a reduced axis lies on the partitions, along which no engine reduces"},
                      {"masked-partitions", declined, "a condition lets the first partitions of a tile out"},
                      {"lacking", declined, "the machine has no such opcode or memory space as the nest needs"},
                      {"refused", declined, "a primitive refused: the statement stays whole"}}),
          run};
}

}  // namespace tileproof::penguin
