// What `tileproof fuzz` says in the end, for people and for programs.
#pragma once

#include "fuzz/hunt/hunt.h"
#include "tool/exit_code.h"
#include "tool/find_folder.h"
#include "tool/fuzz_command.h"

#include <string>
#include <string_view>

namespace tileproof::tool {

/// How the fuzzing job ended, by what it found: "refuted" (a find that is not known), "harness-error" (one that is a fault of ours),
/// "tested" (some program passed), else "unsupported".
oracle::Verdict verdict_of(const fuzz::HuntReport& report);

/// The words of the command that tries the same tiler: "fuzz --pass-command 'python3 tiler.py' --batch".
std::string tiler_words(const FuzzArguments& arguments);

/// ... with what is drawn for it.
std::string drawing_words(const FuzzArguments& arguments);

struct FuzzSubject {
  const FuzzArguments& arguments;
  const FindFolder& folder;
  bool judges_machine = true;
  bool is_stopped = false;  ///< by a signal
};

std::string fuzz_text(const fuzz::HuntReport& report, const FuzzSubject& subject);
std::string fuzz_record(const fuzz::HuntReport& report, const FuzzSubject& subject);

}  // namespace tileproof::tool
