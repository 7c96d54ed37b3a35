// Takes sections out of what LLVM emits for bare-metal targets.
#ifndef MFC_LIB_CODEGEN_STACKNOTE_H
#define MFC_LIB_CODEGEN_STACKNOTE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mfc::codegen {

/// Removes the sections of these names, if there are any.
llvm::Error removeSections(llvm::SmallVector<char, 0> &object, llvm::ArrayRef<llvm::StringRef> names);

llvm::Error removeStackNote(llvm::SmallVector<char, 0> &object);
void removeStackNote(std::string &assembly);

} // namespace mfc::codegen
#endif
