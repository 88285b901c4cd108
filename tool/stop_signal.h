// Commands that run until somebody stops them.
#pragma once

namespace tileproof::tool {

/// While it lives, SIGINT, SIGTERM and SIGHUP do not end the process the first time: they are noticed. The second time they end it.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  bool came() const;
};

}  // namespace tileproof::tool
