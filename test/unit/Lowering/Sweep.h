// What tests of many random models have in common.
#ifndef MFC_TEST_UNIT_LOWERING_SWEEP_H
#define MFC_TEST_UNIT_LOWERING_SWEEP_H

#include "mfc/IR/Graph.h"
#include "mfc/IR/Tensor.h"

namespace mfc::test {

/// A number from the environment.
uint64_t setting(const char *name, uint64_t otherwise);

bool hasFloats(const Graph &graph);

/// Elements that differ. Floats may differ by rounding, and integers behind floats then by a step.
int64_t countWrong(const Tensor &wanted, const Tensor &found, bool exact);

} // namespace mfc::test
#endif
