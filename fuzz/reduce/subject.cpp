#include "fuzz/reduce/subject.h"

#include "compiler/ir/interval.h"
#include "compiler/ir/text.h"
#include "fuzz/reduce/walk.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace tileproof::fuzz {
namespace {

constexpr uint64_t most = std::numeric_limits<uint64_t>::max();

void add(uint64_t& to, uint64_t count) { to = to > most - count ? most : to + count; }
uint64_t times(uint64_t a, uint64_t b) { return b != 0 && a > most / b ? most : a * b; }

/// Points of the domains of a block, inside of the loops around it.
class Points {
 public:
  explicit Points(const ir::Program& program) {
    for (const ir::Parameter& p : program.parameters) ranges_[p.name] = {p.low, p.high};
  }

  uint64_t of(const ir::Block& block, uint64_t iterations) {
    uint64_t points = 0;
    for (const ir::Item& item : block) {
      if (const auto* s = std::get_if<ir::Statement>(&item.node)) {
        uint64_t domain = iterations;
        for (const ir::Axis& axis : s->axes) domain = times(domain, extent(ir::integer(0), axis.extent));
        add(points, domain);
      } else if (const auto* loop = std::get_if<ir::Loop>(&item.node)) {
        const uint64_t trips = extent(loop->range.low, loop->range.high);
        const auto low = bounds(loop->range.low), high = bounds(loop->range.high);
        const std::optional<ir::Interval> outer = range(loop->name);
        if (low && high) ranges_[loop->name] = {low->low, std::max(low->low, high->high - 1)};
        add(points, of(loop->body, times(iterations, trips)));
        if (outer) ranges_[loop->name] = *outer;
      } else if (const auto* wait = std::get_if<ir::While>(&item.node)) {
        add(points, of(wait->body, times(iterations, extent(ir::integer(0), wait->limit))));
      } else if (const auto* branch = std::get_if<ir::If>(&item.node)) {
        add(points, of(branch->then_body, iterations));
        add(points, of(branch->else_body, iterations));
      } else if (const auto* group = std::get_if<ir::Group>(&item.node)) {
        add(points, of(group->body, iterations));
      }
    }
    return points;
  }

 private:
  std::map<std::string, ir::Interval, std::less<>> ranges_;

  std::optional<ir::Interval> range(std::string_view name) const {
    const auto found = ranges_.find(name);
    return found == ranges_.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<ir::Interval> bounds(const ir::Expression& e) const {
    return ir::interval(e, [this](std::string_view name) { return range(name); });
  }
  /// What is bounded by data counts as one.
  uint64_t extent(const ir::Expression& low, const ir::Expression& high) const {
    const auto from = bounds(low), to = bounds(high);
    if (!from || !to) return 1;
    return to->high > from->low ? static_cast<uint64_t>(to->high) - static_cast<uint64_t>(from->low) : 0;
  }
};

void measure(ir::Item& item, Size& size) {
  ++size.parts;
  const auto odd = [&](ir::Dtype dtype) { size.oddities += dtype != ir::Dtype::f32; };
  if (auto* s = std::get_if<ir::Statement>(&item.node)) {
    ++size.operations;
    size.parts += s->tags.size() + s->axes.size() + s->clobbers.size() + s->start.has_value() + s->stop.has_value() +
                  s->accumulate.has_value();
    for (const ir::Axis& axis : s->axes) size.parts += axis.tags.size();
  } else if (auto* buffer = std::get_if<ir::Buffer>(&item.node)) {
    size.parts += buffer->tags.size() + buffer->address.has_value() + buffer->range.has_value() + buffer->valid.size() +
                  buffer->partition_rank.has_value();
    odd(buffer->dtype);
  } else if (auto* view = std::get_if<ir::View>(&item.node)) {
    size.parts += view->tags.size() + view->dims.size();
  } else if (auto* loop = std::get_if<ir::Loop>(&item.node)) {
    size.parts += loop->tags.size();
  } else if (auto* group = std::get_if<ir::Group>(&item.node)) {
    size.parts += group->tags.size() + group->opcode.has_value();
  } else if (auto* move = std::get_if<ir::Move>(&item.node)) {
    ++size.operations;
    size.parts += 2 * move->sources.size();
  } else if (auto* call = std::get_if<ir::Opaque>(&item.node)) {
    ++size.operations;
    size.parts += call->arguments.size();
  }
  each_expression(item, [&](ir::Expression& whole, Use use) {
    each_node(whole, use, [&](ir::Expression& e, Use) {
      ++size.parts;
      if (e.op == ir::Op::cast) odd(e.dtype);
      if (e.op != ir::Op::literal) return;
      constexpr uint64_t fraction = 1000;   // more than any number that a person would write instead
      const std::optional<int64_t> value = ir::to_integer(e.value);
      add(size.figures, value ? static_cast<uint64_t>(*value) : fraction);
    });
  });
}

}  // namespace

Size size_of(const Subject& subject) {
  Size size;
  for (ir::Program program : subject.programs) {
    add(size.points, Points(program).of(program.body, 1));
    size.parts +=
        program.tags.size() + program.machine.has_value() + program.parameters.size() + (program.kind != ir::ProgramKind::plain);
    for (const ir::Parameter& p : program.parameters)
      add(size.figures, static_cast<uint64_t>(p.high) - static_cast<uint64_t>(p.low));
    each_item(program.body, [&](ir::Item& item) { measure(item, size); });
  }
  uint64_t number = 0;
  for (const char c : subject.pipeline + ' ') {   // its integers, one after the other
    size.parts += c == ',' || c == '{';
    const bool is_digit = c >= '0' && c <= '9';
    number = is_digit ? std::min(times(number, 10), most - 9) + static_cast<uint64_t>(c - '0') : number;
    if (!is_digit) add(size.figures, std::exchange(number, 0));
  }
  size.bytes = print(subject).size();
  return size;
}

std::string print(const Subject& subject) {
  std::string text;
  for (const ir::Program& program : subject.programs) text += ir::print(program);
  if (!subject.pipeline.empty()) text += "# pipeline " + subject.pipeline + "\n";
  return text;
}

}  // namespace tileproof::fuzz
