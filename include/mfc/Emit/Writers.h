// The text outputs and the archive. Pure functions of ModelInfo: equal facts, equal bytes.
#ifndef MFC_EMIT_WRITERS_H
#define MFC_EMIT_WRITERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>

namespace mfc {

struct ModelInfo;

/// X.h: C99 and C++, needs <stdint.h> only.
std::string writeHeader(const ModelInfo &info);
/// X.ld: for INCLUDE in the firmware's linker script, before .bss.
std::string writeLinkerFragment(const ModelInfo &info);
/// X.json; docs/outputs.md has the schema.
std::string writeReport(const ModelInfo &info);

/// The report page (--report): self-contained HTML; docs/outputs.md says what it shows.
std::string writeHtmlReport(const ModelInfo &info);

struct ArchiveMember {
  std::string name;
  llvm::ArrayRef<char> bytes;
};
/// libX.a: GNU format with a symbol table; no times, users or modes.
llvm::Expected<std::string> writeArchive(llvm::ArrayRef<ArchiveMember> members);

} // namespace mfc
#endif
