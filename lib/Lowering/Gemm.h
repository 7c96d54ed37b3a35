// The matrix-product core of conv2d and dense: rows of K consecutive input elements times packed weights, for all
// output channels, with bias, requantization and tail.
#ifndef MFC_LIB_LOWERING_GEMM_H
#define MFC_LIB_LOWERING_GEMM_H

#include "GemmChunks.h"
#include "GemmShape.h"
#include "KernelIO.h"
#include "Requantizer.h"
#include "Target/TargetHooks.h"

#include <optional>

namespace mfc {

class GemmEmitter {
public:
  /// `rows`: pixels that a block could have at most. `scratch`: the kernel's working memory for gemmScratchBytes().
  GemmEmitter(KernelIO &io, int64_t rows, llvm::Value *scratch);

  /// Pixels to hand to one block at most.
  unsigned pixelBlock() const { return shape.pixels; }
  /// The code of a block is long: better one block too many than another block's code.
  bool longBlocks() const { return chunks.has_value(); }

  /// A row of K consecutive elements per pixel: where the first one is, and what is known of all of them.
  struct Rows {
    int64_t count;
    int64_t distance; ///< bytes from one row to the next
    unsigned align;   ///< of every row
    bool padded;      ///< a row may be read to the next multiple of 16 bytes
  };
  /// Starts a block of pixels. setRow() follows once a pixel if rowsAreCopied() (the row is read there and may go after
  /// that), else once with pixel 0 (rows are read in emit()).
  void begin(const Rows &rows);
  void setRow(unsigned pixel, llvm::Value *row);
  bool rowsAreCopied() const { return shape.preparedBytes != 0; }

  /// All channels of one group for the block of pixels, which follow each other in a row from `pixel` on.
  void emit(const OutputPixel &pixel, llvm::Value *group);

private:
  /// Constants of one block of channels, in the order in which the code meets them: where the sums start (integers),
  /// the weights, the requantization's record. Returns their size.
  int64_t appendBlock(std::vector<uint8_t> &bytes, int64_t firstChannel, unsigned channels) const;
  std::vector<uint8_t> makeStream();
  LineRequest lineRequest() const;
  /// Channels [first, first + count). Returns where their stream ends.
  llvm::Value *emitChannels(const OutputPixel &pixel, llvm::Value *first, llvm::Value *stream, int64_t count);
  /// `local`: the channel's number among those whose sums are kept at once.
  void emitBlock(const OutputPixel &pixel, llvm::Value *channel, llvm::Value *local, llvm::Value *stream,
                 unsigned channels);
  Values startSums(llvm::Value *channel, llvm::Value *stream, unsigned channels);
  void storeBlock(llvm::ArrayRef<llvm::Value *> sums, const OutputPixel &pixel, llvm::Value *channel, llvm::Value *record,
                  unsigned channels);
  void keepSums(llvm::ArrayRef<llvm::Value *> sums, llvm::Value *local, unsigned channels);
  void finishSums(const OutputPixel &pixel, llvm::Value *firstChannel, int64_t count);
  void finishChannels(const OutputPixel &pixel, llvm::Value *firstChannel, llvm::Value *local, unsigned lanes);

  KernelIO &io;
  KernelBuilder &kb;
  GemmProblem problem;
  GemmShape shape;
  unsigned vectorLanes = 1;
  Rows rows{};                   ///< of the block that is being emitted
  llvm::Value *firstRow = nullptr; ///< in place, or the prepared ones
  llvm::Value *preparedRows = nullptr, *sumScratch = nullptr;
  /// Integers, sums not kept in scratch: start values and requantization are in the stream of the weights.
  bool usesLines = false; ///< Requantizer::useLines() succeeded
  bool streams() const { return requantizer && !shape.storesSums; }
  void emitChunks(const OutputPixel &pixel, llvm::Value *group);

  llvm::GlobalVariable *weights = nullptr, *start = nullptr;
  std::vector<int32_t> startValues;
  int64_t blockBytes = 0, restBytes = 0; ///< of the stream: a whole block, the smaller last one
  std::optional<Requantizer> requantizer;
  std::optional<GemmChunks> chunks; ///< instead of weights, start values and requantizer
};

/// The schedule by rule of thumb of a kernel around a product, then (`all`) what else there is; `rows` as for GemmEmitter.
std::vector<Schedule> productSchedules(const Kernel &kernel, int64_t rows, const TargetInfo &target, bool all);

/// Sets GemmShape::sumPart for this many channels of a group: less scratch, a little slower.
void keepFewSums(GemmShape &shape, int64_t channels);

/// Working memory of GemmEmitter for the kernel's schedule, bytes.
uint64_t gemmScratchBytes(const Kernel &kernel, int64_t rows);

} // namespace mfc
#endif
