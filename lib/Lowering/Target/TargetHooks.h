// What targets do differently, behind virtual functions with portable defaults.
//
// Columns of the target table say most (Target/TargetInfo.h); a hook is for behaviour that no column can say. Nobody
// else in Lowering compares an instruction set or a CPU name.
#ifndef MFC_LIB_LOWERING_TARGETHOOKS_H
#define MFC_LIB_LOWERING_TARGETHOOKS_H

#include "../GemmShape.h"
#include "../KernelBuilder.h"

namespace mfc {

/// One block of dot products over K values.
struct DotRequest {
  llvm::Value *rows;  ///< K consecutive elements of the first pixel; or the rows that emitPrepareRow() wrote
  unsigned pixels;
  int64_t distance;   ///< bytes between the rows of two pixels (not prepared ones)
  unsigned align;     ///< of every row
  bool padded;        ///< a row may be read to the next multiple of 16 bytes
  llvm::Value *weights; ///< to the block's weights
  int64_t k;
  unsigned channels; ///< of this block
  const GemmShape &shape;
  ElementType inputType, weightType;
  bool scaledSeconds = false; ///< BytePairs: every second sum is wanted 256-fold, as it is found
};

/// What a block left behind.
struct DotResult {
  Values sums;
  llvm::Value *weights; ///< a pointer that has walked along the block's weights
  int64_t weightBytesRead; ///< how far
};

class TargetHooks {
public:
  explicit TargetHooks(const TargetInfo &target) : target(target) {}
  virtual ~TargetHooks() = default;

  /// Lanes of element-wise loops over the type; 1 means scalar code.
  virtual unsigned lanes(ElementType element) const { return 1; }

  /// `tailLanes`: lanes in which results may be stored.
  virtual GemmShape gemmShape(const GemmProblem &problem, unsigned tailLanes) const;

  /// Other legal shapes for the product, best guesses first, around the one that gemmShape() gave. Every one is exact.
  virtual std::vector<GemmShape> otherGemmShapes(const GemmProblem &problem, unsigned tailLanes,
                                                 const GemmShape &first) const;

  /// The parts of the code generator that do a product kernel of this shape good.
  virtual CodegenParts gemmParts(const GemmShape &shape) const;

  /// Converts a row of K elements to the form that emitDot() reads (GemmShape::preparedBytes); `pixels` rows share the
  /// memory at `to`.
  virtual void emitPrepareRow(KernelBuilder &kb, const GemmShape &shape, llvm::Value *row, int64_t k, llvm::Value *to,
                              unsigned pixel, unsigned pixels) const;

  /// Channels that a depthwise convolution keeps sums of at once.
  virtual unsigned depthwiseBlock() const { return 4; }

  virtual CodegenParts depthwiseParts() const;

  /// Whether emitDepthwiseQuad() exists.
  virtual bool depthwiseWordPairs() const { return false; }
  /// sums[c] += x[c] * w[c] for 4 channels of int8 at a word's address; weights widened to 16 bits in the order 0, 2, 1, 3.
  virtual Values emitDepthwiseQuad(KernelBuilder &kb, llvm::Value *input, llvm::Value *weights, Values sums) const;

  /// accumulators[p * channels + c] + dot(input row p, weight row c), for accumulators that start as
  /// GemmProblem::startValues() says.
  virtual DotResult emitDot(KernelBuilder &kb, const DotRequest &request, Values accumulators) const;

  /// Copies with vectors (targets with MVE only).
  virtual void emitVectorCopy(KernelBuilder &kb, llvm::Value *to, llvm::Value *from, int64_t bytes) const;
  /// `bytes` (i32) is at least 1.
  virtual void emitVectorCopy(KernelBuilder &kb, llvm::Value *to, llvm::Value *from, llvm::Value *bytes) const;
  virtual void emitVectorFill(KernelBuilder &kb, llvm::Value *to, int64_t byte, llvm::Value *bytes) const;

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
  /// The rest of a dot product from K value `from` on, one value at a time (WeightPacking::Rows).
  /// `carried`: the sums and the two pointers, which have walked up to there.
  DotResult emitDotTail(KernelBuilder &kb, const DotRequest &request, int64_t from, Values carried) const;

  /// The blocking with WeightPacking::HalfPairs that does with the fewest instructions, or one pixel and channel if none
  /// is exact. `base`: pixels and channels; `preparedBytes`: how rows are stored when they are prepared.
  GemmShape halfPairsShape(const GemmProblem &problem, GemmShape base, unsigned preparedBytes, bool prepareAnyway) const;

  /// `first` with other blocks of pixels and channels; where it is packed, plain rows and the natural order too.
  std::vector<GemmShape> blocksLike(const GemmProblem &problem, const GemmShape &first,
                                    llvm::ArrayRef<std::pair<unsigned, unsigned>> blocks) const;

  /// WeightPacking::HalfPairs.
  DotResult emitHalfPairs(KernelBuilder &kb, const DotRequest &request, Values accumulators) const;

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

/// Index of a weight in its block (WeightPacking::Rows).
int64_t packedOffset(const DotRequest &request, unsigned channel, int64_t k);

/// How many of `turns` equal pieces to put into one turn of a loop: the largest divisor up to `most`, or the number that
/// leaves the fewest over.
int64_t unrollFactor(int64_t turns, int64_t most);

} // namespace mfc
#endif
