#include "fuzz/property/text.h"

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"

namespace tileproof::fuzz {

namespace {

std::string unhelpful(const ir::Diagnostics& diagnostics) {
  for (const ir::Diagnostic& diagnostic : diagnostics) {
    const bool is_placed = diagnostic.location.line > 0 && diagnostic.location.column > 0;
    if (!is_placed || diagnostic.message.empty() || diagnostic.mend.empty())
      return "an error without place or mend: " + ir::to_string(diagnostic);
  }
  return "";
}

}  // namespace

std::string broken_by_text(std::string_view text) {
  const auto file = ir::parse(text, "input");
  if (!file) return file.error().empty() ? "no program and no error" : unhelpful(file.error());
  if (std::string broken = unhelpful(ir::verify(*file)); !broken.empty()) return broken;
  const std::string printed = ir::print(*file);
  const auto again = ir::parse(printed, "printed");
  if (!again) return "canonical text does not parse: " + ir::to_string(again.error().front());
  if (*again != *file) return "canonical text is another program";
  if (ir::print(*again) != printed) return "canonical text is printed differently";
  return "";
}

}  // namespace tileproof::fuzz
