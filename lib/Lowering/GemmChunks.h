// Channels of a matrix product in chunks of whole vectors of 16 on Helium: the sums of a chunk go to scratch in the order
// that narrowing undoes, and become 16 results at a time.
//
// The constants of a chunk are one stream: the weights of its blocks [block][K / 16][channel of the block][16], then for
// each 16 channels where the sums start and the requantization's record.
#ifndef MFC_LIB_LOWERING_GEMMCHUNKS_H
#define MFC_LIB_LOWERING_GEMMCHUNKS_H

#include "ByteVectors.h"
#include "GemmShape.h"

namespace mfc {

/// Which channels are a chunk, and how they are cut into blocks.
class ChunkShape {
public:
  ChunkShape(const GemmShape &shape, int64_t channels);

  int64_t channels;   ///< of this chunk
  int64_t vectors;    ///< of 16 results
  int64_t blocks;     ///< of the product
  int64_t placeStep;  ///< from the first place of one block to that of the next
  int64_t places() const { return std::max(16 * vectors, (blocks - 1) * placeStep + blockChannels); }

  /// The channel whose sum is at this place; places without one repeat the last.
  int64_t channelAt(int64_t place) const;

  /// Channels of a whole chunk.
  static int64_t most(const GemmShape &shape);

private:
  int64_t blockChannels;
};

class GemmChunks {
public:
  /// Whether the product of a kernel with this schedule takes this way.
  static bool fits(const Kernel &kernel, const GemmProblem &problem);
  /// Sums in scratch of one pixel, words.
  static int64_t sumRow(const GemmProblem &problem, const GemmShape &shape);

  GemmChunks(KernelIO &io, const GemmProblem &problem, const GemmShape &shape);

  /// One block of the product at this place of the stream: its sums, pixel by pixel.
  using Dot = llvm::function_ref<Values(llvm::Value *weights)>;
  /// All channels of a group for `pixels` pixels. `to`: address of the first one's result of channel 0 of the group.
  void emit(llvm::Value *group, int64_t pixels, llvm::Value *to, llvm::Value *sums, Dot dot);

private:
  void append(std::vector<uint8_t> &bytes, const ChunkShape &chunk, int64_t first) const;
  void emitChunk(const ChunkShape &chunk, llvm::Value *stream, int64_t pixels, llvm::Value *to, llvm::Value *sums, Dot dot);
  void finish(llvm::Value *constants, int64_t pixels, llvm::Value *to, llvm::Value *sums, unsigned count);
  int64_t blockBytes() const { return (problem.k + 15) / 16 * 16 * shape.channels; }
  int64_t finishBytes() const { return 4 * ByteVectors::kChannels + vectors.recordBytes(); }
  int64_t bytesOf(const ChunkShape &chunk) const { return chunk.blocks * blockBytes() + chunk.vectors * finishBytes(); }

  KernelBuilder &kb;
  const GemmProblem &problem;
  const GemmShape &shape;
  ByteVectors vectors;
  std::vector<int32_t> bias;
  int64_t row; ///< words between the sums of two pixels
  llvm::GlobalVariable *constants;
};

} // namespace mfc
#endif
