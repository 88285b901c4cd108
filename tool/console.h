// The only way to standard output and standard error.
#pragma once

#include "compiler/ir/diagnostic.h"

#include <stdexcept>
#include <string_view>

namespace tileproof::tool {

/// Standard output took not all that was printed, for another reason than that its reader has gone.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Console {
 public:
  /// Writes all of `text` to standard output at once. Throws OutputError; a pipe whose reader has gone is no error, see `closed`.
  void print(std::string_view text);
  /// The reader of standard output has gone: what is printed from then on is dropped.
  bool closed() const { return closed_; }
  /// Writes to standard error; never fails.
  static void complain(std::string_view text);
  /// One line each, on standard error.
  static void complain(const ir::Diagnostics& diagnostics);

 private:
  bool closed_ = false;
};

}  // namespace tileproof::tool
