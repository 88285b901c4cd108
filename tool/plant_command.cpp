#include "tool/commands.h"

#include <fmt/format.h>

#include <unistd.h>
#include <filesystem>

namespace tileproof::tool {

Outcome plant_command(const std::vector<std::string>& words, Console&) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = self.parent_path() / "tileproof-plant";
  std::vector<std::string> all = words;
  all.insert(all.begin(), program);
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (!error) execv(program.c_str(), arguments.data());   // comes back only where it failed
  return std::unexpected(
      ir::Diagnostics{{"tileproof plant",
                       {},
                       fmt::format("the wrong tilers are a program of their own, and {} cannot be started", program),
                       "build it beside tileproof: `cmake --build build --target tileproof-plant`"}});
}

}  // namespace tileproof::tool
