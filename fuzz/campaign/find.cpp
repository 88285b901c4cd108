#include "fuzz/campaign/find.h"

#include "compiler/ir/text.h"
#include "oracle/equivalence/report.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace tileproof::fuzz {

namespace {

void write_whole(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::path part = path;
  part += ".part";
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  bool written = false;
  {
    std::ofstream file(part, std::ios::binary);
    written = (file << text).flush().good();
  }
  if (written) std::filesystem::rename(part, path, error);
  if (!written || error) fmt::print(stderr, "{} cannot be written\n", path.string());
}

std::string commented(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) result += "# " + line + "\n";
  return result;
}

}  // namespace

void write_find(const std::string& folder, const std::string& kind, const Find& find) {
  if (folder.empty()) return;
  const std::string stem = fmt::format("{}/{}-{}-{}", folder, kind, find.seed, find.number);
  std::string head = commented(fmt::format("{} of campaign {}, case {}", kind, find.seed, find.number));
  head += commented(oracle::headline(find.report) + (find.report.reason.empty() ? "" : "\n" + find.report.reason));
  head += commented(find.note);
  write_whole(stem + ".before.tile", head + ir::print(find.original));
  write_whole(stem + ".after.tile", head + ir::print(find.tiled));
}

}  // namespace tileproof::fuzz
