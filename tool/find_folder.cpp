#include "tool/find_folder.h"

#include "compiler/ir/text.h"
#include "oracle/equivalence/report.h"
#include "tool/corpus_file.h"
#include "tool/output_file.h"
#include "tool/shell_word.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <utility>

namespace tileproof::tool {

namespace fs = std::filesystem;

namespace {

/// Each line behind `# `.
std::string commented(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) result += fmt::format("# {}\n", line);
  return result;
}

/// "value store -" as a part of a file's name: "value-store".
std::string stem(const std::string& key) {
  std::istringstream stream(key);
  std::string result;
  for (std::string word; stream >> word;) {
    if (word == "-") continue;
    result += result.empty() ? word : "-" + word;
  }
  return result;
}

std::string expectation(const oracle::CheckReport& report) {
  Expectation expect;
  expect.verdict = report.verdict;
  if (!report.findings.empty()) {
    const oracle::Finding& decisive = report.findings.front();
    expect.finding = decisive.id;
    expect.statement = decisive.statement.empty() ? "-" : decisive.statement;
    expect.buffer = decisive.buffer.empty() ? "-" : decisive.buffer;
  }
  return to_string(expect);
}

bool is_pair(const fuzz::Find& find) { return find.outcome.kind == fuzz::Outcome::Kind::wrong; }

}  // namespace

FindFolder::FindFolder(std::string folder, std::string found_by, std::string machine_file, uint64_t seed,
                       std::vector<std::string> files)
    : folder_(std::move(folder)),
      found_by_(std::move(found_by)),
      machine_file_(std::move(machine_file)),
      files_(std::move(files)),
      seed_(seed) {}

std::string FindFolder::path(const std::string& key, const fuzz::Find& find) const {
  if (folder_.empty()) return files_.at(find.number);
  const fs::path folder = is_pair(find) ? fs::path(folder_) : fs::path(folder_) / "before";
  const std::string origin = files_.empty() ? fmt::format("seed{}", seed_) : fs::path(files_.at(find.number)).stem().string();
  return (folder / fmt::format("{}.{}.tile", stem(key), origin)).string();
}

std::string FindFolder::machine_word(const fuzz::GraphMachine& machine) const {
  return machine_file_.empty() ? machine.name : machine_file_;
}

std::optional<ir::Diagnostic> FindFolder::keep(const std::string& key, const fuzz::Find& find, bool judged) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path target = path(key, find);
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (error)
    return ir::Diagnostic{target.parent_path().string(),
                          {},
                          fmt::format("cannot be made a folder: {}", error.message()),
                          "give --out a folder that may be written to"};
  const std::string which =
      files_.empty() ? fmt::format("--seed {} --first {} --runs 1", seed_, find.number) : shell_word(files_.at(find.number));
  std::string text = commented(
      fmt::format("{}{}: {}\nfound by `{} {}`", key, find.is_reduced ? "" : " (as drawn)", find.outcome.why, found_by_, which));
  if (judged) {
    const std::string word = machine_word(*find.original.machine);
    text +=
        fmt::format("# machine {}\n", machine_file_.empty() ? word : fs::proximate(word, target.parent_path(), error).string());
  } else if (find.outcome.made.machine) {
    text += "# machine none\n";
  }
  ir::File file{"", {find.original.program}};
  if (is_pair(find)) {
    text += fmt::format("# expect {}\n", expectation(*find.outcome.report));
    file.programs.push_back(find.outcome.made);
    if (file.programs[1].name == file.programs[0].name) file.programs[1].name += "_tiled";
  }
  auto wrong = write_whole_file(target.string(), text + ir::print(file));
  if (wrong) wrong->mend = "give --out a folder that may be written to";
  return wrong;
}

}  // namespace tileproof::tool
