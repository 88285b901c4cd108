// campaign --pairs N --slips N --seed S --jobs J --out DIR: measures the oracle by right pairs and by slips. Tables on standard
// output, progress on standard error; exit status 1 if there is a false alarm, an accepted slip, a harness error, or a share out of bounds.
#include "fuzz/campaign/campaign.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

using namespace tileproof;

namespace {

[[noreturn]] void usage() {
  fmt::print(stderr, "usage: campaign [--pairs N] [--slips N] [--seed S] [--jobs J] [--out DIR]\n");
  std::exit(2);
}

fuzz::CampaignOptions parse(int argc, char** argv) {
  fuzz::CampaignOptions options;
  options.jobs = std::max(1U, std::thread::hardware_concurrency());
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view word = argv[i];
    if (word == "--out") {
      options.folder = argv[i + 1];
      continue;
    }
    char* end = nullptr;
    const uint64_t number = std::strtoull(argv[i + 1], &end, 10);
    if (*argv[i + 1] == '\0' || *end != '\0') usage();
    if (word == "--pairs")
      options.pairs = number;
    else if (word == "--slips")
      options.slips = number;
    else if (word == "--seed")
      options.seed = number;
    else if (word == "--jobs" && number > 0 && number <= 1024)
      options.jobs = static_cast<unsigned>(number);
    else
      usage();
  }
  if (argc % 2 == 0) usage();
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const fuzz::CampaignOptions options = parse(argc, argv);
  std::atomic<uint64_t> done{0};
  const std::jthread watch([&](const std::stop_token& stop) {
    const auto begun = std::chrono::steady_clock::now();
    for (int ticks = 1; !stop.stop_requested(); ++ticks) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (ticks % 20 != 0) continue;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
      fmt::print(stderr, "{} of {} cases, {:.0f} s\n", done.load(), options.pairs + options.slips, seconds);
    }
  });
  const fuzz::Tally tally = fuzz::run_campaign(options, done);
  const std::string wrong = fuzz::shortcomings(tally);
  fmt::print("{}{}", fuzz::print(tally), wrong);
  return wrong.empty() ? 0 : 1;
}
