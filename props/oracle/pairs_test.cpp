// Every pair of the table behind the oracle's rules (corpus/pairs), and every program of the corpus against itself.
#include "compiler/ir/text.h"
#include "tool/corpus_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace tileproof {
namespace {

std::vector<std::string> files(const std::vector<std::string>& folders) {
  return tool::corpus_files(folders).value_or(std::vector<std::string>{});
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).replace_extension().string();
  std::ranges::replace_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

class PairOfTheTable : public testing::TestWithParam<std::string> {};

TEST_P(PairOfTheTable, HasItsVerdict) {
  const auto one = tool::load_corpus_case(GetParam());
  ASSERT_TRUE(one.has_value()) << ir::to_string(one.error().front());
  oracle::CheckOptions options;
  options.machine = one->machine.get();
  const auto report = oracle::check(one->programs.original.program, one->programs.tiled.program, options);
  ASSERT_TRUE(report.has_value()) << ir::to_string(report.error().front());
  EXPECT_TRUE(one->expect.met_by(*report)) << "expected " << tool::to_string(one->expect) << ", got "
                                           << oracle::name(report->verdict) << " " << oracle::name(report->tier) << " "
                                           << (report->findings.empty() ? report->reason
                                                                        : std::string(oracle::name(report->findings.front().id)));
}

INSTANTIATE_TEST_SUITE_P(Corpus, PairOfTheTable, testing::ValuesIn(files({"corpus/pairs"})), test_name);

TEST(PairsOfTheTable, AreAllHere) { EXPECT_EQ(files({"corpus/pairs"}).size(), 135U); }

/// No two programs are more alike than a program and itself.
class ProgramOfTheCorpus : public testing::TestWithParam<std::string> {};

TEST_P(ProgramOfTheCorpus, NeverDiffersFromItself) {
  const auto text = ir::read_text(GetParam());
  ASSERT_TRUE(text.has_value());
  const auto file = ir::parse(*text, GetParam());
  ASSERT_TRUE(file.has_value());
  for (const ir::Program& program : file->programs) {
    oracle::CheckOptions options;
    options.keys = 1;
    const auto report = oracle::check(program, program, options);
    ASSERT_TRUE(report.has_value());
    // A program that is illegal by itself is a bad original; nothing else may be said.
    EXPECT_TRUE(report->verdict == oracle::Verdict::tested || report->verdict == oracle::Verdict::bad_original)
        << oracle::name(report->verdict) << " " << report->reason;
  }
}

/// The two programs of half a minute each are replayed by ci/test as they are.
std::vector<std::string> quick_files() {
  std::vector<std::string> list = files({"corpus/real", "corpus/tiled", "corpus/odd", "corpus/bad"});
  std::erase_if(list, [](const std::string& file) {
    return file.find("matmul_bias_relu") != std::string::npos || file.find("matmul_n_outer") != std::string::npos;
  });
  return list;
}

INSTANTIATE_TEST_SUITE_P(Corpus, ProgramOfTheCorpus, testing::ValuesIn(quick_files()), test_name);

}  // namespace
}  // namespace tileproof
