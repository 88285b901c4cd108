#include "fuzz/plant/catalogue.h"

#include <algorithm>

namespace tileproof::plant {
namespace {

constexpr Source sources[] = {
    // Public bug reports, by their number in the table of bugs that this catalogue was drawn from.
    {"bugs.tsv B001", "torch-spyre/torch-spyre#3339: parts that divide the elements, not the blocks"},
    {"bugs.tsv B002", "hw-native-sys/pypto#2388: the valid part of a lane is the mean of all lanes"},
    {"bugs.tsv B004", "llvm/llvm-project#122492: an offset in the slice and again in the access"},
    {"bugs.tsv B007", "hw-native-sys/pypto#2633: each operand budgeted alone"},
    {"bugs.tsv B008", "torch-spyre/torch-spyre#4491: space planned for a cut that is not the one applied"},
    {"bugs.tsv B013", "pytorch/pytorch#195845: padding filled before the map, not before the sum"},
    {"bugs.tsv B014", "tile-ai/tilelang#2957: a group laid out by its smallest loop"},
    {"bugs.tsv B016", "llvm/llvm-project#120465: places of partial results by loop order"},
    {"bugs.tsv B019", "hw-native-sys/pypto#768: a carried buffer is free too early"},
    {"bugs.tsv B022", "llvm/llvm-project#196604: an initialisation fused too deeply"},
    {"bugs.tsv B023", "tile-ai/tilelang#2542: the remainder of a split reduction is left out"},
    {"bugs.tsv B026", "torch-spyre/torch-spyre#3890: the advance from tile to tile does nothing"},
    {"bugs.tsv B029", "tenstorrent/tt-mlir#6411: strides of two paddings"},
    {"bugs.tsv B031", "tenstorrent/tt-metal#51764: padded extents pass for logical ones"},
    {"bugs.tsv B035", "halide/Halide#8152: the loop of fused stages is that of one"},
    {"bugs.tsv B038", "hw-native-sys/pypto#2232: one axis that cannot be cut, so none is"},
    {"bugs.tsv B040", "iree-org/iree#18708: the tile count of another axis"},
    {"bugs.tsv B046", "torch-spyre/torch-spyre#3678: a reader of a partial result"},
    {"bugs.tsv B047", "libocca/occa#535: tiles that overlap by one, an inclusive end"},
    {"bugs.tsv B049", "tile-ai/tilelang#2408: a range that is combined twice"},
    {"bugs.tsv B055", "apache/tvm#8308: offsets in an arena in the wrong unit"},
    {"bugs.tsv B058", "llvm/llvm-project#61820: an accumulating nest executed again"},
    {"bugs.tsv B061", "intel/intel-xpu-backend-for-triton#7750: a carried value is not carried on"},
    {"bugs.tsv B064", "hw-native-sys/pypto#2470: a pitch that comes of valid extents"},
    {"bugs.tsv B068", "hw-native-sys/pypto#2872: a cut that is skipped for an operand beyond its memory"},
    {"bugs.tsv B070", "halide/Halide#3424: the region read ignores the last, ragged tile"},
    {"bugs.tsv B071", "torch-spyre/torch-spyre#3109: every tile starts from the first value"},
    {"bugs.tsv B073", "llvm/llvm-project#223281: indices after a split axis keep their old places"},
    {"bugs.tsv B076", "tile-ai/tilelang-ascend#1156: live buffers share addresses"},
    {"bugs.tsv B077", "iree-org/iree#20875: a tile loop allocates the whole tensor"},
    {"bugs.tsv B082", "tile-ai/tilelang-ascend#1768: outer dims of a copied window are ignored"},
    {"bugs.tsv B085", "llvm/llvm-project#212176: an index in too few bits"},
    {"bugs.tsv B089", "torch-spyre/torch-spyre#4266: an inserted copy stands behind its reader"},
    {"bugs.tsv B091", "pytorch/pytorch#109172: versions of a tensor are taken for each other"},
    // Contradictions of the documents that describe the tiler, by the paragraph that decides them.
    {"decisions A.1", "computeCut: the pseudocode contradicts the worked examples"},
    {"decisions A.2", "computeCut: other rules for overflow, tile and backing off"},
    {"decisions B.1", "cut_axes: the pseudocode contradicts the worked examples"},
    {"decisions C.3", "which side of the cut is in the tile"},
    {"decisions D.3", "figures of one machine for those of another"},
    {"decisions E.2", "an index into one list, applied to another"},
    // Bugs that the specification of the passes names, by section and letter.
    {"passes 1.7(b)", "a maximum is combined as a sum is"},
    {"passes 1.9(a)", "a guard with <= for <"},
    {"passes 1.9(b)", "0 where a maximum wants its identity"},
    {"passes 1.9(c)", "a guard carried through an access without its axes"},
    {"passes 1.9(d)", "terms of an or that overlap, in an accumulation"},
    {"passes 1.10(b)", "a computation folded as a copy"},
    {"passes 1.10(c)", "the halves of a split in the wrong order"},
    {"passes 2.1(a)", "the priority list handed on in the reverse order"},
    {"passes 2.3(a)", "trips rounded down"},
    {"passes 2.3(b)", "what overflows the partitions has no room in the tile"},
    {"passes 2.3(c)", "a tail on the store only, and lanes that hold nothing are reduced"},
    {"passes 2.3(d)", "a reversed tile for one access of two"},
    {"passes 2.4(a)", "protected axes not charged"},
    {"passes 2.4(b)", "a group aligned to its largest tile"},
    {"passes 2.4(d)", "an extent changed, but not its condition"},
    {"passes 2.5(a)", "masked lanes hold 0 under a maximum"},
    {"passes 2.5(b)", "the store of the last block is not masked"},
    {"passes 2.5(c)", "partial results in bf16"},
    {"passes 2.5(d)", "a transposed tail block with rows that hold nothing"},
    {"passes 2.6(a)", "a temporary without its free dim"},
    {"passes 2.6(b)", "the last trip keeps all partitions"},
    {"passes 2.6(c)", "order by number, not by dependence"},
    {"passes 2.6(d)", "a recurrence done at once"},
    {"passes 3.1(a)", "a dimension split though an offset leads into the next row"},
    {"passes 3.1(b)", "some accesses of a split tensor rewritten, some not"},
    {"passes 3.2(c)", "rows that do not divide a long axis"},
    {"passes 3.3(b)", "trips rounded down in an estimate"},
    {"passes 3.4(a)", "the first block of a contraction accumulates"},
    {"passes 3.4(b)", "an accumulation begins in one loop and not in the other"},
    {"passes 3.4(c)", "budgets of stationary and moving operand exchanged"},
    {"passes 3.4(d)", "the last contracted block takes all partitions"},
    {"passes 5.1(a)", "a permutation for its inverse"},
    {"passes 5.1(b)", "a permutation not undone for the output"},
    {"passes 5.3(b)", "a copy made before a later write"},
    {"passes 6.1(b)", "axes matched through a stride"},
    {"passes 7.1(b)", "bytes and elements confused in an overlap"},
    {"passes 7.3(b)", "elements and bytes confused in a bank"},
    {"passes 7.4(a)", "a load merged with an earlier one"},
    {"passes 8.1(c)", "the first block's flag tied to another iteration"},
    {"passes 8.2(a)", "fusion by matching accesses alone"},
    {"passes 8.2(c)", "a tensor dropped that a nest still reads"},
    {"passes 8.2(d)", "a copy eliminated between two dtypes"},
    {"passes 8.3(a)", "what was accumulated before is lost"},
    {"passes 8.4(a)", "a shift by the wrong distance"},
    {"passes 8.4(b)", "a ring of too few buffers"},
    {"passes 8.4(d)", "a shift in elements taken for one in tiles"},
    {"passes 8.5(b)", "a guard dropped with the loop that it was in"},
    {"passes 8.6(b)", "a temporary not expanded over a loop"},
    {"passes 8.6(c)", "children of a loop in the wrong order"},
    {"passes 8.9(a)", "a load hoisted over what it depends on"},
    {"passes 8.9(c)", "an accumulation hoisted"},
    {"passes 8.9(d)", "a guard dropped by a hoist"},
    {"passes 8.10(c)", "a clone of too few axes"},
    {"ours", "a mistake of the kind that people make, from nowhere in particular"},
};

}  // namespace

std::span<const Source> known_sources() { return sources; }

const Source* source_named(std::string_view id) {
  const auto found = std::ranges::find(sources, id, &Source::id);
  return found == std::end(sources) ? nullptr : &*found;
}

}  // namespace tileproof::plant
