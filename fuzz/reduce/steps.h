// The steps that a reducer tries.
//
// A step walks over the places where it could be taken and asks at each whether to take it there; so the same function counts the
// places and edits. What comes out need not be well formed.
#pragma once

#include "fuzz/reduce/subject.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <variant>

namespace tileproof::fuzz {

/// A run of places, by their numbers in the order of the walk.
class Places {
 public:
  Places(size_t first, size_t count) : first_(first), end_(first + count) {}

  /// To be asked once at each place.
  bool next() {
    const size_t place = seen_++;
    return place >= first_ && place < end_;
  }
  size_t seen() const { return seen_; }

 private:
  size_t first_, end_, seen_ = 0;
};

struct Step {
  using OfSubject = void (*)(Subject&, Places&);
  using OfProgram = void (*)(ir::Program&, Places&);

  std::string_view name;
  bool together = false;  ///< several places may be taken at once; otherwise they are alternatives
  /// Of a program: it is tried on each program of a subject alone.
  std::variant<OfSubject, OfProgram> take;
};

/// In the order to try them: what removes most comes first.
std::span<const Step> all_steps();

// What is removed (drop_steps.cpp).
void drop_outputs(Subject& subject, Places& places);  ///< ... with all that only they need
void cut_at_buffer(Subject& subject, Places& places);  ///< an intermediate becomes the output, or an input
void drop_dead(Subject& subject, Places& places);  ///< what no output needs, or only what is declared and not used
void drop_items(ir::Program& program, Places& places);
void unwrap(ir::Program& program, Places& places);  ///< a group, branch or loop by its body, for one iteration of the loop
void drop_clauses(ir::Program& program, Places& places);  ///< conditions, claims, addresses, ...; an update by `=`
void drop_tags(Subject& subject, Places& places);
void drop_machine(Subject& subject, Places& places);

// What is simplified (expression_steps.cpp).
void take_operands_alike(Subject& subject, Places& places);  ///< of one operator, wherever it occurs
void take_operands_in_pair(Subject& subject, Places& places);  ///< of an operator in each program of a pair
void take_operand(ir::Program& program, Places& places);
void lower_literal(ir::Program& program, Places& places);
void fold_integers(Subject& subject, Places& places);

// What is made smaller (size_steps.cpp).
void shrink_sizes(Subject& subject, Places& places);  ///< extents with all that is tied to them (ties.h)
void bind_parameters(Subject& subject, Places& places);
void drop_unit_dims(Subject& subject, Places& places);
void drop_unit_axes(ir::Program& program, Places& places);

// What reads more easily (plain_steps.cpp).
void make_dtypes_f32(Subject& subject, Places& places);
void shorten_names(Subject& subject, Places& places);
void simplify_pipeline(Subject& subject, Places& places);

}  // namespace tileproof::fuzz
