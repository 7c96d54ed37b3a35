// Random graphs of one operator (and a tail), for differential tests: shapes, strides, pads, scales and zero points are
// drawn from a seed.
#ifndef MFC_TEST_LOWERING_ONEOPGRAPH_H
#define MFC_TEST_LOWERING_ONEOPGRAPH_H

#include "HostModel.h"

namespace mfc::test {

/// Kind of numbers in the graph.
enum class Numbers { Float, Tflite, HalfEven };

Graph randomConv2D(Random &random, Numbers numbers);
/// conv2d over one row, 1 x taps, with whole and partial vectors of channels on both sides.
Graph lineConv2D(Random &random, Numbers numbers, int64_t width, int64_t taps, int64_t stride, int64_t channels);
Graph randomDepthwise(Random &random, Numbers numbers);
Graph randomDense(Random &random, Numbers numbers);
Graph randomPool(Random &random, Numbers numbers);
Graph randomMean(Random &random, Numbers numbers);
Graph randomSoftmax(Random &random, Numbers numbers);
Graph randomBinary(Random &random, Numbers numbers);
Graph randomUnary(Random &random, Numbers numbers);
Graph randomMovement(Random &random, Numbers numbers);

} // namespace mfc::test
#endif
