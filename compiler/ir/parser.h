// The parser of items: programs, blocks and control (parse.cpp), declarations, statements.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/ir/token_stream.h"

#include <array>

namespace tileproof::ir {

/// An item is worth so many expressions in memory.
inline constexpr size_t item_weight = 8;

/// The value of the enumeration whose name is the current word, which is then taken.
template <class Enum, size_t count>
std::optional<Enum> take_enum(TokenStream& stream, const std::array<Enum, count>& values) {
  for (const Enum value : values) {
    if (stream.take_if(name(value))) return value;
  }
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(TokenStream& stream) : stream_(stream) {}

  void file(std::vector<Program>& programs);

 private:
  Program program();
  Parameter parameter();
  Block block();
  Block block_after_brace(Location open);
  void recover();
  bool at_item() const;

  Item item();
  Buffer buffer();
  View view();
  Statement statement();
  void clauses(Statement& statement);
  Loop loop();
  If branch();
  While repeat();
  Group group();
  Move move();
  Opaque opaque();

  Tags tags();
  TagValue tag_value();
  std::variant<int64_t, std::string> tag_atom();
  Axis axis();
  bool at_statement_after_word() const;
  Update update();
  Range range();
  std::optional<size_t> bar(size_t rank, const std::optional<size_t>& earlier);
  Claim claim();
  std::vector<std::string> names(std::string_view what);
  std::string opcode();
  /// Takes `keyword`, which begins an item or a clause that may be given once.
  void once(std::vector<std::string_view>& seen, std::string_view keyword);

  TokenStream& stream_;
  int depth_ = 0;
};

}  // namespace tileproof::ir
