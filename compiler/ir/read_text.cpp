#include "compiler/ir/lexer.h"
#include "compiler/ir/text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <sys/stat.h>

namespace tileproof::ir {

std::expected<std::string, Diagnostic> read_text(const std::string& path, TextLimits limits, std::string_view what) {
  const auto failure = [&](Location location, std::string message, std::string mend) {
    return std::unexpected(Diagnostic{path, location, std::move(message), std::move(mend)});
  };
  const bool is_standard_input = path == "-";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(is_standard_input ? nullptr : std::fopen(path.c_str(), "rb"),
                                                               [](std::FILE* file) { return std::fclose(file); });
  std::FILE* const file = is_standard_input ? stdin : opened.get();
  if (file == nullptr)
    return failure({}, std::strerror(errno), fmt::format("name a {} that can be read, or `-` for standard input", what));
  struct stat status{};
  if (fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) return failure({}, "a directory", "name a file in it");

  // Read in pieces: pipes have no size, and a file that never ends must not fill the memory.
  std::string text;
  std::string piece(size_t{1} << 16, '\0');
  while (const size_t got = std::fread(piece.data(), 1, piece.size(), file)) {
    text.append(piece, 0, got);
    if (text.size() > limits.bytes)
      return failure({}, fmt::format("more than {} bytes", limits.bytes), "split it into several files");
  }
  if (std::ferror(file) != 0) return failure({}, std::strerror(errno), "is the file complete and readable?");
  if (const auto bad = find_bad_byte(text)) {
    return failure(bad->location, bad->is_nul ? "a NUL byte" : "a byte that is not UTF-8",
                   fmt::format("is this a {}? Save it as UTF-8", what));
  }
  return text;
}

}  // namespace tileproof::ir
