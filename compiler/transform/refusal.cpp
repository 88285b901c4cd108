#include "compiler/transform/refusal.h"

namespace tileproof::transform {

std::string_view name(RefusalId id) {
  using enum RefusalId;
  switch (id) {
    case no_such_axis: return "no_such_axis";
    case no_such_read: return "no_such_read";
    case not_a_nest: return "not_a_nest";
    case bad_tile: return "bad_tile";
    case does_not_divide: return "does_not_divide";
    case bad_name: return "bad_name";
    case loop_kind: return "loop_kind";
    case order_would_change: return "order_would_change";
    case partials_round: return "partials_round";
    case initialises_less: return "initialises_less";
    case may_be_empty: return "may_be_empty";
    case shares_bytes: return "shares_bytes";
    case bounds_depend: return "bounds_depend";
    case crosses_units: return "crosses_units";
    case unknown_buffer: return "unknown_buffer";
    case destination_varies: return "destination_varies";
    case reads_destination: return "reads_destination";
    case axes_differ: return "axes_differ";
    case extent_varies: return "extent_varies";
    case out_of_bounds: return "out_of_bounds";
    case dtype_differs: return "dtype_differs";
    case starts_elsewhere: return "starts_elsewhere";
    case not_a_copy: return "not_a_copy";
    case not_covered: return "not_covered";
    case written_between: return "written_between";
  }
  return "";
}

}  // namespace tileproof::transform
