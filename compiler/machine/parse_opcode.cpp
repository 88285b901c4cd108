#include "compiler/machine/parse_opcode.h"

#include "compiler/ir/reserved.h"
#include "compiler/ir/suggestion.h"
#include "compiler/machine/parse_formula.h"
#include "compiler/machine/parse_term.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tileproof::machine {
namespace {

using ir::Op;
using std::string_view_literals::operator""sv;

constexpr std::array relations{Op::less_equal, Op::greater_equal, Op::equal, Op::not_equal, Op::less, Op::greater};

class OpcodeParser {
 public:
  OpcodeParser(ir::TokenStream& stream, const Machine& machine, const DtypeSets& sets)
      : stream_(stream), machine_(machine), sets_(sets) {}

  Opcode parse() {
    const ir::Token name = stream_.current();
    opcode_.location = name.location;
    if (!stream_.at_word() || !ir::is_opcode(name.text))
      stream_.unexpected("the name of an opcode", "write `opcode NAME { FORMULA ... }`");
    stream_.take();
    opcode_.name = name.text;
    stream_.expect("{", "open the body of the opcode: `{ D[p | f] = A[p | f] }`");
    while (!stream_.take_if("}")) line();
    if (opcode_.formulas.empty()) {
      stream_.fail(name.location, fmt::format("the opcode {} has no formula", name.text),
                   "write one first: `D[p | f] = A[p | f]`");
    }
    return std::move(opcode_);
  }

 private:
  void line() {
    const ir::Token token = stream_.current();
    if (!stream_.at_word())
      stream_.unexpected("a line of an opcode",
                         "a formula, `ROLE in SPACE : DTYPE`, limit, axis, same, acc, indirect, bank, mask, or `}`");
    if (stream_.peek().text == "[") {
      opcode_.formulas.push_back(parse_formula(stream_));
    } else if (stream_.take_if("limit")) {
      limit();
    } else if (stream_.take_if("axis")) {
      axis();
    } else if (stream_.take_if("same")) {
      same();
    } else if (stream_.take_if("acc")) {
      opcode_.accumulate = parse_dtypes(stream_, sets_);
    } else if (stream_.take_if("mask")) {
      stream_.expect("in", "write `mask in SPACE, ...`");
      opcode_.masks = spaces();
    } else if (stream_.take_if("indirect")) {
      RoleRule& rule = role_rule();
      stream_.expect("in", "write `indirect ROLE in SPACE, ...`");
      rule.indirect = spaces();
    } else if (stream_.take_if("bank")) {
      do bank(stream_.location());
      while (stream_.take_if(","));
    } else if (stream_.at("partitions") || stream_.at("lanes") || stream_.at("casts")) {
      stream_.take();
      stream_.expect("any", fmt::format("write `{} any`", token.text));
      (token.text == "partitions" ? opcode_.any_partition : token.text == "lanes" ? opcode_.any_lane : opcode_.casts) = true;
    } else if (const std::string_view next = stream_.peek().text; next == "in" || next == ":") {
      RoleRule& rule = role_rule();
      if (stream_.take_if("in")) rule.spaces = spaces();
      if (stream_.take_if(":")) rule.dtypes = parse_dtypes(stream_, sets_);
    } else {
      constexpr std::array starts{"limit"sv,    "axis"sv, "same"sv,       "acc"sv,   "mask"sv,
                                  "indirect"sv, "bank"sv, "partitions"sv, "lanes"sv, "casts"sv};
      stream_.fail(token.location, fmt::format("{} begins no line of an opcode", ir::quoted(token.text)),
                   ir::suggestion(token.text, starts,
                                  "a line is a formula, `ROLE in SPACE : DTYPE`, or begins with " +
                                      fmt::format("{}", fmt::join(starts, ", "))));
    }
  }

  std::vector<std::string_view> role_names() const {
    std::vector<std::string_view> names;
    for (const Formula& formula : opcode_.formulas) {
      for (const Shape& shape : formula.shapes) names.push_back(shape.role);
    }
    return names;
  }
  std::vector<std::string_view> letter_names() const {
    std::vector<std::string_view> names;
    for (const Formula& formula : opcode_.formulas) {
      for (const Shape& shape : formula.shapes) {
        for (const Letter& letter : shape.partition) names.push_back(letter.name);
        for (const Run& run : shape.free) {
          for (const Letter& letter : run) names.push_back(letter.name);
        }
      }
    }
    return names;
  }

  std::string known(const std::vector<std::string_view>& candidates, std::string_view what) {
    const ir::Token token = stream_.expect_name(fmt::format("a {}", what));
    if (std::ranges::find(candidates, token.text) == candidates.end()) {
      stream_.fail(token.location, fmt::format("no formula before it has the {} {}", what, ir::quoted(token.text)),
                   ir::suggestion(token.text, candidates, "write the formula first, and name one of it"));
    }
    return std::string(token.text);
  }

  RoleRule& role_rule() {
    const std::string role = known(role_names(), "role");
    const auto found = std::ranges::find(opcode_.roles, role, &RoleRule::role);
    if (found != opcode_.roles.end()) return *found;
    opcode_.roles.push_back({role, {}, {}, {}, false});
    return opcode_.roles.back();
  }

  std::vector<std::string> spaces() {
    std::vector<std::string_view> declared;
    for (const Space& space : machine_.spaces) declared.push_back(space.name);
    std::vector<std::string> names;
    do {
      const ir::Token token = stream_.expect_name("a space");
      if (std::ranges::find(declared, token.text) == declared.end()) {
        stream_.fail(token.location, fmt::format("the machine has no space {} so far", ir::quoted(token.text)),
                     ir::suggestion(token.text, declared, "declare the spaces before the opcodes"));
      }
      names.emplace_back(token.text);
    } while (stream_.take_if(","));
    return names;
  }

  void limit() {
    Limit limit;
    limit.location = stream_.location();
    const TermNames names{&machine_.constants, letter_names(), role_names()};
    const ir::Token left = stream_.current();
    limit.left = parse_term(stream_, names);
    limit.left_text = text_between(left, stream_.current());
    const auto relation = std::ranges::find_if(relations, [&](Op op) { return stream_.at(ir::spelling(op)); });
    if (relation == relations.end()) stream_.unexpected("a comparison", "write `limit k <= 128`");
    limit.relation = *relation;
    stream_.take();
    const ir::Token right = stream_.current();
    limit.right = parse_term(stream_, names);
    limit.right_text = text_between(right, stream_.current());
    opcode_.limits.push_back(std::move(limit));
  }

  void axis() {
    LetterRule rule{stream_.take_if("*") ? "*" : known(letter_names(), "letter"), {}};
    stream_.expect(":", "write `axis f : seq, parallel`");
    do {
      if (stream_.take_if("seq")) {
        rule.kinds.push_back(ir::AxisKind::seq);
      } else if (stream_.take_if("reduce")) {
        rule.kinds.push_back(ir::AxisKind::reduce);
      } else if (stream_.take_if("parallel")) {
        rule.kinds.push_back(ir::AxisKind::parallel);
      } else {
        stream_.unexpected("a kind of axis", "parallel, reduce or seq");
      }
    } while (stream_.take_if(","));
    opcode_.letters.push_back(std::move(rule));
  }

  void same() {
    std::vector<std::string> roles;
    const ir::Location begin = stream_.location();
    do roles.push_back(known(role_names(), "role"));
    while (stream_.take_if(","));
    if (roles.size() < 2) stream_.fail(begin, "`same` with one role", "write `same D, A`: the roles whose dtypes are equal");
    opcode_.same_dtype.push_back(std::move(roles));
  }

  void bank(ir::Location location) {
    RoleRule& rule = role_rule();
    rule.one_bank = true;
    for (const std::string& name : rule.spaces) {
      if (!machine_.space(name)->bank_bytes) {
        stream_.fail(location, fmt::format("{} lies in {}, which has no banks", rule.role, name),
                     "give the space `bank BYTES`, or leave this out");
      }
    }
  }

  ir::TokenStream& stream_;
  const Machine& machine_;
  const DtypeSets& sets_;
  Opcode opcode_;
};

}  // namespace

std::vector<ir::Dtype> parse_dtypes(ir::TokenStream& stream, const DtypeSets& sets) {
  std::vector<ir::Dtype> dtypes;
  do {
    const auto set =
        stream.at_word() ? std::ranges::find(sets, stream.current().text, &DtypeSets::value_type::first) : sets.end();
    if (set == sets.end()) {
      dtypes.push_back(stream.expect_dtype());
    } else {
      stream.take();
      dtypes.insert(dtypes.end(), set->second.begin(), set->second.end());
    }
  } while (stream.take_if(","));
  return dtypes;
}

Opcode parse_opcode(ir::TokenStream& stream, const Machine& machine, const DtypeSets& sets) {
  return OpcodeParser(stream, machine, sets).parse();
}

}  // namespace tileproof::machine
