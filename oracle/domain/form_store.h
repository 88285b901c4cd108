// Normal forms (antichain.h) packed into one array: most are a max of atoms or a min of atoms, and there are many.
#pragma once

#include "oracle/domain/antichain.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tileproof::oracle {

class FormStore {
 public:
  /// The index of a form.
  uint32_t add(const Antichain& form) {
    if (form.size() == 1) return add_min(form[0]);
    std::vector<AtomRef> atoms;
    for (const Clause& clause : form) atoms.insert(atoms.end(), clause.begin(), clause.end());
    if (atoms.size() == form.size()) return add_max(atoms);
    const uint32_t index = push(atoms, form.size());
    for (const Clause& clause : form) words_.push_back(static_cast<uint32_t>(clause.size()));
    return index;
  }
  uint32_t add_min(std::span<const AtomRef> atoms) { return push(atoms, 1); }
  uint32_t add_max(std::span<const AtomRef> atoms) { return push(atoms, atoms.size()); }

  size_t atom_count(uint32_t form) const { return forms_[form].atoms; }
  size_t clause_count(uint32_t form) const { return forms_[form].clauses; }
  bool is_flat(uint32_t form) const { return forms_[form].clauses == 1 || forms_[form].clauses == forms_[form].atoms; }
  /// All atoms, clause after clause. Valid until a form is added.
  std::span<const AtomRef> atoms(uint32_t form) const { return {words_.data() + forms_[form].offset, forms_[form].atoms}; }

  /// f(span of atoms) for each clause.
  template <class F>
  void for_each_clause(uint32_t form, const F& f) const {
    const std::span<const AtomRef> all = atoms(form);
    if (clause_count(form) == 1) return f(all);
    size_t begin = 0;
    for (size_t i = 0; i < clause_count(form); ++i) {
      const size_t size = is_flat(form) ? 1 : words_[forms_[form].offset + forms_[form].atoms + i];
      f(all.subspan(begin, size));
      begin += size;
    }
  }
  Antichain antichain(uint32_t form) const {
    Antichain result;
    for_each_clause(form, [&](std::span<const AtomRef> clause) { result.emplace_back(clause.begin(), clause.end()); });
    return result;
  }

  uint64_t bytes() const { return forms_.capacity() * sizeof(Form) + words_.capacity() * sizeof(uint32_t); }

 private:
  struct Form {
    uint64_t offset = 0;   ///< of its atoms in words_; then, unless it is flat, the sizes of its clauses
    uint32_t atoms = 0;
    uint32_t clauses = 0;
  };
  uint32_t push(std::span<const AtomRef> atoms, size_t clauses) {
    forms_.push_back({words_.size(), static_cast<uint32_t>(atoms.size()), static_cast<uint32_t>(clauses)});
    words_.insert(words_.end(), atoms.begin(), atoms.end());
    return static_cast<uint32_t>(forms_.size() - 1);
  }

  std::vector<Form> forms_;
  std::vector<uint32_t> words_;
};

}  // namespace tileproof::oracle
