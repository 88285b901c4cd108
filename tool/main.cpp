#include "tool/command_line.h"
#include "tool/passes.h"

#include <csignal>

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is noticed where the write fails (tool/console.h)
  return tileproof::tool::run_command_line({argv, argv + argc}, tileproof::tool::product_passes());
}
