// Emits the requantization of an accumulator: the IR twin of Numerics/Requantize.h, bit for bit.
//
// One object a kernel. It decides from the constant multipliers which form is enough, lays out the per-channel tables
// and emits the code for one element or one short vector.
#ifndef MFC_LIB_LOWERING_REQUANTIZER_H
#define MFC_LIB_LOWERING_REQUANTIZER_H

#include "GemmShape.h"
#include "KernelBuilder.h"
#include "mfc/Numerics/StepLine.h"
#include "mfc/Ops/QuantizedForms.h"

namespace mfc {

/// What must be known for a line (Numerics/StepLine.h) to take the place of a requantization.
struct LineRequest {
  std::vector<SumRange> ranges; ///< by channel
  int scaleBits[2] = {0, 0};    ///< sums are 2^scaleBits times what they mean: channels of kind 0 and 1
  int64_t groupChannels = 1;    ///< 1: all are of kind 0; else every second channel of a group is of kind 1
};

class Requantizer {
public:
  /// One multiplier, or one a channel. accumulatorBound: the largest |accumulator| that can occur. `out`: the zero point,
  /// and the range that the caller saturates to; one that begins at the zero point makes the code shorter.
  Requantizer(KernelBuilder &kb, llvm::StringRef tableName, llvm::ArrayRef<FixedMultiplier> multipliers,
              Rounding rounding, int64_t accumulatorBound, StoredRange out);

  /// Replaces the requantization by lines, if every channel has one. Then the sums must start `offset` higher than they
  /// would (lineOffset()), and be scaled as the request says. Only for records and single lanes.
  bool useLines(const LineRequest &request);
  /// In units of the scaled sum; 0 without lines.
  int32_t lineOffset(int64_t channel) const { return lines.empty() ? 0 : lines[static_cast<size_t>(channel)].offset; }

  /// What one channel (or `lanes` neighbouring ones) needs; loaded once, used for several pixels.
  struct Channel {
    llvm::Value *multiplier = nullptr;
    llvm::Value *preShift = nullptr;      ///< null: none
    llvm::Value *shiftMinusOne = nullptr; ///< right shift - 1; -1 where there is none
    llvm::Value *addend = nullptr;        ///< (2 * zero point + 1) << (right shift - 1): rounds and adds the zero point
    int lineShift = -1;                   ///< of a line; multiplier and addend (null: 0) are the line's then
  };
  /// Of channel + ahead (an element index, i32); a constant `ahead` goes into the addresses.
  Channel loadChannel(llvm::Value *channel, unsigned lanes, int64_t ahead = 0);

  /// The same from a packed record, for code that walks along one stream of constants: `count` multipliers (i32), then
  /// as many shifts (i8), padded to words; only what differs by channel.
  void appendRecord(std::vector<uint8_t> &bytes, int64_t firstChannel, unsigned count) const;
  int64_t recordBytes(unsigned count) const;
  Channel loadRecord(llvm::Value *record, unsigned count, unsigned index, unsigned lanes = 1);

  /// A packed record for whole vectors of 4: of any channels, shifts as the vector instructions want them.
  void appendVectorRecord(std::vector<uint8_t> &bytes, llvm::ArrayRef<int64_t> channels) const;
  Channel loadVectorRecord(llvm::Value *record, unsigned count, unsigned index);

  /// accumulator -> stored value, zero point added, not yet saturated (but within int32).
  llvm::Value *emit(llvm::Value *accumulator, const Channel &channel);

private:
  bool fitLines(const LineRequest &request, const std::vector<StepFunction> &functions, unsigned kind, bool addend);
  /// Of a channel, or of a place in a block of channels: blocks start with a channel of kind 0.
  unsigned lineKind(int64_t channel) const { return static_cast<unsigned>(channel % groupChannels % 2); }
  llvm::Value *emitLine(llvm::Value *x, const Channel &channel);
  Channel loadLine(llvm::Value *record, unsigned count, unsigned index);
  unsigned lineAddends(unsigned count) const;
  llvm::Value *emitClamp(llvm::Value *x, const Channel &channel);
  llvm::Value *emitDouble(llvm::Value *x, const Channel &channel);
  llvm::Value *emitOneRounding(llvm::Value *x, const Channel &channel);
  void addAddend(Channel &channel, unsigned lanes);
  bool varies(llvm::ArrayRef<int32_t> values) const;
  llvm::Value *recordValue(llvm::Value *record, int64_t &offset, llvm::ArrayRef<int32_t> values, ElementType stored,
                           unsigned count, unsigned index, unsigned lanes);
  llvm::Value *tableValue(const char *suffix, llvm::ArrayRef<int32_t> values, ElementType stored, llvm::Value *channel,
                          unsigned lanes, int64_t ahead);

  KernelBuilder &kb;
  std::string tableName;
  Rounding rounding;
  StoredRange out;
  bool negativeIsZero; ///< results below the zero point are raised to it, or above it
  bool clampBefore = false; ///< the accumulator needs a clamp before the shift
  bool small = false;      ///< |accumulator << preShift| < 2^30
  bool foldsZeroPoint = false; ///< Channel::addend fits 32 bits, with the value that it is added to
  bool anyPreShift = false;
  bool anyNoShift = false; ///< some right shift is 0
  std::vector<int32_t> multipliers, preShifts, shiftsMinusOne;
  std::vector<FixedMultiplier> given;
  std::vector<StepLine> lines; ///< empty, or one a channel
  int lineShifts[2] = {0, 0};  ///< by kind, as LineRequest::scaleBits
  bool hasAddend[2] = {false, false};
  int64_t groupChannels = 1;
};

} // namespace mfc
#endif
