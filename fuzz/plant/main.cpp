// tileproof-plant: what `tileproof plant` runs. A program of its own, so that no wrong tiler is in the product.
#include "fuzz/plant/plant_command.h"

#include <csignal>

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is noticed where the write fails (tool/console.h)
  return tileproof::plant::run_plant({argv + 1, argv + argc});
}
