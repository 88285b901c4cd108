// What a program does for nothing.
#pragma once

#include "fuzz/reduce/subject.h"

#include <set>
#include <string>

namespace tileproof::fuzz {

/// `names` with the views of them and the views of those.
std::set<std::string> with_views(ir::Program& program, std::set<std::string> names);

/// Drops all items that name one of the buffers or views; a nest is dropped if it is empty then.
void drop_mentions(ir::Block& block, const std::set<std::string>& names);

/// Drops what writes local buffers that nobody reads, what is declared and not used, and empty nests. An interface buffer or a
/// parameter goes where no program of the subject uses it.
void drop_dead_code(Subject& subject);

/// The declarations alone. The number of them.
size_t drop_unused_declarations(Subject& subject);

}  // namespace tileproof::fuzz
