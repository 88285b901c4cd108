// The lemmas that Tileproof's passes and oracle rest upon, and claims that are known to be false. docs/proofs.md lists them.
#pragma once

#include "oracle/prove/lemma.h"

namespace tileproof::prove {

/// All lemmas, grouped by topic; names are unique.
const std::vector<Lemma>& catalogue();

/// The lemma of this name; nullptr: there is none.
const Lemma* find_lemma(std::string_view name);

// The topics, in the order of the catalogue.
std::vector<Lemma> cut_lemmas();
std::vector<Lemma> alignment_lemmas();
std::vector<Lemma> index_lemmas();
std::vector<Lemma> divisor_lemmas();
std::vector<Lemma> memory_lemmas();
std::vector<Lemma> tiler_lemmas();
std::vector<Lemma> refuted_claims();

}  // namespace tileproof::prove
