#include "oracle/explain/memory_map.h"

#include "compiler/machine/access.h"
#include "compiler/machine/footprint.h"
#include "oracle/equivalence/report.h"
#include "oracle/explain/nest.h"
#include "oracle/explain/writer_domain.h"
#include "oracle/explain/written.h"
#include "oracle/interpret/observer.h"
#include "oracle/interpret/run_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <tuple>

namespace tileproof::oracle {
namespace {

constexpr size_t most_buffers = 16;          // drawn
constexpr size_t most_named = 4;             // of those that share bytes: who writes them
constexpr size_t most_lives = 1 << 20;
constexpr int64_t bar_columns = 50;

/// A place that a buffer has been given: bytes in each of its partitions.
struct Range {
  const ir::Buffer* buffer = nullptr;
  std::vector<int64_t> extents;
  int64_t partition = 0, partitions = 1, byte = 0, bytes = 0;
  auto order() const { return std::tie(byte, partition, bytes, buffer->location); }
  int64_t last() const { return byte + std::max<int64_t>(1, bytes) - 1; }
  bool meets(const Range& other) const {
    return partition < other.partition + other.partitions && other.partition < partition + partitions && byte <= other.last() &&
           other.byte <= last();
  }
};

/// A buffer without an address, from its first access to its last read.
struct Life {
  const ir::Buffer* buffer = nullptr;
  std::vector<int64_t> extents;
  uint64_t first = 0, last = 0;
};

class Declarations final : public Observer {
 public:
  explicit Declarations(const std::string& space) : space_(space) {}

  std::vector<Range> ranges;   // each once
  std::vector<Life> lives;
  bool has_too_many = false;

  void declare(Instance instance, const ir::Buffer& buffer, std::span<const int64_t> extents,
               std::optional<std::pair<int64_t, int64_t>> address) override {
    if (buffer.space != space_) return;
    if (!address) {
      living_[instance] = {&buffer, {extents.begin(), extents.end()}, 0, 0};
      if (buffer.role == ir::Role::in || buffer.role == ir::Role::inout) access(instance, true);
      return;
    }
    if (!seen_.emplace(&buffer, *address).second) return;
    if (ranges.size() >= most_lives) {
      has_too_many = true;
      return;
    }
    const size_t rank = std::min(buffer.partition_rank.value_or(0), extents.size());
    const int64_t partitions =
        std::accumulate(extents.begin(), extents.begin() + static_cast<ptrdiff_t>(rank), int64_t{1}, std::multiplies<>());
    ranges.push_back({&buffer,
                      {extents.begin(), extents.end()},
                      address->first,
                      partitions,
                      address->second,
                      machine::stored_bytes(buffer, extents)});
  }
  void execute(const ir::Statement&, Site, std::span<const int64_t>, const Environment&) override { ++time_; }
  void access(Instance instance, bool is_write) override {
    const auto found = living_.find(instance);
    if (found == living_.end()) return;
    Life& life = found->second;
    if (life.first == 0) life.first = life.last = time_;
    if (!is_write) life.last = time_;
  }
  void release(Instance instance) override {
    const auto found = living_.find(instance);
    if (found == living_.end()) return;
    Life life = found->second;
    living_.erase(found);
    if (life.buffer->role == ir::Role::out || life.buffer->role == ir::Role::inout) life.last = time_;
    if (life.first == 0) return;
    if (lives.size() < most_lives) {
      lives.push_back(std::move(life));
    } else {
      has_too_many = true;
    }
  }

 private:
  std::string space_;
  uint64_t time_ = 1;
  std::map<Instance, Life> living_;
  std::set<std::pair<const ir::Buffer*, std::pair<int64_t, int64_t>>> seen_;
};

/// Columns in proportion to bytes.
class Scale {
 public:
  explicit Scale(int64_t bytes) : bytes_(std::max<int64_t>(1, bytes)) {}

  /// `bar` where [first, last] lies, at least one character.
  std::string draw(int64_t first, int64_t last, char bar) const {
    std::string text(bar_columns, ' ');
    for (int64_t column = this->column(first); column <= this->column(last); ++column) text[static_cast<size_t>(column)] = bar;
    return text;
  }
  int64_t column(int64_t byte) const {
    const double share = static_cast<double>(byte) / static_cast<double>(bytes_);
    return std::clamp<int64_t>(static_cast<int64_t>(share * static_cast<double>(bar_columns)), 0, bar_columns - 1);
  }

 private:
  int64_t bytes_;
};

std::string fitted(const std::string& text, size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

std::string row(const std::string& name, const std::string& bytes, const std::string& bar, const std::string& note = "") {
  return fmt::format("{:<14} {:>22} |{}|{}", fitted(name, 14), fitted(bytes, 22), bar, note.empty() ? "" : " " + note);
}

/// The bytes of the finding's element, if it has one inside the buffer.
std::optional<std::pair<int64_t, int64_t>> element_bytes(const Range& range, const std::vector<int64_t>& element) {
  if (element.size() != range.extents.size() || element.empty()) return std::nullopt;
  int64_t within = 0;
  for (size_t i = std::min(range.buffer->partition_rank.value_or(0), element.size()); i < element.size(); ++i) {
    within = within * range.extents[i] + element[i];
  }
  const int64_t bits = ir::bits(range.buffer->dtype);
  return std::pair(range.byte + within * bits / 8, range.byte + (within * bits + bits - 1) / 8);
}

/// "map#2 (line 17), map#4 (line 20)".
std::string writers_of(const ir::Program& program, const std::string& buffer) {
  std::vector<std::string> texts;
  const std::vector<NestedStatement> statements = nested_statements(program);
  const std::vector<machine::StatementAccesses> accesses = machine::resolve_accesses(program);
  for (size_t i = 0; i < statements.size(); ++i) {
    if (accesses[i].accesses.empty() || accesses[i].accesses.front().buffer->name != buffer) continue;
    if (texts.size() == 3) return fmt::format("{}, ...", fmt::join(texts, ", "));
    texts.push_back(fmt::format("{} (line {})", statements[i].label, statements[i].statement->location.line));
  }
  return texts.empty() ? "no statement" : fmt::format("{}", fmt::join(texts, ", "));
}

void draw_ranges(Picture& picture, const ir::Program& program, std::vector<Range> ranges, const Finding& finding,
                 std::optional<int64_t> capacity) {
  const auto is_it = [&](const Range& range) { return range.buffer->name == finding.buffer; };
  const Range focus = *std::ranges::find_if(ranges, is_it);
  const auto rank = [&](const Range& range) { return is_it(range) ? 0 : range.meets(focus) ? 1 : 2; };
  std::ranges::sort(ranges, {}, [&](const Range& range) { return std::tuple(rank(range), range.order()); });
  const size_t left_out = ranges.size() - std::min(ranges.size(), most_buffers);
  ranges.resize(ranges.size() - left_out);
  std::ranges::sort(ranges, {}, &Range::order);
  int64_t end = capacity.value_or(0);
  for (const Range& range : ranges) end = std::max(end, range.last() + 1);
  if (capacity && end == *capacity) {   // far from the end of the space, draw what is used
    end = 0;
    for (const Range& range : ranges) end = std::max(end, range.last() + 1);
  }
  const Scale scale(end);
  std::set<std::string> met;
  for (const Range& range : ranges) {
    const bool is_met = !is_it(range) && range.meets(focus);
    if (is_met) met.insert(range.buffer->name);
    picture.lines.push_back(row(range.buffer->name, fmt::format("{}..{}", range.byte, range.last()),
                                scale.draw(range.byte, range.last(),
                                           is_it(range) ? '#'
                                           : is_met     ? '!'
                                                        : '='),
                                range.partitions > 1 || range.partition > 0
                                    ? fmt::format("p {}..{}", range.partition, range.partition + range.partitions - 1)
                                    : ""));
    if (const auto bytes = element_bytes(range, finding.element);
        bytes && range.buffer == focus.buffer && range.byte == focus.byte)
      picture.lines.push_back(
          row("", element_text(finding.buffer, finding.element), scale.draw(bytes->first, bytes->second, '^')));
  }
  picture.lines.push_back(row("", "bytes", fmt::format("0{:>{}}", end - 1, bar_columns - 1)));
  picture.lines.push_back(
      fmt::format("# {}{}", finding.buffer, !met.empty() ? "   ! shares bytes with it   = others" : "   = others"));
  for (const std::string& name : met | std::views::take(most_named))
    picture.lines.push_back(fmt::format("{} is written by {}", name, writers_of(program, name)));
  if (capacity)
    picture.lines.push_back(
        fmt::format("the space has bytes 0..{}{}", *capacity - 1, focus.partitions > 1 ? " in each partition" : ""));
  if (left_out > 0) picture.lines.push_back(fmt::format("not drawn: {} other buffers", left_out));
}

void draw_lives(Picture& picture, const std::vector<Life>& lives, const machine::Space& space, const Finding& finding) {
  const auto bytes_of = [&](const Life& life) { return machine::allocated_bytes(*life.buffer, life.extents, space); };
  std::map<uint64_t, int64_t> change;
  for (const Life& life : lives) {
    change[life.first] += bytes_of(life);
    change[life.last + 1] -= bytes_of(life);
  }
  int64_t now = 0, most = 0;
  uint64_t peak = 0;
  for (const auto& [time, by] : change) {
    now += by;
    if (now > most) {
      most = now;
      peak = time;
    }
  }
  std::vector<Life> alive;
  std::ranges::copy_if(lives, std::back_inserter(alive),
                       [&](const Life& life) { return life.first <= peak && peak <= life.last; });
  std::ranges::stable_sort(alive, {}, [](const Life& life) { return life.first; });
  const int64_t capacity = space.bytes.value_or(most);
  const Scale scale(std::max(most, capacity));
  int64_t at = 0;
  for (size_t i = 0; i < alive.size(); ++i) {
    const int64_t bytes = bytes_of(alive[i]);
    const bool is_beyond = at + bytes > capacity;
    if (i < most_buffers || i + 1 == alive.size()) {
      picture.lines.push_back(row(alive[i].buffer->name, grouped(static_cast<uint64_t>(bytes)) + " bytes",
                                  scale.draw(at, at + std::max<int64_t>(1, bytes) - 1,
                                             is_beyond                                 ? '!'
                                             : alive[i].buffer->name == finding.buffer ? '#'
                                                                                       : '=')));
    } else if (i == most_buffers) {
      picture.lines.push_back(fmt::format("not drawn: {} other buffers", alive.size() - most_buffers - 1));
    }
    at += bytes;
  }
  picture.lines.push_back(row(space.name, grouped(static_cast<uint64_t>(capacity)) + " bytes", scale.draw(0, capacity - 1, '-')));
  picture.lines.push_back(fmt::format("alive together: {} bytes{}   ! goes beyond the space",
                                      grouped(static_cast<uint64_t>(most)), space.partitions ? " in a partition" : ""));
}

/// The name of the space that the finding's buffer lies in.
std::string space_of(const ir::Block& items, const Finding& finding) {
  for (const ir::Item& item : items) {
    const std::string found = std::visit(
        [&](const auto& node) -> std::string {
          using Node = std::decay_t<decltype(node)>;
          if constexpr (std::is_same_v<Node, ir::Buffer>) return node.name == finding.buffer ? node.space : "";
          if constexpr (std::is_same_v<Node, ir::If>) {
            const std::string space = space_of(node.then_body, finding);
            return space.empty() ? space_of(node.else_body, finding) : space;
          }
          if constexpr (requires { node.body; }) return space_of(node.body, finding);
          return "";
        },
        item.node);
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace

Picture memory_map(const ir::Program& program, const LoweredProgram& code, const RunOptions& options,
                   const machine::Machine* machine, const Finding& finding) {
  const std::string name = space_of(program.body, finding);
  Picture picture{fmt::format("memory of {}", name), {}};
  Declarations declarations(name);
  const uint32_t nothing = WriterValue::untracked;
  Writer domain(nothing);
  const Run<WriterValue> run = run_program(code, domain, options, &declarations);
  std::string failure = failure_of(run.status, run.reason, options);
  if (declarations.has_too_many) failure = "too many buffers";
  const machine::Space* const space = machine == nullptr ? nullptr : machine->space(name);
  const bool has_address =
      std::ranges::any_of(declarations.ranges, [&](const Range& range) { return range.buffer->name == finding.buffer; });
  if (failure.empty() && !has_address && space == nullptr) failure = fmt::format("{} has no address", finding.buffer);
  if (!failure.empty()) {
    picture.lines.push_back("not drawn: " + failure);
  } else if (has_address) {
    draw_ranges(picture, program, declarations.ranges, finding, space == nullptr ? std::nullopt : space->bytes);
  } else {
    draw_lives(picture, declarations.lives, *space, finding);
  }
  return picture;
}

}  // namespace tileproof::oracle
