// The plain reference evaluator: walks the tree of a verified program point by point and keeps every access it ever saw. It is the meaning of the
// language in code, and the fast interpreter (run_program.h) must agree with it. What docs/language.md leaves open:
// * Axes run, and part the paths of accesses, in this order: the non-reduce axes as listed, then the reduce axes as listed. A non-reduce point:
//   conditions free of reduce axes, `start`, `stop`; with `start` and reduce axes, the destination and its first write. A reduce point: the other
//   conditions, the indices of the destination, the value (operands left to right), the count of the point, the old value, the write. Results
//   are stored, and take their bytes, at the end of the non-reduce point, in the order first touched.
// * In `where`, conditions without reads come first. The first condition that fails ends a list. All indices of an access are evaluated before
//   one is compared with its extent. Out of bounds, of a view too, is reported for the buffer behind it.
// * A poison index (the first that is read) and an access out of bounds give up the innermost of reduce point, non-reduce point and item. The
//   condition of an index select in a data value is such an index; inside of a true integer its poison spreads.
// * The first race of a buffer is its only one. `overlap`: the read of a defined element that lost a byte, or of an element whose bytes a concurrent
//   point of the statement writes later. Inputs own their bytes from the start. An old value is not checked against `valid`.
// * Moves, opaques and `clobbers` overwrite nothing. Each element that a move or an opaque writes is a point, under "-". A run that stopped has no outputs.
#pragma once
// clang-format off: one line is one thought here, so lines may be long

#include "compiler/ir/verify.h"
#include "oracle/interpret/integer_code.h"
#include "oracle/interpret/kinds.h"
#include "oracle/interpret/order.h"

#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <memory>

namespace tileproof::oracle {

template <Domain D>
struct ReferenceEvaluator {
  using Value = typename D::Value;
  using Expression = ir::Expression;
  using Op = ir::Op;
  using Indices = std::vector<int64_t>;
  using Byte = std::tuple<const void*, std::string, int64_t, int64_t>; // a buffer without address, space, partition, byte
  enum class Along : uint8_t { axis, reduce, ordered, loop };
  using Path = std::vector<std::pair<Along, int64_t>>;                 // positions in blocks, iterations, the axes of a statement
  struct Access { Path path; bool writes; bool accumulates; };         // accumulates: into the destination of its statement
  struct Skip {}; struct Stop {};                                      // thrown: gives up a point or an item; ends the run
  struct Scalar { Value data = D::poison(); int64_t integer = integer_poison; bool nothing = false; };   // by the kind of its buffer; nothing: an integer extreme of nothing yet
  struct Cell {
    Scalar value;
    std::vector<Access> accesses;
    bool written = false, unread = false, open = false;                // unread: since it was written; open: its accumulation did not `stop`
    uint64_t writer = 0, time = 0;                                     // 1 + site of the last statement that wrote it; when that was
  };
  struct Buffer {                                                      // one life of a buffer
    const ir::Buffer& source;
    bool is_index;
    std::vector<Cell> cells;
    std::map<Byte, std::vector<Access>> narrow_writes = {};
    bool is_poison(const Scalar& value) const { return is_index ? value.integer == integer_poison : D::is_poison(value.data); }
  };
  struct Name { std::shared_ptr<Buffer> root; const ir::View* view; Indices extents; };   // view: null for a buffer
  struct Place { std::shared_ptr<Buffer> buffer; int64_t element; Indices indices; Cell& cell; };

  const ir::Program& program;
  D& domain;
  const RunOptions& options;
  const ProgramKinds kinds = kinds_of(program, options.kinds);
  const std::vector<std::pair<const ir::Statement*, std::string>> labels = ir::labelled_statements(program);    // by site
  std::map<std::string, int64_t> variables{options.parameters.begin(), options.parameters.end()};   // nothing hides a visible name,
  std::map<std::string, Name> names = {};                                                           // so that none is taken back
  std::map<Byte, std::pair<std::shared_ptr<Buffer>, uint64_t>> owners = {};   // who wrote a byte last, and when it took it
  uint64_t clock = 0;                                                  // counts stores
  std::map<Byte, std::vector<std::pair<Path, Place>>> byte_reads = {}; // by the item that runs
  Path path = {};
  ir::Location location = {};
  uint32_t writer = 0;                                                 // 1 + site of the statement that runs; 0: none
  ir::Dtype wide = ir::Dtype::f32;                                     // what its floating operations are computed in
  std::vector<std::string> outputs = {};                               // names of out and inout buffers
  Run<Value> result = {};
  void enter(uint32_t new_writer, ir::Location new_location) { writer = new_writer, location = new_location, byte_reads.clear(); }
  std::string label() const { return writer == 0 ? "-" : labels[writer - 1].second; }
  [[noreturn]] void stop(RunStatus status, const std::string& reason = "") { result.status = status, result.reason = reason, throw Stop{}; }
  void report(FindingId id, const std::string& buffer, const Indices& element) {
    const auto is_same = [&](const Finding& f) { return f.id == id && f.buffer == buffer && (f.statement == label() || id == FindingId::race); };
    if (std::ranges::any_of(result.findings, is_same)) return;
    result.findings.push_back({id, label(), buffer, element, location, ""});
    if (result.findings.size() >= options.findings) stop(RunStatus::done);
  }
  void report(FindingId id, const Place& place) { report(id, place.buffer->source.name, place.indices); }
  void at(Along along, int64_t position, const auto& body) {           // one step further on the path
    const bool is_late = std::chrono::steady_clock::now() >= options.limits.deadline;
    if (is_late || result.points > options.limits.points) stop(is_late ? RunStatus::out_of_time : RunStatus::out_of_points);
    path.emplace_back(along, position);
    try { body(); } catch (const Skip&) {}
    path.pop_back();
  }
  // ---- places and accesses ----
  static void each_index(const Indices& extents, const auto& body, Indices indices = {}) {
    if (indices.size() == extents.size()) return body(indices);
    for (indices.push_back(0); indices.back() < extents[indices.size() - 1]; ++indices.back()) each_index(extents, body, indices);
  }
  Indices through(const ir::View& view, const Indices& inner) {
    const auto outer = variables;
    for (size_t i = 0; i < inner.size(); ++i) variables[view.dims[i].name] = inner[i];
    const Indices base = indices(view.indices);
    variables = outer;
    return base;
  }
  Place locate(const std::string& name, const Indices& indices, bool inside = true) {
    const auto& [buffer, view, extents] = names.at(name);
    int64_t element = 0;
    for (size_t i = 0; i < indices.size(); ++i) {
      inside = inside && indices[i] >= 0 && indices[i] < extents[i];
      if (inside) element = element * extents[i] + indices[i];
    }
    if (view != nullptr) return locate(view->base, through(*view, indices), inside);
    if (!inside) report(FindingId::out_of_bounds, name, indices), throw Skip{};
    return {buffer, element, indices, buffer->cells[static_cast<size_t>(element)]};
  }
  std::vector<Place> whole(const std::string& name) {
    std::vector<Place> places;
    each_index(names.at(name).extents, [&](const Indices& indices) { places.push_back(locate(name, indices)); });
    return places;
  }
  std::vector<Byte> bytes(const Place& place) {                        // elements lie packed in their partition, low bits first
    const ir::Buffer& source = place.buffer->source;
    int64_t row = 1;
    for (size_t i = source.partition_rank.value_or(0); i < source.extents.size(); ++i) row *= index(source.extents[i]);
    const int64_t width = ir::bits(source.dtype), bit = place.element % row * width, last = (bit + width - 1) / 8;
    const void* const alone = source.address ? nullptr : place.buffer.get();
    const int64_t partition = source.address ? index(source.address->partition) : 0, start = source.address ? index(source.address->byte) : 0;
    std::vector<Byte> list;
    for (int64_t byte = bit / 8; byte <= last; ++byte) list.emplace_back(alone, source.space, partition + place.element / row, start + byte);
    return list;
  }
  static Along parting(const Path& a, const Path& b) {                 // where two paths part; `ordered` if they do not
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) if (a[i].second != b[i].second) return a[i].first;
    return Along::ordered;
  }
  void note(const Place& place, std::vector<Access>& history, bool writes, bool accumulates, bool only_loops = false) {
    const auto races = [&](const Access& earlier) {
      const Along along = parting(earlier.path, path);
      if (along == Along::ordered || (only_loops && along != Along::loop)) return false;
      return (writes || earlier.writes) && !(along == Along::reduce && accumulates && earlier.accumulates);
    };
    if (std::ranges::any_of(history, races)) report(FindingId::race, place);
    history.push_back({path, writes, accumulates});
  }
  void note_write(const Place& place, bool accumulates = false) {
    note(place, place.cell.accesses, true, accumulates);
    for (const Byte& byte : bytes(place)) {
      if (ir::bits(place.buffer->source.dtype) < 8) note(place, place.buffer->narrow_writes[byte], true, accumulates, true);
      for (const auto& [read_path, read] : byte_reads[byte]) {
        if (read.buffer != place.buffer && parting(read_path, path) != Along::ordered) report(FindingId::overlap, read);
      }
    }
  }
  Scalar load(const Place& place) {
    const ir::Buffer& source = place.buffer->source;
    note(place, place.cell.accesses, false, false);
    if (place.cell.open) report(FindingId::stop_claim, place);
    for (const Byte& byte : bytes(place)) byte_reads[byte].emplace_back(path, place);
    bool is_valid = !source.valid.empty();
    for (size_t i = 0; i < source.valid.size(); ++i) is_valid &= is_within(place.indices[i], source.valid[i]);
    if (is_valid && place.buffer->is_poison(place.cell.value)) report(FindingId::valid_claim, place);
    return load_old(place);
  }
  Scalar load_old(const Place& place) {                                // before an accumulation, whose access is noted with the write
    const auto is_lost = [&](const Byte& byte) { return owners[byte].first && (owners[byte].first != place.buffer || owners[byte].second > place.cell.time); };
    place.cell.unread = false;
    if (place.buffer->is_poison(place.cell.value) || std::ranges::none_of(bytes(place), is_lost)) return place.cell.value;
    return report(FindingId::overlap, place), Scalar{};
  }
  void store(const Place& place, const Scalar& value, bool overwrites, bool opens = false) {
    const ir::Buffer& source = place.buffer->source;
    if (place.buffer->is_index && source.range && value.integer != integer_poison && !is_within(value.integer, *source.range)) report(FindingId::range, place);
    if (overwrites && place.cell.unread && source.role != ir::Role::none) {
      const auto is_same = [&](const Finding& f) { return f.statement == label() && f.buffer == source.name; };
      if (std::ranges::none_of(result.overwrites, is_same)) result.overwrites.push_back({{}, label(), source.name, place.indices, location, ""});
      ++result.overwritten;
    }
    place.cell.time = ++clock;
    for (const Byte& byte : bytes(place)) if (owners[byte].first != place.buffer) owners[byte] = {place.buffer, clock};
    place.cell.value = value, place.cell.writer = writer, place.cell.open = opens, place.cell.written = place.cell.unread = true;
  }
  // ---- expressions ----
  int64_t integer(const Expression& e, bool steers) {                  // steers: decides an index, extent, bound or condition: must not read poison
    const auto operand = [&](size_t i) { return integer(e.operands[i], steers); };
    if (e.op == Op::literal) return ir::to_integer(e.value).value_or(0);
    if (e.op == Op::variable) return variables.at(e.name);
    if (e.op == Op::read) {
      const Place place = locate(e.name, indices(e.operands));
      const int64_t value = load(place).integer;
      if (value == integer_poison && steers) report(FindingId::poison_index, place), throw Skip{};
      return value;
    }
    const int64_t first = operand(0);
    if (e.op == Op::select) return first == integer_poison ? first : operand(first != 0 ? 1 : 2);
    if (e.op == Op::cast) return wrap_to(e.dtype, first);
    return apply_integer(e.op, first, e.operands.size() > 1 ? operand(1) : 0);
  }
  int64_t index(const Expression& e) { return integer(e, true); }
  Indices indices(const std::vector<Expression>& list) {
    Indices values(list.size());
    return std::ranges::transform(list, values.begin(), [this](const Expression& e) { return index(e); }), values;
  }
  bool is_within(int64_t value, const ir::Range& range) { return value >= index(range.low) && value < index(range.high); }
  bool holds(const std::vector<Expression>& list) { return std::ranges::all_of(list, [this](const Expression& e) { return index(e) != 0; }); }
  static bool mentions(const Expression& e, const auto& what) {
    return what(e) || std::ranges::any_of(e.operands, [&](const Expression& operand) { return mentions(operand, what); });
  }
  bool is_integer(const Expression& e) const {                         // of integer literals, variables, index-kind buffers; by operators of integers
    return !mentions(e, [this](const Expression& part) {
      if (part.op == Op::literal) return !ir::to_integer(part.value);
      if (part.op == Op::read) return !names.at(part.name).root->is_index;
      return part.op == Op::cast ? ir::is_float(part.dtype) : part.op == Op::divide || part.op == Op::infinity || part.op == Op::nan || ir::is_function(part.op);
    });
  }
  auto dtypes() const { return [this](const std::string& name) { return std::optional(names.at(name).root->source.dtype); }; }
  Value data(const Expression& e) {
    const auto computed_in = [&](const Expression& of) { return ir::value_type(of, dtypes()).is_float ? wide : ir::Dtype::i64; };
    const ir::Dtype dtype = computed_in(e), from = e.operands.empty() ? dtype : computed_in(e.operands[0]);
    if (e.op == Op::literal) return domain.literal(e.value);
    if (is_integer(e) && !(e.op == Op::negate && e.operands[0].op == Op::literal)) {
      const int64_t value = integer(e, false);
      return value == integer_poison ? D::poison() : domain.integer(value);
    }
    if (e.op == Op::read) return load(locate(e.name, indices(e.operands))).data;
    if (e.op == Op::select && is_integer(e.operands[0])) return data(e.operands[index(e.operands[0]) != 0 ? 1 : 2]);
    std::vector<Value> v;
    for (const Expression& operand : e.operands) v.push_back(data(operand));
    switch (e.op) {
      case Op::infinity: return domain.infinity();
      case Op::nan: return domain.nan();
      case Op::negate: return domain.negate(v[0]);
      case Op::add: return domain.add(v[0], v[1], dtype);
      case Op::subtract: return domain.subtract(v[0], v[1], dtype);
      case Op::multiply: return domain.multiply(v[0], v[1], dtype);
      case Op::divide: return domain.divide(v[0], v[1], dtype);
      case Op::min: return domain.min(v[0], v[1]);
      case Op::max: return domain.max(v[0], v[1]);
      case Op::select: return domain.select(v[0], v[1], v[2]);
      case Op::cast: return domain.narrow(v[0], {from, e.dtype, from != ir::Dtype::i64, writer - 1});
      default: return ir::is_comparison(e.op) ? domain.compare(e.op, v[0], v[1]) : domain.apply(e.op, v, dtype);
    }
  }
  // ---- statements ----
  void points(const std::vector<ir::Axis>& axes, const auto& body, size_t next = 0) {
    if (next == axes.size()) return at(Along::ordered, 0, body);
    const Along along = std::array{Along::axis, Along::reduce, Along::ordered}[static_cast<size_t>(axes[next].kind)];
    const auto inner = [&] { points(axes, body, next + 1); };
    for (int64_t i = 0, extent = index(axes[next].extent); i < extent; ++i) at(along, variables[axes[next].name] = i, inner);
  }
  Scalar identity(ir::Update how, const Buffer& buffer) {
    if (!buffer.is_index) return {domain.identity(how)};
    return {D::poison(), std::array{0, 0, 1, 0, 0, -1, 0, 0}[static_cast<size_t>(how)], how == ir::Update::max || how == ir::Update::min};   // in the order of ir::Update
  }
  Scalar accumulated(ir::Update how, const Scalar& old, const Scalar& value, const Buffer& buffer, ir::Dtype dtype) {
    static constexpr Op ops[] = {Op::literal, Op::add, Op::multiply, Op::max, Op::min, Op::bit_and, Op::bit_or, Op::bit_xor};
    if (how == ir::Update::assign || old.nothing) return value;
    if (buffer.is_index) return {D::poison(), apply_integer(ops[static_cast<size_t>(how)], old.integer, value.integer)};
    return {domain.accumulate(how, old.data, value.data, ir::combine_dtype(dtype))};
  }
  Scalar rounded(const ir::Statement& s, const Place& place, Scalar sum, ir::Dtype accumulate, ir::Dtype to) {   // ... then to the destination's dtype
    const bool assigns = s.update == ir::Update::assign, from_float = assigns ? ir::value_type(s.value, dtypes()).is_float : ir::is_float(accumulate);
    if (sum.nothing) return {D::poison(), s.update == ir::Update::max ? ir::lowest(to) : ir::highest(to)};
    if (place.buffer->is_index) return {D::poison(), wrap_to(to, assigns ? sum.integer : wrap_to(accumulate, sum.integer))};
    if (ir::passes_through(accumulate, to)) accumulate = to; else if (!assigns && from_float) sum.data = domain.narrow(sum.data, {wide, accumulate, from_float, writer - 1});
    if (from_float && ir::is_integer(to) && domain.is_nan(sum.data)) report(FindingId::nan_output, place);
    return {domain.narrow(sum.data, {assigns && !from_float ? ir::Dtype::i64 : accumulate, to, from_float, writer - 1})};
  }
  void visit(const ir::Statement& s) {
    writer = static_cast<uint32_t>(std::ranges::find(labels, &s, [](const auto& each) { return each.first; }) - labels.begin()) + 1;
    const Buffer& destination = *names.at(s.destination).root;
    const bool assigns = s.update == ir::Update::assign;
    const ir::Dtype dtype = ir::accumulate_dtype(s, dtypes());
    wide = dtype == ir::Dtype::f64 ? ir::Dtype::f64 : ir::Dtype::f32;
    std::vector<ir::Axis> axes, reduce_axes;
    for (const ir::Axis& axis : s.axes) (axis.kind == ir::AxisKind::reduce ? reduce_axes : axes).push_back(axis);
    const auto reads = [](const Expression& e) { return e.op == Op::read; };
    const auto reduces = [&](const Expression& e) { return e.op == Op::variable && std::ranges::find(reduce_axes, e.name, &ir::Axis::name) != reduce_axes.end(); };
    std::vector<Expression> where, reduce_where;
    for (const bool reading : {false, true})
      for (const Expression& e : s.where) if (mentions(e, reads) == reading) (mentions(e, reduces) ? reduce_where : where).push_back(e);
    points(axes, [&] {
      if (!holds(where)) return;
      const bool starts = s.start && holds(s.start->conditions), opens = s.stop && !holds(s.stop->conditions);
      std::list<std::pair<Place, Scalar>> sums;
      const auto touch = [&](const Place& place) -> Scalar& {
        auto sum = std::ranges::find_if(sums, [&](const auto& each) { return &each.first.cell == &place.cell; });
        if (sum == sums.end()) sum = sums.emplace(sum, place, assigns ? Scalar{} : starts ? identity(s.update, destination) : load_old(place));
        note_write(place, !assigns);
        return sum->second;
      };
      if (starts && !reduce_axes.empty()) touch(locate(s.destination, indices(s.indices)));
      points(reduce_axes, [&] {
        if (!holds(reduce_where)) return;
        const Place place = locate(s.destination, indices(s.indices));
        const Scalar value = destination.is_index ? Scalar{D::poison(), integer(s.value, false)} : Scalar{data(s.value)};
        ++result.points;
        Scalar& sum = touch(place);
        sum = accumulated(s.update, sum, value, destination, dtype);
      });
      for (const auto& [place, sum] : sums) store(place, rounded(s, place, sum, dtype, place.buffer->source.dtype), assigns || starts, opens);
    });
    for (const std::string& name : s.clobbers) write_whole(name, [](const Place&) { return Scalar{}; });
  }
  // ---- other items ----
  void block(const ir::Block& items) {
    const auto enter_and_visit = [&](const auto& node) { enter(0, node.location), visit(node); };
    for (const ir::Item& item : items) at(Along::ordered, &item - items.data(), [&] { std::visit(enter_and_visit, item.node); });
  }
  void write_whole(const std::string& name, const auto& value) {
    for (const Place& place : whole(name)) note_write(place), store(place, value(place), false), result.points += writer == 0;
  }
  void visit(const ir::Buffer& source) {
    int64_t count = 1;
    Indices extents = indices(source.extents);
    for (int64_t& extent : extents) count = wrap_multiply(count, extent = std::max<int64_t>(extent, 0));
    if (static_cast<uint64_t>(count) > options.limits.bytes / sizeof(Cell)) stop(RunStatus::out_of_memory);
    names[source.name] = {std::make_shared<Buffer>(source, kinds.index.contains(&source), std::vector<Cell>(static_cast<size_t>(count))), nullptr, extents};
    if (source.role == ir::Role::out || source.role == ir::Role::inout) outputs.push_back(source.name);
    if (source.role != ir::Role::in && source.role != ir::Role::inout) return;
    const int64_t low = source.range ? index(source.range->low) : 0, high = source.range ? index(source.range->high) : 0;
    for (const Place& place : whole(source.name)) {
      const InputElement input{source.name, hash_name(source.name), source.dtype, place.element, count, low, high};
      store(place, place.buffer->is_index ? Scalar{D::poison(), index_input(options, input)} : Scalar{domain.input(input)}, false);
      place.cell.written = place.cell.unread = false;
    }
  }
  void visit(const ir::View& view) {
    Name& name = names[view.name] = {names.at(view.base).root, &view, {}};
    for (const ir::Axis& dim : view.dims) name.extents.push_back(std::max<int64_t>(0, index(dim.extent)));
    std::map<Indices, bool> images;
    each_index(name.extents, [&](const Indices& dims) { if (!images.emplace(through(view, dims), true).second) report(FindingId::view, view.name, {}); });
  }
  void visit(const ir::Loop& loop) {
    const int64_t low = index(loop.range.low), count = index(loop.range.high) - low;
    const auto [along, order] = loop.kind == ir::LoopKind::seq ? std::pair(Along::ordered, Order::forward) : std::pair(Along::loop, options.order);
    const auto body = [&] { block(loop.body); };
    for (int64_t turn = 0; turn < count; ++turn) at(along, variables[loop.name] = low + iteration_at(order, options.key, turn, count), body);
  }
  void visit(const ir::If& branch) { block(holds(branch.conditions) ? branch.then_body : branch.else_body); }
  void visit(const ir::While& loop) {
    for (int64_t turn = 0, limit = index(loop.limit); holds(loop.conditions); ++turn, enter(0, loop.location)) {
      if (turn >= limit) return report(FindingId::while_limit, "-", {});
      at(Along::ordered, turn, [&] { block(loop.body); });
    }
  }
  void visit(const ir::Group& group) { block(group.body); }
  void visit(const ir::Move& move) {
    std::vector<Scalar> values;
    for (const std::string& source : move.sources) for (const Place& place : whole(source)) values.push_back(load(place));
    auto value = values.begin();
    for (const std::string& destination : move.destinations) write_whole(destination, [&](const Place&) { return *value++; });
  }
  void visit(const ir::Opaque& opaque) {
    uint64_t digest = hash_name(opaque.name), argument = 0;
    bool poisoned = false;
    for (const auto& [role, name] : opaque.arguments) {
      for (const Place& place : role == ir::Role::out ? std::vector<Place>() : whole(name)) {
        const Scalar value = load(place);
        poisoned = poisoned || place.buffer->is_poison(value);
        if (!poisoned) digest = mix(digest, domain.digest(place.buffer->is_index ? domain.narrow(domain.integer(value.integer), {ir::Dtype::i64, place.buffer->source.dtype, false, no_site}) : value.data));
      }
    }
    const auto value = [&](const Place& place) -> Scalar {
      const ir::Dtype to = place.buffer->source.dtype, from = ir::is_float(to) ? ir::Dtype::f32 : ir::Dtype::i64;
      const Value wide_value = domain.from_digest(mix(mix(digest, argument), static_cast<uint64_t>(place.element)));
      return {poisoned ? D::poison() : domain.narrow(wide_value, {from, to, ir::is_float(to), 0x7fff'fffe})};   // the site of no statement
    };
    for (const auto& [role, name] : opaque.arguments) role == ir::Role::in ? void() : write_whole(name, value), ++argument;
  }
  void judge(const std::string& name) {                                // one finding of a kind for a buffer
    const auto& [buffer, view, extents] = names.at(name);
    Output<Value> output{name, buffer->source.dtype, extents, buffer->is_index, {}, {}, {}};
    std::map<FindingId, bool> known;
    for (const Place& place : whole(name)) {
      const auto& [value, accesses, written, unread, open, by, time] = place.cell;
      const bool is_missing = !written && buffer->source.role == ir::Role::out, is_poison = buffer->is_poison(value);
      const bool is_fine = !is_missing && !is_poison && (buffer->is_index || !domain.is_nan(value.data));
      const FindingId id = is_missing ? FindingId::not_written : is_poison ? FindingId::poison_output : FindingId::nan_output;
      enter(static_cast<uint32_t>(by), by == 0 ? buffer->source.location : labels[by - 1].first->location);
      if (!is_fine && known.emplace(id, true).second) report(id, place);
      buffer->is_index ? output.integers.push_back(value.integer) : output.values.push_back(value.data);
      output.writers.push_back(static_cast<uint32_t>(by));
    }
    result.outputs.push_back(std::move(output));
  }
  void run() {
    if (!kinds.unsupported.empty()) stop(RunStatus::unsupported, kinds.unsupported);
    block(program.body);
    for (const std::string& name : outputs) judge(name);
  }
};

/// Preconditions: `program` is well formed, every parameter has a value. Memory grows with the number of accesses.
template <Domain D>
Run<typename D::Value> evaluate_reference(const ir::Program& program, D& domain, const RunOptions& options) {
  ReferenceEvaluator<D> evaluator{program, domain, options};
  try { evaluator.run(); } catch (const typename ReferenceEvaluator<D>::Stop&) {}
  return std::move(evaluator.result);
}

}  // namespace tileproof::oracle
