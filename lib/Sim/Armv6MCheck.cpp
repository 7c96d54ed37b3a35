// Decodes with LLVM's MC disassembler. Mapping symbols ($t, $d: "ELF for the Arm
// Architecture", 5.5.5) tell code from literal pools and jump tables.
#include "mfc/Sim/Armv6MCheck.h"

#include "mfc/Support/ClassifiedError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include <map>

using namespace mfc;
using namespace llvm::object;

namespace {

/// Everything MCDisassembler refers to, kept alive together.
class Decoder {
public:
  static llvm::Expected<std::unique_ptr<Decoder>> create() {
    LLVMInitializeARMTargetInfo();
    LLVMInitializeARMTargetMC();
    LLVMInitializeARMDisassembler();
    auto decoder = std::make_unique<Decoder>();
    std::string error;
    llvm::Triple triple("thumbv6m-none-eabi");
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target)
      return makeError(ErrorClass::Internal, error);
    decoder->registers.reset(target->createMCRegInfo(triple));
    decoder->assembly.reset(target->createMCAsmInfo(*decoder->registers, triple, decoder->options));
    decoder->subtarget.reset(target->createMCSubtargetInfo(triple, "cortex-m0plus", ""));
    decoder->context = std::make_unique<llvm::MCContext>(
        triple, decoder->assembly.get(), decoder->registers.get(), decoder->subtarget.get());
    decoder->disassembler.reset(
        target->createMCDisassembler(*decoder->subtarget, *decoder->context));
    return decoder;
  }

  /// Bytes of the instruction at the start of `code`; 0 when it is not one.
  uint64_t decode(llvm::ArrayRef<uint8_t> code, uint64_t address) const {
    llvm::MCInst instruction;
    uint64_t bytes = 0;
    auto status = disassembler->getInstruction(instruction, bytes, code, address, llvm::nulls());
    return status == llvm::MCDisassembler::Success ? bytes : 0;
  }

private:
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
};

/// Where code and data start in each section: offset -> 't' (Thumb), 'd' (data) or 'a' (Arm).
using MappingSymbols = std::map<uint64_t, std::map<uint64_t, char>>;

} // namespace

static llvm::Expected<MappingSymbols> mappingSymbols(const ELFObjectFileBase &object) {
  MappingSymbols map;
  for (ELFSymbolRef symbol : object.symbols()) {
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    if (name->size() < 2 || (*name)[0] != '$' || !llvm::StringRef("tda").contains((*name)[1]))
      continue;
    auto section = symbol.getSection();
    if (!section)
      return section.takeError();
    auto value = symbol.getAddress();
    if (!value)
      return value.takeError();
    if (*section != object.section_end())
      map[(*section)->getIndex()][(*value & ~uint64_t(1)) - (*section)->getAddress()] = (*name)[1];
  }
  return map;
}

static llvm::Error checkSection(const Decoder &decoder, const SectionRef &section,
                                const std::map<uint64_t, char> &mapping, llvm::StringRef where) {
  auto contents = section.getContents();
  if (!contents)
    return contents.takeError();
  llvm::ArrayRef<uint8_t> code(reinterpret_cast<const uint8_t *>(contents->data()),
                               contents->size());
  auto refuse = [&](uint64_t offset, const llvm::Twine &problem) {
    std::string name = llvm::cantFail(section.getName()).str();
    return makeError(ErrorClass::Internal, where + ": section '" + name + "' at offset 0x" +
                                               llvm::utohexstr(offset, true) + ": " + problem);
  };
  if (mapping.empty() && !code.empty())
    return refuse(0, "found code without mapping symbols");
  for (auto range = mapping.begin(); range != mapping.end(); ++range) {
    if (range->second == 'd')
      continue;
    if (range->second == 'a')
      return refuse(range->first, "found Arm state, wanted Thumb");
    uint64_t end = std::next(range) == mapping.end() ? code.size() : std::next(range)->first;
    end = std::min<uint64_t>(end, code.size());
    for (uint64_t offset = range->first; offset < end;) {
      llvm::ArrayRef<uint8_t> rest = code.slice(offset, end - offset);
      uint64_t bytes = decoder.decode(rest, section.getAddress() + offset);
      if (bytes == 0)
        return refuse(offset, "found bytes " + llvm::toHex(rest.take_front(4), true) +
                                  ", which are no Armv6-M instruction");
      offset += bytes;
    }
  }
  return llvm::Error::success();
}

static llvm::Error checkObject(const Decoder &decoder, llvm::MemoryBufferRef file,
                               llvm::StringRef where) {
  auto object = ObjectFile::createObjectFile(file);
  if (!object)
    return object.takeError();
  auto *elf = llvm::dyn_cast<ELFObjectFileBase>(object->get());
  if (!elf || elf->getEMachine() != llvm::ELF::EM_ARM)
    return makeError(ErrorClass::Usage, where + ": found no Arm ELF object");
  auto mapping = mappingSymbols(*elf);
  if (!mapping)
    return mapping.takeError();
  for (const SectionRef &section : elf->sections())
    if (section.isText())
      if (llvm::Error error = checkSection(decoder, section, (*mapping)[section.getIndex()], where))
        return error;
  return llvm::Error::success();
}

llvm::Error mfc::checkArmv6MOnly(llvm::MemoryBufferRef file) {
  auto decoder = Decoder::create();
  if (!decoder)
    return decoder.takeError();
  std::string name = file.getBufferIdentifier().str();
  if (!file.getBuffer().starts_with("!<arch>\n"))
    return checkObject(**decoder, file, name);
  auto archive = Archive::create(file);
  if (!archive)
    return archive.takeError();
  llvm::Error iteration = llvm::Error::success();
  for (const Archive::Child &member : (*archive)->children(iteration)) {
    auto buffer = member.getMemoryBufferRef();
    if (!buffer)
      return llvm::joinErrors(buffer.takeError(), std::move(iteration));
    std::string where = name + "(" + buffer->getBufferIdentifier().str() + ")";
    if (llvm::Error error = checkObject(**decoder, *buffer, where))
      return llvm::joinErrors(std::move(error), std::move(iteration));
  }
  return iteration;
}

llvm::Error mfc::checkArmv6MOnly(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(ErrorClass::Usage,
                     "cannot read '" + path + "': " + buffer.getError().message());
  return checkArmv6MOnly((*buffer)->getMemBufferRef());
}
