// Dot products of floats: blocking and inner loops. Every sum keeps its own order, one product after the other; lanes
// and registers hold different sums.
#ifndef MFC_LIB_LOWERING_TARGET_FLOATDOT_H
#define MFC_LIB_LOWERING_TARGET_FLOATDOT_H

#include "../KernelIO.h"
#include "TargetHooks.h"

namespace mfc {

GemmShape floatGemmShape(const GemmProblem &problem, const TargetInfo &target);

/// What may be better for a kernel, see TargetHooks::otherGemmShapes().
std::vector<GemmShape> otherFloatGemmShapes(const TargetInfo &target);

/// As TargetHooks::emitDot(), with WeightPacking::Rows. May read up to kFloatOverread bytes behind the weights of a block.
DotResult emitFloatDot(KernelBuilder &kb, const DotRequest &request, Values sums);

/// A partial vector of channels reads lanes that it does not use.
constexpr int64_t kFloatOverread = 12;

} // namespace mfc
#endif
