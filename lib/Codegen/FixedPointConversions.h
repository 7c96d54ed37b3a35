// Keeps LLVM 22 from selecting a wrong fixed-point VCVT on cores with float MVE.
#ifndef MFC_LIB_CODEGEN_FIXEDPOINTCONVERSIONS_H
#define MFC_LIB_CODEGEN_FIXEDPOINTCONVERSIONS_H

namespace llvm {
class Module;
}

namespace mfc::codegen {

/// Rewrites the pattern that LLVM gets wrong (see the .cpp) into an equal one that it gets right. The
/// lowering may emit the plain conversion and multiplication; nothing else has to know. Returns how many
/// places were rewritten.
unsigned hideFixedPointConversions(llvm::Module &module);

} // namespace mfc::codegen
#endif
