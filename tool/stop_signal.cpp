#include "tool/stop_signal.h"

#include <csignal>
#include <initializer_list>

namespace tileproof::tool {

namespace {

volatile std::sig_atomic_t signalled = 0;

void set(void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  if (handler != SIG_DFL) action.sa_flags |= static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  signalled = 0;
  set([](int) { signalled = 1; });
}

StopSignal::~StopSignal() { set(SIG_DFL); }

bool StopSignal::came() const { return signalled != 0; }

}  // namespace tileproof::tool
