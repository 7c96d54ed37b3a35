// The order of the graph transforms, and why each stands where it stands: see Pipeline.cpp.
#ifndef MFC_TRANSFORMS_PIPELINE_H
#define MFC_TRANSFORMS_PIPELINE_H

#include "mfc/Transforms/PassManager.h"

namespace mfc {

struct PipelineOptions {
  bool quantizedIO = false; ///< --io=quantized
  bool optimize = true;     ///< false (-O0): keeps channels that the weights make useless
};

/// From what an importer produces to a graph that fusion and lowering accept.
PassManager buildPipeline(const PipelineOptions &options);

/// The usual call: builds the pipeline that ctx.options asks for and runs it. False if a pass failed.
bool runPipeline(Graph &graph, PassContext &ctx);

} // namespace mfc
#endif
