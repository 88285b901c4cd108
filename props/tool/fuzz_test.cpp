// `tileproof fuzz`, as a user runs it on tilers that are commands: every way in which they can fail is told apart and kept.
#include "props/tool/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

extern char** environ;

namespace tileproof::tool {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A right tiler, which changes nothing, and one that doubles what is assigned.
constexpr const char *right = "cat", *wrong = "sed 's/ = / = 2 * /'";
/// For --batch: copies lines, and doubles as well.
constexpr const char *right_batch = "while IFS= read -r line; do printf '%s\\n' \"$line\"; done",
                     *wrong_batch = "sed -u 's/ = / = 2 * /'";

class Fuzz : public testing::Test {
 protected:
  ScratchFolder scratch;

  Finished run(const std::string& command, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"fuzz", "--pass-command", command, "--out", scratch.path("finds")};
    words.insert(words.end(), more.begin(), more.end());
    return tileproof(words);
  }
  json record(const std::string& command, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--format", "json"});
    const Finished finished = run(command, more);
    const json result = json::parse(finished.output, nullptr, false);
    EXPECT_TRUE(result.is_object()) << finished.output << finished.errors;
    EXPECT_EQ(result.value("exit", -2), finished.exit);
    return result;
  }
  /// Files below the folder of finds, by their paths in it, with their texts.
  std::map<std::string, std::string> kept() {
    std::map<std::string, std::string> files;
    const std::filesystem::path folder = scratch.path("finds");
    if (!std::filesystem::exists(folder)) return files;
    for (const auto& each : std::filesystem::recursive_directory_iterator(folder))
      if (each.is_regular_file()) files[each.path().lexically_relative(folder).string()] = read_file(each.path().string());
    return files;
  }
};

const std::vector<std::string> few{"--runs", "6", "--as-drawn"};

TEST_F(Fuzz, PassesARightTiler) {
  const json result = record(right, few);
  EXPECT_EQ(result["verdict"], "tested");
  EXPECT_EQ(result["outcomes"], (json{{"passed", 6}}));
  EXPECT_EQ(result["cases"], 6);
  EXPECT_TRUE(kept().empty());
}

TEST_F(Fuzz, NamesThePassOfAPipelineAtFault) {
  const auto run_passes = [&](const std::string& pipeline) {
    const std::string program = std::filesystem::path(executable()).replace_filename("test_passes").string();
    const Finished finished = run_process({program, "fuzz", "--pipeline", pipeline, "--machine", "none", "--runs", "60", "--out",
                                           scratch.path("finds"), "--format", "json"});
    return json::parse(finished.output, nullptr, false);
  };
  EXPECT_EQ(run_passes("rename,split")["verdict"], "tested");
  const json result = run_passes("rename,drop-tail,split");
  EXPECT_EQ(result["verdict"], "refuted");
  ASSERT_FALSE(result["finds"].empty());
  for (const json& find : result["finds"]) EXPECT_THAT(find["key"].get<std::string>(), testing::EndsWith(" drop-tail"));
  EXPECT_EQ(run_passes("rename,refuse")["outcomes"], (json{{"refused", 60}}));
  EXPECT_THAT(run_passes("break")["finds"][0]["key"].get<std::string>(), HasSubstr("garbage - break"));
}

TEST_F(Fuzz, RefutesAWrongTilerAndKeepsFindsThatReplay) {
  const json result = record(wrong, {"--runs", "12", "--as-drawn"});
  EXPECT_EQ(result["verdict"], "refuted");
  EXPECT_EQ(result["exit"], 1);
  ASSERT_FALSE(result["finds"].empty());
  EXPECT_EQ(result["finds"].size(), kept().size());
  const Finished replayed = tileproof({"replay", scratch.path("finds")});
  EXPECT_EQ(replayed.exit, 0) << replayed.output << replayed.errors;
}

TEST_F(Fuzz, TellsCrashesHangsGarbageAndRefusalsApart) {
  const auto outcomes = [&](const char* command, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--runs", "2", "--as-drawn"});
    return record(command, more);
  };
  json result = outcomes("cat >/dev/null; kill -SEGV $$");
  EXPECT_EQ(result["outcomes"], (json{{"crash", 2}}));
  EXPECT_EQ(result["finds"][0]["key"], "crash - -");
  EXPECT_THAT(result["finds"][0]["why"], HasSubstr("SIGSEGV"));

  result = outcomes("cat >/dev/null; echo it broke >&2; exit 1");
  EXPECT_EQ(result["outcomes"], (json{{"crash", 2}}));
  EXPECT_EQ(result["finds"][0]["why"], "exit code 1: it broke");

  result = outcomes("sleep 60", {"--pass-timeout", "0.2"});
  EXPECT_EQ(result["outcomes"], (json{{"hang", 2}}));
  EXPECT_EQ(result["exit"], 1);

  result = outcomes("echo tile two");
  EXPECT_EQ(result["outcomes"], (json{{"garbage", 2}}));
  EXPECT_THAT(result["finds"][0]["why"], HasSubstr("output:1:"));

  result = outcomes("sed 's/ dram in/ dram/'");
  EXPECT_EQ(result["outcomes"], (json{{"garbage", 2}})) << "other buffers than the original's";

  result = outcomes("echo no transposes >&2; exit 3");
  EXPECT_EQ(result["outcomes"], (json{{"refused", 2}}));
  EXPECT_EQ(result["reasons"]["refused"], (json{{"exit code N: no transposes", 2}}));
  EXPECT_EQ(result["verdict"], "unsupported");
  EXPECT_EQ(result["exit"], 3) << "nothing was tested";

  result = outcomes("echo '# refused: rank above 2'");
  EXPECT_EQ(result["reasons"]["refused"], (json{{"rank above N", 2}}));
}

TEST_F(Fuzz, TellsThemApartInABatch) {
  const auto outcomes = [&](const std::string& command, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--batch", "--runs", "3", "--as-drawn"});
    return record(command, more)["outcomes"];
  };
  EXPECT_EQ(outcomes(right_batch), (json{{"passed", 3}}));
  EXPECT_EQ(outcomes("while read -r line; do [ \"$line\" = '# end' ] && printf '# refused: it\\n# end\\n'; done; true"),
            (json{{"refused", 3}}));
  EXPECT_EQ(outcomes("read -r line; exit 1"), (json{{"crash", 3}})) << "started anew for each";
  EXPECT_EQ(outcomes("sleep 60", {"--pass-timeout", "0.2"}), (json{{"hang", 3}}));
  EXPECT_EQ(outcomes("while read -r line; do [ \"$line\" = '# end' ] && printf 'tile\\n# end\\n'; done; true"),
            (json{{"garbage", 3}}));
}

TEST_F(Fuzz, FindsTheSameForAnyNumberOfJobs) {
  const auto run_with = [&](const char* jobs) {
    std::filesystem::remove_all(scratch.path("finds"));
    const json result = record(wrong_batch, {"--batch", "--runs", "60", "--jobs", jobs});
    return std::pair(result, kept());
  };
  const auto one = run_with("1"), two = run_with("2");
  EXPECT_GE(one.first["finds"].size(), 2U);
  EXPECT_EQ(one.first, two.first);
  EXPECT_EQ(one.second, two.second);
}

TEST_F(Fuzz, ReducesWhatItFinds) {
  const json result = record(wrong_batch, {"--batch", "--runs", "20"});
  ASSERT_FALSE(result["finds"].empty());
  for (const json& find : result["finds"]) {
    EXPECT_TRUE(find["reduced"]) << find;
    EXPECT_LE(find["operations"], 2) << find;
  }
  EXPECT_EQ(tileproof({"replay", scratch.path("finds")}).exit, 0);
}

TEST_F(Fuzz, JudgesTheLimitsOfAMachineThatTheFindNames) {
  const json result = record(right, {"--runs", "2", "--as-drawn", "--machine", "trn2-tight"});
  EXPECT_EQ(result["verdict"], "refuted") << "whole tensors in dram are no instructions";
  EXPECT_EQ(tileproof({"replay", scratch.path("finds")}).exit, 0);
  const std::string file = result["finds"][0]["file"];
  EXPECT_THAT(read_file(file), HasSubstr("\n# machine trn2-tight\n"));
  EXPECT_EQ(tileproof({"check", file, "--machine", "trn2-tight"}).exit, 1);
  EXPECT_EQ(record(right, {file, "--as-drawn", "--machine", "trn2-tight"})["finds"][0]["key"], result["finds"][0]["key"]);
}

TEST_F(Fuzz, TriesAFindAgain) {
  const json result = record(wrong, {"--runs", "12", "--as-drawn"});
  const std::string file = result["finds"][0]["file"];
  EXPECT_EQ(record(wrong, {file, "--as-drawn"})["finds"][0]["key"], result["finds"][0]["key"]);
  EXPECT_EQ(record(right, {file})["verdict"], "tested");
}

TEST_F(Fuzz, LeavesTheFilesThatItTries) {
  const std::string file = record(wrong, {"--runs", "20"})["finds"][0]["file"];
  const auto before = kept();
  const Finished again = tileproof({"fuzz", "--pass-command", wrong, "--seed", "7", file});
  EXPECT_EQ(again.exit, 1) << again.output << again.errors;
  EXPECT_THAT(again.output, HasSubstr("file:   " + file));
  EXPECT_EQ(kept(), before);
  const std::string elsewhere = scratch.path("elsewhere");
  EXPECT_EQ(tileproof({"fuzz", "--pass-command", wrong, "--out", elsewhere, file}).exit, 1);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(elsewhere)) {
    if (!entry.is_regular_file()) continue;
    EXPECT_THAT(read_file(entry.path().string()), HasSubstr(file + "`\n"));
  }
}

TEST_F(Fuzz, FailsOnNewFindsOnlyWhereOthersAreKnown) {
  const json first = record(wrong, {"--runs", "12", "--as-drawn"});
  std::string keys = "# finds that we know\n";
  for (const json& find : first["finds"]) keys += find["key"].get<std::string>() + "\n";
  const std::string known = scratch.file("known", keys);
  std::filesystem::remove_all(scratch.path("finds"));
  const json again = record(wrong, {"--runs", "12", "--known", known});
  EXPECT_NE(again["exit"], 1);
  EXPECT_EQ(again["finds"].size(), first["finds"].size());
  for (const json& find : again["finds"]) EXPECT_TRUE(find["known"]) << find;
  EXPECT_TRUE(kept().empty());
  EXPECT_EQ(record("cat >/dev/null; exit 1", {"--runs", "2", "--known", known, "--as-drawn"})["exit"], 1) << "a crash is news";

  const Finished bad = run(wrong, {"--known", scratch.file("bad", "value map -\nvalue map\nvalue\n")});
  EXPECT_EQ(bad.exit, 2);
  EXPECT_THAT(bad.errors, HasSubstr("bad:2:1: error: 2 words where the key of a find has three"));
  EXPECT_THAT(bad.errors, HasSubstr("bad:3:1: error: 1 word where the key of a find has three"));
}

TEST_F(Fuzz, NamesTheWordOfAKnownFindThatThereIsNot) {
  const Finished bad = run(wrong, {"--known", scratch.file("bad",
                                                           "value map -\n  valeu map -  # a tail\ncrahs - -\nvalue map penguin\n"
                                                           "value map bf-compute-cuting\n")});
  EXPECT_EQ(bad.exit, 2);
  for (const char* line : {"bad:2:3: error: no finding is called `valeu`; did you mean `value`?",
                           "bad:3:1: error: no finding is called `crahs`; did you mean `crash`?",
                           "bad:4:11: error: no pass is called `penguin`; write one of -, ",
                           "bad:5:11: error: no pass is called `bf-compute-cuting`; did you mean `bf-compute-cutting`?"})
    EXPECT_THAT(bad.errors, HasSubstr(line));
  EXPECT_THAT(run(wrong, {"--known", scratch.path("none")}).errors,
              HasSubstr("none: error: No such file or directory; name a file of known finds that can be read"));
}

TEST_F(Fuzz, TakesTheFilesBelowAFolder) {
  const json first = record(wrong, {"--runs", "12", "--as-drawn"});
  const Finished again = tileproof({"fuzz", "--pass-command", wrong, "--format", "json", scratch.path("finds")});
  EXPECT_EQ(again.exit, 1) << again.errors;
  const json result = json::parse(again.output, nullptr, false);
  EXPECT_EQ(result["cases"], kept().size());
  EXPECT_EQ(result["finds"].size(), first["finds"].size());
  EXPECT_EQ(result["finds"][0]["file"], first["finds"][0]["file"]);
  std::filesystem::create_directory(scratch.path("empty"));
  const Finished none = tileproof({"fuzz", "--pass-command", wrong, scratch.path("empty")});
  EXPECT_EQ(none.exit, 2);
  EXPECT_THAT(none.errors, HasSubstr("empty: error: no program in this folder; give one that holds `.tile` files"));
}

TEST_F(Fuzz, HintsAtTheOtherModeWhereACommandIsOfOne) {
  const auto why = [&](const std::string& command, std::vector<std::string> more) {
    more.insert(more.end(), {"--runs", "1", "--as-drawn"});
    return record(command, more)["finds"][0]["why"].get<std::string>();
  };
  // Takes a program up to the end of its input; or one line of it, and ends.
  EXPECT_THAT(why("text=$(cat); echo \"$text\"", {"--batch", "--pass-timeout", "0.2"}), HasSubstr("leave --batch out"));
  EXPECT_THAT(why("read -r line; echo tile 1", {"--batch"}), HasSubstr("leave --batch out"));
  EXPECT_THAT(why("sed -n '/^# end/p'", {}), HasSubstr("give --batch"));
  EXPECT_THAT(why("sleep 60", {"--pass-timeout", "0.2"}), testing::Not(HasSubstr("--batch")));
}

TEST_F(Fuzz, KeepsTheLastLinesOfACrash) {
  const std::string command = "cat >/dev/null; for i in 1 2 3 4 5 6 7; do echo line $i >&2; done; exit 1";
  const json find = record(command, {"--runs", "1", "--as-drawn"})["finds"][0];
  EXPECT_EQ(find["why"], "exit code 1: line 7");
  EXPECT_EQ(find["stderr"], (json{"line 3", "line 4", "line 5", "line 6", "line 7"}));
  EXPECT_THAT(run(command, {"--runs", "1", "--as-drawn"}).output,
              HasSubstr("  why:    exit code 1: line 7\n  stderr: line 3\n          line 4\n"));
  const std::string length = "cat >/dev/null; for i in $(seq 100); do printf 'words and '; done >&2; exit 1";
  const std::string line = record(length, {"--runs", "1", "--as-drawn"})["finds"][0]["stderr"][0];
  EXPECT_LE(line.size(), 200U);
  EXPECT_THAT(line, testing::EndsWith("and words..."));
}

bool holds_a_find(const std::string& folder) {
  std::error_code ignored;
  for (const auto& each : std::filesystem::directory_iterator(folder, ignored))
    if (each.path().extension() == ".tile") return true;
  return false;
}

/// Starts `tileproof fuzz` and ends it by a signal a while after the first find has been kept. What `waitpid` says.
int signalled(const std::vector<std::string>& words, int signal, const std::string& finds, std::chrono::milliseconds later = {}) {
  std::vector<std::string> copies = words;
  copies.insert(copies.begin(), executable());
  std::vector<char*> arguments;
  for (std::string& copy : copies) arguments.push_back(copy.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, (finds + ".output").c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t child = 0;
  EXPECT_EQ(posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  for (int waited = 0; waited < 600; ++waited) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (holds_a_find(finds)) break;
  }
  std::this_thread::sleep_for(later);
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(Fuzz, KeepsItsFindsWhenItIsKilled) {
  for (const int later : {0, 40, 90, 160, 310}) {
    const int status = signalled({"fuzz", "--pass-command", wrong, "--out", scratch.path("finds"), "--time", "60"}, SIGKILL,
                                 scratch.path("finds"), std::chrono::milliseconds(later));
    ASSERT_TRUE(WIFSIGNALED(status));
    // A temporary file may be left beside them; what is called a find is whole.
    const Finished replayed = tileproof({"replay", scratch.path("finds")});
    EXPECT_EQ(replayed.exit, 0) << replayed.output << replayed.errors;
    std::filesystem::remove_all(scratch.path("finds"));
  }
}

TEST_F(Fuzz, ReportsWhatItHasWhenItIsStopped) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const int status =
        signalled({"fuzz", "--pass-command", wrong, "--out", scratch.path("finds"), "--time", "60", "--format", "json"}, signal,
                  scratch.path("finds"));
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1);
    const json result = json::parse(read_file(scratch.path("finds.output")), nullptr, false);
    ASSERT_TRUE(result.is_object());
    EXPECT_TRUE(result["stopped"]);
    EXPECT_EQ(result["finds"].size(), kept().size());
    std::filesystem::remove_all(scratch.path("finds"));
    std::filesystem::remove(scratch.path("finds.output"));
  }
}

/// What dies before it has read a byte says nothing of any program.
TEST_F(Fuzz, EndsWhereTheCommandCannotBeRun) {
  for (const auto& [command, last] : std::map<std::string, std::string>{{"no-such-interpreter my_tiler.py", "not found"},
                                                                        {"/etc/passwd", "exit code 126"},
                                                                        {"echo it cannot begin >&2; exit 1", "it cannot begin"},
                                                                        {"kill -SEGV $$", "SIGSEGV"},
                                                                        {"true", "exit code 0"}}) {
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--batch"}}) {
      const Finished finished = run(command, more);
      EXPECT_EQ(finished.exit, 2) << command;
      EXPECT_THAT(finished.errors, HasSubstr("ended 5 times in a row before it read a program: ")) << command;
      EXPECT_THAT(finished.errors, HasSubstr(last)) << command;
      EXPECT_TRUE(kept().empty()) << command;
    }
  }
  const Finished json_too = run("exit 9", {"--format", "json"});
  EXPECT_EQ(json_too.exit, 2);
  EXPECT_EQ(json::parse(json_too.output)["verdict"], "bad-input");
}

TEST_F(Fuzz, StartsACommandAgainThatDiedBeforeItReadAProgram) {
  const std::string marker = scratch.path("was here");
  const std::string second_time = "[ -e '" + marker + "' ] || { : > '" + marker + "'; exit 1; }; cat";
  EXPECT_EQ(record(second_time, few)["outcomes"], (json{{"passed", 6}}));
}

/// Processes whose command line has this word.
size_t processes_with(const std::string& word) {
  size_t count = 0;
  for (const auto& each : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(each.path() / "cmdline", std::ios::binary);
    const std::string line(std::istreambuf_iterator<char>(file), {});
    if (line.starts_with("sleep") && line.find(word) != std::string::npos) ++count;
  }
  return count;
}

TEST_F(Fuzz, LeavesNoProcessOfATilerBehind) {
  const std::string seconds = "987" + std::to_string(getpid());
  const std::string away = "setsid sleep " + seconds + " >/dev/null 2>&1 </dev/null & ";
  record(away + "cat >/dev/null; sleep " + seconds, {"--runs", "2", "--as-drawn", "--pass-timeout", "0.5"});   // killed
  EXPECT_EQ(processes_with(seconds), 0U);
  EXPECT_EQ(record(away + "cat", few)["outcomes"], (json{{"passed", 6}}));   // ended by itself
  EXPECT_EQ(processes_with(seconds), 0U);
  record("(" + away + ") & cat >/dev/null; sleep " + seconds, {"--runs", "1", "--as-drawn", "--pass-timeout", "0.5", "--batch"});
  EXPECT_EQ(processes_with(seconds), 0U) << "an orphan";
}

TEST_F(Fuzz, DrawsTheOperationsThatAreWanted) {
  const json drawn = record(right, {"--runs", "60", "--only", "map,transpose", "--max-operations", "1"})["drawn"]["percent"];
  EXPECT_EQ(drawn["1 operation"], 100);
  EXPECT_GT(drawn["map"], 0);
  EXPECT_GT(drawn["transpose"], 0);
  for (const char* other : {"reduce", "matmul", "copy"}) EXPECT_FALSE(drawn.contains(other)) << other;
  const Finished found = run(wrong, {"--runs", "12", "--as-drawn", "--only", "map"});
  EXPECT_THAT(found.output, HasSubstr(" --only map --seed 1 --first "));
  EXPECT_THAT(kept().begin()->second, HasSubstr(" --only map --seed 1 --first "));
  const Finished bad = run(right, {"--only", "map,conv"});
  EXPECT_EQ(bad.exit, 2);
  EXPECT_THAT(bad.errors, HasSubstr("--only conv names nothing that is drawn; give it one of map, reduce, matmul,"));
  for (const std::string nothing : {",", "map,", ",map", "map,,copy"}) {
    const Finished refused = run(right, {"--only", nothing});
    EXPECT_EQ(refused.exit, 2) << nothing;
    EXPECT_THAT(refused.errors, HasSubstr("--only " + nothing + " names nothing before or after a comma; give it one of map,"));
  }
  EXPECT_THAT(run(right, {"--only", "group"}).errors,
              HasSubstr("--only group names no operation; name those of the groups, too"));
}

TEST_F(Fuzz, DrawsGroupsOnlyWhereTheyAreWanted) {
  const auto percent = [&](const char* only) {
    return record(right, {"--runs", "60", "--only", only})["drawn"]["percent"].value("fuse group", 0.0);
  };
  EXPECT_EQ(percent("map,reduce"), 0);
  EXPECT_GT(percent("map,reduce,group"), 0);
}

TEST_F(Fuzz, KeepsWhatATilerSaysInItsOwnLetters) {
  const std::string said = "Größe über 2 – nein";
  const json result = record("cat >/dev/null; echo '" + said + "' >&2; exit 3", {"--runs", "1"});
  EXPECT_EQ(result["reasons"]["refused"].begin().key(), "exit code N: Größe über N – nein");
  const Finished text = run("cat >/dev/null; echo '" + said + "' >&2; exit 3", {"--runs", "1"});
  EXPECT_THAT(text.output, HasSubstr("Größe über N – nein"));
}

TEST_F(Fuzz, CountsWhatAPassDeclinesAsRefused) {
  const std::string program = std::filesystem::path(executable()).replace_filename("test_passes").string();
  const std::string machine = scratch.file("four.machine", R"(machine 1
machine four {
  space dram
  opcode map {
    D[f] = any(A[f])
    limit f <= 4
  }
}
)");
  const auto outcomes = [&](const char* pipeline) {
    const Finished finished =
        run_process({program, "fuzz", "--pipeline", pipeline, "--machine", machine, "--runs", "60", "--only", "map",
                     "--max-operations", "1", "--as-drawn", "--out", scratch.path("finds"), "--format", "json"});
    return json::parse(finished.output, nullptr, false);
  };
  const json whole = outcomes("split{size=1000000}");
  EXPECT_FALSE(whole["outcomes"].contains("wrong")) << whole["outcomes"];
  EXPECT_EQ(whole["reasons"]["refused"].begin().key(), "declined: small");
  EXPECT_TRUE(outcomes("split{size=5}")["outcomes"].contains("wrong")) << "what it did split is its fault";
}

TEST_F(Fuzz, RefusesWrongUsage) {
  EXPECT_THAT(run("cat", {"--runs", "0"}).errors, HasSubstr("give it a whole number of 1 and more"));
  EXPECT_EQ(run("cat", {"--runs", "0"}).exit, 2);
  EXPECT_EQ(run("cat", {"--max-operations", "0"}).exit, 2);
  EXPECT_THAT(tileproof({"fuzz"}).errors, HasSubstr("no tiler is given; give either --pipeline NAME or --pass-command COMMAND"));
  EXPECT_EQ(tileproof({"fuzz"}).exit, 2);
  EXPECT_EQ(tileproof({"fuzz", "--pass-command", "cat", "--machine", "trn9"}).exit, 2);
  EXPECT_EQ(run("cat", {"no such file"}).exit, 2);
  EXPECT_EQ(tileproof({"fuzz", "--pass-command", wrong, "--runs", "5", "--out", scratch.file("a file", "")}).exit, 2);
}

/// The text between `begin` and the next line of three backticks in a page.
std::string block(const std::string& page, const std::string& begin) {
  const size_t at = page.find(begin);
  if (at == std::string::npos) return {};
  const size_t first = at + begin.size();
  return page.substr(first, page.find("```", first) - first);
}

TEST_F(Fuzz, FindsTheMistakeOfTheExampleWithinSeconds) {
  const std::string page = read_file("docs/fuzzing.md");
  const Finished finished = tileproof({"fuzz", "--pass-command", "python3 docs/example/tiler.py --batch", "--batch", "--runs",
                                       "200", "--out", scratch.path("finds")});
  EXPECT_EQ(finished.exit, 1);
  std::string output = finished.output;   // as the page has it: called in the root of the repository, with the default folder
  for (const auto& [from, to] :
       {std::pair(scratch.path("finds"), std::string("finds")), std::pair(executable(), std::string("build/tileproof"))})
    for (size_t at = output.find(from); at != std::string::npos; at = output.find(from, at)) output.replace(at, from.size(), to);
  EXPECT_EQ(block(page, "--runs 200\n"), output);
  EXPECT_EQ(block(page, "$ cat finds/not-written.seed1.tile\n"), kept()["not-written.seed1.tile"]);

  std::string mended = read_file("docs/example/tiler.py");
  const std::string mistake = "trips = extent // TILE", right_trips = "trips = -(-extent // TILE)";
  ASSERT_NE(mended.find(mistake), std::string::npos);
  ASSERT_THAT(page, HasSubstr(right_trips));
  mended.replace(mended.find(mistake), mistake.size(), right_trips);
  const json result = record("python3 " + scratch.file("mended.py", mended) + " --batch", {"--batch", "--runs", "200"});
  EXPECT_EQ(result["verdict"], "tested") << result;
}

}  // namespace
}  // namespace tileproof::tool
