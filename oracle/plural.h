// Numbers of things in messages.
#pragma once

#include "oracle/equivalence/report.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace tileproof::oracle {

/// "1 word", "1,681 words".
inline std::string plural(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

}  // namespace tileproof::oracle
