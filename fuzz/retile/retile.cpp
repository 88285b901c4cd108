#include "fuzz/retile/retile.h"

#include "compiler/ir/verify.h"
#include "fuzz/generate/generate.h"
#include "fuzz/retile/nest_tiling.h"
#include "fuzz/retile/tensor_view.h"

#include <algorithm>

namespace tileproof::fuzz {

using ir::AxisKind;
using ir::Op;

namespace {

class Retiling {
 public:
  Retiling(Scene& scene, Workload workload, RetiledPair& pair)
      : choices_(scene.choices), workload_(std::move(workload)), context_{scene, workload_, pair.rewritings}, pair_(pair) {}

  ir::Block body() {
    ir::Block nests;
    for (size_t i = 0; i < workload_.statements.size(); ++i) {
      const ir::Statement& statement = workload_.statements[i];
      const bool fusable = i + 1 < workload_.statements.size() && workload_.is_pointwise[i + 1] &&
                           workload_.buffers.at(statement.destination).role == ir::Role::none &&
                           !is_used_after(i + 1, statement.destination);
      if (fusable && choices_.chance(45)) {
        note("fuse");
        declared_.insert(workload_.statements[++i].destination);
        fused(statement, workload_.statements[i], nests);
      } else {
        declared_.insert(statement.destination);
        operation(statement, nests, 0);
      }
    }
    ir::Block all;
    for (const auto& [name, buffer] : originals_) {
      if (buffer.role != ir::Role::none || declared_.contains(name)) all.push_back({buffer});
    }
    for (ir::Block* part : {&declarations_, &nests})
      for (ir::Item& item : *part) all.push_back(std::move(item));
    return all;
  }

 private:
  Choices& choices_;
  Workload workload_;
  TilingContext context_;
  RetiledPair& pair_;
  const std::map<std::string, ir::Buffer> originals_ = workload_.buffers;
  ir::Block declarations_;                    // of views and of tensors that the original does not have
  std::set<std::string> declared_;

  void note(const char* rewriting) { pair_.rewritings.insert(rewriting); }
  bool is_used_after(size_t index, const std::string& name) const {
    return std::ranges::any_of(workload_.statements.begin() + static_cast<std::ptrdiff_t>(index) + 1, workload_.statements.end(),
                               [&](const ir::Statement& s) { return mentions(s.value, {name}); });
  }

  std::string tensor(ir::Dtype dtype, std::vector<ir::Expression> extents) {
    ir::Buffer buffer;
    buffer.name = context_.scene.fresh("s");
    buffer.dtype = dtype;
    buffer.extents = std::move(extents);
    buffer.space = "dram";
    workload_.buffers[buffer.name] = buffer;
    std::string name = buffer.name;
    declarations_.push_back({std::move(buffer)});
    return name;
  }

  /// One operation as several, each of the form that workload.h describes.
  void operation(ir::Statement s, ir::Block& out, int depth) {
    if (depth < 2 && choices_.chance(15) && relayout(s, out)) return operation(std::move(s), out, depth + 1);
    if (depth < 2 && choices_.chance(15)) view(s);
    if (depth < 2 && choices_.chance(20) && unequal_parts(s, out, depth)) return;
    if (depth < 2 && choices_.chance(25) && rfactor(s, out, depth)) return;
    tile_nest(context_, std::move(s), std::nullopt, out);
  }

  static Bindings element_of(const ir::Statement& producer, const ir::Statement& consumer) {
    Bindings bindings;
    ir::Expression value = consumer.value;
    each_read(value, [&](ir::Expression& read) {
      if (read.name != producer.destination) return;
      for (size_t i = 0; i < read.operands.size(); ++i)
        if (read.operands[i].op == Op::variable) bindings[read.operands[i].name] = producer.indices[i];
    });
    return bindings;
  }

  void fused(ir::Statement producer, ir::Statement consumer, ir::Block& out) {
    substitute(consumer, element_of(producer, consumer));   // both over the axes of the producer
    if (choices_.chance(20)) view(producer, false);
    tile_nest(context_, std::move(producer), std::move(consumer), out);
  }

  /// A copy of an operand with its dims permuted.
  bool relayout(ir::Statement& s, ir::Block& out) {
    std::vector<std::string> candidates;
    for (const std::string& name : names_in(s.value)) {
      const auto found = workload_.buffers.find(name);
      if (found != workload_.buffers.end() && found->second.extents.size() > 1 && found->second.space == "dram" &&
          !found->second.range)
        candidates.push_back(name);
    }
    if (candidates.empty()) return false;
    note("relayout");
    const std::string from = choices_.pick(candidates);
    const ir::Buffer source = workload_.buffers.at(from);
    std::vector<size_t> order(source.extents.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::rotate(order, order.begin() + 1);
    ir::Statement copy;
    copy.opcode = "transpose";
    std::vector<ir::Expression> extents, read_at(order.size());
    for (const size_t dim : order) {
      const std::string axis = context_.scene.fresh("j");
      copy.axes.push_back({axis, source.extents[dim], AxisKind::parallel, {}, {}});
      copy.indices.push_back(ir::variable(axis));
      read_at[dim] = ir::variable(axis);
      extents.push_back(source.extents[dim]);
    }
    copy.value = ir::read(from, std::move(read_at));
    const std::string to = tensor(source.dtype, std::move(extents));
    copy.destination = to;
    each_read(s.value, [&](ir::Expression& read) {
      if (read.name != from) return;
      std::vector<ir::Expression> indices;
      for (const size_t dim : order) indices.push_back(read.operands[dim]);
      read = ir::read(to, std::move(indices));
    });
    tile_nest(context_, std::move(copy), std::nullopt, out);
    return true;
  }

  /// One of the tensors that the statement names, through a view.
  void view(ir::Statement& s, bool of_result = true) {
    std::vector<std::string> candidates;
    for (const std::string& name : names_in(s.value)) {
      if (originals_.contains(name)) candidates.push_back(name);
    }
    if (of_result && originals_.contains(s.destination)) candidates.push_back(s.destination);
    if (candidates.empty()) return;
    const std::string name = choices_.pick(candidates);
    const auto made = view_of(workload_.buffers.at(name), context_.scene);
    if (!made) return;
    note("view");
    workload_.buffers[made->view.name] = workload_.buffers.at(name);   // its dtype is the base's
    workload_.buffers[made->view.name].extents.clear();
    for (const ir::Axis& dim : made->view.dims) workload_.buffers[made->view.name].extents.push_back(dim.extent);
    declarations_.push_back({made->view});
    if (s.destination == name) {
      s.indices = made->through(std::move(s.indices));
      s.destination = made->view.name;
    }
    each_read(s.value, [&](ir::Expression& read) {
      if (read.name == name) read = ir::read(made->view.name, made->through(std::move(read.operands)));
    });
  }

  /// The axis at [0, first) and at [first, extent), one after the other.
  bool unequal_parts(const ir::Statement& s, ir::Block& out, int depth) {
    std::vector<size_t> candidates;
    for (size_t i = 0; i < s.axes.size(); ++i) {
      const bool reduces = s.axes[i].kind == AxisKind::reduce;
      if (constant(s.axes[i].extent).value_or(0) >= 2 && (!reduces || carries_in_place(workload_, s))) candidates.push_back(i);
    }
    if (candidates.empty()) return false;
    note("unequal parts");
    const size_t index = choices_.pick(candidates);
    const ir::Axis axis = s.axes[index];
    const int64_t extent = *constant(axis.extent), first = choices_.between(1, extent - 1);
    ir::Statement low = s, high = s;
    const auto part = [&](ir::Statement& of, int64_t from, int64_t count) {
      of.axes[index].name = context_.scene.fresh(axis.kind == AxisKind::reduce ? "k" : "j");
      of.axes[index].extent = ir::integer(count);
      substitute(of, {{axis.name, plus(ir::variable(of.axes[index].name), from)}});
    };
    part(low, 0, first);
    part(high, first, extent - first);
    if (axis.kind == AxisKind::reduce)
      high.start.reset();
    else if (choices_.chance(40))
      std::swap(low, high);
    operation(std::move(low), out, depth + 1);
    operation(std::move(high), out, depth + 1);
    return true;
  }

  /// Each chunk of a reduce axis into an element of its own, and these into the result.
  bool rfactor(const ir::Statement& s, ir::Block& out, int depth) {
    std::vector<size_t> candidates;
    for (size_t i = 0; i < s.axes.size(); ++i)
      if (s.axes[i].kind == AxisKind::reduce && constant(s.axes[i].extent).value_or(0) >= 2) candidates.push_back(i);
    if (candidates.empty()) return false;
    note("rfactor");
    const size_t index = choices_.pick(candidates);
    const ir::Axis axis = s.axes[index];
    const int64_t extent = *constant(axis.extent), tile = choices_.between(1, extent - 1), chunks = (extent + tile - 1) / tile;
    const ir::Dtype type = carrier(workload_, s), accumulate = ir::accumulate_dtype(s, workload_.dtypes());
    const std::string chunk = context_.scene.fresh("r"), element = context_.scene.fresh("k");

    ir::Statement partial = s, merge = s;
    partial.axes[index] = {element, ir::integer(tile), AxisKind::reduce, {}, {}};
    partial.axes.push_back({chunk, ir::integer(chunks), AxisKind::parallel, {}, {}});
    const ir::Expression at = plus(times(tile, ir::variable(chunk)), ir::variable(element));
    substitute(partial, {{axis.name, at}});
    if (extent % tile != 0) partial.where.push_back(compare(Op::less, at, ir::integer(extent)));
    partial.start.emplace();
    partial.indices.clear();
    std::vector<ir::Expression> extents, merge_at;
    Bindings renamed;
    merge.axes.clear();
    for (const ir::Axis& each : partial.axes) {
      if (each.kind == AxisKind::reduce) continue;
      partial.indices.push_back(ir::variable(each.name));
      extents.push_back(each.extent);
      const bool is_chunk = each.name == chunk;
      ir::Axis again = each;
      again.name = context_.scene.fresh(is_chunk ? "k" : "j");
      again.kind = is_chunk ? AxisKind::reduce : AxisKind::parallel;
      merge_at.push_back(ir::variable(again.name));
      renamed[each.name] = ir::variable(again.name);
      merge.axes.push_back(std::move(again));
    }
    const std::string parts = tensor(type, std::move(extents));
    partial.destination = parts;
    merge.where.clear();
    substitute(merge, renamed);
    merge.value = ir::read(parts, std::move(merge_at));
    // A wider carrier: the accumulate dtype of the merging statement stays the original's.
    if (ir::accumulate_dtype(merge, workload_.dtypes()) != accumulate) merge.accumulate = accumulate;
    operation(std::move(partial), out, depth + 1);
    tile_nest(context_, std::move(merge), std::nullopt, out);
    return true;
  }
};

ir::Block plain_body(const Workload& workload) {
  ir::Block body;
  for (const auto& [name, buffer] : workload.buffers) body.push_back({buffer});
  for (const ir::Statement& s : workload.statements) body.push_back({s});
  return body;
}

}  // namespace

RetiledPair retile(Choices& choices, const RetileOptions& options) {
  RetiledPair pair;
  const bool identical = choices.chance(options.identity_percent);
  if (identical && choices.chance(50)) {   // the whole language, not workloads only
    pair.original = generate_program(choices, {.most_points = options.most_points});
    pair.tiled = pair.original;
    return pair;
  }
  Scene scene(choices, options.most_points);
  Workload workload = draw_workload(scene);
  pair.original.name = "original";
  pair.original.parameters = workload.parameters;
  pair.original.body = plain_body(workload);
  pair.tiled = pair.original;
  if (identical) return pair;
  pair.tiled.name = "tiled";
  pair.tiled.body = Retiling(scene, std::move(workload), pair).body();
  return pair;
}

}  // namespace tileproof::fuzz
