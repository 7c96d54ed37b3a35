// An int8 depthwise convolution on cores with SMLAD: channels are unpacked into planes of 16-bit values, where two
// neighbouring columns are one word, and two neighbouring results share words and weights.
#ifndef MFC_LIB_LOWERING_PLANARDEPTHWISE_H
#define MFC_LIB_LOWERING_PLANARDEPTHWISE_H

#include "KernelIO.h"
#include "Requantizer.h"
#include "Window2D.h"

namespace mfc {

/// Where the planes of four input channels lie in scratch. They hold what one chunk of output rows reads, padding included.
struct PlaneLayout {
  PlaneLayout(const Window2D &w, bool byRows);

  int64_t rows;       ///< output rows of a chunk
  int64_t inputRows;  ///< that they read
  int64_t pitch;      ///< bytes of a row, whole words
  int64_t planes;     ///< channels at once: 4, or fewer if the tensor has fewer
  int64_t planeBytes;
  uint64_t bytes() const { return static_cast<uint64_t>((planes * planeBytes + 15) / 16 * 16); }
};

class PlanarDepthwise {
public:
  /// Whether the anchor can take this way: its weights must fit registers.
  static bool fits(const Kernel &kernel, const TargetInfo &target);

  explicit PlanarDepthwise(KernelIO &io);
  void emit();

private:
  std::vector<uint8_t> makeStream();
  /// The weights of a channel as pairs of neighbouring taps, in the order in which the code wants them.
  std::vector<std::pair<int8_t, int8_t>> weightPairs(int64_t channel) const;

  void fillPlanes();
  /// All channels of the output rows from y on; `outputRow` is where the first of them goes.
  void emitChunk(llvm::Value *n, llvm::Value *y, llvm::Value *outputRow);
  void emitChannels(llvm::Value *first, llvm::Value *stream, llvm::Value *n, llvm::Value *y,
                    llvm::Value *outputRow);
  void unpack(llvm::Value *first, int64_t count, llvm::Value *n, llvm::Value *y);
  void unpackRow(llvm::Value *to, llvm::Value *from, int64_t count);
  void padRow(llvm::Value *to, int64_t count);
  Values loadColumn(llvm::Value *from, int64_t count);

  void emitChannel(llvm::Value *plane, llvm::Value *channel, llvm::Value *stream, llvm::Value *outputRow);
  Values loadWeights(llvm::Value *stream);
  Values emitResults(llvm::ArrayRef<llvm::Value *> carried, unsigned results);
  /// `to`: an element index of the output, or its address where the tail has no operands (plainTail).
  llvm::Value *ahead(llvm::Value *to, int64_t elements);
  void storeResults(llvm::ArrayRef<llvm::Value *> sums, llvm::Value *to);

  KernelIO &io;
  KernelBuilder &kb;
  const Operation &op;
  Window2D w;
  PlaneLayout layout;
  int64_t multiplier, rowWords, blockBytes = 0;
  int32_t zeroPoint;
  bool scaled = false; ///< weights are 256-fold
  bool plainTail;      ///< nothing but a clamp
  Requantizer requantizer;
  llvm::GlobalVariable *constants = nullptr;
  // Of the channel that is being emitted.
  Values weights;
  llvm::Value *start = nullptr, *current = nullptr;
  Requantizer::Channel parameters;
};

} // namespace mfc
#endif
