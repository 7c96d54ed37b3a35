// Assembly text to an object, so that a rule's test can show the loop that was counted by hand.
#ifndef MFC_TEST_UNIT_COST_ASSEMBLE_H
#define MFC_TEST_UNIT_COST_ASSEMBLE_H

#include "mfc/Target/TargetInfo.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

/// The target of -mcpu=<cpu>.
mfc::TargetInfo targetOf(llvm::StringRef cpu);

/// Assembles GNU syntax into a relocatable object with one code section; fails the test on an
/// error.
llvm::SmallVector<char, 0> assemble(const mfc::TargetInfo &target, llvm::StringRef text);

#endif
