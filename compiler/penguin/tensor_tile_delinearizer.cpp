#include "compiler/penguin/tensor_tile_delinearizer.h"

#include "compiler/transform/each_body.h"
#include "compiler/transform/environment.h"
#include "compiler/transform/fold.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tileproof::penguin {
namespace {

using transform::Environment;
using transform::Linear;

using Fits = bool (*)(ir::Interval, int64_t);
using Indices = std::vector<ir::Expression>;

struct Access {
  const ir::Statement* statement = nullptr;
  Indices indices;
};

/// A tensor that may be split, and all that reads or writes it.
struct Candidate {
  std::vector<Access> accesses;
  std::vector<int64_t> extents;
};

/// Dimension `dim` becomes two: so many tiles, and the elements of a tile.
struct Split {
  size_t dim = 0;
  int64_t tile = 1;
};

/// What is no multiple of the tile: the terms that are none, and the remainder of the constant.
Linear within_tile(const Linear& index, int64_t tile) {
  Linear low{{}, ((index.constant % tile) + tile) % tile};
  for (const Linear::Term& term : index.terms)
    if (term.factor % tile != 0) low.terms.push_back(term);
  return low;
}

/// The number of the tile: all else, divided by its size.
Linear tile_number(const Linear& index, int64_t tile) {
  Linear high{{}, (index.constant - ((index.constant % tile) + tile) % tile) / tile};
  for (const Linear::Term& term : index.terms)
    if (term.factor % tile == 0) high.terms.push_back({term.atom, term.factor / tile});
  return high;
}

void apply(const Split& split, Indices& indices) {
  const Linear index = *transform::linear(indices[split.dim]);
  indices[split.dim] = transform::expression(tile_number(index, split.tile));
  indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(split.dim) + 1,
                 transform::expression(within_tile(index, split.tile)));
}

void apply(const Split& split, std::vector<int64_t>& extents) {
  extents[split.dim] /= split.tile;
  extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(split.dim) + 1, split.tile);
}

/// Whether the pair of indices is quotient and remainder of the index at all points of the statement.
bool is_split_by(const Access& access, const Split& split, Fits fits, const Environment& environment) {
  const ir::Expression& e = access.indices[split.dim];
  const auto index = transform::linear(e);
  if (!index || !bounds(e, *access.statement, environment)) return false;   // it may wrap
  const auto low = bounds(transform::expression(within_tile(*index, split.tile)), *access.statement, environment);
  return low && fits(*low, split.tile);
}

/// Axes of one element count for nothing.
bool has_several_axes(const ir::Expression& e, const ir::Statement& s, const Environment& environment) {
  const auto index = transform::linear(e);
  return index && std::ranges::count_if(index->terms, [&](const Linear::Term& term) {
                    const auto range = bounds(term.atom, s, environment);
                    return !range || !range->is_point();
                  }) > 1;
}

/// The next split of the tensor, if there is one.
std::optional<Split> next_split(const Candidate& tensor, Fits fits, const Environment& environment) {
  for (size_t dim = 0; dim < tensor.extents.size(); ++dim) {
    std::set<int64_t, std::greater<>> tiles;
    for (const Access& access : tensor.accesses) {
      if (!has_several_axes(access.indices[dim], *access.statement, environment)) continue;
      for (const Linear::Term& term : transform::linear(access.indices[dim])->terms)
        if (term.factor > 1 && term.factor < tensor.extents[dim] && tensor.extents[dim] % term.factor == 0)
          tiles.insert(term.factor);
    }
    for (const int64_t tile : tiles)
      if (std::ranges::all_of(tensor.accesses,
                              [&](const Access& access) { return is_split_by(access, {dim, tile}, fits, environment); }))
        return Split{dim, tile};
  }
  return std::nullopt;
}

class Tensors {
 public:
  Tensors(const ir::Program& program, const Environment& environment) : environment_(environment) {
    for (const ir::Item& item : program.body) declare(item);
    for (const ir::Item& item : program.body) collect(item);
    for (const std::string& name : barred_) candidates_.erase(name);
  }

  std::map<std::string, Candidate>& candidates() { return candidates_; }

 private:
  const Environment& environment_;
  std::map<std::string, Candidate> candidates_;
  std::set<std::string> declared_;
  std::set<std::string> barred_;   // something names them whose accesses are not rewritten

  void declare(const ir::Item& item) {
    const auto* buffer = std::get_if<ir::Buffer>(&item.node);
    if (buffer == nullptr || buffer->space != "dram" || buffer->role != ir::Role::none || buffer->address ||
        !buffer->valid.empty() || buffer->partition_rank || environment_.find(buffer->name) == nullptr)
      return;
    Candidate candidate;
    for (const ir::Expression& e : buffer->extents) {
      const auto extent = transform::constant(e);
      if (!extent || *extent < 1) return;
      candidate.extents.push_back(*extent);
    }
    candidates_.emplace(buffer->name, std::move(candidate));
  }

  void reads(const ir::Expression& e, const ir::Statement* statement) {
    for (const ir::Expression& operand : e.operands) reads(operand, statement);
    if (e.op != ir::Op::read) return;
    if (statement == nullptr) barred_.insert(e.name);
    add(e.name, e.operands, statement);
  }

  void add(const std::string& name, const Indices& indices, const ir::Statement* statement) {
    const auto found = candidates_.find(name);
    if (found != candidates_.end() && statement != nullptr) found->second.accesses.push_back({statement, indices});
  }

  void collect(const ir::Item& item) {
    if (const auto* s = std::get_if<ir::Statement>(&item.node)) {
      add(s->destination, s->indices, s);
      for (const ir::Expression& e : s->indices) reads(e, s);
      reads(s->value, s);
      for (const ir::Expression& e : s->where) reads(e, s);
      for (const auto* claim : {&s->start, &s->stop})
        if (*claim)
          for (const ir::Expression& e : (*claim)->conditions) reads(e, nullptr);
    } else if (const auto* loop = std::get_if<ir::Loop>(&item.node)) {
      reads(loop->range.low, nullptr), reads(loop->range.high, nullptr);
    } else if (const auto* branch = std::get_if<ir::If>(&item.node)) {
      for (const ir::Expression& e : branch->conditions) reads(e, nullptr);
    } else if (const auto* wait = std::get_if<ir::While>(&item.node)) {
      for (const ir::Expression& e : wait->conditions) reads(e, nullptr);
      reads(wait->limit, nullptr);
    } else if (const auto* buffer = std::get_if<ir::Buffer>(&item.node)) {
      if (!declared_.insert(buffer->name).second) barred_.insert(buffer->name);   // disjoint blocks may use a name twice
    } else if (const auto* view = std::get_if<ir::View>(&item.node)) {
      if (!declared_.insert(view->name).second) barred_.insert(view->name);
      barred_.insert(view->base);
    } else if (const auto* move = std::get_if<ir::Move>(&item.node)) {
      barred_.insert(move->destinations.begin(), move->destinations.end());
      barred_.insert(move->sources.begin(), move->sources.end());
    } else if (const auto* call = std::get_if<ir::Opaque>(&item.node)) {
      for (const auto& argument : call->arguments) barred_.insert(argument.buffer);
    }
    transform::each_body(item, [&](const ir::Block& body) {
      for (const ir::Item& inner : body) collect(inner);
    });
  }
};

using Splits = std::map<std::string, std::vector<Split>>;

void rewrite(ir::Expression& e, const Splits& splits) {
  transform::each_read(e, [&](ir::Expression& read) {
    if (const auto found = splits.find(read.name); found != splits.end())
      for (const Split& split : found->second) apply(split, read.operands);
  });
}

void rewrite(ir::Block& block, const Splits& splits) {
  for (ir::Item& item : block) {
    if (auto* s = std::get_if<ir::Statement>(&item.node)) {
      for (ir::Expression& e : s->indices) rewrite(e, splits);
      rewrite(s->value, splits);
      for (ir::Expression& e : s->where) rewrite(e, splits);
      if (const auto found = splits.find(s->destination); found != splits.end())
        for (const Split& split : found->second) apply(split, s->indices);
    }
    transform::each_body(item, [&](ir::Block& body) { rewrite(body, splits); });
  }
}

std::expected<ir::Program, ir::Diagnostics> run(ir::Program program, const pipeline::Context& context, Fits fits) {
  const Environment environment(program);
  Tensors tensors(program, environment);
  Splits splits;
  for (ir::Item& item : program.body) {
    auto* buffer = std::get_if<ir::Buffer>(&item.node);
    const auto found = buffer == nullptr ? tensors.candidates().end() : tensors.candidates().find(buffer->name);
    if (found == tensors.candidates().end()) continue;
    auto& [name, tensor] = *found;
    const auto is_mixed = [&](const Access& access) {
      return std::ranges::any_of(
          access.indices, [&](const ir::Expression& index) { return has_several_axes(index, *access.statement, environment); });
    };
    if (!std::ranges::any_of(tensor.accesses, is_mixed)) continue;
    while (const auto split = next_split(tensor, fits, environment)) {
      for (Access& access : tensor.accesses) apply(*split, access.indices);
      apply(*split, tensor.extents);
      splits[name].push_back(*split);
    }
    const auto remark = [&](std::string_view id, std::string text) {
      context.remarks.push_back({std::string(id), "-", std::move(text), buffer->location, {}, {}});
    };
    if (splits.contains(name)) {
      buffer->extents.clear();
      for (const int64_t extent : tensor.extents) buffer->extents.push_back(ir::integer(extent));
      remark("split-dimension", fmt::format("{} is [{}] now", name, fmt::join(tensor.extents, ", ")));
    }
    if (std::ranges::any_of(tensor.accesses, is_mixed))
      remark("mixed", fmt::format("an access of {} has several axes in one index, and no tile agrees with all accesses", name));
  }
  if (!splits.empty()) rewrite(program.body, splits);
  return program;
}

}  // namespace

bool lies_in_a_tile(ir::Interval low, int64_t tile) { return low.low >= 0 && low.high < tile; }

pipeline::Pass tensor_tile_delinearizer(bool (*fits)(ir::Interval low, int64_t tile)) {
  using enum pipeline::RemarkKind;
  return {"tensor-tile-delinearizer",
          "splits dimensions of the program's own tensors that several axes index together",
          "nothing",
          "each dimension of such a tensor has one axis in each access, where a tile allows it",
          {},
          {{"split-dimension", applied, "a dimension became several, in all accesses"},
           {"mixed", applied, "an access has several axes in one index, and no tile agrees with all accesses"}},
          [fits](ir::Program program, const pipeline::Context& context) { return run(std::move(program), context, fits); }};
}

}  // namespace tileproof::penguin
