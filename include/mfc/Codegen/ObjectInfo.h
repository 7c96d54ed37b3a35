// Reads back an object file: its symbols, sections and what it needs from outside.
//
// The input is what compileToObject() returned, or any ELF relocatable file; bad bytes are an error.
#ifndef MFC_CODEGEN_OBJECTINFO_H
#define MFC_CODEGEN_OBJECTINFO_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mfc {

enum class SymbolKind { Function, Data, Other };

struct ObjectSymbol {
  std::string name;
  std::string section; ///< empty when undefined
  uint64_t bytes = 0;
  SymbolKind kind = SymbolKind::Other;
  bool global = false;
  bool defined = false;
};

struct ObjectSection {
  std::string name;
  uint64_t bytes = 0;
  unsigned align = 1;
  bool code = false;     ///< SHF_EXECINSTR
  bool writable = false; ///< SHF_WRITE
  bool loaded = false;   ///< SHF_ALLOC
  bool noBits = false;   ///< takes no room in the file
};

/// Stack frame of a function by the .stack_sizes section.
struct StackSize {
  std::string function;
  uint64_t bytes = 0;
};

struct ObjectInfo {
  unsigned machine = 0; ///< e_machine
  unsigned flags = 0;   ///< e_flags
  std::vector<ObjectSymbol> symbols;   ///< in file order, without section, file and mapping symbols
  std::vector<ObjectSection> sections; ///< in file order
  std::vector<StackSize> stackSizes;

  const ObjectSymbol *symbol(llvm::StringRef name) const;
  const ObjectSection *section(llvm::StringRef name) const;
  /// Bytes of read-only data sections (loaded, neither code nor writable).
  uint64_t readOnlyBytes() const;
};

llvm::Expected<ObjectInfo> readObject(llvm::ArrayRef<char> object);

/// Names that the object needs from elsewhere, sorted, each once.
llvm::Expected<std::vector<std::string>> undefinedSymbols(llvm::ArrayRef<char> object);

/// Names that these objects need from outside when linked together, sorted, each once.
llvm::Expected<std::vector<std::string>>
undefinedSymbols(llvm::ArrayRef<llvm::ArrayRef<char>> objects);

} // namespace mfc
#endif
