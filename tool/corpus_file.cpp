#include "tool/corpus_file.h"

#include "compiler/ir/suggestion.h"
#include "compiler/ir/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <ranges>

namespace tileproof::tool {
namespace {

namespace fs = std::filesystem;
using oracle::FindingId;
using oracle::Tier;
using oracle::Verdict;

constexpr std::array expectable_verdicts{Verdict::proved,       Verdict::tested,      Verdict::refuted,
                                         Verdict::bad_original, Verdict::unsupported, Verdict::timeout};
constexpr std::array tiers{Tier::field, Tier::lattice, Tier::exp, Tier::distributing, Tier::rank, Tier::integers};

/// The element of `all` that is called `text`.
template <class All>
auto called(const All& all, std::string_view text) {
  using Value = std::ranges::range_value_t<All>;
  const auto found = std::ranges::find_if(all, [&](Value value) { return name(value) == text; });
  return found == std::ranges::end(all) ? std::optional<Value>() : std::optional<Value>(*found);
}

template <class All>
std::string names_of(const All& all) {
  std::vector<std::string_view> names;
  for (const auto value : all) names.push_back(name(value));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const auto part : std::views::split(text, ' ')) {
    if (!part.empty()) words.emplace_back(part.begin(), part.end());
  }
  return words;
}

std::unexpected<ir::Diagnostic> wrong(std::string message, std::string mend) {
  return std::unexpected(ir::Diagnostic{{}, {}, std::move(message), std::move(mend)});
}

/// `VERDICT [TIER or FINDING]`
std::expected<Expectation, ir::Diagnostic> parse_verdict(Verdict verdict, const std::vector<std::string>& words) {
  Expectation expectation;
  expectation.verdict = verdict;
  if (words.size() == 1) return expectation;
  if (words.size() > 2)
    return wrong(fmt::format("`{}` after the expected verdict", words[2]), "write one tier or one finding after it");
  if (verdict == Verdict::tested || verdict == Verdict::proved) {
    expectation.tier = called(tiers, words[1]);
    if (!expectation.tier)
      return wrong(fmt::format("no tier is called `{}`", words[1]), fmt::format("write one of: {}", names_of(tiers)));
  } else {
    expectation.finding = called(oracle::all_findings(), words[1]);
    if (!expectation.finding) {
      return wrong(fmt::format("no finding is called `{}`", words[1]),
                   fmt::format("write one of: {}", names_of(oracle::all_findings())));
    }
  }
  return expectation;
}

/// The header's value for a key that paths hang on: relative to the file that says it.
std::string beside(const std::string& file, const std::string& path) {
  return (fs::path(file).parent_path() / path).lexically_normal().string();
}

bool looks_like_path(std::string_view machine) { return machine.find_first_of("/.") != std::string_view::npos; }

std::unexpected<ir::Diagnostics> fault(const std::string& file, std::string message, std::string mend) {
  return std::unexpected(ir::Diagnostics{{file, {1, 1}, std::move(message), std::move(mend)}});
}

/// The header word that a comment seems to be meant for: nearly its name, and what may stand behind it.
std::optional<std::string_view> misspelt(std::string_view key, std::string_view value) {
  constexpr std::array<std::string_view, 4> decisive{"before", "pipeline", "machine", "expect"};
  if (std::ranges::find(decisive, key) != decisive.end()) return std::nullopt;
  const std::optional<std::string_view> near = ir::nearest(key, decisive);
  if (!near) return std::nullopt;
  const std::vector<std::string> words = words_of(value);
  const bool fits = *near == "before"   ? value.ends_with(".tile")
                    : *near == "expect" ? parse_expectation(value).has_value()
                                        : words.size() == 1;
  return fits ? near : std::nullopt;
}

/// The original, and itself for the program that is still to be tiled.
std::expected<ProgramPair, ir::Diagnostics> load_for_pipeline(const std::string& path) {
  const std::expected<NamedProgram, ir::Diagnostics> original = load_program(path, "");
  if (original) return ProgramPair{*original, *original};
  ir::Diagnostics errors = original.error();
  if (errors.front().mend.starts_with("choose one")) errors.front().mend = "leave one of them, for the pipeline to tile";
  return std::unexpected(std::move(errors));
}

/// What is wrong with a line of a header by itself: no word behind one that decides, or a line that there is already, at `first`.
std::optional<ir::Diagnostic> wrong_line(std::string_view key, std::string_view value, std::optional<uint32_t> first) {
  constexpr std::array<std::array<std::string_view, 2>, 3> named{
      {{"before", "FILE"}, {"pipeline", "NAME,..."}, {"machine", "NAME"}}};
  if (first) {
    return ir::Diagnostic{{},
                          {},
                          fmt::format("a second `# {}` line; the first is line {}", key, *first),
                          "leave one of them, and begin a comment with another word"};
  }
  const auto found = std::ranges::find(named, key, [](const auto& each) { return each[0]; });
  if (found == named.end() || !value.empty()) return std::nullopt;
  return ir::Diagnostic{
      {}, {}, fmt::format("`# {}` names nothing", key), fmt::format("write `# {} {}`, or leave the line out", key, (*found)[1])};
}

std::string folder_of(const std::string& path) { return fs::path(path).parent_path().filename().string(); }

}  // namespace

bool Expectation::met_by(const oracle::CheckReport& report) const {
  if (verdict ? report.verdict != *verdict : oracle::exit_code(report.verdict) != 0) return false;
  if (tier && report.tier != *tier) return false;
  if (!finding && !statement && !buffer) return true;
  if (report.findings.empty()) return false;
  const oracle::Finding& decisive = report.findings.front();
  const auto is = [](const std::string& said, const std::string& wanted) { return (said.empty() ? "-" : said) == wanted; };
  return (!finding || decisive.id == *finding) && (!statement || is(decisive.statement, *statement)) &&
         (!buffer || is(decisive.buffer, *buffer));
}

std::string to_string(const Expectation& expectation) {
  std::vector<std::string> words;
  const bool by_finding = expectation.verdict == Verdict::refuted && expectation.statement && expectation.buffer;
  if (expectation.verdict && !by_finding) words.emplace_back(name(*expectation.verdict));
  if (expectation.tier) words.emplace_back(name(*expectation.tier));
  if (expectation.finding) words.emplace_back(name(*expectation.finding));
  if (expectation.statement) words.push_back(*expectation.statement);
  if (expectation.buffer) words.push_back(*expectation.buffer);
  return words.empty() ? "passes" : fmt::format("{}", fmt::join(words, " "));
}

std::expected<Expectation, ir::Diagnostic> parse_expectation(std::string_view text) {
  const std::vector<std::string> words = words_of(text);
  if (words.empty()) return wrong("nothing is expected", "write `# expect FINDING STATEMENT BUFFER` or `# expect VERDICT`");
  if (words[0] == "passes" && words.size() == 1) return Expectation{};
  if (const std::optional<Verdict> verdict = called(expectable_verdicts, words[0])) return parse_verdict(*verdict, words);
  const std::optional<FindingId> finding = called(oracle::all_findings(), words[0]);
  if (!finding) {
    return wrong(fmt::format("neither a finding nor a verdict is called `{}`", words[0]),
                 fmt::format("write one of: {}, {}", names_of(expectable_verdicts), names_of(oracle::all_findings())));
  }
  if (words.size() != 3)
    return wrong(fmt::format("{} where three are wanted", words.size() == 1 ? "one word" : fmt::format("{} words", words.size())),
                 "write `# expect FINDING STATEMENT BUFFER`, `-` for none");
  return Expectation{Verdict::refuted, finding, std::nullopt, words[1], words[2]};
}

std::expected<CorpusHeader, ir::Diagnostics> parse_corpus_header(std::string_view text, const std::string& file_name) {
  CorpusHeader header;
  const std::array<std::pair<std::string_view, std::string*>, 9> keys{{{"before", &header.before},
                                                                       {"pipeline", &header.pipeline},
                                                                       {"machine", &header.machine},
                                                                       {"right", &header.right},
                                                                       {"why:", &header.why},
                                                                       {"bug:", &header.bug},
                                                                       {"models", &header.models},
                                                                       {"pair:", &header.pair},
                                                                       {"source:", &header.source}}};
  std::map<std::string_view, uint32_t> seen;  // the line of each word that there was
  uint32_t number = 0;
  for (const auto part : std::views::split(text, '\n')) {
    ++number;
    const std::string_view line = trimmed(std::string_view(part.begin(), part.end()));
    if (line.empty()) continue;
    if (line.front() != '#') break;
    const std::string_view said = trimmed(line.substr(1));
    const size_t end = said.find(' ');
    const std::string_view key = said.substr(0, end);
    const std::string_view value = end == std::string_view::npos ? std::string_view() : trimmed(said.substr(end));
    const bool is_word =
        key == "expect" || std::ranges::find(keys, key, [](const auto& each) { return each.first; }) != keys.end();
    if (is_word) {
      const auto [place, is_first] = seen.try_emplace(key, number);
      if (auto wrong = wrong_line(key, value, is_first ? std::optional<uint32_t>() : place->second)) {
        wrong->file = file_name;
        wrong->location = {number, 1};
        return std::unexpected(ir::Diagnostics{*wrong});
      }
    }
    if (key == "expect") {
      std::expected<Expectation, ir::Diagnostic> expectation = parse_expectation(value);
      if (!expectation) {
        expectation.error().file = file_name;
        expectation.error().location = {number, 1};
        return std::unexpected(ir::Diagnostics{expectation.error()});
      }
      header.expect = *expectation;
    }
    for (const auto& [name, field] : keys) {
      if (key == name) *field = value;
    }
    if (key == "pipeline") header.pipeline_begins = {number, static_cast<uint32_t>(value.data() - &*part.begin()) + 1};
    if (const auto meant = misspelt(key, value)) {
      return std::unexpected(
          ir::Diagnostics{{file_name,
                           {number, 1},
                           fmt::format("no word of a header is called {}", ir::quoted(key)),
                           fmt::format("did you mean `# {} ...`? Begin a comment with another word", *meant)}});
    }
  }
  return header;
}

std::expected<CorpusCase, ir::Diagnostics> load_corpus_case(const std::string& path) {
  const std::expected<std::string, ir::Diagnostic> text = ir::read_text(path);
  if (!text) return std::unexpected(ir::Diagnostics{text.error()});
  std::expected<CorpusHeader, ir::Diagnostics> header = parse_corpus_header(*text, path);
  if (!header) return std::unexpected(std::move(header.error()));
  const std::string folder = folder_of(path);
  if (!header->expect && (folder == "bad" || folder == "pairs" || folder == "regress")) {
    return fault(path, "the header does not say what is expected",
                 "write `# expect FINDING STATEMENT BUFFER` or `# expect VERDICT` before the program");
  }

  if (!header->pipeline.empty() && !header->before.empty()) {
    return fault(path, "the header names an original and a pipeline",
                 "what a pipeline tiles is the original: write it into this file, without `# before`");
  }
  std::expected<ProgramPair, ir::Diagnostics> programs = !header->pipeline.empty() ? load_for_pipeline(path)
                                                         : header->before.empty()
                                                             ? load_pair({path}, "")
                                                             : load_pair({beside(path, header->before), path}, "");
  if (!programs) {
    if (header->pipeline.empty() && header->before.empty() && programs.error().front().location == ir::Location{}) {
      programs.error().front().mend = "name the original in the header, `# before FILE`, or write both programs into this file";
    }
    return std::unexpected(std::move(programs.error()));
  }

  const std::string requested = looks_like_path(header->machine) ? beside(path, header->machine) : header->machine;
  std::expected<ChosenMachine, ir::Diagnostics> machine = choose_machine(requested, programs->tiled);
  if (!machine) return std::unexpected(std::move(machine.error()));
  const Expectation expect = header->expect.value_or(Expectation{});
  return CorpusCase{path, std::move(*header), std::move(*programs), std::move(*machine), expect};
}

bool is_original(const std::string& path) {
  const std::string folder = folder_of(path);
  return folder == "real" || folder == "before";
}

std::expected<std::vector<std::string>, ir::Diagnostics> corpus_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  ir::Diagnostics errors;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      if (fs::exists(path, error)) {
        files.push_back(path);
      } else {
        errors.push_back({path, {}, "no such file or folder", "give corpus files, or folders that hold some"});
      }
      continue;
    }
    std::vector<std::string> below;
    fs::recursive_directory_iterator at(path, error);
    for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
      if (at->path().extension() == ".tile") below.push_back(at->path().lexically_normal().string());
    }
    if (error) errors.push_back({path, {}, fmt::format("cannot be read: {}", error.message()), "give a folder that may be read"});
    std::ranges::sort(below);
    files.insert(files.end(), below.begin(), below.end());
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return files;
}

}  // namespace tileproof::tool
