#include "compiler/penguin/penguin.h"

#include "compiler/penguin/ag_ordering.h"
#include "compiler/penguin/bf_compute_cutting.h"
#include "compiler/penguin/bn_mean_var.h"
#include "compiler/penguin/infer_nonlocal.h"
#include "compiler/penguin/loop_splitting.h"
#include "compiler/penguin/macro_generation.h"
#include "compiler/penguin/p_compute_cutting.h"
#include "compiler/penguin/par_axes_annotation.h"
#include "compiler/penguin/quantize_mx.h"
#include "compiler/penguin/static_transpose.h"
#include "compiler/penguin/tensor_tile_delinearizer.h"

namespace tileproof::penguin {

std::vector<pipeline::Pass> passes(CutRules rules) {
  return {bn_mean_var(rules), quantize_mx(rules),       tensor_tile_delinearizer(), par_axes_annotation(),
          ag_ordering(),      p_compute_cutting(rules), bf_compute_cutting(rules),  loop_splitting(rules),
          infer_nonlocal(),   static_transpose(),       macro_generation()};
}

pipeline::NamedPipeline penguin_pipeline() {
  return {"penguin", "tiles a graph of whole tensors for a NeuronCore",
          "bn-mean-var,quantize-mx,tensor-tile-delinearizer,par-axes-annotation,ag-ordering,p-compute-cutting,bf-compute-cutting,"
          "loop-splitting,infer-nonlocal,static-transpose,macro-generation"};
}

}  // namespace tileproof::penguin
