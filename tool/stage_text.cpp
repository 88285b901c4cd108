#include "tool/stage_text.h"

#include "compiler/ir/text.h"

#include <fmt/format.h>

namespace tileproof::tool {

std::string stage_text(const ir::Program& program, std::string_view pass) {
  return fmt::format("# {} after {}\n{}", program.name, pass, ir::print(program));
}

std::string remark_text(const pipeline::Remark& remark, std::string_view file) {
  const std::string statement = remark.statement == "-" ? "" : " " + remark.statement;
  const std::string place =
      remark.location.line == 0 ? "" : fmt::format(" ({}:{}:{})", file, remark.location.line, remark.location.column);
  const std::string particulars = remark.text.empty() ? "" : ": " + remark.text;
  return fmt::format("{} {}{}: {}{}{}", remark.pass, name(remark.kind), statement, remark.id, particulars, place);
}

Json remarks_json(const std::vector<pipeline::Remark>& remarks) {
  Json list = Json::array();
  for (const pipeline::Remark& remark : remarks) {
    list.push_back({{"pass", remark.pass},
                    {"kind", name(remark.kind)},
                    {"id", remark.id},
                    {"statement", remark.statement},
                    {"text", remark.text},
                    {"line", remark.location.line},
                    {"column", remark.location.column}});
  }
  return list;
}

}  // namespace tileproof::tool
