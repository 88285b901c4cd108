// Any bytes are a `.tile` text or they are not. If they are, then printing gives canonical text: it parses to the same program, and printing
// that gives the same bytes. If they are not, each error has a place in the text and says how to mend it. The verifier judges whatever
// parses, and reports places too.
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace ir = tileproof::ir;

namespace {

[[noreturn]] void fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "text_fuzzer: %s\n%s\n", what, text.c_str());
  std::abort();
}

void expect_helpful(const ir::Diagnostics& diagnostics) {
  for (const ir::Diagnostic& diagnostic : diagnostics) {
    const bool is_placed = diagnostic.location.line > 0 && diagnostic.location.column > 0;
    if (!is_placed || diagnostic.message.empty() || diagnostic.mend.empty())
      fail("an error without place or mend", ir::to_string(diagnostic));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = ir::parse(text, "input");
  if (!file) {
    if (file.error().empty()) fail("no program and no error", std::string(text));
    expect_helpful(file.error());
    return 0;
  }
  expect_helpful(ir::verify(*file));
  const std::string printed = ir::print(*file);
  const auto again = ir::parse(printed, "printed");
  if (!again) fail("canonical text does not parse", ir::to_string(again.error().front()) + "\n" + printed);
  if (*again != *file) fail("canonical text is another program", printed);
  if (ir::print(*again) != printed) fail("canonical text is printed differently", printed);
  return 0;
}
