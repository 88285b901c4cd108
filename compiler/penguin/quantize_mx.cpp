#include "compiler/penguin/quantize_mx.h"

#include "compiler/penguin/apply_cut.h"
#include "compiler/penguin/mx_blocks.h"
#include "compiler/penguin/sbuf_budget.h"
#include "compiler/penguin/tiling_pass.h"
#include "compiler/transform/fold.h"
#include "compiler/transform/split.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

#include <algorithm>
#include <set>

namespace tileproof::penguin {
namespace {

using ir::Expression;
using transform::number;
using transform::plus;
using transform::times;

/// Rows of blocks in a tile make up whole quadrants. Source: neuron 4.4, P a multiple of 32.
constexpr int64_t quadrant = 32;

const ir::Statement& at(const ir::Block& block, size_t index) { return std::get<ir::Statement>(block[index].node); }

/// The nest around a tile, from the scale with its axes cut.
class Nest {
 public:
  Nest(const ir::Statement& scale, const ir::Statement& quotient, const MxBlocks& found, const Tensors& tensors,
       transform::FreshNames& names)
      : scale_(scale), quotient_(quotient), found_(found), tensors_(tensors), names_(names) {}

  ir::Item take() {
    const Expression x = scale_.value.operands[0].operands[0];
    const std::string xt = names_.fresh(x.name + "t"), st = names_.fresh(scale_.destination + "t"),
                      yt = names_.fresh(quotient_.destination + "t");
    const int64_t rows = extent(found_.row), in_block = extent(found_.row_in_block), packs = extent(found_.pack);
    const Expression k = ir::variable(found_.row), f = ir::variable(found_.pack);
    const std::vector<Expression> element{plus(times(in_block, k), ir::variable(found_.row_in_block)), f,
                                          ir::variable(found_.in_pack)};
    ir::Block body;
    body.push_back(declared(xt, x.name, {rows * in_block, packs, extent(found_.in_pack)}));
    body.push_back({statement("load", xt, element, x, true)});
    body.push_back(declared(st, scale_.destination, {rows, packs}));
    body.push_back(declared(yt, quotient_.destination, {rows * in_block, packs, extent(found_.in_pack)}));
    ir::Statement scale = scale_;
    scale.opcode = "quantize_mx";
    scale.destination = st;
    scale.indices = {k, f};
    scale.value.operands[0].operands[0] = ir::read(xt, element);
    std::erase_if(scale.axes, [&](const ir::Axis& axis) { return !is_in_tile(axis.name); });
    ir::Block instruction;
    instruction.push_back({std::move(scale)});
    instruction.push_back({statement("quantize_mx", yt, element,
                                     transform::binary(ir::Op::divide, ir::read(xt, element), ir::read(st, {k, f})), true)});
    body.push_back({ir::Group{names_.fresh("blocks"), "quantize_mx", {}, std::move(instruction), scale_.location}});
    std::vector<Expression> elements = found_.elements;
    for (Expression& index : elements) {
      transform::substitute(index, split());
      index = transform::fold(std::move(index));
    }
    body.push_back({statement("store", quotient_.destination, std::move(elements), ir::read(yt, element), true)});
    body.push_back({statement("store", scale_.destination, scale_.indices, ir::read(st, {k, f}), false)});
    for (size_t i = scale_.axes.size(); i-- > 0;) {
      const ir::Axis& axis = scale_.axes[i];
      if (is_in_tile(axis.name)) continue;
      ir::Loop loop{axis.name, axis.tags, {number(0), axis.extent}, ir::LoopKind::par, std::move(body), {}};
      body = ir::Block{};
      body.push_back({std::move(loop)});
    }
    return {ir::Group{names_.fresh("mx_blocks"), {}, {{"tiled", {}}}, std::move(body), scale_.location}};
  }

 private:
  const ir::Statement &scale_, &quotient_;
  const MxBlocks& found_;
  const Tensors& tensors_;
  transform::FreshNames& names_;

  bool is_in_tile(const std::string& axis) const {
    return axis == found_.row || axis == found_.row_in_block || axis == found_.pack || axis == found_.in_pack;
  }
  int64_t extent(const std::string& axis) const {
    return *transform::constant(std::ranges::find(scale_.axes, axis, &ir::Axis::name)->extent);
  }

  /// What the axes that were cut were, by those that they became.
  transform::Bindings split() const {
    transform::Bindings bindings;
    for (const ir::Axis& axis : scale_.axes) {
      const ir::Tag *from = find_tag(axis.tags, "from"), *tile = find_tag(axis.tags, "tile");
      if (from == nullptr || tile == nullptr) continue;
      const auto& whole = std::get<std::string>(from->value.value);
      bindings.emplace(whole, plus(times(std::get<int64_t>(tile->value.value), ir::variable(axis.name)), ir::variable(whole)));
    }
    return bindings;
  }

  ir::Item declared(const std::string& name, const std::string& tensor, const std::vector<int64_t>& extents) const {
    ir::Buffer buffer;
    buffer.name = name;
    buffer.dtype = tensors_.find(tensor)->dtype;
    buffer.space = "sbuf";
    for (const int64_t each : extents) buffer.extents.push_back(number(each));
    buffer.partition_rank = 1;
    return {std::move(buffer)};
  }

  /// Of all elements of the blocks in the tile, or one for each block.
  ir::Statement statement(std::string opcode, std::string destination, std::vector<Expression> indices, Expression value,
                          bool of_elements) const {
    ir::Statement s;
    s.opcode = std::move(opcode);
    s.destination = std::move(destination);
    s.indices = std::move(indices);
    s.value = std::move(value);
    s.where = scale_.where;
    s.location = scale_.location;
    for (const ir::Axis& axis : scale_.axes) {
      if (!is_in_tile(axis.name) || (!of_elements && axis.kind == ir::AxisKind::reduce)) continue;
      s.axes.push_back(axis);
      s.axes.back().kind = ir::AxisKind::parallel;
    }
    return s;
  }
};

class Quantization {
 public:
  Quantization(const CutRules& rules, const ir::Program& program, const pipeline::Context& context,
               const ComputeCutParams& params)
      : rules_(rules),
        machine_(*context.machine),
        params_(params),
        environment_(program),
        names_(program),
        remarks_(program, context),
        tensors_(tensors_by_statement(program)) {}

  ir::Block block(const ir::Block& before) {
    for (const ir::Item& item : before) environment_.enter(item);
    std::set<size_t> taken;
    ir::Block result;
    for (size_t i = 0; i < before.size(); ++i) {
      if (taken.contains(i)) continue;
      const auto quotient = quotient_by(before, i);
      std::optional<ir::Item> nest = quotient && !taken.contains(*quotient) ? nest_of(before, i, *quotient) : std::nullopt;
      if (nest) taken.insert(*quotient);
      result.push_back(nest ? std::move(*nest) : inside(before[i]));
    }
    return result;
  }

 private:
  const CutRules& rules_;
  const machine::Machine& machine_;
  const ComputeCutParams& params_;
  transform::Environment environment_;
  transform::FreshNames names_;
  Remarks remarks_;
  std::unordered_map<const ir::Statement*, Tensors> tensors_;

  ir::Item inside(const ir::Item& before) {
    return with_open_bodies(before, [this](const ir::Block& body) { return block(body); });
  }

  std::optional<ir::Item> nest_of(const ir::Block& block, size_t scale_at, size_t quotient_at) {
    const ir::Statement &scale = at(block, scale_at), &quotient = at(block, quotient_at);
    const Tensors& tensors = tensors_.at(&scale);
    if (tensors.find(scale.destination)->dtype != ir::Dtype::e8m0) return std::nullopt;
    const auto kept = [&](std::string_view id, std::string text) -> std::optional<ir::Item> {
      remarks_.add(scale, id, std::move(text));
      return std::nullopt;
    };
    if (machine_.alternatives("quantize_mx").empty() || params_.par_axes_cut_size < quadrant)
      return kept("no-quantize-mx", fmt::format("{} has no quantize_mx of {} partitions", machine_.name, quadrant));
    for (const std::string& tensor : {scale.destination, quotient.destination, scale.value.operands[0].operands[0].name})
      if (tensors.find(tensor)->space != "dram") return std::nullopt;
    const auto found = mx_blocks(block, scale_at, quotient_at, tensors, machine_, environment_);
    if (!found) return kept(name(found.error()), std::string(meaning(found.error())));
    ir::Statement cut = scale;
    for (ir::Axis& axis : cut.axes)
      set_class(axis, axis.name == found->row || axis.name == found->row_in_block ? AxisClass::partition
                      : axis.name == found->pack || axis.name == found->in_pack   ? AxisClass::free
                                                                                  : AxisClass::block);
    if (auto why = cut_rows(cut, scale, *found); why) return kept("no-quantize-mx", *why);
    if (auto why = cut_packs(cut, scale, *found, tensors, quotient); why) return kept("no-quantize-mx", *why);
    remarks_.add(scale, "quantized", "scales and quotients of a tile are one instruction");
    remarks_.add(quotient, "quantized", "by the instruction that makes the scales");
    return Nest(cut, quotient, *found, tensors, names_).take();
  }

  /// As many rows of blocks as the partitions hold, or as there are, rounded up to whole quadrants. Returns why it cannot be.
  std::optional<std::string> cut_rows(ir::Statement& cut, const ir::Statement& before, const MxBlocks& found) {
    const int64_t in_block = extent(cut, found.row_in_block), rows = extent(cut, found.row);
    ComputeCutParams params = params_;
    params.par_axes_cut_size /= in_block;
    params.partition_multiple = quadrant / in_block;
    const std::vector<int64_t> extents{rows};
    const auto tile = rules_.partition(extents, params);
    if (!tile) return std::string(text(tile.error()));
    remarks_.oblige(
        before,
        {extents, params.par_axes_cut_size, {.uniform = params.uniform_tile, .multiple = params.partition_multiple}, *tile});
    const int64_t whole = params.partition_multiple, elements = tile->tile.value_or(rows);
    return carry_out(cut, found.row, (elements + whole - 1) / whole * whole);
  }

  /// As many packs as the budget of the free axes and a partition of SBUF hold.
  std::optional<std::string> cut_packs(ir::Statement& cut, const ir::Statement& before, const MxBlocks& found,
                                       const Tensors& tensors, const ir::Statement& quotient) {
    const int64_t elements = extent(cut, found.in_pack), packs = extent(cut, found.pack);
    const auto bytes = [&](const std::string& tensor) { return (int64_t{ir::bits(tensors.find(tensor)->dtype)} + 7) / 8; };
    const int64_t each =
        elements * (bytes(before.value.operands[0].operands[0].name) + bytes(quotient.destination)) + bytes(before.destination);
    ComputeCutParams params = params_;
    int64_t budget = free_budget(params) / elements;
    if (const auto room = partition_bytes(machine_)) {
      const machine::Space& sbuf = *machine_.space("sbuf");
      budget = std::min(budget, (*room - 3 * (sbuf.alignment + sbuf.row)) / each);
    }
    if (budget < 1) return "a partition of sbuf, or the budget of free axes, does not hold a block";
    params.override_tile_size = budget;
    const std::vector<int64_t> extents{packs};
    const auto tile = rules_.free(extents, {}, params);
    if (!tile) return std::string(text(tile.error()));
    remarks_.oblige(before, {extents, budget, {.uniform = params.uniform_tile, .multiple = 1}, *tile});
    return carry_out(cut, found.pack, tile->tile.value_or(tile->dim ? 1 : packs));
  }

  std::optional<std::string> carry_out(ir::Statement& cut, const std::string& axis, int64_t tile) {
    if (tile == extent(cut, axis)) return std::nullopt;
    const transform::SplitNames parts{names_.fresh(axis + "b"), axis};
    if (const auto done = transform::split_axis(cut, axis, tile, parts); !done) return done.error().text;
    for (ir::Axis& each : cut.axes) {
      if (each.name != parts.outer && each.name != parts.inner) continue;
      set_tag(each.tags, "from", {axis});
      if (each.name != parts.outer) continue;
      set_class(each, AxisClass::block);
      set_tag(each.tags, "tile", {tile});
    }
    return std::nullopt;
  }

  static int64_t extent(const ir::Statement& s, const std::string& axis) {
    return *transform::constant(std::ranges::find(s.axes, axis, &ir::Axis::name)->extent);
  }
};

std::expected<ir::Program, ir::Diagnostics> run(const CutRules& rules, ir::Program program, const pipeline::Context& context) {
  const auto machine = machine_of(context);
  if (!machine) return std::unexpected(machine.error());
  auto params = compute_cut_params(**machine);
  if (!params) return std::unexpected(params.error());
  // Most programs have nothing for this pass, and cost no more than this look.
  if (!any_open_item(program.body, [](const ir::Block& block, size_t i) { return quotient_by(block, i).has_value(); }))
    return program;
  params->uniform_tile = context.options.boolean("uniform-tile");
  ir::Block body = Quantization(rules, program, context, *params).block(program.body);
  program.body = std::move(body);
  return program;
}

}  // namespace

pipeline::Pass quantize_mx(CutRules rules) {
  using enum pipeline::RemarkKind;
  std::vector<pipeline::RemarkDeclaration> words{
      {"quantized", applied, "scales of MX blocks and the quotients by them became one nest"},
      {"no-quantize-mx", applied, "the machine has no instruction, or no room, for scales of MX blocks"}};
  for (size_t i = 0; i < no_blocks_count; ++i) {
    const auto reason = static_cast<NoBlocks>(i);
    words.push_back({std::string(name(reason)), applied, std::string(meaning(reason))});
  }
  return {"quantize-mx",
          "turns scales of MX blocks and the quotients by them into tiles that part no block",
          "nothing; it stands before par-axes-annotation, which takes what this pass leaves alone",
          "scales and quotients that the machine's quantize_mx computes are a group with the tag `tiled`",
          {{"uniform-tile", false, {}, {}, {}, "tiles divide the axes that they are cut from, so that none is ragged"}},
          std::move(words),
          [rules = std::move(rules)](ir::Program program, const pipeline::Context& context) {
            return run(rules, std::move(program), context);
          }};
}

}  // namespace tileproof::penguin
