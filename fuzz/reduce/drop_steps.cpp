// Steps that remove parts of a program.
#include "fuzz/reduce/dead.h"
#include "fuzz/reduce/fold.h"
#include "fuzz/reduce/steps.h"
#include "fuzz/reduce/walk.h"

#include <algorithm>
#include <iterator>

namespace tileproof::fuzz {
namespace {

std::vector<ir::Buffer*> top_level_buffers(ir::Program& program) {
  std::vector<ir::Buffer*> buffers;
  for (ir::Item& item : program.body)
    if (auto* buffer = std::get_if<ir::Buffer>(&item.node)) buffers.push_back(buffer);
  return buffers;
}

void rename_memory(ir::Program& program, const std::string& from, const std::string& to) {
  each_item(program.body, [&](ir::Item& item) {
    each_memory_name(item, [&](std::string& name) {
      if (name == from) name = to;
    });
  });
}

/// Outputs that are not wanted, where `name` becomes the only one.
void make_output(Subject& subject, const std::string& name) {
  for (ir::Program& program : subject.programs) {
    std::set<std::string> others;
    for (ir::Buffer* buffer : top_level_buffers(program)) {
      if (buffer->name == name)
        buffer->role = ir::Role::out;
      else if (buffer->role == ir::Role::out)
        others.insert(buffer->name);
    }
    drop_mentions(program.body, with_views(program, std::move(others)));
  }
}

/// `name` is given; what computes it is not needed.
void make_input(Subject& subject, const std::string& name) {
  for (ir::Program& program : subject.programs) {
    const std::set<std::string> names = with_views(program, {name});
    for (ir::Buffer* buffer : top_level_buffers(program))
      if (buffer->name == name) buffer->role = ir::Role::in;
    each_block(program.body, [&](ir::Block& block) {
      std::erase_if(block, [&](const ir::Item& item) {
        const auto* s = std::get_if<ir::Statement>(&item.node);
        return s != nullptr && names.contains(s->destination);
      });
    });
  }
}

bool is_alike(const ir::Buffer& a, const ir::Buffer& b) {
  return b.role == ir::Role::none && a.dtype == b.dtype && a.extents == b.extents;
}

/// Erases what `places` takes.
template <class T>
void drop_some(std::vector<T>& list, Places& places) {
  std::erase_if(list, [&](const T&) { return places.next(); });
}
template <class T>
void drop_some(std::optional<T>& one, Places& places) {
  if (one && places.next()) one.reset();
}

void substitute_in(ir::Block& block, const std::string& name, const ir::Expression& value) {
  each_item(block, [&](ir::Item& item) {
    each_expression(item, [&](ir::Expression& e, Use use) {
      substitute(e, name, value);
      if (use != Use::value) fold(e);
    });
  });
}

}  // namespace

void drop_outputs(Subject& subject, Places& places) {
  std::set<std::string> names;
  for (ir::Buffer* buffer : top_level_buffers(subject.programs.front())) {
    const bool is_output = buffer->role == ir::Role::out || buffer->role == ir::Role::inout;
    if (is_output && places.next()) names.insert(buffer->name);
  }
  if (names.empty()) return;
  for (ir::Program& program : subject.programs) drop_mentions(program.body, with_views(program, names));
  drop_dead_code(subject);
}

void cut_at_buffer(Subject& subject, Places& places) {
  ir::Program& first = subject.programs.front();
  for (const bool is_output : {true, false}) {
    for (ir::Buffer* buffer : top_level_buffers(first)) {
      if (buffer->role != ir::Role::none) continue;
      // In the tiled program it may have another name.
      std::vector<std::string> partners{buffer->name};
      if (subject.programs.size() > 1) {
        partners.clear();
        for (const ir::Buffer* other : top_level_buffers(subject.programs[1]))
          if (is_alike(*buffer, *other)) partners.push_back(other->name);
        std::ranges::stable_partition(partners, [&](const std::string& name) { return name == buffer->name; });
      }
      for (const std::string& partner : partners) {
        if (!places.next()) continue;
        const std::string name = buffer->name;
        if (partner != name) {
          rename_memory(subject.programs[1], name, name + "_");
          rename_memory(subject.programs[1], partner, name);
        }
        is_output ? make_output(subject, name) : make_input(subject, name);
        return drop_dead_code(subject);
      }
    }
  }
}

void drop_dead(Subject& subject, Places& places) {
  if (places.next()) return drop_dead_code(subject);
  if (places.next()) drop_unused_declarations(subject);
}

void drop_items(ir::Program& program, Places& places) {
  each_block(program.body, [&](ir::Block& block) { drop_some(block, places); });
}

void unwrap(ir::Program& program, Places& places) {
  bool taken = false;   // the walk would go on in what has moved
  each_block(program.body, [&](ir::Block& block) {
    for (size_t i = 0; i < block.size() && !taken; ++i) {
      ir::Item& item = block[i];
      std::vector<ir::Block> bodies;
      if (auto* group = std::get_if<ir::Group>(&item.node)) bodies = {group->body};
      if (auto* loop = std::get_if<ir::While>(&item.node)) bodies = {loop->body};
      if (auto* branch = std::get_if<ir::If>(&item.node)) bodies = {branch->then_body, branch->else_body};
      if (auto* loop = std::get_if<ir::Loop>(&item.node)) {
        ir::Expression last = ir::make(ir::Op::subtract, {loop->range.high, ir::integer(1)});
        fold(last);
        bodies = {loop->body, loop->body};
        substitute_in(bodies[0], loop->name, loop->range.low);
        substitute_in(bodies[1], loop->name, last);
      }
      for (ir::Block& body : bodies) {
        if (taken || !places.next()) continue;
        taken = true;
        const auto at = block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
        block.insert(at, std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
        break;
      }
    }
  });
}

void drop_clauses(ir::Program& program, Places& places) {
  each_item(program.body, [&](ir::Item& item) {
    if (auto* s = std::get_if<ir::Statement>(&item.node)) {
      drop_some(s->where, places);
      if (s->start) drop_some(s->start->conditions, places);
      drop_some(s->start, places);
      if (s->stop) drop_some(s->stop->conditions, places);
      drop_some(s->stop, places);
      drop_some(s->accumulate, places);
      drop_some(s->clobbers, places);
      if (s->update != ir::Update::assign && places.next()) {
        s->update = ir::Update::assign;
        s->start.reset();
        s->stop.reset();
      }
    } else if (auto* buffer = std::get_if<ir::Buffer>(&item.node)) {
      drop_some(buffer->address, places);
      if (!buffer->valid.empty() && places.next()) buffer->valid.clear();
      if (buffer->role == ir::Role::none) {   // the ranges of inputs have to agree in a pair
        drop_some(buffer->range, places);
        drop_some(buffer->partition_rank, places);
      }
    } else if (auto* branch = std::get_if<ir::If>(&item.node)) {
      if (branch->conditions.size() > 1) drop_some(branch->conditions, places);
      if (!branch->else_body.empty() && places.next()) branch->else_body.clear();
    } else if (auto* loop = std::get_if<ir::While>(&item.node)) {
      if (loop->conditions.size() > 1) drop_some(loop->conditions, places);
    } else if (auto* group = std::get_if<ir::Group>(&item.node)) {
      drop_some(group->opcode, places);
    }
  });
}

void drop_tags(Subject& subject, Places& places) {
  for (ir::Program& program : subject.programs) {
    drop_some(program.tags, places);
    each_item(program.body, [&](ir::Item& item) {
      std::visit(
          [&](auto& node) {
            if constexpr (requires { node.tags; }) drop_some(node.tags, places);
            if constexpr (requires { node.axes; })
              for (ir::Axis& axis : node.axes) drop_some(axis.tags, places);
            if constexpr (requires { node.dims; })
              for (ir::Axis& dim : node.dims) drop_some(dim.tags, places);
          },
          item.node);
    });
  }
}

void drop_machine(Subject& subject, Places& places) {
  for (ir::Program& program : subject.programs) {
    drop_some(program.machine, places);
    if (program.kind != ir::ProgramKind::plain && places.next()) program.kind = ir::ProgramKind::plain;
  }
}

}  // namespace tileproof::fuzz
