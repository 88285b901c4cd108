#include "compiler/analysis/cost.h"

#include "compiler/ir/interval.h"
#include "compiler/machine/footprint.h"

#include <algorithm>
#include <set>

namespace tileproof::analysis {
namespace {

using ir::Expression;

int64_t sum(int64_t a, int64_t b) { return ir::combine(ir::Op::add, {a, a}, {b, b})->low; }

/// Bytes of each space.
using Levels = std::vector<int64_t>;

/// What a block needs beside what is live around it, and which buffers from outside it touches.
struct BlockUse {
  Levels peak;
  std::set<const ir::Buffer*> touched;
};

class Walk {
 public:
  Walk(const machine::Machine* machine, const ParameterValues& parameters) : machine_(machine), parameters_(parameters) {}

  Cost run(const ir::Program& program) {
    const BlockUse use = block(program.body);
    for (size_t i = 0; i < cost_.spaces.size(); ++i) {
      SpaceCost& space = cost_.spaces[i];
      space.bytes = i < use.peak.size() ? use.peak[i] : 0;
      const machine::Space* const known = machine_ == nullptr ? nullptr : machine_->space(space.space);
      if (known != nullptr && known->bank_bytes) space.banks = space.bytes / *known->bank_bytes;
    }
    cost_.dma_in = (bits_in_ + 7) / 8;
    cost_.dma_out = (bits_out_ + 7) / 8;
    if (machine_ != nullptr) {
      std::ranges::stable_sort(cost_.spaces, {}, [&](const SpaceCost& space) { return place_of(space.space); });
    }
    return std::move(cost_);
  }

 private:
  size_t place_of(std::string_view space) const {
    const auto found = std::ranges::find(machine_->spaces, space, &machine::Space::name);
    return static_cast<size_t>(found - machine_->spaces.begin());
  }

  bool on_chip(const ir::Buffer& buffer) const {
    const machine::Space* const space = machine_ == nullptr ? nullptr : machine_->space(buffer.space);
    return space == nullptr ? buffer.space != "dram" : space->bytes.has_value();
  }

  int64_t count(std::span<const Dimension> dimensions, std::span<const Expression> conditions) {
    const PointCount counted = count_points(dimensions, conditions, parameters_);
    cost_.exact = cost_.exact && counted.exact;
    return counted.points;
  }
  /// How often this place of the program is reached.
  int64_t visits() { return count(nest_, conditions_); }

  // ---- blocks and the lives of their buffers ----

  struct Life {
    size_t first, last;   // items
    bool touched;
  };

  BlockUse block(const ir::Block& items) {
    std::map<const ir::Buffer*, Life> lives;
    std::vector<BlockUse> inner(items.size());
    BlockUse use;
    for (size_t i = 0; i < items.size(); ++i) {
      std::visit([&](const auto& node) { visit(node, inner[i]); }, items[i].node);
      if (const auto* buffer = std::get_if<ir::Buffer>(&items[i].node)) {
        const bool given = buffer->role == ir::Role::in || buffer->role == ir::Role::inout;
        const bool result = buffer->role == ir::Role::out || buffer->role == ir::Role::inout;
        if (on_chip(*buffer)) lives[buffer] = {i, result ? items.size() - 1 : i, given || result};
      }
      std::erase_if(inner[i].touched, [&](const ir::Buffer* buffer) {
        const auto life = lives.find(buffer);
        if (life == lives.end()) return false;
        if (!life->second.touched) life->second.first = i;
        life->second.touched = true;
        life->second.last = std::max(life->second.last, i);
        return true;
      });
      use.touched.merge(inner[i].touched);
    }
    Levels level;
    std::vector<Levels> begin(items.size() + 1), end(items.size() + 1);
    for (const auto& [buffer, life] : lives) {
      if (!life.touched) continue;
      const size_t space = space_index(buffer->space);
      const int64_t bytes = bytes_of(*buffer);
      add(begin[life.first], space, bytes);
      add(end[life.last + 1], space, -bytes);
    }
    for (size_t i = 0; i < items.size(); ++i) {
      for (size_t s = 0; s < begin[i].size(); ++s) add(level, s, begin[i][s]);
      for (size_t s = 0; s < end[i].size(); ++s) add(level, s, end[i][s]);
      Levels here = level;
      for (size_t s = 0; s < inner[i].peak.size(); ++s) add(here, s, inner[i].peak[s]);
      raise(use.peak, here);
    }
    return use;
  }

  static void add(Levels& levels, size_t space, int64_t bytes) {
    if (levels.size() <= space) levels.resize(space + 1);
    levels[space] = sum(levels[space], bytes);
  }
  static void raise(Levels& levels, const Levels& to) {
    if (levels.size() < to.size()) levels.resize(to.size());
    for (size_t s = 0; s < to.size(); ++s) levels[s] = std::max(levels[s], to[s]);
  }

  size_t space_index(const std::string& name) {
    const auto found = std::ranges::find(cost_.spaces, name, &SpaceCost::space);
    if (found != cost_.spaces.end()) return static_cast<size_t>(found - cost_.spaces.begin());
    cost_.spaces.push_back({.space = name});
    return cost_.spaces.size() - 1;
  }

  std::vector<int64_t> extents_of(const ir::Buffer& buffer) const {
    std::vector<int64_t> extents;
    for (const Expression& extent : buffer.extents) extents.push_back(value(extent, parameters_).value_or(0));
    return extents;
  }

  int64_t bytes_of(const ir::Buffer& buffer) const {
    const machine::Space* const space = machine_ == nullptr ? nullptr : machine_->space(buffer.space);
    const std::vector<int64_t> extents = extents_of(buffer);
    return space == nullptr ? machine::stored_bytes(buffer, extents) : machine::allocated_bytes(buffer, extents, *space);
  }

  // ---- items ----

  void visit(const ir::Buffer& buffer, BlockUse&) {
    buffers_[buffer.name] = &buffer;
    if (!on_chip(buffer)) return;
    SpaceCost& space = cost_.spaces[space_index(buffer.space)];
    space.tiles = sum(space.tiles, visits());
    if (buffer.partition_rank)
      space.partitions = std::max(space.partitions, machine::spanned_partitions(buffer, extents_of(buffer)));
  }

  void visit(const ir::View& view, BlockUse&) { buffers_[view.name] = buffers_.at(view.base); }

  void executed(const std::string& opcode) {
    int64_t& executions = cost_.executions[opcode];
    executions = sum(executions, visits());
  }

  void visit(const ir::Statement& statement, BlockUse& use) {
    if (!in_instruction_) executed(statement.opcode);
    const ir::Buffer& destination = *buffers_.at(statement.destination);
    use.touched.insert(&destination);
    for (const Expression& index : statement.indices) touch(index, use);
    for (const Expression& condition : statement.where) touch(condition, use);
    for (const auto* claim : {&statement.start, &statement.stop}) {
      if (*claim) {
        for (const Expression& condition : (*claim)->conditions) touch(condition, use);
      }
    }
    for (const std::string& scratch : statement.clobbers) use.touched.insert(buffers_.at(scratch));
    touch(statement.value, use);

    std::vector<const ir::Buffer*> reads;
    collect_reads(statement.value, reads);
    const bool to_chip = on_chip(destination);
    int64_t bits = 0;
    for (const ir::Buffer* read : reads) {
      if (on_chip(*read) == to_chip) continue;
      if (to_chip) bits += ir::bits(read->dtype);
      if (!to_chip) bits = ir::bits(destination.dtype);
    }
    if (bits == 0) return count_lanes(statement);
    std::vector<Dimension> domain = nest_;
    for (const ir::Axis& axis : statement.axes) domain.push_back({axis.name, {ir::integer(0), axis.extent}});
    std::vector<Expression> conditions = conditions_;
    conditions.insert(conditions.end(), statement.where.begin(), statement.where.end());
    int64_t& moved = to_chip ? bits_in_ : bits_out_;
    moved = sum(moved, ir::multiply_saturating(bits, count(domain, conditions)));
  }

  /// The axes that tell the partitions of an access to an on-chip buffer apart; nullopt: the buffer has no partitions.
  std::optional<std::set<std::string>> partition_axes(const std::string& name, std::span<const Expression> indices,
                                                      const ir::Statement& statement) const {
    const ir::Buffer& buffer = *buffers_.at(name);
    const machine::Space* const space = machine_ == nullptr ? nullptr : machine_->space(buffer.space);
    if (space == nullptr || !space->partitions || buffer.partition_rank.value_or(0) > indices.size()) return std::nullopt;
    std::set<std::string> axes;
    for (const Expression& index : indices.first(buffer.partition_rank.value_or(0)))
      for (const ir::Axis& axis : statement.axes)
        if (names(index, axis.name)) axes.insert(axis.name);
    return axes;
  }

  void count_lanes(const ir::Statement& statement) {
    std::vector<std::set<std::string>> accesses;
    const auto add = [&](const std::string& name, std::span<const Expression> indices) {
      if (auto axes = partition_axes(name, indices, statement)) accesses.push_back(std::move(*axes));
    };
    add(statement.destination, statement.indices);
    if (accesses.empty()) return;
    each_read(statement.value, [&](const Expression& read) { add(read.name, read.operands); });
    std::set<std::string> across;   // axes along the partitions of any
    for (const auto& axes : accesses) across.insert(axes.begin(), axes.end());
    int64_t busy = 0;
    for (const auto& axes : accesses) busy = std::max(busy, points_without(statement, across, axes));
    cost_.busy_lanes = sum(cost_.busy_lanes, busy);
    const int64_t partitions = *machine_->space(buffers_.at(statement.destination)->space)->partitions;
    cost_.lanes = sum(cost_.lanes, ir::multiply_saturating(partitions, points_without(statement, across, {})));
  }

  /// The points of the statement, as if it had no axis of `without` but those of `kept`, and no condition on the others.
  int64_t points_without(const ir::Statement& statement, const std::set<std::string>& without,
                         const std::set<std::string>& kept) {
    const auto is_gone = [&](const std::string& name) { return without.contains(name) && !kept.contains(name); };
    std::vector<Dimension> domain = nest_;
    for (const ir::Axis& axis : statement.axes)
      if (!is_gone(axis.name)) domain.push_back({axis.name, {ir::integer(0), axis.extent}});
    std::vector<Expression> conditions = conditions_;
    for (const Expression& condition : statement.where)
      if (std::ranges::none_of(without, [&](const std::string& name) { return is_gone(name) && names(condition, name); }))
        conditions.push_back(condition);
    return count(domain, conditions);
  }

  void visit(const ir::Loop& loop, BlockUse& use) {
    nest_.push_back({loop.name, loop.range});
    const size_t loops_before = ++loops_;
    use = block(loop.body);
    if (loops_ == loops_before) cost_.trips = sum(cost_.trips, visits());   // no loop inside
    nest_.pop_back();
  }

  void visit(const ir::If& branch, BlockUse& use) {
    for (const Expression& condition : branch.conditions) touch(condition, use);
    const size_t outside = conditions_.size();
    conditions_.insert(conditions_.end(), branch.conditions.begin(), branch.conditions.end());
    merge(block(branch.then_body), use);
    conditions_.resize(outside);
    if (branch.else_body.empty()) return;
    Expression all = branch.conditions.front();
    for (size_t i = 1; i < branch.conditions.size(); ++i) all = make(ir::Op::logical_and, {all, branch.conditions[i]});
    conditions_.push_back(make(ir::Op::logical_not, {all}));
    merge(block(branch.else_body), use);
    conditions_.resize(outside);
  }

  void visit(const ir::While& loop, BlockUse& use) {
    for (const Expression& condition : loop.conditions) touch(condition, use);
    cost_.exact = false;   // its limit is taken for the number of rounds
    nest_.push_back({"while", {ir::integer(0), loop.limit}});
    const size_t loops_before = ++loops_;
    merge(block(loop.body), use);
    if (loops_ == loops_before) cost_.trips = sum(cost_.trips, visits());
    nest_.pop_back();
  }

  void visit(const ir::Group& group, BlockUse& use) {
    const bool outside = in_instruction_;
    if (group.opcode && !outside) executed(*group.opcode);
    in_instruction_ |= group.opcode.has_value();
    use = block(group.body);
    in_instruction_ = outside;
  }

  void visit(const ir::Move& move, BlockUse& use) {
    for (size_t i = 0; i < move.destinations.size(); ++i) {
      const ir::Buffer &destination = *buffers_.at(move.destinations[i]), &source = *buffers_.at(move.sources[i]);
      use.touched.insert({&destination, &source});
      if (on_chip(destination) == on_chip(source)) continue;
      int64_t bits = ir::multiply_saturating(visits(), ir::bits(source.dtype));
      for (const int64_t extent : extents_of(source)) bits = ir::multiply_saturating(bits, extent);
      int64_t& moved = on_chip(destination) ? bits_in_ : bits_out_;
      moved = sum(moved, bits);
    }
  }

  void visit(const ir::Opaque& opaque, BlockUse& use) {
    for (const ir::Opaque::Argument& argument : opaque.arguments) use.touched.insert(buffers_.at(argument.buffer));
  }

  static void merge(BlockUse from, BlockUse& to) {
    raise(to.peak, from.peak);
    to.touched.merge(from.touched);
  }

  // ---- expressions ----

  void touch(const Expression& e, BlockUse& use) {
    if (e.op == ir::Op::read) use.touched.insert(buffers_.at(e.name));
    for (const Expression& operand : e.operands) touch(operand, use);
  }

  static bool names(const Expression& e, const std::string& variable) {
    return (e.op == ir::Op::variable && e.name == variable) ||
           std::ranges::any_of(e.operands, [&](const Expression& operand) { return names(operand, variable); });
  }

  template <class F>
  static void each_read(const Expression& e, const F& f) {
    if (e.op == ir::Op::read) f(e);
    for (const Expression& operand : e.operands) each_read(operand, f);
  }

  /// The reads of a value, without those of its indices.
  void collect_reads(const Expression& e, std::vector<const ir::Buffer*>& reads) {
    if (e.op == ir::Op::read) {
      reads.push_back(buffers_.at(e.name));
      return;
    }
    for (const Expression& operand : e.operands) collect_reads(operand, reads);
  }

  const machine::Machine* machine_;
  const ParameterValues& parameters_;
  Cost cost_;
  int64_t bits_in_ = 0, bits_out_ = 0;
  std::vector<Dimension> nest_;
  std::vector<Expression> conditions_;
  std::map<std::string_view, const ir::Buffer*> buffers_;   // no name hides another one; a view stands for its buffer
  bool in_instruction_ = false;  // a group that one instruction executes
  size_t loops_ = 0;                                        // met so far
};

}  // namespace

Cost cost(const ir::Program& program, const machine::Machine* machine, const ParameterValues& parameters) {
  ParameterValues values = parameters;
  for (const ir::Parameter& parameter : program.parameters) values.try_emplace(parameter.name, parameter.high);
  return Walk(machine, values).run(program);
}

Cost cost(const ir::Program& program, const machine::Machine* machine) { return cost(program, machine, {}); }

}  // namespace tileproof::analysis
