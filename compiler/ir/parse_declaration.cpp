#include "compiler/ir/parse_expression.h"
#include "compiler/ir/parser.h"

namespace tileproof::ir {

Parameter Parser::parameter() {
  Parameter parameter;
  parameter.location = stream_.location();
  stream_.take();
  stream_.count_nodes(item_weight);
  parameter.name = stream_.expect_name("the name of a parameter").text;
  stream_.expect(":", "`param n : 1..4096`");
  parameter.low = stream_.expect_integer("the lowest value of the parameter");
  stream_.expect("..", "a parameter has a range with both ends included: `param n : 1..4096`");
  parameter.high = stream_.expect_integer("the highest value of the parameter");
  return parameter;
}

Range Parser::range() {
  Range range;
  range.high = parse_expression(stream_);
  if (stream_.take_if("..")) {
    range.low = std::move(range.high);
    range.high = parse_expression(stream_);
  }
  return range;
}

Buffer Parser::buffer() {
  Buffer buffer;
  buffer.location = stream_.take().location;
  buffer.name = stream_.expect_name("the name of a buffer").text;
  if (stream_.at("{")) buffer.tags = tags();
  stream_.expect(":", "`buffer NAME : dtype[dims] SPACE`");
  buffer.dtype = stream_.expect_dtype();
  stream_.expect("[", "the dims follow the dtype: `f32[128 | 512]`");
  do {
    buffer.extents.push_back(parse_expression(stream_));
    if (stream_.at("|")) buffer.partition_rank = bar(buffer.extents.size(), buffer.partition_rank);
  } while (stream_.take_if(",") || stream_.take_if("|"));
  stream_.expect("]", "write `,` and another dim, or `]`");
  buffer.space = stream_.expect_name("a memory space").text;
  static constexpr std::array roles{Role::in, Role::out, Role::inout};
  buffer.role = take_enum(stream_, roles).value_or(Role::none);
  std::vector<std::string_view> seen;
  for (;;) {
    if (stream_.at("at")) {
      once(seen, "at");
      Address address;
      address.partition = parse_prim(stream_);
      stream_.expect(":", "an address is `at PARTITION:BYTE`");
      address.byte = parse_prim(stream_);
      buffer.address = std::move(address);
    } else if (stream_.at("valid")) {
      once(seen, "valid");
      stream_.expect("[", "`valid [0..rows, cols]`");
      do buffer.valid.push_back(range());
      while (stream_.take_if(","));
      stream_.expect("]", "write `,` and another range, or `]`");
    } else if (stream_.at("range")) {
      once(seen, "range");
      buffer.range = range();
    } else {
      return buffer;
    }
  }
}

/// The bar after `rank` dims. Leaves the `|` to the caller's loop.
std::optional<size_t> Parser::bar(size_t rank, const std::optional<size_t>& earlier) {
  if (earlier) stream_.fail(stream_.location(), "a second bar", "one bar parts the partition dims from the free dims");
  return rank;
}

View Parser::view() {
  View view;
  view.location = stream_.take().location;
  view.name = stream_.expect_name("the name of a view").text;
  if (stream_.at("{")) view.tags = tags();
  stream_.expect("[", "`view NAME[i:6, j:4] = BASE[index, ...]`");
  do {
    Axis dim;
    const Token name = stream_.expect_name("the name of a dim");
    dim.name = name.text;
    dim.location = name.location;
    stream_.expect(":", "each dim of a view has a name and an extent: `i:6`");
    dim.extent = parse_expression(stream_);
    view.dims.push_back(std::move(dim));
    if (stream_.at("|")) view.partition_rank = bar(view.dims.size(), view.partition_rank);
  } while (stream_.take_if(",") || stream_.take_if("|"));
  stream_.expect("]", "write `,` and another dim, or `]`");
  stream_.expect("=", "a view says which elements it names: `= BASE[index, ...]`");
  view.base = stream_.expect_name("the buffer or view behind a view").text;
  stream_.expect("[", "the indices into the base follow its name");
  view.indices = parse_indices(stream_);
  return view;
}

}  // namespace tileproof::ir
