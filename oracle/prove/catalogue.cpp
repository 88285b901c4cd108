#include "oracle/prove/catalogue.h"

#include <algorithm>

namespace tileproof::prove {

const std::vector<Lemma>& catalogue() {
  static const std::vector<Lemma> all = [] {
    std::vector<Lemma> lemmas;
    for (const auto& topic :
         {cut_lemmas(), alignment_lemmas(), index_lemmas(), divisor_lemmas(), memory_lemmas(), tiler_lemmas(), refuted_claims()})
      lemmas.insert(lemmas.end(), topic.begin(), topic.end());
    return lemmas;
  }();
  return all;
}

const Lemma* find_lemma(std::string_view name) {
  const auto found = std::ranges::find(catalogue(), name, &Lemma::name);
  return found == catalogue().end() ? nullptr : &*found;
}

}  // namespace tileproof::prove
