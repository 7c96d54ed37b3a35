// Takes the .note.GNU-stack section out of what LLVM emits for bare-metal targets.
#ifndef MFC_LIB_CODEGEN_STACKNOTE_H
#define MFC_LIB_CODEGEN_STACKNOTE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mfc::codegen {

llvm::Error removeStackNote(llvm::SmallVector<char, 0> &object);
void removeStackNote(std::string &assembly);

} // namespace mfc::codegen
#endif
