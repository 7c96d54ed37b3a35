// Emits the requantization of an accumulator: the IR twin of Numerics/Requantize.h, bit for bit.
//
// One object a kernel. It decides from the constant multipliers which form is enough, lays out the per-channel tables
// and emits the code for one element or one short vector.
#ifndef MFC_LIB_LOWERING_REQUANTIZER_H
#define MFC_LIB_LOWERING_REQUANTIZER_H

#include "KernelBuilder.h"
#include "mfc/Numerics/Requantize.h"

namespace mfc {

class Requantizer {
public:
  /// One multiplier, or one a channel. accumulatorBound: the largest |accumulator| that can occur.
  Requantizer(KernelBuilder &kb, llvm::StringRef tableName, llvm::ArrayRef<FixedMultiplier> multipliers,
              Rounding rounding, int64_t accumulatorBound, int32_t zeroPoint);

  /// What one channel (or `lanes` neighbouring ones) needs; loaded once, used for several pixels.
  struct Channel {
    llvm::Value *multiplier = nullptr;
    llvm::Value *preShift = nullptr;      ///< null: none
    llvm::Value *shiftMinusOne = nullptr; ///< right shift - 1; -1 where there is none
  };
  /// `channel` is an element index, i32.
  Channel loadChannel(llvm::Value *channel, unsigned lanes);

  /// accumulator -> stored value, zero point added, not yet saturated (but within int32).
  llvm::Value *emit(llvm::Value *accumulator, const Channel &channel);

private:
  llvm::Value *emitClamp(llvm::Value *x, const Channel &channel);
  llvm::Value *emitDouble(llvm::Value *x, const Channel &channel);
  llvm::Value *emitOneRounding(llvm::Value *x, const Channel &channel);
  llvm::Value *tableValue(llvm::GlobalVariable *table, llvm::ArrayRef<int32_t> values, ElementType stored,
                          llvm::Value *channel, unsigned lanes);

  KernelBuilder &kb;
  Rounding rounding;
  int32_t zeroPoint;
  bool clampBefore = false; ///< the accumulator needs a clamp before the shift
  bool small = false;      ///< |accumulator << preShift| < 2^30
  bool anyPreShift = false;
  bool anyNoShift = false; ///< some right shift is 0
  std::vector<int32_t> multipliers, preShifts, shiftsMinusOne;
  llvm::GlobalVariable *multiplierTable = nullptr, *preShiftTable = nullptr, *shiftTable = nullptr;
};

} // namespace mfc
#endif
