#include "mfc/Sim/Elf.h"

#include "mfc/Support/ClassifiedError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <tuple>

using namespace mfc;
using llvm::object::ELFObjectFileBase;
using llvm::object::ELFSymbolRef;

bool mfc::isElf(llvm::StringRef bytes) { return bytes.starts_with(llvm::StringRef("\177ELF", 4)); }

llvm::Expected<bool> mfc::isElfFile(llvm::StringRef path) {
  if (llvm::sys::fs::is_directory(path))
    return makeError(ErrorClass::Usage, "cannot read '" + path + "': it is a directory");
  auto buffer = llvm::MemoryBuffer::getFileSlice(path, 4, 0);
  if (buffer)
    return isElf((*buffer)->getBuffer());
  // A file of less than four bytes cannot be sliced, but it is no ELF file either.
  if (auto whole = llvm::MemoryBuffer::getFile(path))
    return isElf((*whole)->getBuffer());
  return makeError(ErrorClass::Usage, "cannot read '" + path + "': " + buffer.getError().message());
}

llvm::Expected<ElfSymbols> ElfSymbols::read(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(ErrorClass::Usage,
                     "cannot read '" + path + "': " + buffer.getError().message());
  auto object = llvm::object::ObjectFile::createObjectFile((*buffer)->getMemBufferRef());
  auto *elf = object ? llvm::dyn_cast<ELFObjectFileBase>(object->get()) : nullptr;
  if (!elf) {
    std::string why = object ? "another object format" : llvm::toString(object.takeError());
    return makeError(ErrorClass::Usage, "'" + path + "' is not a usable ELF file: " + why);
  }
  ElfSymbols result;
  bool thumb = elf->getEMachine() == llvm::ELF::EM_ARM;
  for (ELFSymbolRef symbol : elf->symbols()) {
    auto name = symbol.getName();
    auto address = symbol.getAddress();
    if (!name || !address) {
      llvm::Error errors = llvm::joinErrors(name ? llvm::Error::success() : name.takeError(),
                                            address ? llvm::Error::success() : address.takeError());
      return makeError(ErrorClass::Usage,
                       "'" + path + "' has a broken symbol: " + llvm::toString(std::move(errors)));
    }
    if (name->empty() || symbol.getELFType() == llvm::ELF::STT_FILE)
      continue;
    bool function = symbol.getELFType() == llvm::ELF::STT_FUNC;
    uint64_t at = function && thumb ? *address & ~uint64_t(1) : *address;
    result.symbols.push_back({name->str(), at, symbol.getSize(), function});
  }
  llvm::sort(result.symbols, [](const Symbol &a, const Symbol &b) {
    return std::tie(a.address, a.name, a.bytes, a.function) <
           std::tie(b.address, b.name, b.bytes, b.function);
  });
  return result;
}

const ElfSymbols::Symbol *ElfSymbols::find(llvm::StringRef name) const {
  auto found = llvm::find_if(symbols, [&](const Symbol &s) { return s.name == name; });
  return found == symbols.end() ? nullptr : &*found;
}

std::optional<uint64_t> ElfSymbols::address(llvm::StringRef name) const {
  const Symbol *symbol = find(name);
  return symbol ? std::optional(symbol->address) : std::nullopt;
}

std::string ElfSymbols::functionAt(uint64_t address) const {
  auto above =
      llvm::partition_point(symbols, [&](const Symbol &s) { return s.address <= address; });
  while (above != symbols.begin()) {
    const Symbol &s = *--above;
    if (!s.function)
      continue;
    // Assembly functions may have no size: the nearest one below is then the best guess.
    if (s.bytes != 0 && address >= s.address + s.bytes)
      return {};
    return s.name + "+0x" + llvm::utohexstr(address - s.address, /*LowerCase=*/true);
  }
  return {};
}
