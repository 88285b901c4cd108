#include "fuzz/retile/nest_tiling.h"

#include "compiler/ir/verify.h"
#include "fuzz/retile/localize.h"

#include <algorithm>

namespace tileproof::fuzz {

using ir::AxisKind;
using ir::Dtype;
using ir::Op;

ir::Dtype carrier(const Workload& workload, const ir::Statement& s) {
  const Dtype accumulate = ir::accumulate_dtype(s, workload.dtypes());
  if (ir::is_float(accumulate)) return workload.has_f64 ? Dtype::f64 : accumulate;
  return workload.has_wide_integer ? Dtype::i64 : accumulate;
}

bool carries_in_place(const Workload& workload, const ir::Statement& s) {
  const Dtype type = workload.buffers.at(s.destination).dtype, accumulate = ir::accumulate_dtype(s, workload.dtypes());
  if (type == carrier(workload, s)) return true;
  const bool selects = s.update == ir::Update::max || s.update == ir::Update::min;
  if (ir::is_float(type)) return selects;   // rounding is monotone, so the maximum of rounded values is the rounded maximum
  if (ir::is_float(accumulate) || type == Dtype::boolean) return false;
  // An order survives only where nothing wraps. Sums and bits survive wrapping too, as it is a homomorphism; but tilers keep their
  // partial results in the accumulator's dtype, and what else is computed of the integers may leave the oracle undecided.
  if (selects) return s.value.op == Op::read && workload.dtypes()(s.value.name) == type;
  return workload.partials_wrap;
}

namespace {

/// A statement, some of whose axes have become loops.
class NestTiling {
 public:
  NestTiling(TilingContext& context, ir::Statement statement, std::optional<ir::Statement> consumer)
      : context_(context), choices_(context.scene.choices), statement_(std::move(statement)), consumer_(std::move(consumer)) {
    for (const ir::Axis& axis : statement_.axes) {
      if (axis.kind == AxisKind::reduce) reduce_names_.insert(axis.name);
    }
    const ir::Buffer& result = workload().buffers.at(final_destination());
    shares_bytes_ = ir::bits(result.dtype) < 8;
    is_masked_ = !statement_.where.empty();
  }

  void emit(ir::Block& out) {
    for (size_t i = statement_.axes.size(); i-- > 0;) {
      if (choices_.chance(55)) split(i);
    }
    order_loops();
    choices_.shuffle(statement_.axes);
    if (statement_.start) begin_in_the_first_iteration();
    for (ir::Axis& axis : statement_.axes) {
      if (axis.kind == AxisKind::parallel && choices_.chance(10)) axis.kind = AxisKind::seq;
    }

    before_.resize(loops_.size() + 1);
    after_.resize(loops_.size() + 1);
    if (result_is_local_) localize_result();
    Localizer localizer(context_, loop_names(), before_);
    localizer.operands(statement_, loops_.size());
    ir::Block body;
    body.push_back({statement_});
    for (size_t depth = loops_.size() + 1; depth-- > 0;) {
      ir::Block around = std::move(before_[depth]);
      for (ir::Item& item : body) around.push_back(std::move(item));
      for (ir::Item& item : after_[depth]) around.push_back(std::move(item));
      body = std::move(around);
      if (depth == 0) break;
      ir::Loop loop = std::move(loops_[depth - 1].loop);
      loop.body = std::move(body);
      body.clear();
      body.push_back({std::move(loop)});
    }
    for (ir::Item& item : body) out.push_back(std::move(item));
  }

 private:
  struct LoopOfNest {
    ir::Loop loop;
    bool reduces = false;
  };

  TilingContext& context_;
  Choices& choices_;
  ir::Statement statement_;
  std::optional<ir::Statement> consumer_;
  std::vector<LoopOfNest> loops_;  // outermost first
  std::set<std::string> reduce_names_;  // axes and loops
  std::vector<ir::Expression> first_;  // hold in the first iteration of the reduce loops
  std::vector<ir::Block> before_, after_;  // by how many loops they are in
  bool shares_bytes_ = false;  // iterations that share a byte race
  bool is_masked_ = false;
  bool result_is_local_ = false;
  bool redoes_elements_ = false;  // of the result, from `start` on

  Workload& workload() { return context_.workload; }
  const std::string& final_destination() const { return consumer_ ? consumer_->destination : statement_.destination; }
  void note(const char* rewriting) { context_.rewritings.insert(rewriting); }
  std::vector<std::string> loop_names() const {
    std::vector<std::string> names;
    for (const LoopOfNest& each : loops_) names.push_back(each.loop.name);
    return names;
  }

  // ---- loops ----

  ir::LoopKind loop_kind(bool ordered) {
    if (ordered || shares_bytes_) return ir::LoopKind::seq;
    return choices_.pick({ir::LoopKind::seq, ir::LoopKind::par, ir::LoopKind::par, ir::LoopKind::shard, ir::LoopKind::thread});
  }

  /// Counting an element twice changes nothing.
  bool is_repeatable(bool reduces) const {
    using enum ir::Update;
    if (!reduces) return statement_.update == assign || statement_.start.has_value();
    return statement_.update == max || statement_.update == min || statement_.update == bit_and || statement_.update == bit_or;
  }

  ir::Expression add_loop(std::string name, int64_t low, ir::Expression trips, bool reduces, bool ordered) {
    LoopOfNest added;
    added.reduces = reduces;
    added.loop.name = name;
    added.loop.range = {number(low), plus(std::move(trips), low)};
    added.loop.kind = loop_kind(ordered || reduces);
    loops_.push_back(std::move(added));
    if (reduces) {
      reduce_names_.insert(name);
      first_.push_back(compare(Op::equal, ir::variable(name), number(low)));
    }
    return plus(ir::variable(std::move(name)), -low);
  }

  void split(size_t index) {
    const ir::Axis axis = statement_.axes[index];
    const bool reduces = axis.kind == AxisKind::reduce;
    const std::optional<int64_t> extent = constant(axis.extent);
    const int64_t tile =
        extent ? choices_.between(1, std::max<int64_t>(1, std::min<int64_t>(*extent + 1, 8))) : choices_.between(1, 3);
    const bool is_clamped = extent && *extent > tile && *extent % tile != 0 && is_repeatable(reduces) && choices_.chance(25);
    const int64_t low = choices_.chance(12) ? choices_.between(1, 2) : 0;
    const ir::Expression trips =
        extent ? ir::integer((*extent + tile - 1) / tile) : binary(Op::floordiv, plus(axis.extent, tile - 1), ir::integer(tile));
    bool has_tail = !extent || *extent % tile != 0;
    note("split");
    ir::Expression outer;
    if (constant(trips).value_or(0) >= 3 && !is_clamped && choices_.chance(25)) {  // in two loops
      note("strip-mine");
      const int64_t count = *constant(trips), strip = choices_.between(2, count - 1);
      const std::string coarse = context_.scene.fresh("c");
      const ir::Expression base = times(strip, add_loop(coarse, low, ir::integer((count + strip - 1) / strip), reduces, false));
      const bool is_cut_short = count % strip != 0 && choices_.chance(50);
      const ir::Expression inner_trips =
          is_cut_short ? binary(Op::min, ir::integer(strip), binary(Op::subtract, ir::integer(count), base)) : ir::integer(strip);
      has_tail |= count % strip != 0 && !is_cut_short;
      outer = plus(base, add_loop(context_.scene.fresh("b"), 0, inner_trips, reduces, false));
    } else {
      outer = add_loop(context_.scene.fresh("b"), low, trips, reduces, is_clamped);
    }
    ir::Expression at = times(tile, outer);
    if (is_clamped) {
      note("clamped tail");
      redoes_elements_ |= !reduces && statement_.update != ir::Update::assign;
      at = binary(Op::min, at, ir::integer(*extent - tile));
      has_tail = false;
    } else if (has_tail) {
      note("tail");
    }
    // A mask names the reduce axis: its conditions must go on naming one, or they would restrict what is initialised.
    const bool keeps_axis = tile > 1 || (reduces && (is_masked_ || has_tail));
    ir::Expression element = at;
    if (keeps_axis) {
      const std::string name = context_.scene.fresh(reduces ? "k" : "j");
      statement_.axes[index] = {name, ir::integer(tile), axis.kind, {}, {}};
      if (reduces) reduce_names_.insert(name);
      element = plus(std::move(at), ir::variable(name));
    } else {
      statement_.axes.erase(statement_.axes.begin() + static_cast<std::ptrdiff_t>(index));
    }
    const Bindings bindings{{axis.name, element}};
    substitute(statement_, bindings);
    if (consumer_) substitute(*consumer_, bindings);
    if (has_tail) statement_.where.push_back(compare(Op::less, std::move(element), axis.extent));
  }

  /// Any order, as long as a tile of the result outlives the loops that reduce into it, and bounds follow what they name.
  void order_loops() {
    const auto by_reduction = [](const LoopOfNest& each) { return each.reduces; };
    const bool carried = std::ranges::any_of(loops_, by_reduction);
    if (carried) note("partial results");
    result_is_local_ =
        consumer_ || redoes_elements_ || (carried && !carries_in_place(workload(), statement_)) || choices_.chance(40);
    std::vector<std::string> original_order = loop_names();
    choices_.shuffle(loops_);
    if (result_is_local_) std::ranges::stable_partition(loops_, [](const LoopOfNest& each) { return !each.reduces; });
    for (size_t i = 0; i < loops_.size(); ++i) {
      for (size_t j = i + 1; j < loops_.size(); ++j) {
        if (mentions(loops_[i].loop.range.high, {loops_[j].loop.name})) std::swap(loops_[i], loops_[j]);
      }
    }
    if (loop_names() != original_order) note("interchange");
  }

  void begin_in_the_first_iteration() {
    for (const ir::Expression& condition : first_) statement_.start->conditions.push_back(condition);
    choices_.shuffle(statement_.start->conditions);
  }

  // ---- the result ----

  size_t loops_around_result() const {
    return static_cast<size_t>(std::ranges::count_if(loops_, [](const LoopOfNest& each) { return !each.reduces; }));
  }

  /// The statement writes a tile, which is stored, or read by the consumer, when it is complete.
  void localize_result() {
    note("localize result");
    const size_t depth = loops_around_result();
    const bool carried = depth < loops_.size();
    const Dtype whole_type = workload().buffers.at(statement_.destination).dtype;
    const Dtype accumulate = ir::accumulate_dtype(statement_, workload().dtypes());
    std::vector<ir::Axis> axes;
    for (const ir::Axis& axis : statement_.axes)
      if (axis.kind != AxisKind::reduce) axes.push_back(axis);
    choices_.shuffle(axes);
    std::vector<ir::Expression> where;
    for (const ir::Expression& e : statement_.where)
      if (!mentions(e, reduce_names_)) where.push_back(e);

    const bool accumulates = statement_.update != ir::Update::assign;
    const bool wide = accumulates && ((carried && !carries_in_place(workload(), statement_)) || choices_.chance(60));
    const Dtype type = wide ? carrier(workload(), statement_) : whole_type;
    TileMaker maker(context_);
    const Tile tile = maker.declare(before_[depth], type, axes);
    const auto copy = [&](const char* opcode, std::string to, std::vector<ir::Expression> at, ir::Expression value) {
      ir::Statement s;
      s.opcode = opcode;
      s.destination = std::move(to);
      s.indices = std::move(at);
      s.value = std::move(value);
      s.axes = axes;
      s.where = where;
      return s;
    };
    // A wider tile than the accumulate dtype: the result is rounded to that first, as the original's is.
    const auto rounded = [&](ir::Expression e) { return wide && type != accumulate ? ir::cast(accumulate, std::move(e)) : e; };
    const std::string whole = statement_.destination;
    const std::vector<ir::Expression> whole_indices = statement_.indices;
    if (accumulates && !statement_.start)
      before_[depth].push_back({copy("load", tile.name, tile.indices, ir::read(whole, whole_indices))});
    statement_.destination = tile.name;
    statement_.indices = tile.indices;
    if (wide && statement_.accumulate) statement_.accumulate = type;
    if (!consumer_) {
      after_[depth].push_back({copy("store", whole, whole_indices, rounded(ir::read(tile.name, tile.indices)))});
      return;
    }
    Tile result = tile;
    if (type != whole_type) {
      result = maker.declare(after_[depth], whole_type, axes);
      after_[depth].push_back({copy("compute", result.name, result.indices, rounded(ir::read(tile.name, tile.indices)))});
    }
    each_read(consumer_->value, [&](ir::Expression& read) {
      if (read.name == whole) read = ir::read(result.name, result.indices);
    });
    consumer_->axes = axes;
    consumer_->where = where;
    std::vector<std::string> around = loop_names();
    around.resize(depth);
    std::vector<ir::Block> loads(depth + 1);
    Localizer(context_, around, loads).operands(*consumer_, depth);
    for (size_t at = 0; at < depth; ++at)
      for (ir::Item& item : loads[at]) before_[at].push_back(std::move(item));
    for (ir::Item& item : loads[depth]) after_[depth].push_back(std::move(item));
    after_[depth].push_back({*consumer_});
  }
};

}  // namespace

void tile_nest(TilingContext& context, ir::Statement statement, std::optional<ir::Statement> consumer, ir::Block& out) {
  NestTiling(context, std::move(statement), std::move(consumer)).emit(out);
}

}  // namespace tileproof::fuzz
