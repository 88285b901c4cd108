#include "tool/console.h"

#include "tool/write_all.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tileproof::tool {
void Console::print(std::string_view text) {
  if (closed_) return;
  const int error = write_all(STDOUT_FILENO, text);
  if (error == EPIPE) {
    closed_ = true;
  } else if (error != 0) {
    throw OutputError(
        fmt::format("standard output cannot be written: {}; send it to a file or pipe that takes it", std::strerror(error)));
  }
}

void Console::complain(std::string_view text) { write_all(STDERR_FILENO, text); }

void Console::complain(const ir::Diagnostics& diagnostics) {
  for (const ir::Diagnostic& diagnostic : diagnostics) complain(to_string(diagnostic) + "\n");
}

}  // namespace tileproof::tool
