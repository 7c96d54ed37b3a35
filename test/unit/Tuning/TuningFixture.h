// A planned model to choose schedules for: two equal convolutions with different weights, and a pool.
#ifndef MFC_TEST_TUNINGFIXTURE_H
#define MFC_TEST_TUNINGFIXTURE_H

#include "mfc/IR/Graph.h"
#include "mfc/IR/Plan.h"
#include "mfc/Target/TargetInfo.h"

namespace mfc::test {

struct PlannedModel {
  explicit PlannedModel(const char *cpu);
  Graph graph;
  TargetInfo target;
  Plan plan; ///< with schedules by rule of thumb, without addresses
};

} // namespace mfc::test
#endif
