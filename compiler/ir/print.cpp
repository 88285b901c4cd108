#include "compiler/ir/print_expression.h"
#include "compiler/ir/reserved.h"
#include "compiler/ir/text.h"

#include <fmt/format.h>

namespace tileproof::ir {
namespace {

/// Lines of statements break before a clause rather than grow longer (our choice, for people).
constexpr size_t line_width = 120;
constexpr size_t indentation = 2;
constexpr size_t clause_indentation = 7;

class Printer {
 public:
  std::string text;

  void statement(const Statement& s, size_t width);
  void program(const Program& p);

 private:
  void expression(const Expression& e) { append(text, e); }
  template <class List, class Each>
  void list(const List& items, std::string_view separator, Each each) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) text += separator;
      each(items[i]);
    }
  }
  void expressions(const std::vector<Expression>& items) {
    list(items, ", ", [&](const Expression& e) { expression(e); });
  }
  void names(const std::vector<std::string>& items) {
    list(items, ", ", [&](const std::string& item) { text += item; });
  }
  void conditions(const std::vector<Expression>& items) {
    list(items, " and ", [&](const Expression& e) { append_condition(text, e); });
  }
  template <class Dims, class Each>
  void dims(const Dims& items, const std::optional<size_t>& partition_rank, Each each) {
    text += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) text += partition_rank == i ? " | " : ", ";
      each(items[i]);
    }
    text += ']';
  }
  void prim(const Expression& e);
  void range(const Range& r) {
    expression(r.low);
    text += "..";
    expression(r.high);
  }
  void tags(const Tags& items, std::string_view before = " ");
  void axis(const Axis& a);
  void claim(std::string_view word, const Claim& c);

  void line(const Buffer& b);
  void line(const View& v);
  void line(const Statement& s) { statement(s, line_width); }
  void line(const Loop& l);
  void line(const If& i);
  void line(const While& w);
  void line(const Group& g);
  void line(const Move& m);
  void line(const Opaque& o);
  void block(const Block& body);
  void indent(size_t more = 0) { text += std::string(indentation * depth_ + more, ' '); }

  size_t depth_ = 0;
};

// ---- parts ----

void Printer::prim(const Expression& e) {
  if (e.op == Op::literal || e.op == Op::variable) return expression(e);
  text += '(';
  expression(e);
  text += ')';
}

void Printer::tags(const Tags& items, std::string_view before) {
  if (items.empty()) return;
  text += before;
  text += '{';
  const auto atom = [&](const std::variant<int64_t, std::string>& value) {
    text += std::holds_alternative<int64_t>(value) ? fmt::format("{}", std::get<int64_t>(value)) : std::get<std::string>(value);
  };
  list(items, " ", [&](const Tag& tag) {
    text += tag.name;
    if (std::holds_alternative<std::monostate>(tag.value.value)) return;
    text += '=';
    if (const auto* number = std::get_if<int64_t>(&tag.value.value)) text += fmt::format("{}", *number);
    if (const auto* word = std::get_if<std::string>(&tag.value.value)) text += *word;
    if (const auto* values = std::get_if<3>(&tag.value.value)) {
      text += '[';
      list(*values, ", ", atom);
      text += ']';
    }
  });
  text += '}';
}

void Printer::axis(const Axis& a) {
  text += a.name + ':';
  expression(a.extent);
  tags(a.tags);
  if (a.kind != AxisKind::parallel) text += fmt::format(" {}", name(a.kind));
}

void Printer::claim(std::string_view word, const Claim& c) {
  text += word;
  if (c.conditions.empty()) return;
  // Behind `stop`, a lone word reads as the opcode of the next statement, and `inf` or `nan` as nothing that begins a condition.
  std::string first;
  append_condition(first, c.conditions.front());
  const std::string leading = first.substr(0, first.find(' '));
  const bool in_parentheses = is_word(first) || leading == "inf" || leading == "nan";
  text += in_parentheses ? fmt::format(" ({})", first) : ' ' + first;
  for (size_t i = 1; i < c.conditions.size(); ++i) {
    text += " and ";
    append_condition(text, c.conditions[i]);
  }
}

// ---- items ----

void Printer::line(const Buffer& b) {
  text += "buffer " + b.name;
  tags(b.tags);
  text += fmt::format(" : {}", name(b.dtype));
  dims(b.extents, b.partition_rank, [&](const Expression& e) { expression(e); });
  text += ' ' + b.space;
  if (b.role != Role::none) text += fmt::format(" {}", name(b.role));
  if (b.address) {
    text += " at ";
    prim(b.address->partition);
    text += ':';
    prim(b.address->byte);
  }
  if (!b.valid.empty()) {
    text += " valid [";
    list(b.valid, ", ", [&](const Range& r) {
      if (r.low != integer(0)) {
        range(r);
      } else {
        expression(r.high);
      }
    });
    text += ']';
  }
  if (b.range) {
    text += " range ";
    range(*b.range);
  }
}

void Printer::line(const View& v) {
  text += "view " + v.name;
  tags(v.tags);
  dims(v.dims, v.partition_rank, [&](const Axis& a) { axis(a); });
  text += " = " + v.base + '[';
  expressions(v.indices);
  text += ']';
}

/// Clauses go on the line while they fit in `width`, then on lines of their own.
void Printer::statement(const Statement& s, size_t width) {
  size_t line_begin = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  text += s.opcode;
  tags(s.tags);
  text += ' ' + s.destination + '[';
  expressions(s.indices);
  text += fmt::format("] {} ", spelling(s.update));
  expression(s.value);
  const auto clause = [&](const auto& write) {
    const size_t begin = text.size();
    text += ' ';
    write();
    if (text.size() - line_begin <= width) return;
    const std::string written = text.substr(begin + 1);
    text.resize(begin);
    text += '\n';
    line_begin = text.size();
    indent(clause_indentation);
    text += written;
  };
  if (!s.axes.empty()) {
    clause([&] {
      text += "over ";
      list(s.axes, ", ", [&](const Axis& a) { axis(a); });
    });
  }
  if (!s.where.empty()) {
    clause([&] {
      text += "where ";
      conditions(s.where);
    });
  }
  if (s.start) clause([&] { claim("start", *s.start); });
  if (s.stop) clause([&] { claim("stop", *s.stop); });
  if (s.accumulate) clause([&] { text += fmt::format("acc {}", name(*s.accumulate)); });
  if (!s.clobbers.empty()) {
    clause([&] {
      text += "clobbers ";
      names(s.clobbers);
    });
  }
}

void Printer::line(const Loop& l) {
  text += "for " + l.name;
  tags(l.tags);
  text += " in ";
  range(l.range);
  text += fmt::format(" {} ", name(l.kind));
  block(l.body);
}

void Printer::line(const If& i) {
  text += "if ";
  conditions(i.conditions);
  text += ' ';
  block(i.then_body);
  if (i.else_body.empty()) return;
  text += " else ";
  block(i.else_body);
}

void Printer::line(const While& w) {
  text += "while ";
  conditions(w.conditions);
  text += " max ";
  prim(w.limit);
  text += ' ';
  block(w.body);
}

void Printer::line(const Group& g) {
  text += "group " + g.name;
  if (g.opcode) text += " as " + *g.opcode;
  tags(g.tags, " tags ");
  text += ' ';
  block(g.body);
}

void Printer::line(const Move& m) {
  text += "move ";
  names(m.destinations);
  text += " = ";
  names(m.sources);
}

void Printer::line(const Opaque& o) {
  text += "opaque " + o.name + '(';
  list(o.arguments, ", ", [&](const Opaque::Argument& a) { text += fmt::format("{} {}", name(a.role), a.buffer); });
  text += ')';
}

void Printer::block(const Block& body) {
  if (body.empty()) {
    text += "{ }";
    return;
  }
  text += "{\n";
  ++depth_;
  for (const Item& item : body) {
    indent();
    std::visit([&](const auto& node) { line(node); }, item.node);
    text += '\n';
  }
  --depth_;
  indent();
  text += '}';
}

void Printer::program(const Program& p) {
  text += "tile 1\nprogram " + p.name;
  if (p.kind != ProgramKind::plain) text += fmt::format(" kind {}", name(p.kind));
  if (p.machine) text += " machine " + *p.machine;
  tags(p.tags, " tags ");
  text += ' ';
  if (p.parameters.empty()) {
    block(p.body);
  } else {
    // Parameters are not items of the body, but stand in its braces.
    text += "{\n";
    for (const Parameter& parameter : p.parameters) {
      text += fmt::format("  param {} : {}..{}\n", parameter.name, parameter.low, parameter.high);
    }
    std::string head = std::move(text);
    text.clear();
    block(p.body);
    text = std::move(head) + (p.body.empty() ? "}" : text.substr(2));
  }
  text += '\n';
}

}  // namespace

std::string print(const File& file) {
  Printer printer;
  for (const Program& program : file.programs) {
    if (!printer.text.empty()) printer.text += '\n';
    printer.program(program);
  }
  return std::move(printer.text);
}

std::string print(const Program& program) {
  Printer printer;
  printer.program(program);
  return std::move(printer.text);
}

std::string print(const Statement& statement) {
  Printer printer;
  printer.statement(statement, std::string::npos);
  return std::move(printer.text);
}

}  // namespace tileproof::ir
