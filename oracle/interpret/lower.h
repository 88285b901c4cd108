// Integer expressions are put together here: affine where that is possible, a tree where not.
#pragma once

#include "oracle/interpret/integer_code.h"

#include <span>

namespace tileproof::oracle {

IntegerCode constant_code(int64_t value);
IntegerCode slot_code(Slot slot);
IntegerCode read_code(uint32_t access, const std::vector<IntegerCode>& indices);
/// `op` on up to three operands, which have no meaning after it; folds constants and keeps affine forms affine.
IntegerCode combine(ir::Op op, std::span<IntegerCode> operands, ir::Dtype cast_to = ir::Dtype::i64);

}  // namespace tileproof::oracle
