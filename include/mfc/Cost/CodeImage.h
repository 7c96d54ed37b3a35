// Machine code, decoded once: what each instruction is, reads and writes, at which address.
//
// The input is an ELF file: linked firmware (its own addresses), or a relocatable object, whose
// code sections are laid out one after the other from address 0, each on a multiple of 256 bytes.
#ifndef MFC_COST_CODEIMAGE_H
#define MFC_COST_CODEIMAGE_H

#include "mfc/Cost/InstructionClass.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mfc {

struct TargetInfo;

/// Register units (LLVM's), so that S0, D0 and Q0 overlap.
using RegisterSet = std::bitset<256>;

struct CodeInstruction {
  uint64_t address = 0; ///< without the Thumb bit
  unsigned bytes = 0;
  InstructionClass kind = InstructionClass::Unknown;
  unsigned registers = 1;   ///< N of the classes that move N registers
  bool writeback = false;   ///< a load or store that updates its base register
  RegisterSet reads;        ///< all registers that are read
  RegisterSet addressReads; ///< loads and stores: those that form the address
  RegisterSet writes;
  std::optional<uint64_t> target; ///< of a direct branch inside the image
  unsigned scheduleClass = 0;     ///< in LLVM's model of the core, 0 when it has none
};

struct CodeFunction {
  std::string name;
  uint64_t begin = 0, end = 0;
};

class CodeImage {
public:
  /// Decodes all code of an ELF file with the features of the target. Data between the code (Arm
  /// mapping symbols) is left out. Errors: no ELF, another architecture.
  static llvm::Expected<CodeImage> decode(llvm::ArrayRef<char> elf, const TargetInfo &target);

  llvm::ArrayRef<CodeInstruction> instructions() const { return code; } ///< sorted by address
  llvm::ArrayRef<CodeFunction> functions() const { return symbols; }    ///< sorted by address

  /// The instruction at exactly this address, or null.
  const CodeInstruction *at(uint64_t address) const;
  /// The function of this name (the first one, if there are several), or null.
  const CodeFunction *function(llvm::StringRef name) const;
  /// The function that the address lies in, or null.
  const CodeFunction *functionAt(uint64_t address) const;

private:
  std::vector<CodeInstruction> code;
  std::vector<CodeFunction> symbols;
};

} // namespace mfc
#endif
