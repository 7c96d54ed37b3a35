// What targets do differently, behind virtual functions with portable defaults.
//
// Columns of the target table say most (Target/TargetInfo.h); a hook is for behaviour that no column can say. Nobody
// else in Lowering compares an instruction set or a CPU name.
#ifndef MFC_LIB_LOWERING_TARGETHOOKS_H
#define MFC_LIB_LOWERING_TARGETHOOKS_H

#include "../KernelBuilder.h"

namespace mfc {

/// Register blocking of a matrix product: `pixels` rows of the input times `channels` rows of the weights, both along
/// K, `step` values of K at a time. Weights are stored in that order: [channels / block][K / step][block][step], the
/// last step padded with zeros, the last block smaller.
struct GemmShape {
  unsigned pixels = 1;
  unsigned channels = 1;
  unsigned step = 1;
};

/// One block of dot products over K values.
struct DotRequest {
  llvm::ArrayRef<llvm::Value *> inputs; ///< one pointer a pixel, to K consecutive elements
  llvm::Value *weights;                 ///< to the block's weights
  int64_t k;
  unsigned channels;                    ///< weights' rows in this block
  unsigned step;                        ///< GemmShape::step of the weight layout
  ElementType inputType, weightType;
};

class TargetHooks {
public:
  explicit TargetHooks(const TargetInfo &target) : target(target) {}
  virtual ~TargetHooks() = default;

  /// Lanes of element-wise loops over the type; 1 means scalar code.
  virtual unsigned lanes(ElementType element) const { return 1; }

  virtual GemmShape gemmShape(ElementType input, ElementType weights) const;

  /// Channels that a depthwise convolution keeps sums of at once.
  virtual unsigned depthwiseBlock() const { return 4; }

  /// accumulators[p * channels + c] += dot(input row p, weight row c). No input is read past k elements.
  virtual Values emitDot(KernelBuilder &kb, const DotRequest &request, Values accumulators) const;

  /// Both halves of the signed 64-bit product of 32-bit values.
  struct WideProduct {
    llvm::Value *low, *high;
  };
  virtual WideProduct emitWideMul(KernelBuilder &kb, llvm::Value *a, llvm::Value *c) const;

  /// (a * c + 2^30) >> 31, for c >= 0. `small` promises |a| < 2^30.
  virtual llvm::Value *emitRoundingDoublingHighMul(KernelBuilder &kb, llvm::Value *a, llvm::Value *c, bool small) const;

  /// (x + 2^shiftMinusOne) >> (shiftMinusOne + 1), for shifts of 1 to 31.
  virtual llvm::Value *emitRoundingShiftRight(KernelBuilder &kb, llvm::Value *x, llvm::Value *shiftMinusOne) const;

  /// Signed 32-bit quotient, truncated; the divisor is positive.
  virtual llvm::Value *emitDivide(KernelBuilder &kb, llvm::Value *a, llvm::Value *divisor) const;

protected:
  /// The rest of a dot product from K value `from` on, one value at a time.
  Values emitDotTail(KernelBuilder &kb, const DotRequest &request, int64_t from, Values accumulators) const;

  const TargetInfo &target;
};

/// Integer (i32 lanes) to float.
llvm::Value *emitIntToFloat(KernelBuilder &kb, llvm::Value *x);

std::unique_ptr<TargetHooks> createTargetHooks(const TargetInfo &target);

// One factory a file.
std::unique_ptr<TargetHooks> createThumb1Hooks(const TargetInfo &target);
std::unique_ptr<TargetHooks> createDspHooks(const TargetInfo &target);
std::unique_ptr<TargetHooks> createHeliumHooks(const TargetInfo &target);

/// acc + x * w in the wide domain; fused for floats where the target has it.
llvm::Value *emitMultiplyAdd(KernelBuilder &kb, llvm::Value *x, llvm::Value *w, llvm::Value *acc);

/// Bytes from one weight to the next of the same row and step (the layout of GemmShape).
int64_t packedOffset(const DotRequest &request, unsigned channel, int64_t k);

} // namespace mfc
#endif
