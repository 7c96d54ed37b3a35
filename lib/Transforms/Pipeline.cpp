// The order of the transforms. One line a step; the comment says what the step needs from those before it.
#include "mfc/Transforms/Pipeline.h"

using namespace mfc;

PassManager mfc::buildPipeline(const PipelineOptions &options) {
  PassManager pm;
  pm.add("infer-shapes");          // all later passes ask for static sizes
  pm.add("erase-dead-code");       // importers leave behind what only fed shapes
  pm.add("fold-constants");        // weights behind cast, reshape, quantize become plain constants
  pm.add("fold-identities");       // identities and no-op reshapes would hide every pattern below
  pm.add("common-subexpressions"); // one dequantize per tensor, so that "only reader" means something
  pm.add("shift-u8-to-i8");        // the rest sees i8 only
  pm.add("sink-dequantize");       // layout moves stored values and weights under their dequantize ...
  pm.add("fold-constants");        // ... where transposes of weights are evaluated
  pm.add("fold-layout");           // brings producers and consumers together: needed by all folding below
  pm.add("fold-identities");       // pairs that met when the transposes left
  pm.add("fold-pad");              // behind fold-layout: an ONNX pad is NCHW
  pm.add("fold-batch-norm");       // needs the convolution directly in front, channels last
  pm.add("fold-arithmetic");       // takes up the mul and add of the above; before fold-qdq, which wants the bias inside
  pm.add("sink-dequantize");       // movement that fold-layout exposed
  pm.add("fold-weight-zero-points"); // integer kernels have none
  pm.add("fold-qdq");              // needs pad, bias and layout settled
  pm.add("fold-dequantized-constants"); // after fold-qdq: whatever still reads a dequantized constant is float
  if (options.quantizedIO)
    pm.add("fold-io-quantize");    // after fold-qdq, which leaves one quantize in front and one dequantize at the end
  pm.add("fold-constants");        // scalars that fold-qdq quantized
  pm.add("fold-identities");       // clamps that cover the quantized range
  pm.add("fold-layout");           // transposes that met through the above; settles the border
  pm.add("common-subexpressions"); // copies that moving operators made
  if (options.optimize) {
    pm.add("merge-channels");      // makes unread channels of equal ones
    pm.add("remove-channels");     // wants integer operators and every channel-wise tail in its last place
    pm.add("trim-taps");           // taps that only removed channels had
    pm.add("depthwise-to-conv");   // after remove-channels, which can leave one channel
  }
  pm.add("erase-dead-code");
  pm.add("check-lowerable");       // last: judges what fusion and lowering will see
  return pm;
}

bool mfc::runPipeline(Graph &graph, PassContext &ctx) {
  PipelineOptions options;
  options.quantizedIO = ctx.options.quantizedIO;
  return buildPipeline(options).run(graph, ctx);
}
