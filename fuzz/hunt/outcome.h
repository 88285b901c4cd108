// What a hunt finds out about one program: what the tiler made of it, and what the oracle says.
#pragma once

#include "fuzz/hunt/tiler.h"
#include "oracle/equivalence/check.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::fuzz {

struct Outcome {
  enum class Kind : uint8_t {
    passed,          // the tiled program means the same, and is legal
    refused,         // the tiler does not support the program
    undecided,       // the oracle cannot decide, or reached a limit
    wrong,           // refuted
    crash,           // of the tiler; so are the next two
    hang,
    garbage,         // no well-formed program, or one with other buffers or parameters
    bad_original,    // ours: the generator drew a program without a single meaning
    harness_error,   // ours: the oracle contradicts itself
    unusable,        // the tiler cannot be run at all
    stopped,         // nothing is known
  };
  Kind kind = Kind::stopped;
  std::string why = {};    ///< a line
  std::string pass = {};   ///< that is at fault; empty: not known
  std::string statement = {};   ///< what kind of statement goes wrong, as in key(); empty: not known
  std::vector<std::string> errors = {};   ///< as in Made
  ir::Program made = {};   ///< if the tiler made one
  std::optional<oracle::CheckReport> report = {};

  bool is_find() const { return kind >= Kind::wrong && kind <= Kind::harness_error; }
  /// "FINDING STATEMENT PASS", `-` where a part is not known: "value store.max fuse". FINDING is the name of the decisive finding, or
  /// `crash`, `hang`, `garbage`, `bad-original`, `harness-error`. STATEMENT is the opcode of the tiled statement that the finding names,
  /// then the update by which the original computes the tensor of the finding (not `=`, nor `+=` where the tiled statement has it, too),
  /// then, for a limit, the space: `load.sbuf`. No sizes and no names: two finds of one key are taken for one fault.
  std::string key() const;
};
/// "passed", "refused", ..., "bad-original", "harness-error".
std::string_view name(Outcome::Kind kind);

/// Judged by `options`, whose machine may be nullptr.
Outcome try_tiler(const Tiler& tiler, const ir::Program& original, const oracle::CheckOptions& options);

}  // namespace tileproof::fuzz
