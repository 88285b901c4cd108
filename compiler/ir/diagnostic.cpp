#include "compiler/ir/diagnostic.h"

#include <fmt/format.h>

namespace tileproof::ir {

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = diagnostic.file;
  if (diagnostic.location != Location{}) text += fmt::format(":{}:{}", diagnostic.location.line, diagnostic.location.column);
  if (!text.empty()) text += ": ";
  text += "error: " + diagnostic.message;
  if (!diagnostic.mend.empty()) text += "; " + diagnostic.mend;
  return text;
}

}  // namespace tileproof::ir
