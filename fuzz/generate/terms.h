// The shorthands of compiler/transform with which generators write expressions.
#pragma once

#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

namespace tileproof::fuzz {

using transform::binary;
using transform::Bindings;
using transform::compare;
using transform::constant;
using transform::each_read;
using transform::mentions;
using transform::names_in;
using transform::number;
using transform::plus;
using transform::select;
using transform::substitute;
using transform::times;

}  // namespace tileproof::fuzz
