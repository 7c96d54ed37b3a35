// A small seeded generator (splitmix64), the same on every machine.
#ifndef MFC_TEST_GEN_RANDOM_H
#define MFC_TEST_GEN_RANDOM_H

#include <cmath>
#include <cstdint>

namespace mfc::gen {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// Evenly in [low, high).
  double uniform(double low, double high) { return low + (high - low) * double(next() >> 11) * 0x1p-53; }
  /// Normal, mean 0 and deviation 1: the sum of twelve uniform draws, which needs no library function.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i)
      sum += uniform(0, 1);
    return sum;
  }
  int below(int n) { return static_cast<int>(next() % static_cast<uint64_t>(n)); }

private:
  uint64_t state;
};

} // namespace mfc::gen
#endif
