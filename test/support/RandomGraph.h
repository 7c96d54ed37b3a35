// Valid graphs from a seed, for property tests: every operator of Ops.def, small shapes, shared operands, views,
// several inputs and outputs. The same seed gives the same graph everywhere.
#ifndef MFC_TEST_SUPPORT_RANDOMGRAPH_H
#define MFC_TEST_SUPPORT_RANDOMGRAPH_H

#include "mfc/IR/Graph.h"
#include "mfc/IR/Tensor.h"

namespace mfc {

/// SplitMix64 (Steele, Lea, Flood 2014): unlike the standard distributions, the same everywhere.
class RandomNumbers {
public:
  explicit RandomNumbers(uint64_t seed) : state(seed) {}
  uint64_t next();
  /// From min to max, both included.
  int64_t between(int64_t min, int64_t max);
  bool chance(unsigned percent) { return between(0, 99) < percent; }
  template <typename T> const T &pick(const std::vector<T> &list) {
    return list[static_cast<size_t>(between(0, static_cast<int64_t>(list.size()) - 1))];
  }

private:
  uint64_t state;
};

struct RandomGraphOptions {
  unsigned operations = 12;
  /// Percent of the inputs that are quantized i8; the others are f32.
  unsigned quantizedPercent = 60;
  Rounding rounding = Rounding::TfliteDouble;
};

/// verifyGraph() accepts it.
Graph randomGraph(uint64_t seed, const RandomGraphOptions &options = {});

/// Contents for a type: the whole range of integers, floats from -4 to 4.
std::vector<uint8_t> randomContents(const TensorType &type, RandomNumbers &random);
Tensor randomTensor(const TensorType &type, uint64_t seed);

} // namespace mfc
#endif
