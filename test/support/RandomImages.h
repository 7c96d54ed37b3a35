// Image networks from a seed, for what runs row by row: long chains of windows of every geometry, branches that meet again,
// operands that broadcast along each dimension, means over all pixels, inputs that are stored channels first.
#ifndef MFC_TEST_SUPPORT_RANDOMIMAGES_H
#define MFC_TEST_SUPPORT_RANDOMIMAGES_H

#include "mfc/IR/Graph.h"

namespace mfc {

struct RandomImagesOptions {
  unsigned operations = 10;
  bool quantized = true; ///< i8, else f32
  Rounding rounding = Rounding::TfliteDouble;
};

/// verifyGraph() accepts it; every operator has a kernel.
Graph randomImages(uint64_t seed, const RandomImagesOptions &options = {});

} // namespace mfc
#endif
