// Looking things up in linked firmware.
#ifndef MFC_SIM_ELF_H
#define MFC_SIM_ELF_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mfc {

/// Whether the content starts like an ELF file; models never do.
bool isElf(llvm::StringRef bytes);
/// Same for a file; an error of class Usage when it cannot be read.
llvm::Expected<bool> isElfFile(llvm::StringRef path);

/// The symbols of an executable, sorted by address. The Thumb bit of functions is cleared.
class ElfSymbols {
public:
  struct Symbol {
    std::string name;
    uint64_t address = 0;
    uint64_t bytes = 0;
    bool function = false;
  };

  static llvm::Expected<ElfSymbols> read(llvm::StringRef path);

  std::optional<uint64_t> address(llvm::StringRef name) const;
  const Symbol *find(llvm::StringRef name) const;
  /// "mfc_kws_conv2d_1+0x1c"; empty when no function covers the address.
  std::string functionAt(uint64_t address) const;
  const std::vector<Symbol> &all() const { return symbols; }

private:
  std::vector<Symbol> symbols;
};

} // namespace mfc
#endif
