// The functions that firmware calls, around the driver mfc_X_run() that the lowering makes.
//
//   int mfc_X_invoke_memory[_abi](const struct mfc_X_memory *memory, const void *id, ports)
//   int mfc_X_invoke_static[_abi](const void *id, ports)
//
// Ports are pointers to the inputs, then the outputs, with --io=caller; else there are none.
//
// The first checks the caller's memory (version, null, alignment, size); the second uses the static
// arena, which lives in an archive member of its own so that the other form does not pay for it.
// The header passes &mfc_X_id_<hash>: nobody reads it, it is there so that a header of another
// build does not link.
#ifndef MFC_EMIT_ENTRYPOINTS_H
#define MFC_EMIT_ENTRYPOINTS_H

#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mfc {

struct ModelInfo;

/// Id of the build: hash of the lowered module and of what the header says about the interface. To
/// be taken before entry points are added.
std::string modelId(const llvm::Module &lowered, const ModelInfo &info);

/// Adds the id object and mfc_X_invoke_memory to the module that defines mfc_X_run.
void addMemoryForm(llvm::Module &module, const ModelInfo &info);

/// Adds the static arenas and mfc_X_invoke_static. mfc_X_run may be defined in the module or
/// elsewhere.
void addStaticForm(llvm::Module &module, const ModelInfo &info);

/// A module with the static form only.
std::unique_ptr<llvm::Module> createStaticModule(llvm::LLVMContext &context, const ModelInfo &info);

} // namespace mfc
#endif
