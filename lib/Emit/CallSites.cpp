#include "CallSites.h"
#include "mfc/Emit/ModelInfo.h"

#include "llvm/Object/ELFObjectFile.h"
#include <algorithm>
#include <map>

using namespace mfc;
using namespace llvm::object;

/// The function that a relocation refers to: by its symbol, or by the section that it has for
/// itself.
static llvm::Expected<std::string> calledFunction(const RelocationRef &relocation,
                                                  const ObjectFile &file) {
  symbol_iterator symbol = relocation.getSymbol();
  if (symbol == file.symbol_end())
    return std::string();
  llvm::Expected<SymbolRef::Type> type = symbol->getType();
  if (!type)
    return type.takeError();
  if (ELFSymbolRef(*symbol).getELFType() != llvm::ELF::STT_SECTION) {
    auto name = symbol->getName();
    return name ? llvm::Expected<std::string>(name->str()) : name.takeError();
  }
  auto section = symbol->getSection();
  if (!section)
    return section.takeError();
  auto name = (*section)->getName();
  if (!name)
    return name.takeError();
  llvm::StringRef text = *name;
  text.consume_front(".text.");
  return text.str();
}

/// Calls in the order of their offsets, by function.
static llvm::Expected<std::map<std::string, std::vector<uint64_t>>>
callsOf(const ELFObjectFileBase &file, llvm::StringRef section) {
  std::map<std::string, std::vector<uint64_t>> calls;
  for (const SectionRef &relocations : file.sections()) {
    auto target = relocations.getRelocatedSection();
    if (!target)
      return target.takeError();
    if (*target == file.section_end())
      continue;
    auto name = (*target)->getName();
    if (!name)
      return name.takeError();
    if (*name != section)
      continue;
    for (const RelocationRef &relocation : relocations.relocations()) {
      auto function = calledFunction(relocation, file);
      if (!function)
        return function.takeError();
      calls[*function].push_back(relocation.getOffset());
    }
  }
  for (auto &[function, offsets] : calls)
    std::sort(offsets.begin(), offsets.end());
  return calls;
}

llvm::Error mfc::findCallSites(ModelInfo &info, const std::string &driver,
                               llvm::ArrayRef<char> object) {
  auto file = ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "driver"));
  if (!file)
    return file.takeError();
  auto calls = callsOf(llvm::cast<ELFObjectFileBase>(**file), ".text." + driver);
  if (!calls)
    return calls.takeError();
  std::map<std::string, size_t> next;
  for (LayerInfo &layer : info.layers) {
    const std::vector<uint64_t> &offsets = (*calls)[layer.kernel];
    size_t &index = next[layer.kernel];
    layer.callSites.clear();
    if (index < offsets.size())
      layer.callSites.push_back(offsets[index++]);
  }
  return llvm::Error::success();
}
