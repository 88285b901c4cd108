// The plain reference evaluator: walks the tree of a verified program point by point and keeps every access it ever saw. It is the
// meaning of the language in code; the fast interpreter (run_program.h) must agree with it. What docs/language.md leaves open:
//
// * Axes run, and part the paths of accesses, in this order: the non-reduce axes as listed, then the reduce axes as listed.
// * A non-reduce point: conditions free of reduce axes, `start`, `stop`; with `start` and reduce axes, the destination and its first
//   write. A reduce point: the other conditions, the indices of the destination, the value (operands left to right), the count of
//   the point, the old value, the write. Results are stored, and take their bytes, at the end of the non-reduce point, as touched.
// * In `where`, conditions without reads come first. The first condition that fails ends a list. All indices of an access are
//   evaluated before one is compared with its extent. Out of bounds, of a view too, is reported for the buffer behind it.
// * A poison index (the first that is read) and an access out of bounds give up the innermost of reduce point, non-reduce point and
//   item. The condition of an index select in a data value is such an index; inside of a true integer its poison spreads.
// * The first race of a buffer is its only one. A read is an `overlap` too if a concurrent point of its statement writes its bytes
//   later. Inputs own their bytes from the start. Moves, opaques and `clobbers` overwrite nothing; each element that a move or an
//   opaque writes is a point, written under "-". A run that stopped early has no outputs and does not judge them.
#pragma once

#include "compiler/ir/verify.h"
#include "oracle/interpret/integer_code.h"
#include "oracle/interpret/kinds.h"
#include "oracle/interpret/order.h"

#include <algorithm>
#include <array>
#include <memory>
#include <tuple>

namespace tileproof::oracle {

template <Domain D>
class ReferenceEvaluator {
  using Value = typename D::Value;
  using Expression = ir::Expression;
  using Op = ir::Op;
  using Indices = std::vector<int64_t>;
  using Bounds = std::pair<int64_t, int64_t>;               // half-open
  using Byte = std::tuple<std::string, int64_t, int64_t>;   // space, partition, byte
  enum class Along : uint8_t { ordered, loop, axis, reduce };
  using Path = std::vector<std::pair<Along, int64_t>>;      // positions in blocks, iterations, the axes of a statement
  static constexpr Site no_statement = 0x7fff'fffe;         // where an opaque rounds
  struct Skip {};                                           // gives up a point or an item
  struct Stop { RunStatus status; std::string reason; };    // ends the run

  struct Scalar { Value data = D::poison(); int64_t integer = integer_poison; };   // the one or the other, by the kind of its buffer
  struct Access { Path path; bool accumulates; };                                  // accumulates: into the destination of its statement
  struct Cell {
    Scalar value;
    std::vector<Access> reads, writes;
    bool written = false, unread = false, open = false;   // unread: since it was written; open: its accumulation did not `stop`
    uint32_t writer = 0;                                  // 1 + site of the last statement that wrote it
  };
  struct Buffer {                                         // one life of a buffer
    const ir::Buffer* source;
    uint64_t life;
    bool is_index;
    Indices extents;
    std::vector<Cell> cells;
    std::vector<Bounds> valid;
    Bounds range, address;
    std::map<Byte, std::vector<Access>> narrow_writes;
    const std::string& name() const { return source->name; }
    bool is_poison(const Scalar& value) const { return is_index ? value.integer == integer_poison : D::is_poison(value.data); }
  };
  struct Name { std::shared_ptr<Buffer> root; const ir::View* view; Indices extents; };   // view: null for a buffer
  struct Place { Buffer& buffer; Cell& cell; int64_t element; Indices indices; };

  const ir::Program& program_;
  D& domain_;
  const RunOptions& options_;
  const ProgramKinds kinds_;
  const std::vector<std::pair<const ir::Statement*, std::string>> labels_;   // by site
  Run<Value> run_;
  std::map<std::string, int64_t> variables_;                                 // nothing hides a visible name, so none is taken back
  std::map<std::string, Name> names_;
  std::map<Byte, uint64_t> owners_;                                          // the life that wrote a byte last
  std::map<Byte, std::vector<std::pair<Path, Place>>> byte_reads_;           // by the statement that runs
  uint64_t lives_ = 0;
  Path path_;
  uint32_t writer_ = 0;                                                      // 1 + site of the statement that runs; 0: none
  ir::Location location_;
  ir::Dtype wide_ = ir::Dtype::f32;                                          // what its floating operations are computed in

  void enter(uint32_t writer, ir::Location location) { writer_ = writer, location_ = location; }
  std::string label() const { return writer_ == 0 ? "-" : labels_[writer_ - 1].second; }
  void report(FindingId id, const std::string& buffer, const Indices& element) {
    const auto is_same = [&](const Finding& f) { return f.id == id && f.buffer == buffer && (f.statement == label() || id == FindingId::race); };
    if (std::ranges::any_of(run_.findings, is_same)) return;
    run_.findings.push_back({id, label(), buffer, element, location_, ""});
    if (run_.findings.size() >= options_.findings) throw Stop{RunStatus::done, ""};
  }
  [[noreturn]] void give_up(FindingId id, const std::string& buffer, const Indices& element) { report(id, buffer, element), throw Skip{}; }
  void at(Along along, int64_t position, const auto& body) {
    if (run_.points > options_.limits.points) throw Stop{RunStatus::out_of_points, ""};
    if (std::chrono::steady_clock::now() >= options_.limits.deadline) throw Stop{RunStatus::out_of_time, ""};
    const size_t depth = path_.size();
    path_.emplace_back(along, position);
    try { body(); } catch (const Skip&) {}
    path_.resize(depth);
  }

  // ---- places and accesses ----

  static void each_index(const Indices& extents, const auto& body, Indices indices = {}) {
    if (indices.size() == extents.size()) return body(indices);
    indices.push_back(0);
    for (const size_t last = indices.size() - 1; indices[last] < extents[last]; ++indices[last]) each_index(extents, body, indices);
  }
  Indices through(const ir::View& view, const Indices& inner) {
    const auto outer = variables_;
    for (size_t i = 0; i < inner.size(); ++i) variables_[view.dims[i].name] = inner[i];
    const Indices result = indices(view.indices);
    variables_ = outer;
    return result;
  }
  Place locate(const std::string& name, const Indices& indices, bool inside = true) {
    const auto& [buffer, view, extents] = names_.at(name);
    int64_t element = 0;
    for (size_t i = 0; i < indices.size(); ++i) {
      inside = inside && indices[i] >= 0 && indices[i] < extents[i];
      if (inside) element = element * extents[i] + indices[i];
    }
    if (view != nullptr) return locate(view->base, through(*view, indices), inside);
    if (!inside) give_up(FindingId::out_of_bounds, name, indices);
    return {*buffer, buffer->cells[static_cast<size_t>(element)], element, indices};
  }
  std::vector<Place> whole(const std::string& name) {
    std::vector<Place> places;
    each_index(names_.at(name).extents, [&](const Indices& indices) { places.push_back(locate(name, indices)); });
    return places;
  }
  /// Elements lie packed in their partition, low bits first.
  static std::vector<Byte> bytes(const Place& place) {
    const ir::Buffer& source = *place.buffer.source;
    const auto [partition, byte] = place.buffer.address;
    int64_t row = 1;
    for (size_t i = source.partition_rank.value_or(0); i < place.indices.size(); ++i) row *= place.buffer.extents[i];
    const int64_t width = ir::bits(source.dtype), bit = place.element % row * width;
    std::vector<Byte> result;
    for (int64_t i = bit / 8; i <= (bit + width - 1) / 8; ++i) result.emplace_back(source.space, partition + place.element / row, byte + i);
    return result;
  }

  /// Where two paths part; `ordered` if they do not.
  static Along parting(const Path& a, const Path& b) {
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) if (a[i].second != b[i].second) return a[i].first;
    return Along::ordered;
  }
  void look_for_race(const Place& place, const std::vector<Access>& earlier, bool accumulates, bool only_loops = false) {
    for (const Access& access : earlier) {
      const Along along = parting(access.path, path_);
      if (along == Along::ordered || (along == Along::reduce && accumulates && access.accumulates)) continue;
      if (!only_loops || along == Along::loop) return report(FindingId::race, place.buffer.name(), place.indices);
    }
  }
  void note_write(const Place& place, bool accumulates = false) {
    look_for_race(place, place.cell.writes, accumulates);
    look_for_race(place, place.cell.reads, accumulates);
    place.cell.writes.push_back({path_, accumulates});
    for (const Byte& byte : bytes(place)) {
      if (place.buffer.source->address) {
        for (const auto& [path, read] : byte_reads_[byte]) {
          if (&read.buffer != &place.buffer && parting(path, path_) != Along::ordered) report(FindingId::overlap, read.buffer.name(), read.indices);
        }
      }
      if (ir::bits(place.buffer.source->dtype) < 8) {
        look_for_race(place, place.buffer.narrow_writes[byte], accumulates, true);
        place.buffer.narrow_writes[byte].push_back({path_, accumulates});
      }
    }
  }
  /// `as_old`: the old value of a destination, whose access is noted with the write.
  Scalar load(const Place& place, bool as_old = false) {
    const auto& [buffer, cell, element, indices] = place;
    if (!as_old) {
      look_for_race(place, cell.writes, false);
      cell.reads.push_back({path_, false});
      if (cell.open) report(FindingId::stop_claim, buffer.name(), indices);
    }
    cell.unread = false;
    bool is_taken = false;
    for (const Byte& byte : buffer.source->address ? bytes(place) : std::vector<Byte>()) {
      is_taken |= owners_.contains(byte) && owners_.at(byte) != buffer.life && !buffer.is_poison(cell.value);
      if (!as_old) byte_reads_[byte].emplace_back(path_, place);
    }
    if (is_taken) report(FindingId::overlap, buffer.name(), indices);
    if (is_taken) return {};
    bool is_valid = !buffer.valid.empty();
    for (size_t i = 0; i < buffer.valid.size(); ++i) is_valid &= indices[i] >= buffer.valid[i].first && indices[i] < buffer.valid[i].second;
    if (is_valid && buffer.is_poison(cell.value)) report(FindingId::valid_claim, buffer.name(), indices);
    return cell.value;
  }
  void store(const Place& place, const Scalar& value, bool overwrites, bool opens = false) {
    const auto& [buffer, cell, element, indices] = place;
    const auto [low, high] = buffer.range;
    if (low < high && value.integer != integer_poison && (value.integer < low || value.integer >= high)) report(FindingId::range, buffer.name(), indices);
    if (overwrites && cell.unread && buffer.source->role != ir::Role::none) {
      const auto is_same = [&](const Finding& f) { return f.statement == label() && f.buffer == place.buffer.name(); };
      if (std::ranges::none_of(run_.overwrites, is_same)) run_.overwrites.push_back({{}, label(), buffer.name(), indices, location_, ""});
      ++run_.overwritten;
    }
    if (buffer.source->address) for (const Byte& byte : bytes(place)) owners_[byte] = buffer.life;
    cell.value = value;
    cell.written = cell.unread = true;
    cell.open = opens;
    cell.writer = writer_;
  }

  // ---- expressions ----

  /// `steers`: it decides an index, extent, bound or condition, so that it must not read poison.
  int64_t integer(const Expression& e, bool steers) {
    const auto operand = [&](size_t i) { return integer(e.operands[i], steers); };
    if (e.op == Op::literal) return ir::to_integer(e.value).value_or(0);
    if (e.op == Op::variable) return variables_.at(e.name);
    if (e.op == Op::read) {
      const Place place = locate(e.name, indices(e.operands));
      const int64_t value = load(place).integer;
      if (value == integer_poison && steers) give_up(FindingId::poison_index, place.buffer.name(), place.indices);
      return value;
    }
    const int64_t first = operand(0);
    if (e.op == Op::select) return first == integer_poison ? first : operand(first != 0 ? 1 : 2);
    if (e.op == Op::cast) return first == integer_poison ? first : wrap_to(e.dtype, first);
    return apply_integer(e.op, first, e.operands.size() > 1 ? operand(1) : 0);
  }
  int64_t index(const Expression& e) {
    const int64_t value = integer(e, true);
    if (value == integer_poison) give_up(FindingId::poison_index, "-", {});   // it divides by zero
    return value;
  }
  Indices indices(const std::vector<Expression>& list) {
    Indices values;
    for (const Expression& e : list) values.push_back(index(e));
    return values;
  }
  Bounds bounds(const ir::Range& range) { return {index(range.low), index(range.high)}; }
  bool holds(const std::vector<Expression>& conditions) {
    return std::ranges::all_of(conditions, [this](const Expression& e) { return index(e) != 0; });
  }
  static bool mentions(const Expression& e, const auto& what) {
    return what(e) || std::ranges::any_of(e.operands, [&](const Expression& operand) { return mentions(operand, what); });
  }
  /// Made of integer literals, variables and index-kind buffers by operators that integers have.
  bool is_integer(const Expression& e) const {
    return !mentions(e, [this](const Expression& part) {
      if (part.op == Op::literal) return !ir::to_integer(part.value);
      if (part.op == Op::read) return !names_.at(part.name).root->is_index;
      if (part.op == Op::cast) return ir::is_float(part.dtype);
      return part.op == Op::divide || part.op == Op::infinity || part.op == Op::nan || ir::is_function(part.op);
    });
  }
  auto dtypes() const { return [this](const std::string& name) { return std::optional(names_.at(name).root->source->dtype); }; }
  Value data(const Expression& e) {
    const auto computed_in = [&](const Expression& of) { return ir::value_type(of, dtypes()).is_float ? wide_ : ir::Dtype::i64; };
    const ir::Dtype dtype = computed_in(e), from = e.operands.empty() ? dtype : computed_in(e.operands[0]);
    if (e.op == Op::literal) return domain_.literal(e.value);
    if (e.op == Op::infinity) return domain_.infinity();
    if (e.op == Op::nan) return domain_.nan();
    if (is_integer(e) && !(e.op == Op::negate && e.operands[0].op == Op::literal)) {
      const int64_t value = integer(e, false);
      return value == integer_poison ? D::poison() : domain_.integer(value);
    }
    if (e.op == Op::read) return load(locate(e.name, indices(e.operands))).data;
    if (e.op == Op::select && is_integer(e.operands[0])) return data(e.operands[index(e.operands[0]) != 0 ? 1 : 2]);
    std::vector<Value> v;
    for (const Expression& operand : e.operands) v.push_back(data(operand));
    switch (e.op) {
      case Op::negate: return domain_.negate(v[0]);
      case Op::add: return domain_.add(v[0], v[1], dtype);
      case Op::subtract: return domain_.subtract(v[0], v[1], dtype);
      case Op::multiply: return domain_.multiply(v[0], v[1], dtype);
      case Op::divide: return domain_.divide(v[0], v[1], dtype);
      case Op::min: return domain_.min(v[0], v[1]);
      case Op::max: return domain_.max(v[0], v[1]);
      case Op::select: return domain_.select(v[0], v[1], v[2]);
      case Op::cast: return domain_.narrow(v[0], {from, e.dtype, from != ir::Dtype::i64, writer_ - 1});
      default: return ir::is_comparison(e.op) ? domain_.compare(e.op, v[0], v[1]) : domain_.apply(e.op, v, dtype);
    }
  }

  // ---- statements ----

  void points(const std::vector<ir::Axis>& axes, const auto& body, size_t next = 0) {
    if (next == axes.size()) return at(Along::ordered, 0, body);
    const ir::AxisKind kind = axes[next].kind;
    const Along along = kind == ir::AxisKind::seq ? Along::ordered : kind == ir::AxisKind::reduce ? Along::reduce : Along::axis;
    for (int64_t i = 0, extent = index(axes[next].extent); i < extent; ++i) {
      variables_[axes[next].name] = i;
      at(along, i, [&] { points(axes, body, next + 1); });
    }
  }
  Scalar identity(ir::Update how, const Buffer& buffer) {
    if (!buffer.is_index) return {domain_.identity(how), integer_poison};
    const int64_t lowest = std::max(ir::lowest(buffer.source->dtype), integer_poison + 1), highest = ir::highest(buffer.source->dtype);
    return {D::poison(), std::array<int64_t, 8>{0, 0, 1, lowest, highest, -1, 0, 0}[static_cast<size_t>(how)]};   // in the order of ir::Update
  }
  /// An assignment replaces.
  Scalar accumulated(ir::Update how, const Scalar& old, const Scalar& value, const Buffer& buffer, ir::Dtype dtype) {
    static constexpr Op ops[] = {Op::literal, Op::add, Op::multiply, Op::max, Op::min, Op::bit_and, Op::bit_or, Op::bit_xor};
    if (how == ir::Update::assign) return value;
    if (buffer.is_index) return {D::poison(), apply_integer(ops[static_cast<size_t>(how)], old.integer, value.integer)};
    return {domain_.accumulate(how, old.data, value.data, dtype), integer_poison};
  }
  /// To the accumulate dtype, then to that of the destination.
  Scalar rounded(const ir::Statement& s, const Place& place, Scalar sum, ir::Dtype accumulate) {
    const ir::Dtype to = place.buffer.source->dtype;
    const bool assigns = s.update == ir::Update::assign;
    const bool from_float = assigns ? ir::value_type(s.value, dtypes()).is_float : ir::is_float(accumulate);
    if (place.buffer.is_index) return {D::poison(), sum.integer == integer_poison ? sum.integer : wrap_to(to, sum.integer)};
    if (!assigns) sum.data = domain_.narrow(sum.data, {wide_, accumulate, from_float, writer_ - 1});
    if (from_float && ir::is_integer(to) && domain_.is_nan(sum.data)) report(FindingId::nan_output, place.buffer.name(), place.indices);
    return {domain_.narrow(sum.data, {assigns && !from_float ? ir::Dtype::i64 : accumulate, to, from_float, writer_ - 1}), integer_poison};
  }
  void visit(const ir::Statement& s) {
    const auto site = std::ranges::find(labels_, &s, &std::pair<const ir::Statement*, std::string>::first) - labels_.begin();
    enter(1 + static_cast<uint32_t>(site), s.location);
    byte_reads_.clear();
    const Buffer& destination = *names_.at(s.destination).root;
    if (destination.is_index && !is_integer(s.value)) throw Stop{RunStatus::unsupported, "an index is computed from data"};
    const ir::Dtype dtype = ir::accumulate_dtype(s, dtypes());
    wide_ = dtype == ir::Dtype::f64 ? ir::Dtype::f64 : ir::Dtype::f32;
    std::vector<ir::Axis> axes, reduce_axes;
    for (const ir::Axis& axis : s.axes) (axis.kind == ir::AxisKind::reduce ? reduce_axes : axes).push_back(axis);
    const auto reads = [](const Expression& e) { return e.op == Op::read; };
    const auto reduces = [&](const Expression& e) { return e.op == Op::variable && std::ranges::find(reduce_axes, e.name, &ir::Axis::name) != reduce_axes.end(); };
    std::vector<Expression> where, reduce_where;
    for (const bool with_reads : {false, true}) {
      for (const Expression& e : s.where) if (mentions(e, reads) == with_reads) (mentions(e, reduces) ? reduce_where : where).push_back(e);
    }
    points(axes, [&] {
      if (!holds(where)) return;
      const bool assigns = s.update == ir::Update::assign;
      const bool starts = s.start && holds(s.start->conditions), opens = s.stop && !holds(s.stop->conditions);
      std::vector<std::pair<Place, Scalar>> results;
      const auto touch = [&](const Place& place) -> Scalar& {
        const auto known = std::ranges::find_if(results, [&](const auto& result) { return &result.first.cell == &place.cell; });
        const bool is_new = known == results.end();
        if (is_new) results.emplace_back(place, assigns ? Scalar{} : starts ? identity(s.update, destination) : load(place, true));
        note_write(place, !assigns);
        return is_new ? results.back().second : known->second;
      };
      if (starts && !reduce_axes.empty()) touch(locate(s.destination, indices(s.indices)));
      points(reduce_axes, [&] {
        if (!holds(reduce_where)) return;
        const Place place = locate(s.destination, indices(s.indices));
        const Scalar value = destination.is_index ? Scalar{D::poison(), integer(s.value, false)} : Scalar{data(s.value), integer_poison};
        ++run_.points;
        Scalar& sum = touch(place);
        sum = accumulated(s.update, sum, value, destination, dtype);
      });
      for (const auto& [place, sum] : results) store(place, rounded(s, place, sum, dtype), assigns || starts, opens);
    });
    for (const std::string& name : s.clobbers) write_whole(name, [](const Place&) { return Scalar{}; });
  }

  // ---- other items ----

  void block(const ir::Block& items) {
    for (const ir::Item& item : items) at(Along::ordered, &item - items.data(), [&] { std::visit([&](const auto& node) { visit(node); }, item.node); });
  }
  void write_whole(const std::string& name, const auto& value) {
    for (const Place& place : whole(name)) {
      note_write(place);
      store(place, value(place), false);
      run_.points += writer_ == 0;
    }
  }
  void visit(const ir::Buffer& source) {
    enter(0, source.location);
    Name& name = names_[source.name] = {std::make_shared<Buffer>(&source, ++lives_, kinds_.index.contains(&source)), nullptr, indices(source.extents)};
    Buffer& buffer = *name.root;
    int64_t count = 1;
    for (int64_t& extent : name.extents) count = wrap_multiply(count, extent = std::max<int64_t>(extent, 0));
    if (static_cast<uint64_t>(count) > options_.limits.bytes / sizeof(Cell)) throw Stop{RunStatus::out_of_memory, ""};
    buffer.extents = name.extents;
    buffer.cells.resize(static_cast<size_t>(count));
    for (const ir::Range& range : source.valid) buffer.valid.push_back(bounds(range));
    if (source.range) buffer.range = bounds(*source.range);
    if (source.address) buffer.address = {index(source.address->partition), index(source.address->byte)};
    if (source.role != ir::Role::in && source.role != ir::Role::inout) return;
    for (const Place& place : whole(source.name)) {
      const InputElement input{source.name, hash_name(source.name), source.dtype, place.element, count, buffer.range.first, buffer.range.second};
      store(place, buffer.is_index ? Scalar{D::poison(), index_input(options_, input)} : Scalar{domain_.input(input), integer_poison}, false);
      place.cell.written = place.cell.unread = false;
    }
  }
  void visit(const ir::View& view) {
    enter(0, view.location);
    Name& name = names_[view.name] = {names_.at(view.base).root, &view, {}};
    for (const ir::Axis& dim : view.dims) name.extents.push_back(std::max<int64_t>(0, index(dim.extent)));
    std::vector<Indices> images;
    each_index(name.extents, [&](const Indices& indices) { images.push_back(through(view, indices)); });
    std::ranges::sort(images);
    if (std::ranges::adjacent_find(images) != images.end()) report(FindingId::view, view.name, {});
  }
  void visit(const ir::Loop& loop) {
    enter(0, loop.location);
    const auto [low, high] = bounds(loop.range);
    const bool ordered = loop.kind == ir::LoopKind::seq;
    for (int64_t turn = 0; turn < high - low; ++turn) {
      const int64_t i = variables_[loop.name] = low + iteration_at(ordered ? Order::forward : options_.order, options_.key, turn, high - low);
      at(ordered ? Along::ordered : Along::loop, i, [&] { block(loop.body); });
    }
  }
  void visit(const ir::If& branch) {
    enter(0, branch.location);
    block(holds(branch.conditions) ? branch.then_body : branch.else_body);
  }
  void visit(const ir::While& loop) {
    enter(0, loop.location);
    const int64_t limit = index(loop.limit);
    for (int64_t turn = 0; holds(loop.conditions); ++turn, enter(0, loop.location)) {
      if (turn >= limit) return report(FindingId::while_limit, "-", {});
      at(Along::ordered, turn, [&] { block(loop.body); });
    }
  }
  void visit(const ir::Group& group) { block(group.body); }
  void visit(const ir::Move& move) {
    enter(0, move.location);
    std::vector<Scalar> values;
    for (const std::string& source : move.sources) for (const Place& place : whole(source)) values.push_back(load(place));
    auto value = values.begin();
    for (const std::string& destination : move.destinations) write_whole(destination, [&](const Place&) { return *value++; });
  }
  void visit(const ir::Opaque& opaque) {
    enter(0, opaque.location);
    uint64_t digest = hash_name(opaque.name);
    bool poisoned = false;
    for (const auto& [role, name] : opaque.arguments) {
      for (const Place& place : role == ir::Role::out ? std::vector<Place>() : whole(name)) {
        const Scalar value = load(place);
        poisoned = poisoned || place.buffer.is_poison(value);
        digest = poisoned ? 0 : mix(digest, place.buffer.is_index ? static_cast<uint64_t>(value.integer) : domain_.digest(value.data));
      }
    }
    for (size_t i = 0; i < opaque.arguments.size(); ++i) {
      const auto result = [&](const Place& place) {
        const ir::Dtype to = place.buffer.source->dtype, from = ir::is_float(to) ? ir::Dtype::f32 : ir::Dtype::i64;
        const Value value = domain_.from_digest(mix(mix(digest, i), static_cast<uint64_t>(place.element)));
        return poisoned ? Scalar{} : Scalar{domain_.narrow(value, {from, to, ir::is_float(to), no_statement}), integer_poison};
      };
      if (opaque.arguments[i].role != ir::Role::in) write_whole(opaque.arguments[i].buffer, result);
    }
  }
  void judge(const ir::Buffer& source) {
    const Buffer& buffer = *names_.at(source.name).root;
    Output<Value> output{source.name, source.dtype, buffer.extents, buffer.is_index, {}, {}, {}};
    std::map<FindingId, Place> first;
    for (const Place& place : whole(source.name)) {
      const Cell& cell = place.cell;
      if (!cell.written && source.role == ir::Role::out) first.try_emplace(FindingId::not_written, place);
      else if (buffer.is_poison(cell.value)) first.try_emplace(FindingId::poison_output, place);
      else if (!buffer.is_index && domain_.is_nan(cell.value.data)) first.try_emplace(FindingId::nan_output, place);
      if (buffer.is_index) output.integers.push_back(cell.value.integer);
      else output.values.push_back(cell.value.data);
      output.writers.push_back(cell.writer);
    }
    for (const auto& [id, place] : first) {
      enter(place.cell.writer, place.cell.writer == 0 ? source.location : labels_[place.cell.writer - 1].first->location);
      report(id, source.name, place.indices);
    }
    run_.outputs.push_back(std::move(output));
  }

 public:
  ReferenceEvaluator(const ir::Program& program, D& domain, const RunOptions& options)
      : program_(program), domain_(domain), options_(options), kinds_(kinds_of(program, options.kinds)), labels_(ir::labelled_statements(program)) {}

  Run<Value> run() {
    variables_.insert(options_.parameters.begin(), options_.parameters.end());
    try {
      if (!kinds_.unsupported.empty()) throw Stop{RunStatus::unsupported, kinds_.unsupported};
      block(program_.body);
      for (const ir::Item& item : program_.body) {
        const auto* buffer = std::get_if<ir::Buffer>(&item.node);
        if (buffer != nullptr && (buffer->role == ir::Role::out || buffer->role == ir::Role::inout)) judge(*buffer);
      }
    } catch (const Stop& stop) {
      run_.status = stop.status;
      run_.reason = stop.reason;
    }
    return std::move(run_);
  }
};

/// Preconditions: `program` is well formed, every parameter has a value. Memory grows with the number of accesses.
template <Domain D>
Run<typename D::Value> evaluate_reference(const ir::Program& program, D& domain, const RunOptions& options) {
  return ReferenceEvaluator<D>(program, domain, options).run();
}

}  // namespace tileproof::oracle
