// `tileproof` with the passes of the tests instead of its own: `verify` meets right and wrong ones through the real command line.
#include "props/pipeline/passes/passes.h"
#include "tool/command_line.h"

int main(int argc, char** argv) {
  return tileproof::tool::run_command_line({argv, argv + argc}, tileproof::pipeline::test_registry());
}
