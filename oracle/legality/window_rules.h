// Where one execution of a statement touches its buffers: first partitions, and packed elements.
#pragma once

#include "compiler/machine/machine.h"
#include "compiler/machine/operation.h"
#include "oracle/legality/report.h"

#include <string>

namespace tileproof::oracle {

/// TP203: an access of an engine takes neighbouring partitions and begins where its space lets so many begin. Addresses count;
/// a buffer without one begins at partition 0 (our choice).
void judge_partitions(const machine::Operation& operation, const machine::Machine& machine, const std::string& label,
                      Report& report);

/// TP205: runs of elements narrower than a byte begin with a byte.
void judge_packing(const machine::Operation& operation, const std::string& label, Report& report);

}  // namespace tileproof::oracle
