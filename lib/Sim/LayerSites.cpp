// Encodings: Armv7-M Architecture Reference Manual A5.3 (32-bit Thumb) and A7.7.18 (BL T1), the
// same on Armv6-M and Armv8-M; RISC-V Unprivileged ISA, 2.5 (JAL, JALR, AUIPC) and 16.4 (C.JAL).
#include "mfc/Sim/LayerSites.h"

#include "mfc/Sim/Elf.h"
#include "mfc/Support/ClassifiedError.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <optional>

using namespace mfc;

namespace {

/// One instruction: its size, and the target if it is a call.
struct Decoded {
  unsigned bytes = 2;
  std::optional<uint64_t> target;
};

uint64_t relative(uint64_t address, uint32_t bits, unsigned width) {
  return static_cast<uint32_t>(address + static_cast<uint64_t>(llvm::SignExtend64(bits, width)));
}

uint32_t halfword(llvm::ArrayRef<uint8_t> code, size_t at) {
  return at + 2 <= code.size() ? llvm::support::endian::read16le(&code[at]) : 0;
}

uint32_t word(llvm::ArrayRef<uint8_t> code, size_t at) {
  return halfword(code, at) | halfword(code, at + 2) << 16;
}

Decoded decodeThumb(llvm::ArrayRef<uint8_t> code, size_t at, uint64_t address) {
  uint32_t first = halfword(code, at), second = halfword(code, at + 2);
  if (first >> 11 < 0x1d)
    return {};
  if (first >> 11 != 0x1e || (second & 0xd000) != 0xd000)
    return {4, std::nullopt};
  uint32_t sign = first >> 10 & 1, i1 = ~(second >> 13 ^ sign) & 1, i2 = ~(second >> 11 ^ sign) & 1;
  uint32_t offset =
      sign << 24 | i1 << 23 | i2 << 22 | (first & 0x3ff) << 12 | (second & 0x7ff) << 1;
  return {4, relative(address + 4, offset, 25)};
}

/// The 12-bit offset of C.JAL, whose bits are [11|4|9:8|10|6|7|3:1|5] at 12:2.
uint32_t compressedJump(uint32_t half) {
  return (half >> 12 & 1) << 11 | (half >> 11 & 1) << 4 | (half >> 9 & 3) << 8 |
         (half >> 8 & 1) << 10 | (half >> 7 & 1) << 6 | (half >> 6 & 1) << 7 |
         (half >> 3 & 7) << 1 | (half >> 2 & 1) << 5;
}

Decoded decodeRISCV(llvm::ArrayRef<uint8_t> code, size_t at, uint64_t address) {
  uint32_t half = halfword(code, at);
  if ((half & 3) != 3) {
    if ((half & 0xe003) == 0x2001)
      return {2, relative(address, compressedJump(half), 12)};
    return {};
  }
  uint32_t insn = word(code, at), next = word(code, at + 4);
  uint32_t opcode = insn & 0x7f, rd = insn >> 7 & 31;
  if (opcode == 0x6f && rd == 1) {
    uint32_t offset = (insn >> 31) << 20 | (insn >> 12 & 0xff) << 12 | (insn >> 20 & 1) << 11 |
                      (insn >> 21 & 0x3ff) << 1;
    return {4, relative(address, offset, 21)};
  }
  bool pair =
      opcode == 0x17 && (next & 0x707f) == 0x67 && (next >> 15 & 31) == rd && (next >> 7 & 31) == 1;
  if (!pair)
    return {4, std::nullopt};
  return {8, relative(address + (insn & 0xfffff000), next >> 20, 12)};
}

/// The contents of a firmware file, by address.
class Image {
public:
  static llvm::Expected<Image> read(llvm::StringRef path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return makeError(ErrorClass::Usage,
                       "cannot read '" + path + "': " + buffer.getError().message());
    Image image;
    image.buffer = std::move(*buffer);
    auto object = llvm::object::ObjectFile::createELFObjectFile(image.buffer->getMemBufferRef());
    if (!object)
      return makeError(ErrorClass::Usage, "'" + path + "' is not a usable ELF file: " +
                                              llvm::toString(object.takeError()));
    image.object = std::move(*object);
    return image;
  }

  bool riscv() const {
    return llvm::cast<llvm::object::ELFObjectFileBase>(*object).getEMachine() ==
           llvm::ELF::EM_RISCV;
  }

  /// The bytes of a code section from the address on; empty when no section has it.
  llvm::ArrayRef<uint8_t> from(uint64_t address, uint64_t bytes) const {
    for (const llvm::object::SectionRef &section : object->sections()) {
      uint64_t offset = address - section.getAddress();
      if (!section.isText() || offset >= section.getSize())
        continue;
      if (auto contents = section.getContents())
        return llvm::arrayRefFromStringRef(*contents).slice(
            offset, std::min(bytes, section.getSize() - offset));
      else
        llvm::consumeError(contents.takeError());
    }
    return {};
  }

private:
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::unique_ptr<llvm::object::ObjectFile> object;
};

} // namespace

std::vector<DirectCall> mfc::directCalls(llvm::ArrayRef<uint8_t> code, uint64_t address,
                                         bool riscv) {
  std::vector<DirectCall> calls;
  for (size_t at = 0; at < code.size();) {
    Decoded one = riscv ? decodeRISCV(code, at, address + at) : decodeThumb(code, at, address + at);
    if (one.target)
      calls.push_back({address + at, address + at + one.bytes, *one.target});
    at += one.bytes;
  }
  return calls;
}

llvm::Expected<std::vector<LayerSite>> mfc::findLayerSites(llvm::StringRef elfPath,
                                                           llvm::StringRef driver,
                                                           llvm::ArrayRef<std::string> kernels) {
  auto image = Image::read(elfPath);
  if (!image)
    return image.takeError();
  auto symbols = ElfSymbols::read(elfPath);
  if (!symbols)
    return symbols.takeError();
  const ElfSymbols::Symbol *function = symbols->find(driver);
  if (!function || !function->bytes)
    return makeError(ErrorClass::Usage,
                     "'" + elfPath + "' has no function '" + driver +
                         "': wanted firmware with that model and with its symbols (not stripped)");
  std::vector<DirectCall> calls = directCalls(image->from(function->address, function->bytes),
                                              function->address, image->riscv());
  std::map<std::string, size_t> next; // index into calls, by kernel
  std::vector<LayerSite> sites;
  for (unsigned layer = 0; layer < kernels.size(); ++layer) {
    std::optional<uint64_t> target = symbols->address(kernels[layer]);
    size_t &at = next[kernels[layer]];
    while (target && at < calls.size() && calls[at].target != *target)
      ++at;
    if (!target || at == calls.size())
      return makeError(
          ErrorClass::Usage,
          "'" + elfPath + "': '" + driver + "' does not call '" + kernels[layer] +
              "' where the report of the model says so: wanted the report of the same build");
    sites.push_back({calls[at].address, calls[at].returns, layer});
    ++at;
  }
  return sites;
}

llvm::Expected<std::vector<DirectCall>> mfc::findCallsOf(llvm::StringRef elfPath,
                                                         llvm::StringRef function) {
  auto image = Image::read(elfPath);
  if (!image)
    return image.takeError();
  auto symbols = ElfSymbols::read(elfPath);
  if (!symbols)
    return symbols.takeError();
  std::optional<uint64_t> target = symbols->address(function);
  if (!target)
    return makeError(ErrorClass::Usage, "'" + elfPath + "' has no symbol '" + function + "'");
  std::vector<DirectCall> calls;
  for (const ElfSymbols::Symbol &symbol : symbols->all()) {
    if (!symbol.function || !symbol.bytes)
      continue;
    for (const DirectCall &call :
         directCalls(image->from(symbol.address, symbol.bytes), symbol.address, image->riscv()))
      if (call.target == *target)
        calls.push_back(call);
  }
  return calls;
}
