// Executes statements: evaluates the domain, and takes the quick way through it (by rows) or the careful one (by points).
#pragma once

#include "oracle/interpret/contraction_runner.h"
#include "oracle/interpret/fuse_axes.h"
#include "oracle/interpret/point_runner.h"
#include "oracle/interpret/points_apart.h"
#include "oracle/interpret/row_runner.h"

#include <utility>
#include <vector>

namespace tileproof::oracle {

template <class D>
class StatementRunner {
 public:
  using Value = typename D::Value;

  StatementRunner(const Code& code, D& domain, Memory<Value>& memory, FindingLog& log, Evaluator<D>& evaluator, Meter& meter)
      : c{code, domain, memory, log, evaluator, meter, nullptr, {}}, apart_(c), rows_(c), points_(c) {}
  StatementRunner(const StatementRunner&) = delete;
  StatementRunner& operator=(const StatementRunner&) = delete;

  /// Evaluates the domain; false if the statement does nothing at all. `extents` are valid after it.
  bool open(const StatementCode& statement) {
    c.statement = &statement;
    c.evaluator.fault = false;
    make_box(statement, c.evaluator, c.box, extents_);
    return !std::exchange(c.evaluator.fault, false);
  }
  const std::vector<int64_t>& extents() const { return extents_; }

  /// Precondition: `open` returned true.
  void run() {
    if (!c.box.empty) {
      const StatementCode& s = *c.statement;
      for (const uint32_t access : s.reads) c.evaluator.plan(access, s, c.box.low, c.box.high);
      c.evaluator.plan(s.destination, s, c.box.low, c.box.high);
      if (s.is_index || s.scatters || s.meets_own_bytes || !apart_.points_keep_apart()) {
        points_.run();
      } else if (!contracted()) {
        FuseAxes<D>(c).run();
        rows_.run();
      }
    }
    clobber();
  }

 private:
  bool contracted() {
    if constexpr (Contracts<D>) return c.statement->has_reduce && ContractionRunner<D>(c).run();
    return false;
  }

  StatementContext<D> c;
  PointsApart<D> apart_;
  RowRunner<D> rows_;
  PointRunner<D> points_;
  std::vector<int64_t> extents_;

  void clobber() {
    for (const uint32_t buffer : c.statement->clobbers) {
      Storage<Value>& storage = c.memory[buffer];
      for (int64_t element = 0; element < c.code.buffers[buffer].count; ++element) {
        if (c.code.buffers[buffer].is_index)
          storage.integers[static_cast<size_t>(element)] = integer_poison;
        else
          storage.values[static_cast<size_t>(element)] = D::poison();
        if (c.code.buffers[buffer].tracking.any())
          c.memory.note_write(buffer, element, c.statement->site, Memory<Value>::Writing::whole, false);
      }
    }
  }
};

}  // namespace tileproof::oracle
