// The extents of a buffer, where the parameters have values.
#pragma once

#include "compiler/ir/program.h"
#include "oracle/interpret/integer_code.h"
#include "oracle/interpret/run.h"

#include <algorithm>
#include <vector>

namespace tileproof::oracle {

/// Precondition: `e` is made of literals, parameters and integer operators.
inline int64_t evaluate(const ir::Expression& e, const Parameters& parameters) {
  if (e.op == ir::Op::literal) return ir::to_integer(e.value).value_or(0);
  if (e.op == ir::Op::variable) return parameters.at(e.name);
  const int64_t a = evaluate(e.operands[0], parameters);
  return apply_integer(e.op, a, e.operands.size() > 1 ? evaluate(e.operands[1], parameters) : 0);
}

inline std::vector<int64_t> extents_of(const ir::Buffer& buffer, const Parameters& parameters) {
  std::vector<int64_t> extents;
  for (const ir::Expression& extent : buffer.extents) extents.push_back(std::max<int64_t>(0, evaluate(extent, parameters)));
  return extents;
}

}  // namespace tileproof::oracle
