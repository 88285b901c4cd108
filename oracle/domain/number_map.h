// A map from field numbers to small indices: open addressing, for tiers that look up every operand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tileproof::oracle {

/// Numbers are below 2^63. Nothing is ever removed.
class NumberMap {
 public:
  /// The value of `number`, or 0.
  uint32_t find(uint64_t number) const { return slots_.empty() ? 0 : slots_[probe(number)].value; }

  /// Keeps the value that is there. Precondition: value != 0.
  void insert(uint64_t number, uint32_t value) {
    if (2 * count_ >= slots_.size()) grow();
    Slot& slot = slots_[probe(number)];
    if (slot.value != 0) return;
    slot = {number, value};
    ++count_;
  }

  uint64_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    uint64_t number = 0;
    uint32_t value = 0;   ///< 0: empty
  };

  size_t probe(uint64_t number) const {
    size_t at = static_cast<size_t>(number * 0x9e3779b97f4a7c15 >> shift_);
    while (slots_[at].value != 0 && slots_[at].number != number) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (shift_ = 64; size_t{1} << (64 - shift_) < slots_.size();) --shift_;
    for (const Slot& slot : old)
      if (slot.value != 0) slots_[probe(slot.number)] = slot;
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
  int shift_ = 64;
};

}  // namespace tileproof::oracle
