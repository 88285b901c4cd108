#include "compiler/penguin/tensor_uses.h"

#include "compiler/penguin/instruction_probe.h"
#include "compiler/transform/each_body.h"
#include "compiler/transform/substitute.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <unordered_map>

namespace tileproof::penguin {
namespace {

struct Word {
  std::string_view name, meaning;
};
constexpr std::array<Word, nonlocal_count> words{{
    {"seen-elsewhere", "a view, a move, an opaque item, a `while`, an instruction or a control condition names the tensor"},
    {"left-whole", "a statement that uses the tensor becomes no nest"},
    {"indirect", "the tensor holds indices, or is read by indices"},
    {"in-place", "a statement goes on from what the tensor holds"},
    {"across-units", "the tensor is used in a shard or thread loop"},
    {"layouts-differ", "accesses lie on other partitions, or do not name them, and no instruction transposes the tensor"},
    {"partly-written", "the tensor would be transposed, and a statement writes a part of it"},
    {"too-large", "sbuf does not hold the tensor beside the tiles and the tensors that are smaller"},
}};

bool is_own(const ir::Buffer& buffer) { return buffer.space == "dram" && buffer.role == ir::Role::none && !buffer.address; }

bool has_own_tensor(const ir::Block& body) {
  return std::ranges::any_of(body, [](const ir::Item& item) {
    const auto* buffer = std::get_if<ir::Buffer>(&item.node);
    bool found = buffer != nullptr && is_own(*buffer);
    transform::each_body(item, [&](const ir::Block& inner) { found = found || has_own_tensor(inner); });
    return found;
  });
}

bool has_read(const ir::Expression& e) { return e.op == ir::Op::read || std::ranges::any_of(e.operands, has_read); }

class Uses {
 public:
  Uses(const ir::Program& program, const machine::Machine& machine)
      : machine_(machine), tensors_(tensors_of(program)), environment_(program) {
    declarations(program.body);
    block(program.body, false);
  }

  std::vector<TensorUse> take() {
    std::erase_if(uses_, [](const TensorUse& use) { return use.accesses.empty(); });
    return std::move(uses_);
  }

 private:
  const machine::Machine& machine_;
  std::vector<Tensors> tensors_;   ///< of whole_tensor_statements, in textual order
  size_t next_ = 0;                ///< of them
  transform::Environment environment_;
  std::unordered_map<std::string, size_t> declared_;   ///< how often
  std::vector<TensorUse> uses_;
  std::unordered_map<std::string, size_t> places_;   ///< in uses_

  void declarations(const ir::Block& body) {
    for (const ir::Item& item : body) {
      if (const auto* buffer = std::get_if<ir::Buffer>(&item.node)) ++declared_[buffer->name];
      if (const auto* view = std::get_if<ir::View>(&item.node)) ++declared_[view->name];
      transform::each_body(item, [&](const ir::Block& inner) { declarations(inner); });
    }
  }

  TensorUse* find(const std::string& name) {
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : &uses_[found->second];
  }
  void obstruct(const std::string& name, Nonlocal reason) {
    if (TensorUse* use = find(name); use != nullptr && !use->obstacle) use->obstacle = reason;
  }
  void obstruct_all(const std::set<std::string>& names, Nonlocal reason) {
    for (const std::string& each : names) obstruct(each, reason);
  }
  void obstruct_all(const std::vector<ir::Expression>& expressions, Nonlocal reason) {
    for (const ir::Expression& e : expressions) obstruct_all(transform::names_in(e), reason);
  }
  void obstruct_all(const ir::Range& range) {
    for (const ir::Expression* e : {&range.low, &range.high}) obstruct_all(transform::names_in(*e), Nonlocal::seen_elsewhere);
  }

  void block(const ir::Block& body, bool in_units) {
    for (const ir::Item& item : body) {
      if (const auto* buffer = std::get_if<ir::Buffer>(&item.node)) {
        declare(*buffer);
      } else if (std::holds_alternative<ir::Statement>(item.node)) {
        statement(std::get<ir::Statement>(item.node), in_units);
      } else if (const auto* loop = std::get_if<ir::Loop>(&item.node)) {
        obstruct_all(loop->range);
        block(loop->body, in_units || loop->kind == ir::LoopKind::shard || loop->kind == ir::LoopKind::thread);
      } else if (const auto* branch = std::get_if<ir::If>(&item.node)) {
        obstruct_all(branch->conditions, Nonlocal::seen_elsewhere);
        block(branch->then_body, in_units);
        block(branch->else_body, in_units);
      } else if (const auto* group = std::get_if<ir::Group>(&item.node); group != nullptr && is_open(*group)) {
        block(group->body, in_units);
      } else {
        unknown(item);
      }
    }
  }

  void declare(const ir::Buffer& buffer) {
    if (!is_own(buffer)) return;
    places_[buffer.name] = uses_.size();
    uses_.push_back({&buffer, {}, {}});
    if (declared_.at(buffer.name) > 1 || !buffer.valid.empty() || buffer.range) uses_.back().obstacle = Nonlocal::seen_elsewhere;
  }

  /// An item into which no pass of the tiler looks.
  void unknown(const ir::Item& item) {
    constexpr auto reason = Nonlocal::seen_elsewhere;
    if (const auto* view = std::get_if<ir::View>(&item.node)) obstruct(view->base, reason);
    if (const auto* s = std::get_if<ir::Statement>(&item.node)) obstruct_all(transform::names_in(*s), reason);
    if (const auto* loop = std::get_if<ir::Loop>(&item.node)) obstruct_all(loop->range);
    if (const auto* branch = std::get_if<ir::If>(&item.node)) obstruct_all(branch->conditions, reason);
    if (const auto* repeat = std::get_if<ir::While>(&item.node)) obstruct_all(repeat->conditions, reason);
    if (const auto* move = std::get_if<ir::Move>(&item.node))
      for (const auto* list : {&move->destinations, &move->sources})
        for (const std::string& each : *list) obstruct(each, reason);
    if (const auto* opaque = std::get_if<ir::Opaque>(&item.node))
      for (const ir::Opaque::Argument& argument : opaque->arguments) obstruct(argument.buffer, reason);
    transform::each_body(item, [&](const ir::Block& inner) {
      for (const ir::Item& each : inner) unknown(each);
    });
  }

  void statement(const ir::Statement& s, bool in_units) {
    const size_t index = next_++;
    const Tensors& tensors = tensors_[index];
    const auto operation = operation_of(s, tensors, machine_);
    const bool becomes_a_nest = operation && is_classified(s) && find_tag(s.tags, "uncut") == nullptr;
    if (in_units) obstruct_all(transform::names_in(s), Nonlocal::across_units);
    if (!becomes_a_nest) {
      obstruct_all(transform::names_in(s), Nonlocal::left_whole);
      for (const std::string& each : transform::names_in(s))   // it counts as a use all the same
        if (TensorUse* use = find(each)) use->accesses.push_back({index, std::nullopt, std::nullopt});
      return;
    }
    for (const std::optional<ir::Claim>* claim : {&s.start, &s.stop})
      if (*claim) obstruct_all((*claim)->conditions, Nonlocal::seen_elsewhere);
    const bool begins_anew = s.update == ir::Update::assign || (s.start && s.start->conditions.empty());

    // A transposition that no engine carries out is a load with other strides.
    ir::Statement seen = s;
    const bool turns = changes_partitions(s);
    const bool by_an_engine = turns && !transposing_space(machine_, tensors.find(s.value.name)->dtype,
                                                          most_elements(s, AxisClass::partition, environment_),
                                                          most_elements(s, AxisClass::free, environment_))
                                            .empty();
    if (turns && !by_an_engine) {
      std::erase_if(seen.tags, [](const ir::Tag& tag) { return tag.name == "pf"; });
      exchange_classes(seen);
    }
    const Parts parts = parts_of(seen);
    for (const transform::ReadPath& path : transform::reads_of(s)) {
      const ir::Expression& read = *transform::read_at(s, path);
      for (const ir::Expression& inner : read.operands) {
        if (!has_read(inner)) continue;
        obstruct_all(transform::names_in(inner), Nonlocal::indirect);
        obstruct(read.name, Nonlocal::indirect);
      }
      TensorUse* use = find(read.name);
      if (use == nullptr) continue;
      if (read.name == s.destination) obstruct(read.name, Nonlocal::goes_on);
      TensorAccess access{index, path, std::nullopt};
      if (!turns || by_an_engine) access.layout = layout_of(read.operands, parts.lanes_of_operands(), s, *use->tensor);
      use->accesses.push_back(std::move(access));
    }
    if (TensorUse* use = find(s.destination)) {
      if (!begins_anew) obstruct(s.destination, Nonlocal::goes_on);
      const Names& lanes = turns && by_an_engine ? parts.free : parts.partition;
      use->accesses.push_back({index, std::nullopt, layout_of(s.indices, lanes, s, *use->tensor)});
    }
  }
};

}  // namespace

std::string_view name(Nonlocal reason) { return words[static_cast<size_t>(reason)].name; }
std::string_view meaning(Nonlocal reason) { return words[static_cast<size_t>(reason)].meaning; }

std::vector<TensorUse> tensor_uses(const ir::Program& program, const machine::Machine& machine) {
  return has_own_tensor(program.body) ? Uses(program, machine).take() : std::vector<TensorUse>{};
}

}  // namespace tileproof::penguin
