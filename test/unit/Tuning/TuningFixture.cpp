#include "TuningFixture.h"

#include "mfc/Lowering/Lower.h"
#include "mfc/Transforms/FuseRegister.h"

using namespace mfc;
using namespace mfc::test;

static Quantization tensorQuant(float scale) {
  Quantization quant;
  quant.scales = {scale};
  quant.zeroPoints = {3};
  return quant;
}

static Value *addConvolution(Graph &graph, Value *input, unsigned seed) {
  constexpr int64_t channels = 16;
  TensorType weights{ElementType::I8, {channels, 1, 1, channels}, {}};
  weights.quant = tensorQuant(0.01f);
  weights.quant->zeroPoints = {0};
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < channels * channels; ++i)
    bytes.push_back(static_cast<uint8_t>((i * 37 + seed) % 61 - 30));
  Value *constant = graph.addConstant(weights, bytes, "w" + std::to_string(seed));
  TensorType result = input->type;
  result.quant = tensorQuant(0.2f);
  return graph.add(OpKind::Conv2D, {input, constant}, ConvAttrs(), result, {});
}

PlannedModel::PlannedModel(const char *cpu) {
  TargetOptions options;
  options.mcpu = cpu;
  target = llvm::cantFail(resolveTarget(options));
  graph.name = "tuned";
  TensorType type{ElementType::I8, {1, 6, 6, 16}, {}};
  type.quant = tensorQuant(0.2f);
  Value *first = addConvolution(graph, graph.addInput(type, "x"), 1);
  Value *second = addConvolution(graph, first, 2);
  graph.addOutput(second, "y");
  DiagnosticEngine diag;
  RemarkList remarks;
  PassContext context{diag, remarks, {}, &target, nullptr};
  FuseOptions fuse;
  fuse.canFuseTail = canFuseTail;
  fuse.canFuseHead = canFuseHead;
  fuseRegister(graph, plan, context, fuse);
  prepareKernels(graph, plan, target, {});
}
