// The matrix product inside conv2d and dense as numbers: its sizes, its constant weights in the layouts to choose from
// (IR/Schedule.h), and the proofs that a packed layout is exact.
#ifndef MFC_LIB_LOWERING_GEMMSHAPE_H
#define MFC_LIB_LOWERING_GEMMSHAPE_H

#include "mfc/IR/Graph.h"
#include "mfc/IR/Schedule.h"

#include <cstdint>
#include <vector>

namespace mfc {

/// Sums of products with int8 inputs fit signed 16 bits, whatever the inputs, while the sum of |w| is at most this.
constexpr int64_t kMostWeightSum = INT16_MAX / 128;

/// The values that a sum can take, ends included.
struct SumRange {
  int64_t least, most;
};

/// Appends the lower `size` bytes of the value, the lowest first.
void appendInteger(std::vector<uint8_t> &bytes, int64_t value, int64_t size);

/// One anchor's product. `rows`: pixels that can be handed to one block.
class GemmProblem {
public:
  GemmProblem(const Operation &anchor, int64_t rows);

  ElementType input, weight;
  int64_t k, groups, groupChannels, rows;

  bool bytes() const { return input == ElementType::I8 && weight == ElementType::I8; }
  int64_t channels() const { return groups * groupChannels; }
  /// Stored weight of an integer product.
  int64_t at(int64_t channel, int64_t k) const;

  /// BytePairs is exact: every wa + 256 * wb is a 16-bit number and |B|, bias included, stays below 2^23.
  bool bytePairsExact() const;
  /// The largest of the given group lengths for which HalfPairs is exact (every group of K values, every channel:
  /// sum of |w| <= kMostWeightSum), or 0.
  unsigned halfPairsGroup(llvm::ArrayRef<unsigned> lengths) const;
  /// An order of the K values for which groups of `length` are exact, or nothing if a bounded search finds none.
  std::vector<uint16_t> halfPairsOrder(unsigned length) const;

  /// The weights of one block in the order of the shape's packing.
  void packBlock(const GemmShape &shape, int64_t firstChannel, int64_t count, std::vector<uint8_t> &bytes) const;
  /// Where sums start, one value a channel: the bias with everything folded in that the packing asks for. `offsets`: to
  /// add to the sum of every channel (BytePairs: to 256 times the sum of every second one).
  std::vector<int32_t> startValues(const GemmShape &shape, const std::vector<int32_t> &offsets = {}) const;
  /// Bytes of one block of weights.
  int64_t blockBytes(const GemmShape &shape, unsigned channels) const;
  /// Values of K that a prepared row or a row of weights has, padding included.
  int64_t paddedK(const GemmShape &shape) const { return (k + shape.step - 1) / shape.step * shape.step; }

private:
  const Operation &anchor;
  llvm::ArrayRef<uint8_t> raw;
};

/// The bias with the input's zero point folded in, one entry a channel: bias[c] - zeroPoint * sum of the weights of c.
/// Accumulation then needs no subtraction; padding must be filled with the zero point.
std::vector<int32_t> foldedBias(const Operation &op);

/// The least and the largest accumulator of every channel (bias included) that an input of its type can give.
std::vector<SumRange> accumulatorRanges(const Operation &op);

/// Largest |accumulator| (bias included) that any input can give, from the constant weights.
int64_t accumulatorBound(const Operation &op);

} // namespace mfc
#endif
