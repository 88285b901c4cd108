#include "oracle/interpret/lower.h"

#include "compiler/ir/verify.h"
#include "oracle/interpret/code.h"
#include "oracle/interpret/code_range.h"
#include "oracle/interpret/injective.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <ranges>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tileproof::oracle {
namespace {

using ir::Expression;
using ir::Op;

/// The operators that true integers have; anything else in an expression makes it data.
bool is_integer_operator(Op op) { return op != Op::divide && op != Op::infinity && op != Op::nan && !ir::is_function(op); }

/// Whether an integer of this dtype follows from a class modulo 2^32 of what is stored into it.
bool wraps_to_class(ir::Dtype dtype) { return ir::is_integer(dtype) && dtype != ir::Dtype::boolean && ir::bits(dtype) <= 32; }

/// Operators whose class modulo 2^32 follows from those of the operands (of `select`: of its arms).
bool keeps_classes(Op op) {
  return op == Op::add || op == Op::subtract || op == Op::negate || op == Op::multiply || op == Op::select;
}
bool keeps_classes(ir::Update update) {
  return update == ir::Update::assign || update == ir::Update::add || update == ir::Update::multiply;
}

/// The buffers that always hold the number itself, since more is asked of it than what reads ask: the destinations of accumulations that
/// do not keep classes, what opaque functions are given, and what is moved to one of these.
class NumberBuffers {
 public:
  explicit NumberBuffers(const ir::Block& items) {
    size_t before = 0;
    do {
      before = names_.size();
      block(items);
    } while (names_.size() != before);
  }
  bool contains(const std::string& name) const { return names_.contains(name); }

 private:
  std::set<std::string> names_;
  std::map<std::string, std::string> bases_;  // of views

  const std::string& root(const std::string& name) const {
    const auto base = bases_.find(name);
    return base == bases_.end() ? name : root(base->second);
  }
  void block(const ir::Block& items) {
    for (const ir::Item& item : items) std::visit([this](const auto& node) { visit(node); }, item.node);
  }
  void visit(const ir::Buffer& buffer) { bases_.erase(buffer.name); }
  void visit(const ir::View& view) { bases_[view.name] = view.base; }
  void visit(const ir::Statement& statement) {
    if (!keeps_classes(statement.update)) names_.insert(root(statement.destination));
  }
  void visit(const ir::Opaque& opaque) {
    for (const auto& argument : opaque.arguments) names_.insert(root(argument.buffer));
  }
  void visit(const ir::Move& move) {
    for (size_t i = 0; i < move.sources.size(); ++i)
      if (names_.contains(root(move.destinations[i]))) names_.insert(root(move.sources[i]));
  }
  void visit(const ir::Loop& loop) { block(loop.body); }
  void visit(const ir::While& loop) { block(loop.body); }
  void visit(const ir::Group& group) { block(group.body); }
  void visit(const ir::If& branch) {
    block(branch.then_body);
    block(branch.else_body);
  }
};

class Lowering {
 public:
  Lowering(const ir::Program& program, const Parameters& parameters, const Kinds& common)
      : kinds_(kinds_of(program, common)), numbers_(program.body), labels_(ir::labelled_statements(program)) {
    code_.parameters = parameters;
    for (const auto& [name, value] : parameters) scope_[name] = ParameterName{value};
    if (kinds_.unsupported.empty()) {
      code_.statements.reserve(labels_.size());
      code_.body = block(program.body);
      share_bytes();
    }
  }

  std::expected<Code, std::string> take() {
    if (!kinds_.unsupported.empty()) return std::unexpected(kinds_.unsupported);
    return std::move(code_);
  }

 private:
  struct BufferName {
    uint32_t buffer;
  };
  struct ViewName {
    const ir::View* view;
    uint32_t root;
    bool keeps_apart;  ///< its map, and those of the views below it, are known to be injective
  };
  struct SlotName {
    Slot slot;
  };
  struct ParameterName {
    int64_t value;
  };
  using Name = std::variant<ParameterName, SlotName, BufferName, ViewName>;
  using Scope = std::unordered_map<std::string_view, Name>;
  using Dims = std::vector<std::pair<std::string_view, IntegerCode>>;  // of a view; they hide the names of the scope

  Code code_;
  ProgramKinds kinds_;
  NumberBuffers numbers_;
  Scope scope_;  // no name hides a visible one, so what stands in it of blocks that have ended is never asked for
  std::vector<std::pair<const ir::Statement*, std::string>>
      labels_;  // by site: in the order of the text, in which they are lowered
  std::vector<ir::Interval> slot_ranges_;  // what each slot can hold
  std::vector<uint32_t> parallel_depth_;  // of each buffer's declaration
  Site next_site_ = 0;
  uint32_t depth_ = 0;  // of par, shard and thread loops
  std::vector<std::string> spaces_;
  std::vector<uint32_t>* touched_ = nullptr;  // the buffers that the statement reads

  uint32_t root(const std::string& name) const { return root(scope_.at(name)); }
  static uint32_t root(const Name& entry) {
    if (const auto* view = std::get_if<ViewName>(&entry)) return view->root;
    return std::get<BufferName>(entry).buffer;
  }

  Slot slot(ir::Interval range) {
    slot_ranges_.push_back(range);
    return code_.slots++;
  }

  ir::Interval bounds(const IntegerCode& code) const {
    return range_of(code, slot_ranges_,
                    [this](uint32_t access) { return code_.buffers[code_.accesses[access].buffer].source->dtype; });
  }

  // ---- expressions ----

  IntegerCode integer(const Expression& e, const Dims& dims = {}) {
    switch (e.op) {
      case Op::literal: return constant_code(ir::to_integer(e.value).value_or(0));
      case Op::variable: {
        for (const auto& [name, code] : dims) {
          if (name == e.name) return code;
        }
        const Name& name = scope_.at(e.name);
        if (const auto* parameter = std::get_if<ParameterName>(&name)) return constant_code(parameter->value);
        return slot_code(std::get<SlotName>(name).slot);
      }
      case Op::read: {
        const uint32_t access = this->access(e.name, integers(e.operands, dims));
        note_read(code_.accesses[access].buffer);
        return read_code(access, all_indices(code_.accesses[access]));
      }
      default: break;
    }
    std::array<IntegerCode, 3> operands;
    for (size_t i = 0; i < e.operands.size(); ++i) operands[i] = integer(e.operands[i], dims);
    return combine(e.op, std::span(operands).first(e.operands.size()), e.op == Op::cast ? e.dtype : ir::Dtype::i64);
  }

  std::vector<IntegerCode> integers(const std::vector<Expression>& list, const Dims& dims = {}) {
    std::vector<IntegerCode> codes;
    codes.reserve(list.size());
    for (const Expression& e : list) codes.push_back(integer(e, dims));
    return codes;
  }

  static std::vector<IntegerCode> all_indices(const AccessCode& access) {
    std::vector<IntegerCode> all = access.indices;
    for (const AccessCode::Bound& bound : access.views) all.push_back(bound.index);
    return all;
  }

  uint32_t access(const std::string& name, std::vector<IntegerCode> indices) {
    AccessCode access;
    const Name* entry = &scope_.at(name);
    if (const auto* named = std::get_if<ViewName>(entry); named != nullptr && named->keeps_apart)
      access.view_rank = named->view->dims.size();
    while (const auto* named = std::get_if<ViewName>(entry)) {
      Dims dims;
      for (size_t i = 0; i < named->view->dims.size(); ++i) {
        access.views.push_back({indices[i], integer(named->view->dims[i].extent)});
        dims.emplace_back(named->view->dims[i].name, std::move(indices[i]));
      }
      indices = integers(named->view->indices, dims);
      entry = &scope_.at(named->view->base);
    }
    access.buffer = std::get<BufferName>(*entry).buffer;
    access.indices = std::move(indices);
    code_.accesses.push_back(std::move(access));
    return static_cast<uint32_t>(code_.accesses.size() - 1);
  }

  void note_read(uint32_t buffer) {
    if (touched_ != nullptr && std::ranges::find(*touched_, buffer) == touched_->end()) touched_->push_back(buffer);
  }

  /// Affine sides whose difference cannot wrap become that difference, by which a row is clipped; others are compared as they are.
  Condition condition(const Expression& e) {
    std::array sides{integer(e.operands[0]), integer(e.operands[1])};
    if (!sides[0].affine || !sides[1].affine || !differ_without_wrapping(bounds(sides[0]), bounds(sides[1])))
      return {combine(e.op, sides), Condition::Relation::not_zero};
    const bool less = e.op == Op::less || e.op == Op::less_equal, greater = e.op == Op::greater || e.op == Op::greater_equal;
    std::array terms = less ? std::array{sides[1], sides[0]} : sides;
    IntegerCode difference = combine(Op::subtract, terms);
    if (!differ_without_wrapping(bounds(difference), {0, 0})) return {combine(e.op, sides), Condition::Relation::not_zero};
    if (e.op == Op::equal) return {std::move(difference), Condition::Relation::zero};
    if (!less && !greater) return {std::move(difference), Condition::Relation::not_zero};
    if (e.op == Op::less || e.op == Op::greater) --difference.constant;
    return {std::move(difference), Condition::Relation::not_negative};
  }

  std::vector<Condition> conditions(const std::vector<Expression>& list) {
    std::vector<Condition> result;
    for (const Expression& e : list) result.push_back(condition(e));
    return result;
  }

  // ---- values ----

  /// Reads are narrowed apart from what the statement does with them.
  Site site_of_reads(Site site) const { return static_cast<Site>(labels_.size()) + site; }

  bool is_index_buffer(const std::string& name) const { return code_.buffers[root(name)].is_index; }

  /// Made of true integers only.
  bool is_true_integer(const Expression& e) const {
    if (e.op == Op::literal) return ir::to_integer(e.value).has_value();
    if (e.op == Op::read) return is_index_buffer(e.name);
    if (e.op == Op::cast && ir::is_float(e.dtype)) return false;
    return is_integer_operator(e.op) &&
           std::ranges::all_of(e.operands, [&](const Expression& operand) { return is_true_integer(operand); });
  }

  static bool is_literal(const Expression& e) {
    return e.op == Op::literal || (e.op == Op::negate && e.operands[0].op == Op::literal);
  }

  auto dtypes() const {
    return [this](const std::string& name) -> std::optional<ir::Dtype> {
      const auto found = scope_.find(name);
      const bool is_memory = found != scope_.end() && (std::holds_alternative<BufferName>(found->second) ||
                                                       std::holds_alternative<ViewName>(found->second));
      if (!is_memory) return std::nullopt;
      return code_.buffers[root(found->second)].source->dtype;
    };
  }

  /// `counts`: what the integer is, not only its class modulo 2^32.
  int32_t value(const Expression& e, StatementCode& statement, bool counts) {
    ValueNode node;
    node.op = e.op;
    const ir::Dtype wide = statement.accumulate == ir::Dtype::f64 ? ir::Dtype::f64 : ir::Dtype::f32;
    if (e.op == Op::literal || e.op == Op::infinity || e.op == Op::nan) {
      node.kind = ValueNode::Kind::literal;
      node.literal = e.value;
    } else if (!is_literal(e) && is_true_integer(e)) {
      node.kind = ValueNode::Kind::integer;
      node.integer = integer(e);
    } else if (e.op == Op::read) {
      node.kind = ValueNode::Kind::data;
      node.access = access(e.name, integers(e.operands));
      note_read(code_.accesses[node.access].buffer);
      statement.reads.push_back(node.access);
      const ir::Buffer& source = *code_.buffers[code_.accesses[node.access].buffer].source;
      if (counts && wraps_when_read(source.dtype) && source.role != ir::Role::in) {
        statement.value.push_back(std::move(node));
        node = {};
        node.kind = ValueNode::Kind::cast;
        node.op = Op::cast;
        node.operands[0] = static_cast<int32_t>(statement.value.size() - 1);
        node.narrowing = {source.dtype, source.dtype, false, site_of_reads(statement.site)};
        node.of_read = true;
      }
    } else if (e.op == Op::select && is_true_integer(e.operands[0])) {
      node.kind = ValueNode::Kind::choose;
      node.integer = integer(e.operands[0]);
      statement.has_choice = true;
      node.operands[0] = value(e.operands[1], statement, counts);
      node.operands[1] = value(e.operands[2], statement, counts);
    } else {
      const bool from_float = e.op == Op::cast && ir::value_type(e.operands[0], dtypes()).is_float;
      if (e.op == Op::cast) {
        node.kind = ValueNode::Kind::cast;
        node.narrowing = {from_float ? wide : ir::Dtype::i64, e.dtype, from_float, statement.site,
                          !counts && !from_float && wraps_when_read(e.dtype)};
        counts = from_float || (!wraps_to_class(e.dtype) && (counts || e.dtype != ir::Dtype::i64));
      } else {
        node.computed = ir::value_type(e, dtypes()).is_float ? wide : ir::Dtype::i64;
        counts |= !keeps_classes(e.op);
      }
      for (size_t i = 0; i < e.operands.size(); ++i)
        node.operands[i] = value(e.operands[i], statement, counts || (e.op == Op::select && i == 0));
    }
    statement.value.push_back(std::move(node));
    return static_cast<int32_t>(statement.value.size() - 1);
  }

  // ---- items ----

  BlockCode block(const ir::Block& items) {
    BlockCode body;
    body.reserve(items.size());
    for (const ir::Item& item : items) std::visit([&](const auto& node) { lower(node, body); }, item.node);
    return body;
  }

  std::shared_ptr<BlockCode> shared_block(const ir::Block& items) { return std::make_shared<BlockCode>(block(items)); }

  void lower(const ir::Buffer& source, BlockCode& body) {
    const auto number = static_cast<uint32_t>(code_.buffers.size());
    BufferCode& buffer = code_.buffers.emplace_back();
    buffer.source = &source;
    for (const Expression& extent : source.extents) buffer.extents.push_back(std::max<int64_t>(0, integer(extent).constant));
    buffer.strides.assign(buffer.extents.size(), 1);
    buffer.count = 1;
    for (size_t i = buffer.extents.size(); i-- > 0;) {
      buffer.strides[i] = buffer.count;
      buffer.count = wrap_multiply(buffer.count, buffer.extents[i]);
    }
    buffer.row_elements = 1;
    for (size_t i = source.partition_rank.value_or(0); i < buffer.extents.size(); ++i) buffer.row_elements *= buffer.extents[i];
    buffer.is_index = kinds_.index.contains(&source);
    buffer.is_output = source.role == ir::Role::out || source.role == ir::Role::inout;
    buffer.tracking.state = buffer.is_output;
    buffer.tracking.valid = !source.valid.empty();
    for (const ir::Range& range : source.valid) buffer.valid.emplace_back(integer(range.low), integer(range.high));
    if (source.range) {
      buffer.low = integer(source.range->low).constant;
      buffer.high = integer(source.range->high).constant;
    }
    if (source.address) buffer.address.emplace(integer(source.address->partition), integer(source.address->byte));
    const auto space = std::ranges::find(spaces_, source.space);
    buffer.space = static_cast<uint32_t>(space - spaces_.begin());
    if (space == spaces_.end()) spaces_.push_back(source.space);
    scope_[source.name] = BufferName{number};
    parallel_depth_.push_back(depth_);
    body.emplace_back(DeclareCode{number});
  }

  void lower(const ir::View& source, BlockCode& body) {
    ViewCode view{.source = &source, .buffer = root(source.base), .slots = {}, .extents = {}, .indices = {}};
    Dims dims;
    for (const ir::Axis& dim : source.dims) {
      view.extents.push_back(integer(dim.extent));
      view.slots.push_back(slot(all_integers()));
      dims.emplace_back(dim.name, slot_code(view.slots.back()));
    }
    view.indices = integers(source.indices, dims);
    const auto is_own = [&](const IntegerCode& code) { return !code.has_reads() && code.depends_only_on(view.slots); };
    if (std::ranges::all_of(view.extents, is_own) && std::ranges::all_of(view.indices, is_own)) {
      std::vector<int64_t> environment(code_.slots), extents;
      for (const IntegerCode& extent : view.extents) extents.push_back(std::max<int64_t>(0, evaluate(extent, environment)));
      view.injectivity =
          is_injective(view, extents, environment, [&](const IntegerCode& code) { return evaluate(code, environment); });
    }
    const auto* base = std::get_if<ViewName>(&scope_.at(source.base));
    const bool keeps_apart = view.injectivity == Injectivity::yes && (base == nullptr || base->keeps_apart);
    scope_[source.name] = ViewName{&source, view.buffer, keeps_apart};
    body.emplace_back(std::move(view));
  }

  static bool mentions(const Expression& e, const auto& what) {
    return what(e) || std::ranges::any_of(e.operands, [&](const Expression& operand) { return mentions(operand, what); });
  }

  bool names_reduce_axis(const IntegerCode& code, const StatementCode& statement) const {
    return std::ranges::any_of(
        statement.axes, [&](const AxisCode& axis) { return axis.kind == ir::AxisKind::reduce && code.depends_on(axis.slot); });
  }

  /// Where the axes stand in the value and in the claims, and whether the destination tells them apart.
  void note_axes(StatementCode& statement) const {
    const auto note = [&](const IntegerCode& code, bool AxisCode::* place) {
      statement.plain_integers &= code.affine;
      for (AxisCode& axis : statement.axes) axis.*place |= code.depends_on(axis.slot);
    };
    for (const ValueNode& node : statement.value) note(node.integer, &AxisCode::in_value);
    for (const auto* claim : {&statement.start, &statement.stop}) {
      if (!claim->has_value()) continue;
      for (const Condition& condition : **claim) note(condition.code, &AxisCode::in_claims);
    }
    const AccessCode& access = code_.accesses[statement.destination];
    const auto of_view = std::span(access.views).first(access.view_rank) | std::views::transform(&AccessCode::Bound::index);
    statement.tells_axes_apart = tell_apart(access.indices, statement.axes) || tell_apart(of_view, statement.axes);
  }

  /// Each axis but reduce axes stands alone in one of the indices, and the products do not wrap.
  bool tell_apart(const auto& indices, const std::vector<AxisCode>& axes) const {
    constexpr int64_t far = int64_t{1} << 62;
    const auto is_alone = [&](const IntegerCode& index, const AxisCode& axis) {
      const int64_t step = index.affine ? index.coefficient(axis.slot) : 0;
      return step != 0 && step > -far && ir::multiply_saturating(std::abs(step), slot_ranges_[axis.slot].high) < far &&
             std::ranges::none_of(axes, [&](const AxisCode& other) { return &other != &axis && index.depends_on(other.slot); });
    };
    return std::ranges::all_of(axes, [&](const AxisCode& axis) {
      return axis.kind == ir::AxisKind::reduce ||
             std::ranges::any_of(indices, [&](const IntegerCode& index) { return is_alone(index, axis); });
    });
  }

  void note_strides(uint32_t number, const StatementCode& statement) {
    AccessCode& access = code_.accesses[number];
    access.affine = std::ranges::all_of(access.indices, &IntegerCode::affine) &&
                    std::ranges::all_of(access.views,
                                        [](const AccessCode::Bound& bound) { return bound.index.affine && bound.extent.affine; });
    if (!access.affine) return;
    access.strides.assign(statement.axes.size(), 0);
    for (size_t d = 0; d < access.indices.size(); ++d) {
      const int64_t stride = code_.buffers[access.buffer].strides[d];
      for (const IntegerCode::Term& term : access.indices[d].terms) {
        const size_t axis = statement.axis_of(term.slot);
        if (axis < statement.axes.size())
          access.strides[axis] = wrap_add(access.strides[axis], wrap_multiply(term.coefficient, stride));
      }
    }
  }

  void write(uint32_t buffer) {
    if (depth_ > parallel_depth_[buffer]) code_.buffers[buffer].tracking.races = true;
  }

  void lower(const ir::Statement& source, BlockCode& body) {
    StatementCode& statement = code_.statements.emplace_back();  // room for all of them is there
    statement.source = &source;
    statement.site = next_site_++;
    statement.label = std::move(labels_[statement.site].second);
    touched_ = &statement.buffers_read;
    for (const ir::Axis& axis : source.axes) statement.axes.push_back({0, integer(axis.extent), axis.kind});
    for (size_t i = 0; i < source.axes.size(); ++i) {
      statement.axes[i].slot = slot({0, std::max<int64_t>(1, bounds(statement.axes[i].extent).high) - 1});
      scope_[source.axes[i].name] = SlotName{statement.axes[i].slot};
      statement.has_reduce |= source.axes[i].kind == ir::AxisKind::reduce;
    }
    // Conditions without reads come first: they say where there is something to read. What a condition names is what stands in it,
    // even if it cancels.
    const auto reads = [](const Expression& e) { return e.op == Op::read; };
    const auto reduces = [&](const Expression& e) {
      const auto axis = std::ranges::find(source.axes, e.name, &ir::Axis::name);
      return e.op == Op::variable && axis != source.axes.end() && axis->kind == ir::AxisKind::reduce;
    };
    for (const bool reading : {false, true}) {
      for (const Expression& e : source.where) {
        if (mentions(e, reads) == reading)
          (mentions(e, reduces) ? statement.reduce_where : statement.where).push_back(condition(e));
      }
    }
    if (source.start) statement.start = conditions(source.start->conditions);
    if (source.stop) statement.stop = conditions(source.stop->conditions);
    statement.destination = access(source.destination, integers(source.indices));
    const uint32_t destination = code_.accesses[statement.destination].buffer;
    for (const IntegerCode& index : all_indices(code_.accesses[statement.destination]))
      statement.scatters |= names_reduce_axis(index, statement);
    statement.is_index = code_.buffers[destination].is_index;
    statement.accumulate = ir::accumulate_dtype(source, dtypes());
    statement.combine = ir::combine_dtype(statement.accumulate);
    const ir::Dtype to = code_.buffers[destination].source->dtype;
    const bool accumulates = source.update != ir::Update::assign;
    const bool from_float = accumulates ? ir::is_float(statement.accumulate) : ir::value_type(source.value, dtypes()).is_float;
    if (from_float) statement.to_accumulate = Narrowing{statement.combine, statement.accumulate, true, statement.site};
    const bool passes_through = ir::passes_through(statement.accumulate, to);
    const ir::Dtype from = !accumulates && !from_float ? ir::Dtype::i64 : passes_through ? to : statement.accumulate;
    const bool is_class = !from_float && wraps_when_read(to) && !numbers_.contains(code_.buffers[destination].source->name);
    statement.to_destination = {from, to, from_float, statement.site, is_class};
    if (statement.is_index) {
      statement.integer_value = integer(source.value);
    } else {
      const bool counts = from_float || !keeps_classes(source.update) ||
                          !wraps_to_class(accumulates && !passes_through ? statement.accumulate : to);
      value(source.value, statement, counts);
      const ValueNode& root = statement.value.back();
      statement.copies = !accumulates && root.kind == ValueNode::Kind::data &&
                         code_.buffers[code_.accesses[root.access].buffer].source->dtype == to &&
                         (is_class || !wraps_when_read(to));
    }
    for (const uint32_t buffer : statement.buffers_read) statement.reads_own_buffer |= buffer == destination;
    note_axes(statement);
    note_strides(statement.destination, statement);
    for (const uint32_t read : statement.reads) note_strides(read, statement);
    for (const std::string& name : source.clobbers) {
      statement.clobbers.push_back(root(name));
      write(root(name));
    }
    write(destination);
    if (source.stop) code_.buffers[destination].tracking.stop = true;
    touched_ = nullptr;
    body.emplace_back(RunStatementCode{static_cast<uint32_t>(code_.statements.size() - 1)});
  }

  void lower(const ir::Loop& source, BlockCode& body) {
    LoopCode loop{source.name, 0, integer(source.range.low), integer(source.range.high), source.kind, nullptr, source.location};
    const int64_t low = bounds(loop.low).low, high = bounds(loop.high).high;
    loop.slot = slot({low, high > low ? high - 1 : low});
    scope_[source.name] = SlotName{loop.slot};
    depth_ += source.kind != ir::LoopKind::seq;
    loop.body = shared_block(source.body);
    depth_ -= source.kind != ir::LoopKind::seq;
    body.emplace_back(std::move(loop));
  }
  void lower(const ir::If& source, BlockCode& body) {
    IfCode branch{conditions(source.conditions), shared_block(source.then_body), shared_block(source.else_body), source.location};
    body.emplace_back(std::move(branch));
  }
  void lower(const ir::While& source, BlockCode& body) {
    WhileCode loop{conditions(source.conditions), integer(source.limit), shared_block(source.body), source.location};
    body.emplace_back(std::move(loop));
  }
  void lower(const ir::Group& source, BlockCode& body) { body.emplace_back(block(source.body)); }
  void lower(const ir::Move& source, BlockCode& body) {
    MoveCode move{{}, {}, source.location};
    for (const std::string& name : source.destinations) {
      move.destinations.push_back(root(name));
      write(root(name));
    }
    for (const std::string& name : source.sources) move.sources.push_back(root(name));
    body.emplace_back(std::move(move));
  }
  void lower(const ir::Opaque& source, BlockCode& body) {
    OpaqueCode opaque{&source, {}};
    for (const auto& argument : source.arguments) {
      opaque.buffers.push_back(root(argument.buffer));
      if (argument.role != ir::Role::in) write(root(argument.buffer));
    }
    body.emplace_back(std::move(opaque));
  }

  // ---- bytes ----

  bool may_meet(const BufferCode& a, const BufferCode& b) const {
    if (!a.address || !b.address || a.space != b.space) return false;
    const auto apart = [](const IntegerCode& x, int64_t nx, const IntegerCode& y, int64_t ny) {
      return x.is_constant() && y.is_constant() && (x.constant + nx <= y.constant || y.constant + ny <= x.constant);
    };
    const auto rows = [](const BufferCode& buffer) { return buffer.row_elements == 0 ? 0 : buffer.count / buffer.row_elements; };
    const auto row_bytes = [](const BufferCode& buffer) {
      return (buffer.row_elements * ir::bits(buffer.source->dtype) + 7) / 8;
    };
    return !apart(a.address->first, rows(a), b.address->first, rows(b)) &&
           !apart(a.address->second, row_bytes(a), b.address->second, row_bytes(b));
  }

  void share_bytes() {
    for (size_t i = 0; i < code_.buffers.size(); ++i) {
      for (size_t j = i + 1; j < code_.buffers.size(); ++j) {
        if (may_meet(code_.buffers[i], code_.buffers[j]))
          code_.buffers[i].tracking.bytes = code_.buffers[j].tracking.bytes = true;
      }
    }
    for (StatementCode& statement : code_.statements) {
      const BufferCode& destination = code_.buffers[code_.accesses[statement.destination].buffer];
      for (const uint32_t buffer : statement.buffers_read) {
        statement.meets_own_bytes |= &code_.buffers[buffer] != &destination && may_meet(code_.buffers[buffer], destination);
      }
    }
  }
};

}  // namespace

void forget_tracking(Code& code) {
  for (BufferCode& buffer : code.buffers) buffer.tracking = {};
  for (StatementCode& statement : code.statements) statement.meets_own_bytes = false;
}

LoweredProgram lower(const ir::Program& program, const Parameters& parameters, const Kinds& kinds) {
  return Lowering(program, parameters, kinds).take();
}

}  // namespace tileproof::oracle
