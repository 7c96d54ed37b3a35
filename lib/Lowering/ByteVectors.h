// Sixteen int8 results at once on Helium: requantization of four vectors of sums, narrowing, saturation, one store or two.
//
// VMULLB/VMULLT and the narrowing VQMOVNB/VQMOVNT work on even and odd elements, so sixteen channels are held in four
// vectors in an order that narrowing undoes: vector v, lane l is byte channelAt(4 v + l). The constants of the
// requantization are laid out in the same order.
#ifndef MFC_LIB_LOWERING_BYTEVECTORS_H
#define MFC_LIB_LOWERING_BYTEVECTORS_H

#include "KernelIO.h"
#include "Requantizer.h"
#include "mfc/Ops/QuantizedForms.h"

#include <array>
#include <optional>

namespace mfc {

using FourVectors = std::array<llvm::Value *, 4>;

class ByteVectors {
public:
  static constexpr unsigned kChannels = 16;

  /// Which bytes the four vectors hold.
  enum class Order {
    Quarters, ///< 0, 4, 8, 12; 2, 6, ..; 1, 5, ..; 3, 7, ..: what VMOVLB and VMOVLT make of even and of odd elements
    Halves,   ///< 0, 2, 4, 6; 1, 3, 5, 7; then the same from 8 on: widening loads of even and of odd elements
  };

  /// Whether the kernel's results can take this way: int8, neighbours in memory, and nothing but a clamp after the
  /// anchor.
  static bool fits(const Kernel &kernel);

  ByteVectors(KernelIO &io, const RequantForm &form, int64_t accumulatorBound, Order order);

  /// The channels of 16 results in a row, one a byte.
  using LaneChannels = std::array<int64_t, kChannels>;

  /// Place (vector by vector, lane by lane) to byte, inside a block of 16.
  static constexpr size_t channelAt(Order order, size_t place) {
    constexpr size_t quarters[] = {0, 2, 1, 3}, halves[] = {0, 1, 8, 9};
    return order == Order::Quarters ? quarters[place / 4] + place % 4 * 4 : halves[place / 4] + place % 4 * 2;
  }

  /// One word a channel in the order of the vectors.
  void appendWords(std::vector<uint8_t> &bytes, llvm::ArrayRef<int32_t> values, const LaneChannels &channels) const;
  /// What store() needs to know of the channels.
  void appendRecord(std::vector<uint8_t> &bytes, const LaneChannels &channels) const;

  /// Requantizes, and stores the first `count` (at most 16) results.
  void store(const FourVectors &sums, llvm::Value *record, llvm::Value *to, unsigned count);
  /// The same for the channels of several pixels, with each constant loaded once (Order::Quarters). `sum`: by pixel and vector.
  void storeSeveral(llvm::ArrayRef<llvm::Value *> to, llvm::Value *record, unsigned count,
                    llvm::function_ref<llvm::Value *(size_t, unsigned)> sum);
  int64_t recordBytes() const;

private:
  llvm::Value *narrow(llvm::Value *low, llvm::Value *high, llvm::Type *to);
  llvm::Value *narrowToHalves(llvm::Value *low, llvm::Value *high);
  llvm::Value *clamp(llvm::Value *v);
  void storeQuarters(llvm::Value *even, llvm::Value *odd, llvm::Value *to, unsigned count);
  void storeHalf(llvm::Value *low, llvm::Value *high, llvm::Value *to, unsigned count);

  KernelIO &io;
  KernelBuilder &kb;
  StoredRange out;
  Order order;
  std::optional<Requantizer> requantizer;
};

} // namespace mfc
#endif
