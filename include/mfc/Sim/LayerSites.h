// Where linked firmware calls the layers of a model: what the TCG plugin needs to tell layers
// apart.
//
// Found in the machine code of the driver as it was linked: the offsets in X.json are those of the
// object file, and RISC-V linkers move code. The n-th call of a kernel belongs to the n-th layer
// that uses it.
#ifndef MFC_SIM_LAYERSITES_H
#define MFC_SIM_LAYERSITES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mfc {

/// A call with its target in the instruction: BL on Arm, JAL or AUIPC + JALR on RISC-V.
struct DirectCall {
  uint64_t address = 0; ///< of the first instruction
  uint64_t returns = 0; ///< behind the last one
  uint64_t target = 0;  ///< without the Thumb bit
};

/// The calls in these bytes of a function, in order of address.
std::vector<DirectCall> directCalls(llvm::ArrayRef<uint8_t> code, uint64_t address, bool riscv);

struct LayerSite {
  uint64_t call = 0, returns = 0;
  unsigned layer = 0;
  bool operator==(const LayerSite &) const = default;
};

/// One site for each entry of `kernels` (symbols, in execution order). An error of class Usage when
/// the firmware has no such driver, or one that calls something else.
llvm::Expected<std::vector<LayerSite>> findLayerSites(llvm::StringRef elfPath,
                                                      llvm::StringRef driver,
                                                      llvm::ArrayRef<std::string> kernels);

/// All direct calls of a function in the firmware.
llvm::Expected<std::vector<DirectCall>> findCallsOf(llvm::StringRef elfPath,
                                                    llvm::StringRef function);

} // namespace mfc
#endif
