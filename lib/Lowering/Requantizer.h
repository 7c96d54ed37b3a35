// Emits the requantization of an accumulator: the IR twin of Numerics/Requantize.h, bit for bit.
//
// One object a kernel. It decides from the constant multipliers which form is enough, lays out the per-channel tables
// and emits the code for one element or one short vector.
#ifndef MFC_LIB_LOWERING_REQUANTIZER_H
#define MFC_LIB_LOWERING_REQUANTIZER_H

#include "KernelBuilder.h"
#include "mfc/Ops/QuantizedForms.h"

namespace mfc {

class Requantizer {
public:
  /// One multiplier, or one a channel. accumulatorBound: the largest |accumulator| that can occur. `out`: the zero point,
  /// and the range that the caller saturates to; one that begins at the zero point makes the code shorter.
  Requantizer(KernelBuilder &kb, llvm::StringRef tableName, llvm::ArrayRef<FixedMultiplier> multipliers,
              Rounding rounding, int64_t accumulatorBound, StoredRange out);

  /// What one channel (or `lanes` neighbouring ones) needs; loaded once, used for several pixels.
  struct Channel {
    llvm::Value *multiplier = nullptr;
    llvm::Value *preShift = nullptr;      ///< null: none
    llvm::Value *shiftMinusOne = nullptr; ///< right shift - 1; -1 where there is none
    llvm::Value *addend = nullptr;        ///< (2 * zero point + 1) << (right shift - 1): rounds and adds the zero point
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
  int32_t zeroPoint;
  bool negativeIsZero; ///< results below the zero point are raised to it, or above it
  bool clampBefore = false; ///< the accumulator needs a clamp before the shift
  bool small = false;      ///< |accumulator << preShift| < 2^30
  bool foldsZeroPoint = false; ///< Channel::addend fits 32 bits, with the value that it is added to
  bool anyPreShift = false;
  bool anyNoShift = false; ///< some right shift is 0
  std::vector<int32_t> multipliers, preShifts, shiftsMinusOne;
};

} // namespace mfc
#endif
