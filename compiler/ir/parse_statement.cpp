#include "compiler/ir/parse_expression.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/reserved.h"
#include "compiler/ir/suggestion.h"

#include <fmt/format.h>

namespace tileproof::ir {

std::string Parser::opcode() {
  const Token word = stream_.current();
  if (!stream_.at_word() || !is_opcode(word.text)) stream_.unexpected("an opcode", "any name that is not a word of the language");
  return std::string(stream_.take().text);
}

Statement Parser::statement() {
  Statement statement;
  const Token first = stream_.current();
  statement.location = first.location;
  statement.opcode = opcode();
  if (stream_.at("{")) statement.tags = tags();
  const bool named = stream_.at_word() && is_name(stream_.current().text);
  if (!named || stream_.peek().text != "[") {
    // Most often a misspelt keyword: say so at the word itself.
    std::vector<std::string_view> words(item_keywords().begin(), item_keywords().end());
    words.insert(words.end(), clause_keywords().begin(), clause_keywords().end());
    if (const auto meant = nearest(first.text, words); meant && *meant != first.text) {
      stream_.fail(first.location, fmt::format("{} begins no item and no clause", quoted(first.text)),
                   fmt::format("did you mean `{}`?", *meant));
    }
  }
  const std::string mend = "a statement is `OPCODE dst[index, ...] = expression`, with `+=`, `max=`, ... to accumulate";
  if (!stream_.at_word()) stream_.unexpected(fmt::format("the destination of {}", quoted(first.text)), mend);
  statement.destination = stream_.expect_name("a destination").text;
  stream_.expect("[", mend);
  statement.indices = parse_indices(stream_);
  statement.update = update();
  statement.value = parse_expression(stream_);
  clauses(statement);
  return statement;
}

Update Parser::update() {
  static constexpr std::array updates{Update::assign, Update::add,     Update::multiply, Update::max,
                                      Update::min,    Update::bit_and, Update::bit_or,   Update::bit_xor};
  for (const Update candidate : updates) {
    const std::string_view sign = spelling(candidate);
    if (stream_.take_if(sign)) return candidate;
    // `max=` and its like are a word and a sign, so that a tag may be called `max`.
    if (stream_.at_word() && sign.substr(0, sign.size() - 1) == stream_.current().text && stream_.peek().text == "=") {
      stream_.take();
      stream_.take();
      return candidate;
    }
  }
  stream_.unexpected("`=` or an update", "one of = += *= max= min= and= or= xor=");
}

void Parser::clauses(Statement& statement) {
  std::vector<std::string_view> seen;
  for (;;) {
    if (stream_.at("over")) {
      once(seen, "over");
      do statement.axes.push_back(axis());
      while (stream_.take_if(","));
    } else if (stream_.at("where")) {
      once(seen, "where");
      statement.where = parse_conditions(stream_);
    } else if (stream_.at("start")) {
      once(seen, "start");
      statement.start = claim();
    } else if (stream_.at("stop")) {
      once(seen, "stop");
      statement.stop = claim();
    } else if (stream_.at("acc") && stream_.peek().kind == TokenKind::word && !at_statement_after_word()) {
      once(seen, "acc");
      statement.accumulate = stream_.expect_dtype();
    } else if (stream_.at("clobbers")) {
      once(seen, "clobbers");
      statement.clobbers = names("a clobbered buffer");
    } else {
      return;
    }
  }
}

Claim Parser::claim() {
  Claim claim;
  if (at_optional_condition(stream_)) claim.conditions = parse_conditions(stream_);
  return claim;
}

Axis Parser::axis() {
  Axis axis;
  const Token name = stream_.expect_name("the name of an axis");
  axis.name = name.text;
  axis.location = name.location;
  stream_.count_nodes(1);
  stream_.expect(":", "an axis has a name and an extent: `m:128`");
  axis.extent = parse_expression(stream_);
  bool kinded = false;
  for (bool tagged = false;;) {
    if (!tagged && stream_.at("{")) {
      axis.tags = tags();
      tagged = true;
    } else if (!kinded && ((stream_.at("reduce") && !at_statement_after_word()) || stream_.at("seq"))) {
      axis.kind = stream_.take().text == "seq" ? AxisKind::seq : AxisKind::reduce;
      kinded = true;
    } else {
      return axis;
    }
  }
}

/// Whether the current word, `reduce` or `acc`, is the opcode of the next statement and does not belong to the one being read:
/// a destination and its `[` follow.
bool Parser::at_statement_after_word() const {
  Lexer ahead = stream_.ahead();
  Token token = ahead.next();
  if (token.text == "{") {
    while (token.kind != TokenKind::end && token.text != "}") token = ahead.next();
    token = ahead.next();
  }
  return token.kind == TokenKind::word && ahead.next().text == "[";
}

}  // namespace tileproof::ir
