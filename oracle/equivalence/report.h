// A CheckReport as people and as programs read it. docs/record.md describes the record, docs/record.schema.json defines it.
#pragma once

#include "oracle/equivalence/check.h"
#include "oracle/explain/picture.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tileproof::oracle {

/// The version of every record, in its field "tileproof". It changes when a field changes its meaning or goes.
inline constexpr int record_version = 1;

/// What was checked: the part of a report that the report itself does not know. Paths are as the user gave them.
struct CheckSubject {
  std::string original_file, original_program;
  std::string tiled_file, tiled_program;
  std::string machine;  ///< as the user or the program named it; empty: no machine limits were judged
  Rounding rounding = Rounding::strict;
  uint64_t seed = 1;
  std::string executable = "tileproof";  ///< as the user called it; only the text says it
  std::string command;  ///< the arguments that replay the check, quoted for a shell: "check a.tile b.tile --seed 1"
};

/// Several lines, ending in a newline: the verdict first, then what shows it, then what was run.
std::string text_report(const CheckReport& report, const CheckSubject& subject);

/// One JSON object, indented, ending in a newline. The same check gives the same bytes: no times, no host, no order of threads.
/// `explanation`: the pictures, if they were asked for.
std::string json_record(const CheckReport& report, const CheckSubject& subject,
                        const std::optional<Pictures>& explanation = std::nullopt);

/// Pictures as they stand in records.
nlohmann::ordered_json pictures_record(const Pictures& pictures);

/// A finding on one line, with its place in `file`: "race (TP105) in store#1 on y[3], a.tile:4:5: two iterations write it".
std::string finding_text(const Finding& finding, const std::string& file);

/// A finding as it stands in records.
nlohmann::ordered_json finding_record(const Finding& finding, const std::string& file);

/// The verdict in a few words: "tested: field", "refuted: value (TP001)", "unsupported: identity undecided".
std::string headline(const CheckReport& report);

/// "docs/findings/TP001.md".
std::string page(FindingId id);

/// A count with its thousands apart: "2,304,000".
std::string grouped(uint64_t count);

/// "y[0, 44]"; the name alone where there are no indices.
std::string element_text(std::string_view buffer, std::span<const int64_t> element);

}  // namespace tileproof::oracle
