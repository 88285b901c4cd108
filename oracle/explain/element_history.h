// What happened to an element, up to the access that a finding is about.
#pragma once

#include "oracle/explain/picture.h"
#include "oracle/explain/touches.h"
#include "oracle/finding.h"

namespace tileproof::oracle {

/// The accesses to the element in the buffer's life, the last few up to the finding's.
Picture element_history(const Touches& touches, const Finding& finding);

/// For a race: the two accesses without an order, and the loop or axis that gives them none.
Picture race_picture(const Touches& touches, const Finding& finding);

}  // namespace tileproof::oracle
