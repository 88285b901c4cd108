// Bad input of every kind gives a located error and exit code 2 from every command that reads programs: never a crash, a hang, a
// silent skip or a half-written file.
#include "props/tool/process.h"
#include "props/tool/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace tileproof::tool {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct BadProgram {
  std::string name;
  std::string text;
};

void PrintTo(const BadProgram& bad, std::ostream* stream) { *stream << bad.name; }

std::string program(const std::string& body) {
  return "tile 1\nprogram p {\n  buffer x : f32[10] dram in\n  buffer y : f32[10] dram out\n" + body + "\n}\n";
}

std::string nested(const std::string& open, const std::string& inner, const std::string& close, size_t depth) {
  std::string text;
  for (size_t i = 0; i < depth; ++i) text += open;
  text += inner;
  for (size_t i = 0; i < depth; ++i) text += close;
  return text;
}

class BadProgramText : public testing::TestWithParam<BadProgram> {};

TEST_P(BadProgramText, IsALocatedErrorForEveryCommand) {
  const ScratchFolder scratch;
  const std::string bad = scratch.file("bad.tile", GetParam().text);
  const std::string good = scratch.file("good.tile", twice);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"check", good, bad}, {"check", bad, good}, {"run", bad}, {"compile", bad}}) {
    const Finished finished = tileproof(words);
    EXPECT_EQ(finished.exit, 2) << words.front() << finished.errors;
    EXPECT_THAT(finished.errors, StartsWith(bad)) << words.front();
    EXPECT_THAT(finished.errors, HasSubstr(": error: ")) << words.front();
    EXPECT_EQ(finished.output, "") << words.front();
  }
}

TEST_P(BadProgramText, IsOneRecordInJson) {
  const ScratchFolder scratch;
  const std::string bad = scratch.file("bad.tile", GetParam().text);
  const Finished finished = tileproof({"compile", bad, "--format=json"});
  const nlohmann::json record = nlohmann::json::parse(finished.output, nullptr, false);
  ASSERT_TRUE(record.is_object()) << finished.output;
  EXPECT_EQ(record["verdict"], "bad-input");
  EXPECT_EQ(record["exit"], finished.exit);
  EXPECT_FALSE(record["errors"].empty());
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BadProgramText,
    testing::Values(BadProgram{"Empty", ""}, BadProgram{"OnlyComments", "# nothing\n# at all\n"},
                    BadProgram{"NoVersion", "program p { }\n"}, BadProgram{"LaterVersion", "tile 2\nprogram p { }\n"},
                    BadProgram{"NoProgram", "tile 1\n"},
                    BadProgram{"Binary", std::string("\x7f"
                                                     "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0",
                                                     20)},
                    BadProgram{"ZeroBytes", std::string(4096, '\0')}, BadProgram{"NotUtf8", "tile 1\nprogram p\xff\xfe { }\n"},
                    BadProgram{"CutOff", std::string(twice.substr(0, twice.size() / 2))},
                    BadProgram{"Parentheses", std::string(1 << 20, '(')},
                    BadProgram{"DeepExpression", program("map y[i] = " + nested("(", "x[i]", ")", 100000) + " over i:10")},
                    BadProgram{"DeepLoops", program(nested("if 0 < 1 { ", "map y[i] = x[i] over i:10", " }", 100000))},
                    BadProgram{"DeepNegation", program("map y[i] = " + std::string(100000, '-') + "x[i] over i:10")},
                    BadProgram{"UnknownBuffer", program("map y[i] = q[i] over i:10")},
                    BadProgram{"UnknownAxis", program("map y[j] = x[i] over i:10")},
                    BadProgram{"UnknownDtype", program("buffer t : f31[4] dram")},
                    BadProgram{"UnknownWord", program("frobnicate")},
                    BadProgram{"WrongRank", program("map y[i, i] = x[i] over i:10")},
                    BadProgram{"DeclaredTwice", program("buffer x : f32[10] dram")},
                    BadProgram{"ExtentZero", program("buffer t : f32[0] dram")},
                    BadProgram{"ExtentNegative", program("buffer t : f32[-4] dram")},
                    BadProgram{"Extent2To62", program("buffer t : f32[4611686018427387904] dram")},
                    BadProgram{"ExtentBeyond64Bits", program("buffer t : f32[99999999999999999999999] dram")},
                    BadProgram{"ProductOverflows", program("buffer t : f32[4294967296, 4294967296, 4294967296] dram")},
                    BadProgram{"CyclicViews", program("view a[i:10] = b[i] view b[i:10] = a[i]")},
                    BadProgram{"ViewOfItself", program("view a[i:10] = a[i]")},
                    BadProgram{"AssignmentOverReduce", program("reduce y[0] = x[k] over k:10 reduce")},
                    BadProgram{"WritesAnInput", program("map x[i] = y[i] over i:10")},
                    BadProgram{"NotQuasiAffine", program("map y[i * j] = x[i] over i:2, j:2")}),
    [](const auto& information) { return information.param.name; });

class BadFile : public testing::Test {
 protected:
  ScratchFolder scratch;

  void expect_bad(const std::string& path) {
    for (const std::string command : {"check", "run", "compile"}) {
      const Finished finished = tileproof({command, path});
      EXPECT_EQ(finished.exit, 2) << command;
      EXPECT_THAT(finished.errors, StartsWith(path + ": error: ")) << command;
    }
  }
};

TEST_F(BadFile, Missing) { expect_bad(scratch.path("missing.tile")); }

TEST_F(BadFile, Directory) {
  for (const std::string command : {"check", "run", "compile"}) {
    const Finished finished = tileproof({command, scratch.path("")});
    EXPECT_EQ(finished.exit, 2) << command;
    EXPECT_THAT(finished.errors, HasSubstr("directory")) << command;
  }
}

TEST_F(BadFile, WithoutPermission) {
  const std::string path = scratch.file("secret.tile", twice);
  const std::string program = scratch.path("tileproof");
  std::filesystem::copy_file(executable(), program);
  std::filesystem::permissions(scratch.path(""), std::filesystem::perms(0755));
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  std::vector<std::string> words{program, "run", path};
  if (geteuid() == 0)
    words.insert(words.begin(), {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"});  // root may read every file
  const Finished finished = run_process(words);
  EXPECT_EQ(finished.exit, 2);
  EXPECT_THAT(finished.errors, StartsWith(path + ": error: Permission denied"));
}

TEST_F(BadFile, AHundredMegabytesOfParentheses) { expect_bad(scratch.file("parentheses.tile", std::string(100'000'000, '('))); }

TEST_F(BadFile, UnderAMachineThatDoesNotExist) {
  const std::string path = scratch.file("good.tile", twice);
  const Finished finished = tileproof({"check", path, path, "--machine", "trn99"});
  EXPECT_EQ(finished.exit, 2);
  EXPECT_THAT(finished.errors, HasSubstr("trn99"));
}

TEST_F(BadFile, UnderAMachineThatDoesNotExistListsThoseThatDo) {
  const std::string path = scratch.file("good.tile", twice);
  for (const std::string machine : {"trn99", "trn9", "z", "none.machine"}) {
    const Finished finished = tileproof({"check", path, path, "--machine", machine});
    EXPECT_EQ(finished.exit, 2) << machine;
    EXPECT_THAT(finished.errors, HasSubstr("the built-in machines are ascend-910b, ascend-950, inf1, torq-sl2610, toy, trn1, "
                                           "trn1-tight, trn2, trn2-tight, trn3, trn3-tight; a file of your own ends in .machine"))
        << machine;
  }
}

TEST_F(BadFile, AsAMachine) {
  const std::string path = scratch.file("good.tile", twice);
  const std::string machine = scratch.file("bad.machine", "this is no machine");
  const Finished finished = tileproof({"check", path, path, "--machine", machine});
  EXPECT_EQ(finished.exit, 2);
  EXPECT_THAT(finished.errors, StartsWith(machine + ":1:"));
}

TEST(StandardInput, CannotBeBothPrograms) {
  const Finished finished = tileproof({"check", "-", "-"}, {.input = std::string(twice)});
  EXPECT_EQ(finished.exit, 2);
  EXPECT_THAT(finished.errors, HasSubstr("standard input cannot be both"));
}

class StandardOutput : public testing::Test {
 protected:
  ScratchFolder scratch;
  std::string path = scratch.file("good.tile", twice);
};

TEST_F(StandardOutput, WithoutAReaderEndsQuietlyWithTheVerdict) {
  const Finished finished = tileproof({"check", path, path}, {.output_has_no_reader = true});
  EXPECT_EQ(finished.exit, 0);
  EXPECT_EQ(finished.errors, "");
}

TEST_F(StandardOutput, WithoutAReaderEndsAReplayEarly) {
  const Finished finished = tileproof({"replay", scratch.file("twice.tile", pair_of(twice, std::string(twice_in_tiles)))},
                                      {.output_has_no_reader = true});
  EXPECT_EQ(finished.exit, 3);
  EXPECT_EQ(finished.errors, "");
}

TEST_F(StandardOutput, ThatIsFullIsAnError) {
  const Finished finished = tileproof({"compile", path}, {.output_file = "/dev/full"});
  EXPECT_EQ(finished.exit, 2);
  EXPECT_THAT(finished.errors, HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace tileproof::tool
