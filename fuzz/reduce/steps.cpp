#include "fuzz/reduce/steps.h"

#include <array>

namespace tileproof::fuzz {

std::span<const Step> all_steps() {
  static constexpr std::array steps{
      Step{"outputs", true, &drop_outputs},        Step{"cut at a buffer", false, &cut_at_buffer},
      Step{"sizes", false, &shrink_sizes},         Step{"items", true, &drop_items},
      Step{"dead code", false, &drop_dead},        Step{"nests", false, &unwrap},
      Step{"clauses", true, &drop_clauses},        Step{"tags", true, &drop_tags},
      Step{"parameters", false, &bind_parameters}, Step{"operands alike", false, &take_operands_alike},
      Step{"operands", false, &take_operand},      Step{"operands in both", false, &take_operands_in_pair},
      Step{"integers", false, &fold_integers},     Step{"unit dims", true, &drop_unit_dims},
      Step{"unit axes", true, &drop_unit_axes},    Step{"literals", false, &lower_literal},
      Step{"dtypes", true, &make_dtypes_f32},      Step{"machine", false, &drop_machine},
      Step{"pipeline", false, &simplify_pipeline}, Step{"names", false, &shorten_names},
  };
  return steps;
}

}  // namespace tileproof::fuzz
