// Which bytes of each space are live when, for buffers without addresses: from the first write to the last read.
#pragma once

#include "compiler/machine/machine.h"
#include "oracle/interpret/observer.h"
#include "oracle/legality/peak.h"
#include "oracle/legality/report.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace tileproof::oracle {

class Occupancy {
 public:
  explicit Occupancy(const machine::Machine& machine) : machine_(machine) {}

  /// Where a buffer lies; nullptr: in an unknown or unlimited space, or it is alone too large. Such buffers are left out.
  struct Place {
    const machine::Space* space = nullptr;
    int64_t bytes = 0;
  };
  struct Life {
    Instance instance = 0;
    const ir::Buffer* buffer = nullptr;
    Place place;
    bool begun = false;
    uint64_t first = 0, last = 0;
    uint32_t cause = 0;  ///< the write that began it
  };

  /// Precondition: the buffer has no address, and the same extents in each life; instances count up.
  void declare(Instance instance, const ir::Buffer& buffer, std::span<const int64_t> extents);
  /// nullptr: not declared, or released. Valid up to the next declaration or release.
  Life* find(Instance instance);
  /// One execution later; `statement` is its label, which must outlive this, or nullptr.
  void advance(const std::string* statement);
  void access(Life& life, bool is_write);
  void release(Instance instance);
  /// TP201 for each space whose peak is above its capacity. Ends all lives.
  void finish(Report& report);

 private:
  /// What began a life.
  struct Cause {
    const ir::Buffer* buffer;
    const std::string* statement;
    auto operator<=>(const Cause&) const = default;
  };

  Place place_of(const ir::Buffer& buffer, std::span<const int64_t> extents) const;
  void end(const Life& life);
  void compact(const machine::Space& space, Peak& peak);

  const machine::Machine& machine_;
  std::unordered_map<const ir::Buffer*, Place> places_;  // of all buffers that were ever declared
  std::vector<Life> lives_;  // by instance
  std::map<const machine::Space*, Peak> peaks_;
  std::map<Cause, uint32_t> numbers_;
  std::vector<Cause> causes_;
  size_t most_events_ = size_t{1} << 14;
  uint64_t time_ = 0;
  const std::string* statement_ = nullptr;
};

}  // namespace tileproof::oracle
