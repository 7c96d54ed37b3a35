// The table of passes and what all passes share.
#include "mfc/Transforms/Pass.h"

#include "mfc/Transforms/Passes.h"

using namespace mfc;

static constexpr PassInfo passTable[] = {
    {"infer-shapes", "computes result shapes and resolves '?'", inferShapes},
    {"erase-dead-code", "removes what nobody reads", eraseDeadCode},
    {"fold-constants", "evaluates operations on constants", foldConstants},
    {"common-subexpressions", "merges equal operations and equal constants", commonSubexpressions},
    {"fold-identities", "removes operators that change nothing", foldIdentities},
    {"fold-pad", "makes explicit borders the padding of window operators", foldPad},
    {"shift-u8-to-i8", "renames quantized u8 tensors inside the graph to i8", shiftU8ToI8},
    {"sink-dequantize", "lets data movement work on stored values", sinkDequantize},
    {"fold-layout", "cancels transposes between NCHW and NHWC", foldLayout},
    {"fold-batch-norm", "folds batch_norm into its neighbours", foldBatchNorm},
    {"fold-arithmetic", "folds constant add and mul into weights and bias", foldArithmetic},
    {"fold-weight-zero-points", "subtracts zero points from weights", foldWeightZeroPoints},
    {"fold-qdq", "makes integer operators between dequantize and quantize", foldQDQ},
    {"fold-dequantized-constants", "evaluates dequantize of constants that float operators read", foldDequantizedConstants},
    {"fold-io-quantize", "removes quantize and dequantize at the border", foldIOQuantize},
    {"merge-channels", "lets convolutions read one of several equal channels", mergeChannels},
    {"remove-channels", "removes channels that are constant or unread", removeChannels},
    {"depthwise-to-conv", "makes a depthwise convolution of one channel a convolution", depthwiseToConv},
    {"trim-taps", "removes outer taps of kernels that are zero", trimTaps},
    {"check-lowerable", "refuses what kernels cannot take, reports float fallbacks", checkLowerable},
};

llvm::ArrayRef<PassInfo> mfc::allPasses() { return passTable; }

const PassInfo *mfc::findPass(llvm::StringRef name) {
  for (const PassInfo &pass : passTable)
    if (pass.name == name)
      return &pass;
  return nullptr;
}

void PassContext::remark(RemarkKind kind, llvm::StringRef pass, llvm::StringRef name, const Operation &about,
                         std::string message, std::vector<std::pair<std::string, std::string>> args) {
  remarks.push_back({kind, pass.str(), name.str(), subjectOf(about), std::move(message), std::move(args)});
}
