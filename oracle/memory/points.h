// Races between the points of one execution of a statement, where they cannot be excluded beforehand. Points run in the order of
// their coordinates (non-reduce axes as listed, then reduce axes); two of them are ordered iff they first differ in a seq axis.
#pragma once

#include "compiler/ir/program.h"
#include "oracle/interpret/finding_log.h"
#include "oracle/memory/memory.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace tileproof::oracle {

template <class Value>
class PointRaces {
 public:
  PointRaces(Memory<Value>& memory, FindingLog& log) : memory_(memory), log_(log) {}

  /// `kinds` of the coordinates, in their order.
  void begin(uint32_t destination, bool bytes, std::vector<ir::AxisKind> kinds, std::vector<int64_t> extents) {
    destination_ = destination;
    bytes_ = bytes;
    kinds_ = std::move(kinds);
    extents_ = std::move(extents);
    elements_.clear();
    readers_.clear();
  }

  void at(int64_t point) { point_ = point; }

  /// An expression reads an element.
  void read(uint32_t buffer, int64_t element) {
    if (buffer == destination_) {
      Last& last = elements_[element];
      if (last.writer >= 0 && concurrent(last.writer, last.starts))
        memory_.race(buffer, element, "one point reads what another point of the statement writes");
      if (last.reader < 0 || !concurrent(last.reader, false)) last.reader = point_;
    } else if (bytes_ && memory_.code(buffer).tracking.bytes) {
      for_bytes(buffer, element, [&](const Byte& byte) {
        const auto [reader, fresh] = readers_.try_emplace({byte, buffer}, Reader{point_, element});
        if (!fresh && !concurrent(reader->second.point, false)) reader->second = {point_, element};
      });
    }
  }

  /// The destination is written, or accumulated into. `starts`: before the first of the reduce points, so before all that they
  /// read.
  void write(int64_t element, bool starts = false) {
    Last& last = elements_[element];
    if ((last.writer >= 0 && concurrent(last.writer, true)) || (last.reader >= 0 && concurrent(last.reader, false))) {
      memory_.race(destination_, element, "two points of the statement meet in this element");
    }
    last.writer = point_;
    last.starts = starts;
    if (!bytes_) return;
    for_bytes(destination_, element, [&](const Byte& byte) {
      for (auto at = readers_.lower_bound({byte, 0}); at != readers_.end() && at->first.first == byte; ++at) {
        if (!concurrent(at->second.point, false)) continue;
        const uint32_t buffer = at->first.second;
        log_.add(FindingId::overlap, memory_.code(buffer).source->name, memory_.indices(buffer, at->second.element),
                 "another point of the statement writes over the bytes that this one reads");
      }
    });
  }

 private:
  struct Last {
    int64_t writer = -1, reader = -1;
    bool starts = false;   ///< the writer
  };
  struct Reader {
    int64_t point, element;
  };
  using Byte = std::tuple<uint32_t, int64_t, int64_t>;  // space, partition, byte

  Memory<Value>& memory_;
  FindingLog& log_;
  uint32_t destination_ = 0;
  bool bytes_ = false;
  std::vector<ir::AxisKind> kinds_;
  std::vector<int64_t> extents_;
  int64_t point_ = 0;
  std::unordered_map<int64_t, Last> elements_;
  std::map<std::pair<Byte, uint32_t>, Reader> readers_;  // by byte and buffer

  /// Could `other` and the present point run at the same time? `across`: never if they differ in reduce axes alone, as where both
  /// accumulate.
  bool concurrent(int64_t other, bool across) const {
    int64_t a = other, b = point_;
    ir::AxisKind kind = ir::AxisKind::seq;
    for (size_t i = kinds_.size(); i-- > 0;) {
      if (a % extents_[i] != b % extents_[i]) kind = kinds_[i];  // the outermost difference stays
      a /= extents_[i];
      b /= extents_[i];
    }
    return kind == ir::AxisKind::parallel || (kind == ir::AxisKind::reduce && !across);
  }

  template <class F>
  void for_bytes(uint32_t buffer, int64_t element, F f) const {
    const ByteRange range = memory_.range_of(buffer, element);
    for (int64_t byte = range.first; byte <= range.last; ++byte) f(Byte{range.space, range.partition, byte});
  }
};

}  // namespace tileproof::oracle
