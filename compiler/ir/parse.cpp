#include "compiler/ir/parse_expression.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/reserved.h"
#include "compiler/ir/suggestion.h"
#include "compiler/ir/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::ir {

// ---- programs and blocks ----

void Parser::file(std::vector<Program>& programs) {
  if (stream_.at_end()) {
    stream_.give_up(stream_.location(), "the text holds no program", "begin with `tile 1` and `program NAME { ... }`");
  }
  if (!stream_.at("tile"))
    stream_.report(stream_.location(), "the first line is not `tile 1`", "write `tile 1` before the program");
  while (!stream_.at_end()) {
    try {
      programs.push_back(program());
    } catch (const SyntaxError&) {
      do stream_.take();
      while (!stream_.at_end() && !(stream_.current().first_on_line && (stream_.at("tile") || stream_.at("program"))));
    }
  }
}

Program Parser::program() {
  if (stream_.take_if("tile")) {
    const Token version = stream_.current();
    if (version.text != "1") stream_.unexpected("`1`, the version of the language", "this program reads `tile 1`");
    stream_.take();
  }
  Program program;
  program.location = stream_.location();
  stream_.expect("program", "a file is `tile 1` and `program NAME { ... }`, once or more");
  program.name = stream_.expect_name("the name of a program").text;
  std::vector<std::string_view> seen;
  for (;;) {
    if (stream_.at("kind")) {
      once(seen, "kind");
      static constexpr std::array kinds{ProgramKind::plain, ProgramKind::incore,        ProgramKind::aic,   ProgramKind::aiv,
                                        ProgramKind::group, ProgramKind::orchestration, ProgramKind::opaque};
      const auto kind = take_enum(stream_, kinds);
      if (!kind) stream_.unexpected("a kind of program", "plain, incore, aic, aiv, group, orchestration or opaque");
      program.kind = *kind;
    } else if (stream_.at("machine")) {
      stream_.take_before_machine_name();
      if (program.machine) stream_.report(stream_.location(), "a second machine", "a program is written for one machine");
      if (!stream_.at_word()) stream_.unexpected("the name of a machine", "`machine trn2` for example");
      program.machine = stream_.take().text;
    } else if (stream_.at("tags")) {
      once(seen, "tags");
      program.tags = tags();
    } else {
      break;
    }
  }
  const Location open = stream_.location();
  stream_.expect("{", "`program NAME kind KIND machine NAME tags {...} {`");
  while (stream_.at("param")) {
    try {
      program.parameters.push_back(parameter());
    } catch (const SyntaxError&) {
      recover();
    }
  }
  program.body = block_after_brace(open);
  return program;
}

Block Parser::block() {
  const Location open = stream_.location();
  stream_.expect("{", "open the block with `{`");
  return block_after_brace(open);
}

Block Parser::block_after_brace(Location open) {
  const Nesting nesting(stream_, depth_, "blocks");
  Block body;
  while (!stream_.take_if("}")) {
    if (stream_.at_end()) {
      stream_.give_up(stream_.location(), fmt::format("the block that opens at {}:{} is not closed", open.line, open.column),
                      "write `}`");
    }
    try {
      body.push_back(item());
    } catch (const SyntaxError&) {
      recover();
    }
  }
  return body;
}

/// Goes to the end of the block or to the next line that looks like an item of it, over whole blocks. Whoever parses what it stops
/// at takes at least one token, or parsing would not end.
void Parser::recover() {
  for (int open = 0; !stream_.at_end(); stream_.take()) {
    if (stream_.at("{")) {
      ++open;
    } else if (stream_.at("}")) {
      if (open == 0) return;
      --open;
    } else if (open == 0 && stream_.current().first_on_line && at_item()) {
      return;
    }
  }
}

bool Parser::at_item() const {
  if (!stream_.at_word()) return false;
  if (stream_.at("param") || std::ranges::find(item_keywords(), stream_.current().text) != item_keywords().end()) return true;
  return is_opcode(stream_.current().text) && (stream_.peek().kind == TokenKind::word || stream_.peek().text == "{");
}

Item Parser::item() {
  stream_.count_nodes(item_weight);
  if (stream_.at("buffer")) return {buffer()};
  if (stream_.at("view")) return {view()};
  if (stream_.at("for")) return {loop()};
  if (stream_.at("if")) return {branch()};
  if (stream_.at("while")) return {repeat()};
  if (stream_.at("group")) return {group()};
  if (stream_.at("move")) return {move()};
  if (stream_.at("opaque")) return {opaque()};
  if (stream_.at("param")) {
    stream_.fail(stream_.take().location, "a parameter after the first item", "declare parameters at the top of the program");
  }
  if (stream_.at("else")) stream_.fail(stream_.location(), "`else` without an `if` before it", "write `if ... { } else { }`");
  if (!stream_.at_word()) {
    stream_.unexpected(
        "an item",
        "an item is a buffer, a view, a statement, for, if, while, group, move or opaque; or close the block with `}`");
  }
  return {statement()};
}

// ---- control ----

Loop Parser::loop() {
  Loop loop;
  loop.location = stream_.take().location;
  loop.name = stream_.expect_name("a loop variable").text;
  if (stream_.at("{")) loop.tags = tags();
  stream_.expect("in", "`for i in 0..4 seq { ... }`");
  loop.range.low = parse_expression(stream_);
  stream_.expect("..", "a loop has both ends, the upper one excluded: `in 0..4`");
  loop.range.high = parse_expression(stream_);
  static constexpr std::array kinds{LoopKind::seq, LoopKind::par, LoopKind::shard, LoopKind::thread};
  if (const auto kind = take_enum(stream_, kinds)) {
    loop.kind = *kind;
  } else {
    stream_.report(stream_.location(), fmt::format("expected the kind of the loop, found {}", quoted(stream_.current().text)),
                   "write seq, par, shard or thread before `{`");
    if (stream_.at_word() && stream_.peek().text == "{") stream_.take();
  }
  loop.body = block();
  return loop;
}

If Parser::branch() {
  If branch;
  branch.location = stream_.take().location;
  branch.conditions = parse_conditions(stream_);
  branch.then_body = block();
  if (stream_.take_if("else")) {
    if (stream_.at("if")) stream_.fail(stream_.location(), "`else if` is not in the language", "write `else { if ... { } }`");
    branch.else_body = block();
  }
  return branch;
}

While Parser::repeat() {
  While repeat;
  repeat.location = stream_.take().location;
  repeat.conditions = parse_conditions(stream_);
  stream_.expect("max", "a while has a limit: `while flag[0] != 0 max 10 { ... }`");
  repeat.limit = parse_prim(stream_);
  repeat.body = block();
  return repeat;
}

Group Parser::group() {
  Group group;
  group.location = stream_.take().location;
  group.name = stream_.expect_name("the name of a group").text;
  if (stream_.take_if("as")) group.opcode = opcode();
  if (stream_.take_if("tags")) group.tags = tags();
  group.body = block();
  return group;
}

Move Parser::move() {
  Move move;
  move.location = stream_.take().location;
  move.destinations = names("the destination of a move");
  stream_.expect("=", "`move a, b = x, y`");
  move.sources = names("the source of a move");
  return move;
}

Opaque Parser::opaque() {
  Opaque opaque;
  opaque.location = stream_.take().location;
  opaque.name = stream_.expect_name("the name of an opaque operation").text;
  stream_.expect("(", "`opaque NAME(in a, inout b, out c)`");
  static constexpr std::array roles{Role::in, Role::out, Role::inout};
  do {
    const auto role = take_enum(stream_, roles);
    if (!role) stream_.unexpected("`in`, `inout` or `out`", "say how the operation uses each buffer: `in a`");
    opaque.arguments.push_back({*role, std::string(stream_.expect_name("an argument").text)});
    stream_.count_nodes(1);
  } while (stream_.take_if(","));
  stream_.expect(")", "write `,` and another argument, or `)`");
  return opaque;
}

// ---- parts ----

void Parser::once(std::vector<std::string_view>& seen, std::string_view keyword) {
  for (const std::string_view earlier : seen) {
    if (earlier == keyword) stream_.fail(stream_.location(), fmt::format("a second `{}`", keyword), "join the two, or drop one");
  }
  seen.push_back(keyword);
  stream_.take();
}

std::vector<std::string> Parser::names(std::string_view what) {
  std::vector<std::string> list;
  do {
    list.emplace_back(stream_.expect_name(what).text);
    stream_.count_nodes(1);
  } while (stream_.take_if(","));
  return list;
}

Tags Parser::tags() {
  stream_.expect("{", "tags stand in braces: `{P ag=3 axes=[1, k]}`");
  Tags tags;
  while (!stream_.take_if("}")) {
    if (!stream_.at_word()) stream_.unexpected("the name of a tag", "tags are `{NAME NAME=VALUE NAME=[VALUE, ...]}`");
    stream_.count_nodes(1);
    Tag tag;
    tag.name = stream_.take().text;
    if (stream_.take_if("=")) tag.value = tag_value();
    tags.push_back(std::move(tag));
  }
  return tags;
}

TagValue Parser::tag_value() {
  if (!stream_.take_if("[")) return std::visit([](auto&& atom) { return TagValue{std::move(atom)}; }, tag_atom());
  std::vector<std::variant<int64_t, std::string>> list;
  if (!stream_.take_if("]")) {
    do {
      stream_.count_nodes(1);
      list.push_back(tag_atom());
    } while (stream_.take_if(","));
    stream_.expect("]", "write `,` and another value, or `]`");
  }
  return {std::move(list)};
}

std::variant<int64_t, std::string> Parser::tag_atom() {
  if (stream_.at_word()) return std::string(stream_.take().text);
  return stream_.expect_integer("the value of a tag");
}

std::expected<File, Diagnostics> parse(std::string_view text, std::string file_name, TextLimits limits) {
  if (text.size() > limits.bytes) {
    return std::unexpected(
        Diagnostics{{file_name,
                     {},
                     fmt::format("the text has {} bytes, more than the limit of {}", text.size(), limits.bytes),
                     "split it into several files"}});
  }
  if (const auto bad = find_bad_byte(text)) {
    return std::unexpected(Diagnostics{{file_name, bad->location, bad->is_nul ? "a NUL byte" : "a byte that is not UTF-8",
                                        "is this a `.tile` text? Save it as UTF-8"}});
  }
  // Editors put a mark of the byte order before the text; it says nothing.
  if (constexpr std::string_view mark = "\xEF\xBB\xBF"; text.starts_with(mark)) text.remove_prefix(mark.size());
  File file{std::move(file_name), {}};
  TokenStream stream(text, file.name, limits);
  try {
    Parser(stream).file(file.programs);
  } catch (const ParsingEnds&) {
  }
  if (stream.has_errors()) return std::unexpected(stream.take_errors());
  return file;
}

}  // namespace tileproof::ir
