// Finds the code of an ELF file and decodes it with LLVM's disassembler.
#include "mfc/Cost/CodeImage.h"

#include "Classify.h"
#include "MachineCode.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Target/TargetInfo.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>

using namespace mfc;
using namespace mfc::cost;
using namespace llvm::object;
using llvm::StringRef;

namespace {

/// Code sections of an object are laid out on multiples of this.
constexpr uint64_t sectionAlign = 256;

/// Where code ('c') and data ('d') start within a section.
using Mapping = std::map<uint64_t, char>;

class ImageReader {
public:
  ImageReader(const MachineCode &machine, const TargetInfo &target, const ELFObjectFileBase &file)
      : machine(machine), target(target), file(file) {}

  llvm::Error read();
  std::vector<CodeInstruction> code;
  std::vector<CodeFunction> functions;

private:
  const MachineCode &machine;
  const TargetInfo &target;
  const ELFObjectFileBase &file;
  std::map<uint64_t, uint64_t> bases;   ///< image address by section index
  std::map<uint64_t, Mapping> mappings; ///< by section index

  llvm::Error readSymbols();
  llvm::Error readSymbol(const ELFSymbolRef &symbol);
  void endFunctions();
  llvm::Error decodeSection(const SectionRef &section);
  void decodeRange(llvm::ArrayRef<uint8_t> bytes, uint64_t address, uint64_t sectionBegin,
                   uint64_t sectionEnd);
  CodeInstruction describe(const llvm::MCInst &instruction, uint64_t address, unsigned bytes) const;
  void addRegisters(const llvm::MCInst &instruction, CodeInstruction &out) const;
  void addUnits(llvm::MCRegister reg, RegisterSet &set) const;
  unsigned scheduleClass(const llvm::MCInst &instruction) const;
};

bool isMemory(InstructionClass kind) {
  using C = InstructionClass;
  return (kind >= C::Load && kind <= C::StoreMultiple) || kind == C::PopReturn ||
         (kind >= C::FloatLoad && kind <= C::FloatStoreMultiple) || kind == C::VectorLoad ||
         kind == C::VectorStore;
}

/// Data registers that a store reads before its address registers.
unsigned storedOperands(const CodeInstruction &instruction) {
  using C = InstructionClass;
  if (instruction.kind == C::StorePair)
    return 2;
  return instruction.kind == C::Store || instruction.kind == C::StoreIndexed ||
                 instruction.kind == C::FloatStore || instruction.kind == C::VectorStore
             ? 1
             : 0;
}

} // namespace

void ImageReader::addUnits(llvm::MCRegister reg, RegisterSet &set) const {
  if (!reg.isValid())
    return;
  for (llvm::MCRegUnit unit : machine.registers->regunits(reg))
    set.set(static_cast<unsigned>(unit) % set.size());
}

void ImageReader::addRegisters(const llvm::MCInst &instruction, CodeInstruction &out) const {
  const llvm::MCInstrDesc &description = machine.instructions->get(instruction.getOpcode());
  bool loads =
      isMemory(out.kind) && description.mayLoad(); // classes of memory accesses say so truly
  unsigned stored = storedOperands(out);
  for (unsigned i = 0; i < instruction.getNumOperands(); ++i) {
    const llvm::MCOperand &operand = instruction.getOperand(i);
    if (!operand.isReg() || !operand.getReg().isValid())
      continue;
    bool fixed = i < description.getNumOperands();
    bool listed = i + 1 >= description.getNumOperands() && description.isVariadic();
    if (i < description.getNumDefs() || (listed && loads)) {
      addUnits(operand.getReg(), out.writes);
      continue;
    }
    addUnits(operand.getReg(), out.reads);
    bool predicate = fixed && description.operands()[i].isPredicate();
    if (!isMemory(out.kind) || predicate || listed)
      continue;
    if (stored > 0)
      --stored;
    else
      addUnits(operand.getReg(), out.addressReads);
    if (description.getOperandConstraint(i, llvm::MCOI::TIED_TO) >= 0)
      out.writeback = true;
  }
  for (llvm::MCPhysReg reg : description.implicit_uses())
    addUnits(reg, out.reads);
  for (llvm::MCPhysReg reg : description.implicit_defs())
    addUnits(reg, out.writes);
}

unsigned ImageReader::scheduleClass(const llvm::MCInst &instruction) const {
  const llvm::MCSchedModel &model = machine.schedule();
  if (!model.hasInstrSchedModel())
    return 0;
  unsigned index = machine.instructions->get(instruction.getOpcode()).getSchedClass();
  while (index != 0 && model.getSchedClassDesc(index)->isVariant())
    index = machine.subtarget->resolveVariantSchedClass(
        index, &instruction, machine.instructions.get(), model.getProcessorID());
  return index;
}

CodeInstruction ImageReader::describe(const llvm::MCInst &instruction, uint64_t address,
                                      unsigned bytes) const {
  CodeInstruction out;
  out.address = address;
  out.bytes = bytes;
  const llvm::MCInstrDesc &description = machine.instructions->get(instruction.getOpcode());
  StringRef name = machine.instructions->getName(instruction.getOpcode());
  auto classify = target.isRISCV() ? classifyRiscv : classifyArm;
  out.kind = classify(name, instruction, description, *machine.registers, out.registers);
  addRegisters(instruction, out);
  out.scheduleClass = scheduleClass(instruction);
  return out;
}

void ImageReader::decodeRange(llvm::ArrayRef<uint8_t> bytes, uint64_t address,
                              uint64_t sectionBegin, uint64_t sectionEnd) {
  using C = InstructionClass;
  const uint64_t smallest = target.isArm() || target.hasCompressed ? 2 : 4;
  while (!bytes.empty()) {
    llvm::MCInst instruction;
    uint64_t size = 0;
    auto status =
        machine.disassembler->getInstruction(instruction, size, bytes, address, llvm::nulls());
    if (status == llvm::MCDisassembler::Fail) {
      size = std::min<uint64_t>(size ? size : smallest, bytes.size());
      CodeInstruction unknown;
      unknown.address = address;
      unknown.bytes = static_cast<unsigned>(size);
      code.push_back(unknown);
    } else {
      CodeInstruction next = describe(instruction, address, static_cast<unsigned>(size));
      uint64_t to = 0;
      bool direct = next.kind == C::Branch || next.kind == C::BranchIf || next.kind == C::LoopEnd;
      // Calls of an object are not resolved yet; branches within a function are.
      if (direct && machine.analysis->evaluateBranch(instruction, address, size, to) &&
          to >= sectionBegin && to < sectionEnd)
        next.target = to & ~uint64_t(1);
      code.push_back(next);
    }
    address += size;
    bytes = bytes.drop_front(size);
  }
}

llvm::Error ImageReader::decodeSection(const SectionRef &section) {
  llvm::Expected<StringRef> contents = section.getContents();
  if (!contents)
    return contents.takeError();
  llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(contents->data()),
                                contents->size());
  uint64_t base = bases.at(section.getIndex());
  Mapping &mapping = mappings[section.getIndex()];
  if (mapping.empty() || mapping.begin()->first != 0)
    mapping.emplace(0, 'c'); // no mapping symbols: all code
  for (auto range = mapping.begin(); range != mapping.end(); ++range) {
    uint64_t end = std::next(range) == mapping.end() ? bytes.size() : std::next(range)->first;
    end = std::min<uint64_t>(end, bytes.size());
    if (range->second == 'c' && range->first < end)
      decodeRange(bytes.slice(range->first, end - range->first), base + range->first, base,
                  base + bytes.size());
  }
  return llvm::Error::success();
}

llvm::Error ImageReader::readSymbol(const ELFSymbolRef &symbol) {
  llvm::Expected<StringRef> name = symbol.getName();
  if (!name)
    return name.takeError();
  llvm::Expected<section_iterator> section = symbol.getSection();
  if (!section)
    return section.takeError();
  if (*section == file.section_end())
    return llvm::Error::success();
  auto base = bases.find((*section)->getIndex());
  if (base == bases.end())
    return llvm::Error::success();
  llvm::Expected<uint64_t> value = symbol.getAddress();
  if (!value)
    return value.takeError();
  uint64_t offset =
      (*value & (target.isArm() ? ~uint64_t(1) : ~uint64_t(0))) - (*section)->getAddress();
  // Mapping symbols: "ELF for the Arm Architecture" 5.5.5, RISC-V psABI "mapping symbol".
  if (name->size() >= 2 && (*name)[0] == '$' && StringRef("tdx").contains((*name)[1]))
    mappings[(*section)->getIndex()][offset] = (*name)[1] == 'd' ? 'd' : 'c';
  else if (symbol.getELFType() == llvm::ELF::STT_FUNC)
    functions.push_back(
        {name->str(), base->second + offset, base->second + offset + symbol.getSize()});
  return llvm::Error::success();
}

/// Functions without a size (assembly) end where the next one begins.
void ImageReader::endFunctions() {
  std::stable_sort(functions.begin(), functions.end(),
                   [](const auto &a, const auto &b) { return a.begin < b.begin; });
  for (size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].end > functions[i].begin)
      continue;
    for (size_t next = i + 1; next < functions.size() && functions[i].end <= functions[i].begin;
         ++next)
      functions[i].end = functions[next].begin;
  }
}

llvm::Error ImageReader::readSymbols() {
  for (ELFSymbolRef symbol : file.symbols())
    if (llvm::Error error = readSymbol(symbol))
      return error;
  endFunctions();
  return llvm::Error::success();
}

llvm::Error ImageReader::read() {
  uint64_t next = 0;
  std::vector<SectionRef> sections;
  for (const ELFSectionRef section : file.sections()) {
    if (!(section.getFlags() & llvm::ELF::SHF_EXECINSTR) ||
        section.getType() != llvm::ELF::SHT_PROGBITS)
      continue;
    sections.push_back(section);
    bases[section.getIndex()] = file.isRelocatableObject() ? next : section.getAddress();
    next = llvm::alignTo(next + section.getSize(), sectionAlign);
  }
  if (llvm::Error error = readSymbols())
    return error;
  for (const SectionRef &section : sections)
    if (llvm::Error error = decodeSection(section))
      return error;
  std::stable_sort(code.begin(), code.end(),
                   [](const auto &a, const auto &b) { return a.address < b.address; });
  return llvm::Error::success();
}

llvm::Expected<CodeImage> CodeImage::decode(llvm::ArrayRef<char> elf, const TargetInfo &target) {
  auto machine = MachineCode::create(target);
  if (!machine)
    return machine.takeError();
  auto file = ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(StringRef(elf.data(), elf.size()), "code image"));
  if (!file)
    return file.takeError();
  const auto &object = llvm::cast<ELFObjectFileBase>(**file);
  if (object.getEMachine() != (target.isRISCV() ? llvm::ELF::EM_RISCV : llvm::ELF::EM_ARM))
    return makeError(ErrorClass::Usage,
                     "found an ELF file of another architecture, wanted one for " + target.name);
  ImageReader reader(**machine, target, object);
  if (llvm::Error error = reader.read())
    return error;
  CodeImage image;
  image.code = std::move(reader.code);
  image.symbols = std::move(reader.functions);
  return image;
}

const CodeInstruction *CodeImage::at(uint64_t address) const {
  auto it = std::lower_bound(code.begin(), code.end(), address,
                             [](const CodeInstruction &i, uint64_t a) { return i.address < a; });
  return it != code.end() && it->address == address ? &*it : nullptr;
}

const CodeFunction *CodeImage::function(StringRef name) const {
  for (const CodeFunction &function : symbols)
    if (function.name == name)
      return &function;
  return nullptr;
}

const CodeFunction *CodeImage::functionAt(uint64_t address) const {
  for (const CodeFunction &function : symbols)
    if (address >= function.begin && address < function.end)
      return &function;
  return nullptr;
}
