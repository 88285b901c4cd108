// The text of a machine file: `machine 1`, then `machine NAME { constants, dtype lists, spaces, opcodes }`.
#include "compiler/ir/reserved.h"
#include "compiler/ir/suggestion.h"
#include "compiler/ir/token_stream.h"
#include "compiler/machine/machine.h"
#include "compiler/machine/parse_formula.h"
#include "compiler/machine/parse_opcode.h"
#include "compiler/machine/parse_term.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tileproof::machine {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array top_words{"constant"sv, "dtypes"sv, "space"sv, "opcode"sv};
constexpr std::array space_words{"partitions"sv, "bytes"sv, "bank"sv, "align"sv, "row"sv, "start"sv};

class MachineParser {
 public:
  explicit MachineParser(ir::TokenStream& stream) : stream_(stream) {}

  Machine parse() {
    if (!stream_.at("machine") || stream_.peek().text != "1") {
      stream_.give_up(stream_.location(), "the first line is not `machine 1`", "write `machine 1` before the machine");
    }
    stream_.take();
    stream_.take();
    if (!stream_.at("machine")) stream_.unexpected("`machine NAME {`", "write `machine NAME { ... }` after the first line");
    stream_.take_before_machine_name();
    if (!stream_.at_word() || !ir::is_machine_name(stream_.current().text))
      stream_.unexpected("the name of the machine", "letters, digits, `_`, `-` and `.`");
    machine_.name = stream_.take().text;
    stream_.expect("{", "open the body of the machine");
    while (!stream_.at("}")) {
      try {
        line();
      } catch (const ir::SyntaxError&) {
        recover();
      }
    }
    stream_.take();
    if (!stream_.at_end())
      stream_.give_up(stream_.location(), "text after the machine", "a file holds one machine: close the brace at its end");
    return std::move(machine_);
  }

 private:
  void recover() {
    const auto at_top = [&] {
      return stream_.current().first_on_line && std::ranges::find(top_words, stream_.current().text) != top_words.end();
    };
    while (!stream_.at_end() && !at_top()) stream_.take();
    if (stream_.at_end()) throw ir::ParsingEnds{};
  }

  void line() {
    if (stream_.take_if("constant")) {
      constant();
    } else if (stream_.take_if("dtypes")) {
      std::string name = fresh_name("a list of dtypes", sets_, &DtypeSets::value_type::first);
      stream_.expect("=", "write `dtypes NAME = f32, bf16`");
      auto dtypes = parse_dtypes(stream_, sets_);
      sets_.emplace_back(std::move(name), std::move(dtypes));
    } else if (stream_.take_if("space")) {
      space();
    } else if (stream_.take_if("opcode")) {
      machine_.opcodes.push_back(parse_opcode(stream_, machine_, sets_));
    } else if (stream_.at_word()) {
      stream_.fail(stream_.location(), fmt::format("{} begins no part of a machine", ir::quoted(stream_.current().text)),
                   ir::suggestion(stream_.current().text, top_words, "a part begins with constant, dtypes, space or opcode"));
    } else {
      stream_.unexpected("a part of the machine", "constant, dtypes, space, opcode, or `}`");
    }
  }

  template <class List, class Projection>
  std::string fresh_name(std::string_view what, const List& list, Projection projection) {
    const ir::Token token = stream_.expect_name(what);
    if (is_machine_word(token.text)) {
      stream_.fail(token.location, fmt::format("{} is a word of machine files and cannot be {}", ir::quoted(token.text), what),
                   "choose another name");
    }
    if (std::ranges::find(list, token.text, projection) != list.end()) {
      stream_.fail(token.location, fmt::format("{} is declared twice", ir::quoted(token.text)), "keep one of the two");
    }
    return std::string(token.text);
  }

  void constant() {
    std::string name = fresh_name("a constant", machine_.constants, &Constant::name);
    stream_.expect("=", "write `constant NAME = VALUE`");
    const int64_t value = parse_figure(stream_, machine_.constants);
    machine_.constants.push_back({std::move(name), value});
  }

  void space() {
    Space space;
    space.location = stream_.location();
    space.name = fresh_name("a space", machine_.spaces, &Space::name);
    if (stream_.take_if("{")) {
      while (!stream_.take_if("}")) space_line(space);
    }
    if (!space.partitions && !space.starts.empty()) {
      stream_.fail(space.location, fmt::format("{} has a start rule but no partitions", space.name), "write `partitions N`");
    }
    if (space.bank_bytes && space.bytes && *space.bytes % *space.bank_bytes != 0) {
      stream_.fail(space.location,
                   fmt::format("{} has {} bytes, no whole number of banks of {}", space.name, *space.bytes, *space.bank_bytes),
                   "make `bytes` a multiple of `bank`");
    }
    machine_.spaces.push_back(std::move(space));
  }

  int64_t positive(std::string_view what) {
    const ir::Location begin = stream_.location();
    const int64_t value = parse_figure(stream_, machine_.constants);
    if (value < 1) stream_.fail(begin, fmt::format("{} is {}", what, value), "write a figure of at least 1");
    return value;
  }

  void space_line(Space& space) {
    const ir::Token token = stream_.current();
    if (stream_.take_if("partitions")) {
      space.partitions = positive(token.text);
    } else if (stream_.take_if("bytes")) {
      space.bytes = positive(token.text);
    } else if (stream_.take_if("bank")) {
      space.bank_bytes = positive(token.text);
    } else if (stream_.take_if("align")) {
      space.alignment = positive(token.text);
    } else if (stream_.take_if("row")) {
      space.row = positive(token.text);
    } else if (stream_.take_if("start")) {
      start(space, token.location);
    } else if (stream_.at_word()) {
      stream_.fail(token.location, fmt::format("{} begins no line of a space", ir::quoted(token.text)),
                   ir::suggestion(token.text, space_words,
                                  fmt::format("the lines of a space begin with {}", fmt::join(space_words, ", "))));
    } else {
      stream_.unexpected("a line of a space", fmt::format("{}, or `}}`", fmt::join(space_words, ", ")));
    }
  }

  void start(Space& space, ir::Location location) {
    StartRule rule;
    rule.low = positive("the least count of partitions");
    stream_.expect("..", "write `start LOW..HIGH at FIRST, ...`: counts of partitions, both inclusive");
    rule.high = positive("the greatest count of partitions");
    stream_.expect("at", "write `start LOW..HIGH at FIRST, ...`");
    do rule.starts.push_back(parse_figure(stream_, machine_.constants));
    while (stream_.take_if(","));
    for (const StartRule& other : space.starts) {
      if (rule.low <= other.high && other.low <= rule.high) {
        stream_.fail(location, fmt::format("counts {}..{} meet the rule for {}..{}", rule.low, rule.high, other.low, other.high),
                     "make the rules disjoint");
      }
    }
    if (rule.low > rule.high)
      stream_.fail(location, fmt::format("no count lies in {}..{}", rule.low, rule.high), "write the smaller count first");
    space.starts.push_back(std::move(rule));
  }

  ir::TokenStream& stream_;
  Machine machine_;
  DtypeSets sets_;
};

}  // namespace

std::expected<Machine, ir::Diagnostics> parse_machine(std::string_view text, std::string file_name) {
  if (const auto bad = ir::find_bad_byte(text)) {
    return std::unexpected(
        ir::Diagnostics{{std::move(file_name), bad->location, bad->is_nul ? "a NUL byte" : "a byte that is not UTF-8",
                         "save the file as UTF-8 text"}});
  }
  ir::TokenStream stream(text, file_name, {});
  Machine machine;
  try {
    machine = MachineParser(stream).parse();
  } catch (const ir::SyntaxError&) {
  } catch (const ir::ParsingEnds&) {
  }
  if (stream.has_errors()) return std::unexpected(stream.take_errors());
  return machine;
}

}  // namespace tileproof::machine
