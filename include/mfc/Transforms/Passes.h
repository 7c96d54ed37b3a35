// The passes. Each is in the file of its name (foldPad: lib/Transforms/FoldPad.cpp), keeps what the interpreter
// computes (integers bit for bit; float sums may be re-associated where the comment says so), and does
// nothing when it runs a second time.
#ifndef MFC_TRANSFORMS_PASSES_H
#define MFC_TRANSFORMS_PASSES_H

#include "mfc/Transforms/Pass.h"

namespace mfc {

/// Removes operations and constants whose results nobody reads.
///   before: %1 = add %a, %b   %2 = mul %a, %c   output %2
///   after:  %2 = mul %a, %c   output %2
PassResult eraseDeadCode(Graph &graph, PassContext &ctx);

/// Computes every result shape again from the operands and writes it where the type has '?'.
///   before: %1 = conv2d %in, @w : f32[1,?,?,16]
///   after:  %1 = conv2d %in, @w : f32[1,25,5,16]
/// Fails where a static shape contradicts the operands, or a dimension stays unknown.
PassResult inferShapes(Graph &graph, PassContext &ctx);

} // namespace mfc
#endif
