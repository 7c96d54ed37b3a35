// The order of the transforms. One line a step; the comment says what the step needs from those before it.
#include "mfc/Transforms/Pipeline.h"

using namespace mfc;

PassManager mfc::buildPipeline(const PipelineOptions &options) {
  PassManager pm;
  pm.add("infer-shapes");    // all later passes ask for static sizes
  pm.add("erase-dead-code"); // importers leave behind what only fed shapes
  return pm;
}

bool mfc::runPipeline(Graph &graph, PassContext &ctx) {
  PipelineOptions options;
  options.quantizedIO = ctx.options.quantizedIO;
  return buildPipeline(options).run(graph, ctx);
}
