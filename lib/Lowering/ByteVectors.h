// Sixteen int8 results at once on Helium: requantization of four vectors of sums, narrowing, saturation, one store.
//
// VMULLB/VMULLT and the narrowing VQMOVNB/VQMOVNT work on even and odd elements, so sixteen channels are held as four
// vectors of every fourth channel, in the order 0, 2, 1, 3: vector v, lane l is channel channelAt(4 v + l). Widening by
// halves produces that order, narrowing by halves undoes it, and the tables of the requantization are laid out in it.
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

  /// Whether the kernel's results can take this way: int8, and nothing but a clamp after the anchor.
  static bool fits(const Kernel &kernel);

  ByteVectors(KernelIO &io, const RequantForm &form, int64_t accumulatorBound);

  /// Place (vector by vector, lane by lane) to channel, inside a block of 16.
  static constexpr int64_t channelAt(int64_t place) {
    constexpr int64_t first[] = {0, 2, 1, 3};
    return first[place / 4] + place % 4 * 4;
  }

  /// One value a channel in the order of the vectors, padded to whole blocks of 16 with `fill`.
  template <typename T> static std::vector<T> inOrder(llvm::ArrayRef<T> values, T fill) {
    std::vector<T> ordered;
    for (size_t block = 0; block < values.size(); block += kChannels)
      for (size_t place = 0; place < kChannels; ++place) {
        size_t channel = block + static_cast<size_t>(channelAt(static_cast<int64_t>(place)));
        ordered.push_back(channel < values.size() ? values[channel] : fill);
      }
    return ordered;
  }

  /// Requantizes and stores `count` (at most 16) results at element `offset`; `channel`: the first one's number.
  void store(const FourVectors &sums, llvm::Value *channel, llvm::Value *offset, unsigned count);

private:
  llvm::Value *narrow(llvm::Value *low, llvm::Value *high, llvm::Type *to);

  KernelIO &io;
  KernelBuilder &kb;
  StoredRange out;
  std::optional<Requantizer> requantizer;
};

} // namespace mfc
#endif
