// Nests that share a loop, statements that leave theirs, and whole nests that are lost.
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/tiled.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::plant {
namespace {

using fuzz::number;
using ir::LoopKind;

ir::Loop* par_loop(ir::Item& item) {
  auto* loop = std::get_if<ir::Loop>(&item.node);
  return loop != nullptr && loop->kind == LoopKind::par && trips(*loop).value_or(0) > 1 ? loop : nullptr;
}

/// Every statement of the block, loops and all.
template <class F>
void each_inside(ir::Block& block, const F& f) {
  for (ir::Item& item : block) {
    if (auto* loop = std::get_if<ir::Loop>(&item.node)) each_inside(loop->body, f);
    if (auto* s = std::get_if<ir::Statement>(&item.node)) f(*s);
  }
}

void rename(ir::Block& block, const std::string& from, const std::string& to) {
  for (ir::Item& item : block)
    if (auto* loop = std::get_if<ir::Loop>(&item.node)) rename(loop->body, from, to);
  each_inside(block, [&](ir::Statement& s) { fuzz::substitute(s, {{from, ir::variable(to)}}); });
}

/// Whether the second nest reads what the first one writes.
bool flows(ir::Loop& first, ir::Loop& second) {
  std::set<std::string> written;
  bool reads = false;
  each_inside(first.body, [&](ir::Statement& s) { written.insert(s.destination); });
  each_inside(second.body, [&](ir::Statement& s) {
    fuzz::each_read(s.value, [&](ir::Expression& read) { reads |= written.contains(read.name); });
  });
  return reads;
}

/// Two nests side by side, of which `wanted(first, second)` holds, become one loop: that of the first.
template <class Wanted>
void fuse(ir::Program& program, const Wanted& wanted) {
  for (size_t i = 0; i + 1 < program.body.size(); ++i) {
    ir::Loop *first = par_loop(program.body[i]), *second = par_loop(program.body[i + 1]);
    if (first == nullptr || second == nullptr || !wanted(*first, *second)) continue;
    rename(second->body, second->name, first->name);
    std::ranges::move(second->body, std::back_inserter(first->body));
    program.body.erase(program.body.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return;
  }
}

void fused_by_trips_alone(ir::Program& program, const machine::Machine&) {
  fuse(program, [](ir::Loop& first, ir::Loop& second) { return trips(first) == trips(second) && flows(first, second); });
}

void loop_of_the_first_member(ir::Program& program, const machine::Machine&) {
  fuse(program, [](ir::Loop& first, ir::Loop& second) { return *trips(first) < *trips(second) && !flows(first, second); });
}

/// A load that does not depend on its loop stands before it, and forgets the conditions that it was under.
void hoisted_without_its_tail(ir::Program& program, const machine::Machine&) {
  each_place(program, is_load, [](const Place& place) {
    ir::Statement& s = place.statement();
    const bool depends = place.loops.empty() || std::ranges::any_of(s.value.operands, [&](const ir::Expression& index) {
                           return names(index, place.loops.back()->name);
                         });
    if (!depends) s.where.clear();
  });
}

/// A nest that loads what it stores is lost: readers see what was there before.
void update_in_place_lost(ir::Program& program, const machine::Machine&) {
  for (size_t i = 0; i < program.body.size(); ++i) {
    auto* loop = std::get_if<ir::Loop>(&program.body[i].node);
    if (loop == nullptr) continue;
    std::set<std::string> loaded, stored;
    each_inside(loop->body, [&](ir::Statement& s) {
      if (is_load(s)) loaded.insert(s.value.name);
      if (is_store(s)) stored.insert(s.destination);
    });
    if (stored.size() != 1 || !loaded.contains(*stored.begin())) continue;
    program.body.erase(program.body.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

}  // namespace

std::vector<PlantedBug> wrong_nests() {
  const std::string macro = "macro-generation";
  return {
      {"fused-by-trips-alone", "nests of as many trips are fused, whichever elements the second one reads of the first",
       "passes 8.2(a)", WrongPass{macro, fused_by_trips_alone}},
      {"loop-of-the-first-member", "nests that share a loop have the trips of the first of them", "bugs.tsv B035",
       WrongPass{macro, loop_of_the_first_member}},
      {"hoisted-without-its-tail", "a load that its loop does not change loses the conditions that it was under", "passes 8.9(d)",
       WrongPass{macro, hoisted_without_its_tail}},
      {"update-in-place-lost", "readers of a tensor take a copy that was made before it was updated", "passes 5.3(b)",
       WrongPass{macro, update_in_place_lost}},
  };
}

}  // namespace tileproof::plant
