// ELF object to plain data, through LLVM's object reader.
#include "mfc/Codegen/ObjectInfo.h"

#include "mfc/Support/ClassifiedError.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/DataExtractor.h"
#include <algorithm>
#include <map>
#include <set>

using namespace mfc;
using namespace llvm::object;
using llvm::StringRef;

const ObjectSymbol *ObjectInfo::symbol(StringRef name) const {
  for (const ObjectSymbol &s : symbols)
    if (s.name == name)
      return &s;
  return nullptr;
}

const ObjectSection *ObjectInfo::section(StringRef name) const {
  for (const ObjectSection &s : sections)
    if (s.name == name)
      return &s;
  return nullptr;
}

uint64_t ObjectInfo::readOnlyBytes() const {
  uint64_t bytes = 0;
  for (const ObjectSection &s : sections)
    if (s.loaded && !s.code && !s.writable)
      bytes += s.bytes;
  return bytes;
}

static llvm::Error readSections(const ELFObjectFileBase &file, ObjectInfo &info) {
  for (const ELFSectionRef section : file.sections()) {
    llvm::Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (name->empty())
      continue;
    uint64_t flags = section.getFlags();
    info.sections.push_back({name->str(), section.getSize(),
                             static_cast<unsigned>(section.getAlignment().value()),
                             (flags & llvm::ELF::SHF_EXECINSTR) != 0,
                             (flags & llvm::ELF::SHF_WRITE) != 0,
                             (flags & llvm::ELF::SHF_ALLOC) != 0,
                             section.getType() == llvm::ELF::SHT_NOBITS});
  }
  return llvm::Error::success();
}

static SymbolKind kindOf(unsigned elfType) {
  if (elfType == llvm::ELF::STT_FUNC)
    return SymbolKind::Function;
  if (elfType == llvm::ELF::STT_OBJECT)
    return SymbolKind::Data;
  return SymbolKind::Other;
}

static llvm::Error readSymbols(const ELFObjectFileBase &file, ObjectInfo &info) {
  for (const ELFSymbolRef symbol : file.symbols()) {
    unsigned type = symbol.getELFType();
    llvm::Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (type == llvm::ELF::STT_SECTION || type == llvm::ELF::STT_FILE || name->empty() ||
        name->starts_with("$") || name->starts_with(".L"))
      continue;
    llvm::Expected<section_iterator> section = symbol.getSection();
    if (!section)
      return section.takeError();
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    ObjectSymbol out{name->str(), {}, symbol.getSize(), kindOf(type),
                     symbol.getBinding() != llvm::ELF::STB_LOCAL,
                     (*flags & BasicSymbolRef::SF_Undefined) == 0};
    if (*section != file.section_end()) {
      llvm::Expected<StringRef> sectionName = (*section)->getName();
      if (!sectionName)
        return sectionName.takeError();
      out.section = sectionName->str();
    }
    info.symbols.push_back(std::move(out));
  }
  return llvm::Error::success();
}

/// The function that starts at an address of a section. Thumb addresses have bit 0 set.
static std::string functionAt(const ELFObjectFileBase &file, section_iterator section,
                              uint64_t address) {
  for (const ELFSymbolRef symbol : file.symbols()) {
    if (symbol.getELFType() != llvm::ELF::STT_FUNC)
      continue;
    llvm::Expected<section_iterator> owner = symbol.getSection();
    llvm::Expected<uint64_t> value = symbol.getValue();
    llvm::Expected<StringRef> name = symbol.getName();
    if (owner && value && name && *owner == section && (*value & ~1ull) == (address & ~1ull))
      return name->str();
    llvm::consumeError(owner.takeError());
    llvm::consumeError(value.takeError());
    llvm::consumeError(name.takeError());
  }
  return {};
}

/// Which function the relocation of an address field means; empty if it means none.
static std::string relocatedFunction(const ELFObjectFileBase &file, const ELFRelocationRef &relocation,
                                     uint64_t field) {
  if (relocation.getSymbol() == file.symbol_end())
    return {};
  llvm::Expected<int64_t> addend = relocation.getAddend();
  if (!addend) { // REL: the addend is in the field
    llvm::consumeError(addend.takeError());
    addend = static_cast<int64_t>(field);
  }
  llvm::Expected<section_iterator> section = relocation.getSymbol()->getSection();
  llvm::Expected<uint64_t> value = relocation.getSymbol()->getValue();
  std::string name;
  if (section && value)
    name = functionAt(file, *section, *value + static_cast<uint64_t>(*addend));
  llvm::consumeError(section.takeError());
  llvm::consumeError(value.takeError());
  return name;
}

/// Relocations of a section by offset.
static llvm::Expected<std::map<uint64_t, ELFRelocationRef>>
relocationsOf(const ELFObjectFileBase &file, const SectionRef &section) {
  std::map<uint64_t, ELFRelocationRef> relocations;
  for (const SectionRef candidate : file.sections()) {
    llvm::Expected<section_iterator> target = candidate.getRelocatedSection();
    if (!target)
      return target.takeError();
    if (*target == file.section_end() || **target != section)
      continue;
    for (const RelocationRef relocation : candidate.relocations())
      relocations.emplace(relocation.getOffset(), relocation);
  }
  return relocations;
}

/// Entries of an address (relocated) and a ULEB128 size each.
static llvm::Error readStackSizes(const ELFObjectFileBase &file, ObjectInfo &info) {
  for (const SectionRef section : file.sections()) {
    llvm::Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (*name != ".stack_sizes")
      continue;
    llvm::Expected<StringRef> contents = section.getContents();
    if (!contents)
      return contents.takeError();
    auto relocations = relocationsOf(file, section);
    if (!relocations)
      return relocations.takeError();
    llvm::DataExtractor data(*contents, file.isLittleEndian(), file.getBytesInAddress());
    llvm::DataExtractor::Cursor cursor(0);
    while (cursor && !data.eof(cursor)) {
      auto relocation = relocations->find(cursor.tell());
      uint64_t field = data.getAddress(cursor);
      uint64_t bytes = data.getULEB128(cursor);
      if (cursor)
        info.stackSizes.push_back({relocation == relocations->end()
                                       ? std::string()
                                       : relocatedFunction(file, relocation->second, field),
                                   bytes});
    }
    if (llvm::Error error = cursor.takeError())
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<ObjectInfo> mfc::readObject(llvm::ArrayRef<char> object) {
  llvm::MemoryBufferRef buffer(StringRef(object.data(), object.size()), "object");
  llvm::Expected<std::unique_ptr<ObjectFile>> file = ObjectFile::createELFObjectFile(buffer);
  if (!file)
    return file.takeError();
  const auto *elf = llvm::dyn_cast<ELFObjectFileBase>(file->get());
  if (!elf)
    return makeError(ErrorClass::Usage, "not an ELF object");
  ObjectInfo info;
  info.machine = elf->getEMachine();
  info.flags = elf->getPlatformFlags();
  if (llvm::Error error = readSections(*elf, info))
    return error;
  if (llvm::Error error = readSymbols(*elf, info))
    return error;
  if (llvm::Error error = readStackSizes(*elf, info))
    return error;
  return info;
}

llvm::Expected<std::vector<std::string>> mfc::undefinedSymbols(llvm::ArrayRef<char> object) {
  return undefinedSymbols(llvm::ArrayRef<llvm::ArrayRef<char>>(object));
}

llvm::Expected<std::vector<std::string>>
mfc::undefinedSymbols(llvm::ArrayRef<llvm::ArrayRef<char>> objects) {
  std::set<std::string> wanted, defined;
  for (llvm::ArrayRef<char> object : objects) {
    llvm::Expected<ObjectInfo> info = readObject(object);
    if (!info)
      return info.takeError();
    for (const ObjectSymbol &symbol : info->symbols)
      if (!symbol.defined)
        wanted.insert(symbol.name);
      else if (symbol.global)
        defined.insert(symbol.name);
  }
  std::vector<std::string> missing;
  std::set_difference(wanted.begin(), wanted.end(), defined.begin(), defined.end(),
                      std::back_inserter(missing));
  return missing;
}
