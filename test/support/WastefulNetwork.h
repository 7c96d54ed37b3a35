// Quantized networks from a seed whose weights leave much to remove: channels that never change
// (zero weights, saturation), channels that nobody reads, equal channels, zero taps. Every operator
// that keeps channels apart occurs, at padded borders too.
#ifndef MFC_TEST_SUPPORT_WASTEFULNETWORK_H
#define MFC_TEST_SUPPORT_WASTEFULNETWORK_H

#include "mfc/IR/Graph.h"

namespace mfc {

/// verifyGraph() accepts it.
Graph wastefulNetwork(uint64_t seed, Rounding rounding);

} // namespace mfc
#endif
