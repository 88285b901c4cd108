#include "oracle/domain/narrow_sets.h"

#include <algorithm>

namespace tileproof::oracle {
namespace {

using ir::Dtype;

constexpr int group_bits = 40;    // shared by all groups; the rest keeps 20, or 18 beside plus and minus
constexpr int widest_group = 20;

}  // namespace

NarrowSets::NarrowSets(const Signature& signature) {
  const auto present = [&](Dtype dtype) { return std::ranges::find(signature.dtypes, dtype) != signature.dtypes.end(); };
  const bool both = present(Dtype::i32) && present(Dtype::u32);
  const auto narrow = [&](Dtype dtype) {
    switch (dtype) {
      case Dtype::f64:
      case Dtype::i64: return false;
      case Dtype::f32: return present(Dtype::f64);
      case Dtype::i32:
      case Dtype::u32: return signature.words_wrap || present(Dtype::i64) || both;
      default: return true;
    }
  };

  std::vector<Dtype> owners;
  bool floats = false, integers = false, narrow_integers = false;
  for (const Dtype dtype : ir::all_dtypes()) {
    if (!present(dtype) && !(dtype == Dtype::boolean && signature.has_compare)) continue;  // a data compare yields truth values
    if (present(dtype)) (ir::is_float(dtype) ? floats : integers) = true;
    if (!narrow(dtype)) continue;
    owners.push_back(dtype);
    if (!is_odd(dtype)) narrow_integers = true;
  }
  const bool whole = floats && integers;

  int top = 60;
  const auto take = [&](int width) {
    top -= width;
    tops_ |= uint64_t{1} << (top + width - 1);
    return ((uint64_t{1} << width) - 1) << top;
  };
  if (narrow_integers) {
    plus_ = uint64_t{1} << --top;
    minus_ = uint64_t{1} << --top;
  }
  const int count = static_cast<int>(owners.size()) + (whole ? 1 : 0);
  const int width = group_width_ = count == 0 ? 0 : std::min(widest_group, group_bits / count);
  if (whole) whole_group_ = take(width);
  for (const Dtype dtype : owners) {
    Set& set = sets_[static_cast<size_t>(dtype)];
    set.narrow = true;
    set.group = take(width);
    all_groups_ |= set.group;
  }
  all_groups_ |= whole_group_;
  rest_width_ = top;
  rest_ = (uint64_t{1} << top) - 1;
  tops_ |= sign | (uint64_t{1} << (top - 1));

  for (const Dtype dtype : ir::all_dtypes()) {
    Set& set = sets_[static_cast<size_t>(dtype)];
    if (!set.narrow && !(whole && ir::is_integer(dtype))) continue;
    for (const Dtype outer : owners)
      if (contains(outer, dtype)) set.zeros |= sets_[static_cast<size_t>(outer)].group;
    if (ir::is_integer(dtype)) set.zeros |= whole_group_;
    if (set.narrow && !is_odd(dtype)) set.zeros |= minus_;
    if (set.narrow && !is_odd(dtype) && (ir::is_float(dtype) || ir::lowest(dtype) == 0)) set.ones |= plus_;
  }
}

}  // namespace tileproof::oracle
