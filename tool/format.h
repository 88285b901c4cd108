// What the user wants printed.
#pragma once

#include <cstdint>

namespace tileproof::tool {

enum class Format : uint8_t {
  text,   // for people
  json,   // one record (docs/record.md)
  junit,  // JUnit XML, one test case a check (docs/ci.md)
  sarif,  // SARIF 2.1.0, one result a finding (docs/ci.md)
};

}  // namespace tileproof::tool
