// The matrix-product core of conv2d and dense: rows of K consecutive input elements times packed weights, for all
// output channels, with bias, requantization and tail.
#ifndef MFC_LIB_LOWERING_GEMM_H
#define MFC_LIB_LOWERING_GEMM_H

#include "KernelIO.h"
#include "Requantizer.h"
#include "Target/TargetHooks.h"

#include <optional>

namespace mfc {

class GemmEmitter {
public:
  /// Weights of the anchor are row-major [channels][k], channels = groups * channels per group.
  GemmEmitter(KernelIO &io, int64_t k, int64_t channels, int64_t groups);

  /// Pixels to hand to one call at most.
  unsigned pixelBlock() const { return shape.pixels; }

  /// All channels of one group for some pixels. inputs[p]: K consecutive elements; offsets[p]: element index in the
  /// output of the pixel's channel 0 (of group 0).
  void emit(llvm::ArrayRef<llvm::Value *> inputs, llvm::ArrayRef<llvm::Value *> offsets, llvm::Value *group);

private:
  void emitBlock(llvm::ArrayRef<llvm::Value *> inputs, llvm::ArrayRef<llvm::Value *> offsets, llvm::Value *channel,
                 llvm::Value *weights, unsigned channels);
  void storeBlock(llvm::ArrayRef<llvm::Value *> sums, llvm::ArrayRef<llvm::Value *> offsets, llvm::Value *channel,
                  unsigned channels);
  std::vector<uint8_t> packWeights() const;
  int64_t blockBytes(unsigned channels) const;

  KernelIO &io;
  KernelBuilder &kb;
  const Operation &anchor;
  int64_t k, groupChannels, groups;
  GemmShape shape;
  unsigned vectorLanes = 1;
  ElementType inputType, weightType;
  llvm::GlobalVariable *weights = nullptr, *bias = nullptr;
  std::optional<Requantizer> requantizer;
};

/// The bias with the input's zero point folded in, one entry a channel: bias[c] - zeroPoint * sum of the weights of c.
/// Accumulation then needs no subtraction; padding must be filled with the zero point.
std::vector<int32_t> foldedBias(const Operation &op);

/// Largest |accumulator| (bias included) that any input can give, from the constant weights.
int64_t accumulatorBound(const Operation &op);

} // namespace mfc
#endif
