// From counts of machine blocks to counts of the instructions in the object.
#ifndef MFC_LIB_CODEGEN_BLOCKPROFILE_H
#define MFC_LIB_CODEGEN_BLOCKPROFILE_H

#include "MachineFlow.h"
#include "mfc/Cost/ExecutionProfile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace mfc {
class CodeImage;
}

namespace mfc::codegen {

/// Where a block is: bytes from the start of its function.
struct BlockPlace {
  unsigned id = 0;
  uint64_t offset = 0, bytes = 0;
};

/// The places of all blocks, by function, from the .llvm_bb_addr_map sections of an object.
llvm::Expected<std::map<std::string, std::vector<BlockPlace>>>
readBlockPlaces(llvm::ArrayRef<char> object);

/// The profile of one call of the function, at the image's addresses. Code of functions that it
/// calls is not in it.
llvm::Expected<ExecutionProfile> profileOf(const CodeImage &image, const FunctionFlow &flow,
                                           llvm::ArrayRef<BlockPlace> places);

} // namespace mfc::codegen
#endif
