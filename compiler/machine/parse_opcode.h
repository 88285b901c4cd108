// The part of the machine parser that reads opcodes.
#pragma once

#include "compiler/ir/token_stream.h"
#include "compiler/machine/machine.h"

#include <string>
#include <utility>
#include <vector>

namespace tileproof::machine {

/// `dtypes NAME = f32, bf16`: a list under a name.
using DtypeSets = std::vector<std::pair<std::string, std::vector<ir::Dtype>>>;

/// `NAME, dtype, ...`: dtypes and named lists of them.
std::vector<ir::Dtype> parse_dtypes(ir::TokenStream& stream, const DtypeSets& sets);

/// An opcode after the word `opcode`. `machine` holds the constants and spaces so far.
Opcode parse_opcode(ir::TokenStream& stream, const Machine& machine, const DtypeSets& sets);

}  // namespace tileproof::machine
