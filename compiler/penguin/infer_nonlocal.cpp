#include "compiler/penguin/infer_nonlocal.h"

#include "compiler/ir/interval.h"
#include "compiler/machine/footprint.h"
#include "compiler/penguin/sbuf_budget.h"
#include "compiler/penguin/tiling_pass.h"
#include "compiler/transform/each_body.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace tileproof::penguin {
namespace {

/// Bytes of one partition that the tensor takes in this layout.
int64_t bytes_in(const LocalLayout& layout, const ir::Buffer& tensor, const machine::Machine& machine, const Extents& extents) {
  return buffer_bytes(elements_of_a_partition(tensor, layout, extents), tensor.dtype, *machine.space("sbuf"));
}

/// What the layouts of its accesses allow, whatever there is room for.
Residence residence_of(const TensorUse& use, const std::vector<const ir::Statement*>& statements, const machine::Machine& machine,
                       const Extents& extents) {
  Residence result;
  const auto leave = [&](Nonlocal reason) {
    result.reason = reason;
    return result;
  };
  if (use.obstacle) return leave(*use.obstacle);
  const auto differ = [](const auto& a, const auto& b) { return a.layout != b.layout; };
  std::vector<TensorAccess> writers, readers;
  for (const TensorAccess& access : use.accesses) {
    if (!access.layout) return leave(Nonlocal::layouts_differ);
    (access.path ? readers : writers).push_back(access);
  }
  if (writers.empty() || std::ranges::adjacent_find(writers, differ) != writers.end()) return leave(Nonlocal::layouts_differ);
  result.layout = *writers.front().layout;
  result.bytes = bytes_in(result.layout, *use.tensor, machine, extents);
  for (const TensorAccess& reader : readers) {
    const Bridge bridge{result.layout, *reader.layout};
    if (bridge.from == bridge.to || std::ranges::find(result.bridges, bridge) != result.bridges.end()) continue;
    if (!is_bridgeable(bridge, *use.tensor, machine)) return leave(Nonlocal::layouts_differ);
    for (const TensorAccess& writer : writers)
      if (!writes_all(*statements[writer.statement], *use.tensor)) return leave(Nonlocal::partly_written);
    result.bridges.push_back(bridge);
    const int64_t bytes = bytes_in(bridge.to, *use.tensor, machine, extents);
    result.bytes =
        bytes > std::numeric_limits<int64_t>::max() - result.bytes ? std::numeric_limits<int64_t>::max() : result.bytes + bytes;
  }
  return result;
}

/// Carries out what was decided.
class Keeping {
 public:
  Keeping(const ir::Program& original, const std::vector<TensorUse>& uses, const std::vector<Residence>& decided)
      : names_(original) {
    const std::vector<const ir::Statement*> statements = whole_tensor_statements(original);
    for (size_t i = 0; i < uses.size(); ++i) {
      if (decided[i].reason) continue;
      const ir::Buffer& tensor = *uses[i].tensor;
      layouts_[tensor.name] = decided[i].layout;
      for (const Bridge& bridge : decided[i].bridges) {
        const std::string copy = names_.fresh(tensor.name + "_turned");
        for (const TensorAccess& access : uses[i].accesses) {
          if (access.path) {
            if (access.layout == bridge.to) renamed_[access.statement].emplace_back(*access.path, copy);
            continue;
          }
          BridgeStatement made = bridge_statement(bridge, tensor, copy, *statements[access.statement], names_);
          filled_[access.statement].push_back(std::move(made.fill));
          copies_[copy] = {tensor.name, std::move(made.copy)};
        }
      }
    }
  }

  void block(ir::Block& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      if (auto* buffer = std::get_if<ir::Buffer>(&body[i].node)) {
        const std::string tensor = buffer->name;
        if (const auto layout = layouts_.find(tensor); layout != layouts_.end()) set_local_layout(*buffer, layout->second);
        for (const auto& [copy, of] : copies_)
          if (of.first == tensor) body.insert(body.begin() + static_cast<std::ptrdiff_t>(++i), {of.second});
      } else if (auto* s = std::get_if<ir::Statement>(&body[i].node)) {
        const size_t index = next_++;
        for (const auto& [path, copy] : renamed_[index]) read_at(*s, path).name = copy;
        for (ir::Statement& fill : filled_[index])
          body.insert(body.begin() + static_cast<std::ptrdiff_t>(++i), {std::move(fill)});
      } else if (const auto* group = std::get_if<ir::Group>(&body[i].node);
                 !std::holds_alternative<ir::While>(body[i].node) && !(group != nullptr && !is_open(*group))) {
        transform::each_body(body[i], [&](ir::Block& inner) { block(inner); });
      }
    }
  }

 private:
  transform::FreshNames names_;
  std::map<std::string, LocalLayout> layouts_;
  std::map<std::string, std::pair<std::string, ir::Buffer>> copies_;   ///< of which tensor
  std::map<size_t, std::vector<std::pair<transform::ReadPath, std::string>>> renamed_;   ///< by statement
  std::map<size_t, std::vector<ir::Statement>> filled_;
  size_t next_ = 0;   ///< of whole_tensor_statements

  static ir::Expression& read_at(ir::Statement& s, const transform::ReadPath& path) {
    ir::Expression* e = &s.value;
    for (const size_t step : path) e = &e->operands[step];
    return *e;
  }
};

std::string describe(const TensorUse& use, const Residence& residence) {
  std::string text = use.tensor->name;
  for (const LaneDim& dim : residence.layout.lanes)
    text += fmt::format("{} {} lanes of dim {}", dim == residence.layout.lanes.front() ? ":" : ",", dim.lanes, dim.dim);
  if (residence.layout.lanes.empty()) text += ": one lane";
  return text +
         fmt::format(", {} bytes in a partition{}", residence.bytes,
                     residence.bridges.empty() ? "" : fmt::format(", {} transposed copies among them", residence.bridges.size()));
}

std::expected<ir::Program, ir::Diagnostics> run(ir::Program original, const pipeline::Context& context) {
  const auto machine = machine_of(context);
  if (!machine) return std::unexpected(machine.error());
  if ((*machine)->space("sbuf") == nullptr) return original;
  const std::vector<TensorUse> uses = tensor_uses(original, **machine);
  if (uses.empty()) return original;
  ir::Program program = original;   // what has been found out refers to the other one
  const Remarks remarks(original, context);
  const std::vector<const ir::Statement*> statements = whole_tensor_statements(std::as_const(original));
  const int64_t budget = local_budget(original, **machine);
  const std::vector<Residence> decided = residences(original, uses, **machine, budget);
  for (size_t i = 0; i < uses.size(); ++i) {
    const ir::Statement& first = *statements[uses[i].accesses.front().statement];
    const Residence& residence = decided[i];
    if (!residence.reason)
      remarks.add(first, residence.bridges.empty() ? "local" : "local-transposed", describe(uses[i], residence));
    else
      remarks.add(first, name(*residence.reason),
                  *residence.reason == Nonlocal::too_large
                      ? fmt::format("{}; the tiles leave {}", describe(uses[i], residence), budget)
                      : fmt::format("{}: {}", uses[i].tensor->name, meaning(*residence.reason)));
  }
  Keeping(original, uses, decided).block(program.body);
  return program;
}

}  // namespace

std::vector<Residence> residences(const ir::Program& program, const std::vector<TensorUse>& uses, const machine::Machine& machine,
                                  int64_t budget) {
  const std::vector<const ir::Statement*> statements = whole_tensor_statements(program);
  const Extents extents(program);
  std::vector<Residence> result;
  std::vector<size_t> candidates;
  for (const TensorUse& use : uses) {
    result.push_back(residence_of(use, statements, machine, extents));
    if (!result.back().reason) candidates.push_back(result.size() - 1);
  }
  std::ranges::stable_sort(candidates, {}, [&](size_t i) { return result[i].bytes; });
  for (const size_t i : candidates) {
    if (result[i].bytes > budget) result[i].reason = Nonlocal::too_large;
    budget = result[i].bytes > budget ? 0 : budget - result[i].bytes;
  }
  return result;
}

namespace {

/// Of buffers that lie in SBUF already: tiles of the program's own, and those of groups that are tiled.
int64_t declared_bytes(const ir::Block& body, const machine::Space& sbuf, const Extents& extents) {
  int64_t sum = 0;
  for (const ir::Item& item : body) {
    if (const auto* buffer = std::get_if<ir::Buffer>(&item.node); buffer != nullptr && buffer->space == "sbuf") {
      std::vector<int64_t> largest;
      for (const ir::Expression& extent : buffer->extents) largest.push_back(extents.largest(extent));
      const int64_t bytes = machine::allocated_bytes(*buffer, largest, sbuf);
      sum = ir::combine(ir::Op::add, {sum, sum}, {bytes, bytes})->low;   // saturates
    }
    transform::each_body(item, [&](const ir::Block& inner) {
      const int64_t bytes = declared_bytes(inner, sbuf, extents);
      sum = ir::combine(ir::Op::add, {sum, sum}, {bytes, bytes})->low;
    });
  }
  return sum;
}

}  // namespace

int64_t local_budget(const ir::Program& program, const machine::Machine& machine) {
  const std::optional<int64_t> bytes = partition_bytes(machine);
  if (!bytes) return std::numeric_limits<int64_t>::max();
  const std::vector<const ir::Statement*> statements = whole_tensor_statements(program);
  const std::vector<Tensors> tensors = tensors_of(program);
  const Extents extents(program);
  int64_t most = 0;
  for (size_t i = 0; i < statements.size(); ++i)
    if (const auto operation = operation_of(*statements[i], tensors[i], machine))
      most = std::max(most, tile_bytes(*statements[i], *operation, tensors[i], machine, extents));
  const int64_t declared = declared_bytes(program.body, *machine.space("sbuf"), extents);
  return std::max<int64_t>(*bytes - most - std::min(declared, *bytes), 0);
}

pipeline::Pass infer_nonlocal() {
  using enum pipeline::RemarkKind;
  std::vector<pipeline::RemarkDeclaration> words{
      {"local", applied, "the tensor stays on chip: lanes, and bytes of one partition"},
      {"local-transposed", applied, "... with a transposed copy for each other layout that it is read in"}};
  for (size_t i = 0; i < nonlocal_count; ++i) {
    const auto reason = static_cast<Nonlocal>(i);
    words.push_back({std::string(name(reason)), applied, std::string(meaning(reason))});
  }
  return {"infer-nonlocal",
          "says which tensors stay in SBUF between nests, and transposes them where two layouts meet",
          "every axis has a class, and the tiles are cut",
          "a tensor with the tag `local` has one layout, which every access wants; a remark says of all others why they go "
          "through DRAM",
          {},
          std::move(words),
          run};
}

}  // namespace tileproof::penguin
