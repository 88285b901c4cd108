// Small passes that the tests of the pipeline and of `verify` run: right ones, wrong ones, and ones that refuse.
#pragma once

#include "compiler/pipeline/registry.h"

namespace tileproof::pipeline {

/// rename      appends to the name of the program
/// split       splits the first parallel axis of each top-level statement, with a condition for the tail
/// banks       changes nothing; one of its options is a constant of the machine
/// refuse      takes no program
/// drop-tail   wrong: the tail is not computed
/// break       wrong: what it makes is not well formed
/// tile-first-axis   right: the example of docs/pipelines.md
/// both        rename,split{where=tail}          both-twice   both,both
Registry test_registry();
Pass tile_first_axis();

}  // namespace tileproof::pipeline
