// LLVM marks every ELF object as "needs no executable stack". One such object among the firmware's, which
// gcc for bare metal does not mark, makes GNU ld warn about all of them ("missing .note.GNU-stack section
// implies executable stack"). No option of the code generator turns the mark off.
#include "StackNote.h"

#include "mfc/Support/ClassifiedError.h"
#include "llvm/ObjCopy/CommonConfig.h"
#include "llvm/ObjCopy/ELF/ELFConfig.h"
#include "llvm/ObjCopy/ELF/ELFObjcopy.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mfc;
using llvm::StringRef;

static constexpr StringRef noteName = ".note.GNU-stack";

llvm::Error codegen::removeSections(llvm::SmallVector<char, 0> &object,
                                    llvm::ArrayRef<StringRef> names) {
  llvm::MemoryBufferRef buffer(StringRef(object.data(), object.size()), "object");
  auto file = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!file)
    return file.takeError();
  llvm::objcopy::CommonConfig config;
  for (StringRef name : names) {
    auto pattern = llvm::objcopy::NameOrPattern::create(name, llvm::objcopy::MatchStyle::Literal,
                                                        [](llvm::Error error) { return error; });
    if (llvm::Error error = config.ToRemove.addMatcher(std::move(pattern)))
      return error;
  }
  llvm::SmallVector<char, 0> stripped;
  llvm::raw_svector_ostream os(stripped);
  if (llvm::Error error = llvm::objcopy::elf::executeObjcopyOnBinary(
          config, {}, llvm::cast<llvm::object::ELFObjectFileBase>(**file), os))
    return error;
  object = std::move(stripped);
  return llvm::Error::success();
}

llvm::Error codegen::removeStackNote(llvm::SmallVector<char, 0> &object) {
  return removeSections(object, {noteName});
}

void codegen::removeStackNote(std::string &assembly) {
  size_t at = assembly.find("\t.section\t\"" + noteName.str() + "\"");
  if (at != std::string::npos)
    assembly.erase(at, assembly.find('\n', at) + 1 - at);
}
