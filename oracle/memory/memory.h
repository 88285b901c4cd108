// The buffers of a running program: their elements, and for those buffers that need it (Tracking) who wrote and read what.
#pragma once

#include "oracle/interpret/code.h"
#include "oracle/interpret/finding_log.h"
#include "oracle/memory/owners.h"
#include "oracle/memory/strands.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tileproof::oracle {

/// A buffer in its present life.
template <class Value>
struct Storage {
  Instance instance = 0;                 ///< 0: not alive
  std::vector<Value> values;             ///< data-kind
  std::vector<int64_t> integers;         ///< index-kind
  std::vector<Strand> writer, reader;    ///< Tracking::races
  std::vector<Strand> byte_writer;       ///< ... of packed dtypes, for each byte
  std::vector<uint32_t> state;           ///< Tracking::state: 0 never written, else 2 * (1 + site) + (read since)
  std::vector<uint8_t> lost;  ///< Tracking::bytes, of packed dtypes: the byte was taken, and taken back by a neighbour
  std::vector<uint8_t> open;  ///< Tracking::stop: the last accumulation was not the last of its group
  std::vector<std::pair<int64_t, int64_t>> valid;
  int64_t partition = 0, byte = 0;
};

template <class Value>
class Memory {
 public:
  Memory(const Code& code, FindingLog& log) : code_(code), log_(log), storage_(code.buffers.size()) {}

  Storage<Value>& operator[](uint32_t buffer) { return storage_[buffer]; }
  const BufferCode& code(uint32_t buffer) const { return code_.buffers[buffer]; }

  Strands strands;
  Strand strand = Strands::root;  ///< where the run is
  uint64_t overwritten = 0;
  std::vector<Finding> overwrites;

  /// Bytes that a fresh instance of the buffer needs.
  static uint64_t bytes_of(const BufferCode& buffer) {
    const auto& tracking = buffer.tracking;
    const uint64_t each =
        (buffer.is_index ? 8 : sizeof(Value)) + (tracking.races ? 8 : 0) + (tracking.state ? 4 : 0) + (tracking.stop ? 1 : 0);
    return each * static_cast<uint64_t>(buffer.count);
  }

  /// Begins a fresh instance, whose elements the caller fills.
  void refresh(uint32_t number, Instance instance) {
    const BufferCode& buffer = code(number);
    Storage<Value>& storage = storage_[number];
    const auto count = static_cast<size_t>(buffer.count);
    storage.instance = instance;
    if (buffer.tracking.races) {
      storage.writer.assign(count, 0);
      storage.reader.assign(count, 0);
      if (width(buffer) < 8)
        storage.byte_writer.assign(count * static_cast<size_t>(width(buffer)) / 8 +
                                       static_cast<size_t>(buffer.count / std::max<int64_t>(1, buffer.row_elements)) + 1,
                                   0);
    }
    if (buffer.tracking.state) storage.state.assign(count, 0);
    if (buffer.tracking.stop) storage.open.assign(count, 0);
    if (buffer.tracking.bytes && width(buffer) < 8) storage.lost.assign(count, 0);
  }

  std::vector<int64_t> indices(uint32_t buffer, int64_t element) const {
    std::vector<int64_t> result;
    for (const int64_t stride : code(buffer).strides) {
      result.push_back(stride == 0 ? 0 : element / stride);
      element -= result.back() * stride;
    }
    return result;
  }

  /// Precondition: the buffer is tracked. False: the bytes belong to another buffer, so the value read is poison.
  bool note_read(uint32_t number, int64_t element, bool is_poison) {
    const BufferCode& buffer = code(number);
    Storage<Value>& storage = storage_[number];
    const auto at = static_cast<size_t>(element);
    const Tracking& tracking = buffer.tracking;
    if (tracking.races) {
      if (strands.concurrent(storage.writer[at], strand)) race(number, element, "reads what another iteration writes");
      if (storage.reader[at] == 0 || !strands.concurrent(storage.reader[at], strand)) storage.reader[at] = strand;
    }
    if (tracking.state && storage.state[at] != 0) storage.state[at] |= 1;
    if (tracking.stop && storage.open[at] != 0) {
      log_.add(FindingId::stop_claim, buffer.source->name, indices(number, element),
               "read before the accumulation that `stop` ends");
    }
    // An element that was never written has lost nothing: it may lie, unread or as a garbage lane, where another buffer lives.
    if (!is_poison && is_lost(number, element)) {
      log_.add(FindingId::overlap, buffer.source->name, indices(number, element),
               "another buffer has taken the bytes of this element");
      return false;
    }
    if (tracking.valid && is_poison && inside_valid(number, element)) {
      log_.add(FindingId::valid_claim, buffer.source->name, indices(number, element),
               "inside the `valid` region, but undefined when read");
    }
    return true;
  }

  /// As note_read for `n` elements, `elements[i]` each, of a buffer of which only marks are kept.
  template <class Elements>
  void mark_reads(uint32_t number, int64_t n, const Elements& elements) {
    Storage<Value>& storage = storage_[number];
    const Tracking& tracking = code(number).tracking;
    for (int64_t i = 0; i < n && tracking.races; ++i) {
      const auto at = static_cast<size_t>(elements[i]);
      if (strands.concurrent(storage.writer[at], strand)) race(number, elements[i], "reads what another iteration writes");
      if (storage.reader[at] == 0 || !strands.concurrent(storage.reader[at], strand)) storage.reader[at] = strand;
    }
    for (int64_t i = 0; i < n && tracking.state; ++i) {
      uint32_t& state = storage.state[static_cast<size_t>(elements[i])];
      if (state != 0) state |= 1;
    }
  }

  /// What an accumulation reads of its own destination: no race with itself, no broken `stop`. False: as in note_read.
  bool note_read_old(uint32_t number, int64_t element, bool is_poison) {
    Storage<Value>& storage = storage_[number];
    const Tracking& tracking = code(number).tracking;
    if (tracking.state && storage.state[static_cast<size_t>(element)] != 0) storage.state[static_cast<size_t>(element)] |= 1;
    if (!is_poison && is_lost(number, element)) {
      log_.add(FindingId::overlap, code(number).source->name, indices(number, element),
               "another buffer has taken the bytes of this element");
      return false;
    }
    return true;
  }

  enum class Writing : uint8_t { plain, accumulating, whole };

  /// Precondition: the buffer is tracked. `open`: an accumulation whose `stop` does not hold.
  void note_write(uint32_t number, int64_t element, Site site, Writing writing, bool open) {
    const BufferCode& buffer = code(number);
    Storage<Value>& storage = storage_[number];
    const auto at = static_cast<size_t>(element);
    const Tracking& tracking = buffer.tracking;
    if (tracking.races) {
      if (strands.concurrent(storage.writer[at], strand) || strands.concurrent(storage.reader[at], strand)) {
        race(number, element, "writes what another iteration reads or writes");
      }
      storage.writer[at] = strand;
      if (!storage.byte_writer.empty()) {
        Strand& writer = storage.byte_writer[packed_byte(buffer, element)];
        if (strands.concurrent(writer, strand)) race(number, element, "writes into a byte that another iteration writes");
        writer = strand;
      }
    }
    if (tracking.state) {
      uint32_t& state = storage.state[at];
      if (writing == Writing::plain && state != 0 && (state & 1) == 0) overwrite(number, element);
      state = 2 * (1 + site);
    }
    if (tracking.stop) storage.open[at] = open;
    if (tracking.bytes) take(number, element);
  }

  /// As note_write for `n` elements, `element(i)` each.
  template <class F>
  void note_writes(uint32_t number, int64_t n, const F& element, Site site, Writing writing, bool open) {
    const Tracking& tracking = code(number).tracking;
    Storage<Value>& storage = storage_[number];
    if (tracking.stop || tracking.bytes || !storage.byte_writer.empty()) {
      for (int64_t i = 0; i < n; ++i) note_write(number, element(i), site, writing, open);
      return;
    }
    for (int64_t i = 0; i < n && tracking.races; ++i) {
      const auto at = static_cast<size_t>(element(i));
      if (strands.concurrent(storage.writer[at], strand) || strands.concurrent(storage.reader[at], strand))
        race(number, element(i), "writes what another iteration reads or writes");
      storage.writer[at] = strand;
    }
    uint32_t* state = storage.state.data();
    const uint32_t written = 2 * (1 + site);
    for (int64_t i = 0; i < n && tracking.state; ++i) {
      uint32_t& at = state[element(i)];
      if (writing == Writing::plain && at != 0 && (at & 1) == 0) overwrite(number, element(i));
      at = written;
    }
  }

  /// The bytes of one element.
  ByteRange range_of(uint32_t number, int64_t element) const {
    const BufferCode& buffer = code(number);
    const Storage<Value>& storage = storage_[number];
    const int64_t row = element / buffer.row_elements, bit = element % buffer.row_elements * width(buffer);
    return {buffer.space, storage.partition + row, storage.byte + bit / 8, storage.byte + (bit + width(buffer) - 1) / 8};
  }

  void race(uint32_t number, int64_t element, std::string detail) {
    log_.add(FindingId::race, code(number).source->name, indices(number, element), std::move(detail));
  }

  /// Whether another buffer has taken a byte of the element.
  bool is_lost(uint32_t number, int64_t element) {
    if (!code(number).tracking.bytes) return false;
    const Storage<Value>& storage = storage_[number];
    return owners_.taken_from(range_of(number, element), storage.instance) ||
           (!storage.lost.empty() && storage.lost[static_cast<size_t>(element)] != 0);
  }

  void own_all(uint32_t number) {
    for (int64_t element = 0; element < code(number).count; ++element) take(number, element);
  }

 private:
  const Code& code_;
  FindingLog& log_;
  std::vector<Storage<Value>> storage_;
  Owners owners_;

  static int width(const BufferCode& buffer) { return ir::bits(buffer.source->dtype); }

  static size_t packed_byte(const BufferCode& buffer, int64_t element) {
    const int64_t row_bytes = (buffer.row_elements * width(buffer) + 7) / 8;
    return static_cast<size_t>(element / buffer.row_elements * row_bytes + element % buffer.row_elements * width(buffer) / 8);
  }

  void take(uint32_t number, int64_t element) {
    Storage<Value>& storage = storage_[number];
    const ByteRange range = range_of(number, element);
    if (!storage.lost.empty()) {
      if (owners_.taken_from(range, storage.instance)) lose_neighbours(number, element);
      storage.lost[static_cast<size_t>(element)] = 0;
    }
    owners_.take(range, storage.instance);
  }

  /// The elements that share the byte of this one.
  void lose_neighbours(uint32_t number, int64_t element) {
    const BufferCode& buffer = code(number);
    const int64_t row = element / buffer.row_elements * buffer.row_elements, each = 8 / width(buffer);
    const int64_t first = row + (element - row) / each * each,
                  end = std::min({first + each, row + buffer.row_elements, buffer.count});
    std::fill(storage_[number].lost.begin() + first, storage_[number].lost.begin() + end, uint8_t{1});
  }

  bool inside_valid(uint32_t number, int64_t element) const {
    const std::vector<int64_t> at = indices(number, element);
    for (size_t i = 0; i < at.size(); ++i) {
      if (at[i] < storage_[number].valid[i].first || at[i] >= storage_[number].valid[i].second) return false;
    }
    return true;
  }

  void overwrite(uint32_t number, int64_t element) {
    ++overwritten;
    const std::string& name = code(number).source->name;
    for (const Finding& seen : overwrites) {
      if (seen.statement == log_.label() && seen.buffer == name) return;
    }
    overwrites.push_back({FindingId::value, std::string(log_.label()), name, indices(number, element), log_.location(),
                          "overwritten before anyone read it"});
  }
};

}  // namespace tileproof::oracle
