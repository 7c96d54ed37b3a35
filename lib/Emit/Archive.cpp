// The archive: LLVM's writer in its deterministic mode.
#include "mfc/Emit/Writers.h"

#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mfc;

llvm::Expected<std::string> mfc::writeArchive(llvm::ArrayRef<ArchiveMember> members) {
  std::vector<llvm::NewArchiveMember> list;
  for (const ArchiveMember &member : members)
    list.emplace_back(llvm::MemoryBufferRef(
        llvm::StringRef(member.bytes.data(), member.bytes.size()), member.name));
  auto buffer = llvm::writeArchiveToBuffer(list, llvm::SymtabWritingMode::NormalSymtab,
                                           llvm::object::Archive::K_GNU, /*Deterministic=*/true,
                                           /*Thin=*/false);
  if (!buffer)
    return buffer.takeError();
  return (*buffer)->getBuffer().str();
}
