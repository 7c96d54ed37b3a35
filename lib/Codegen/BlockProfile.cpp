// LLVM writes a map of machine blocks to addresses on request (-basic-block-address-map): for each
// function a section with its address and per block an ID, the distance from the end of the block
// before, and the size, all ULEB128. LLVM's own reader cannot read it in Arm objects (it wants
// relocations with addends), so it is read here: docs/Extensions.rst of LLVM 22,
// "SHT_LLVM_BB_ADDR_MAP section".
#include "BlockProfile.h"

#include "mfc/Cost/CodeImage.h"
#include "mfc/Support/ClassifiedError.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/DataExtractor.h"
#include <algorithm>
#include <set>

using namespace mfc;
using namespace mfc::codegen;
using namespace llvm::object;
using llvm::StringRef;

static llvm::Error badMap(const llvm::Twine &what) {
  return makeError(ErrorClass::Internal, "block address map of LLVM: " + what);
}

static llvm::Error readPlaces(StringRef contents, std::vector<BlockPlace> &places) {
  llvm::DataExtractor data(contents, /*IsLittleEndian=*/true, /*AddressSize=*/4);
  llvm::DataExtractor::Cursor cursor(0);
  unsigned version = data.getU8(cursor);
  unsigned features = version >= 5 ? data.getU16(cursor) : data.getU8(cursor);
  if (!cursor)
    return cursor.takeError();
  // Feature 32: distances of call sites within a block, each from the one before, the size from the
  // last.
  const bool callSites = (features & 32) != 0;
  if (version < 2 || version > 5 || (features & ~32u) != 0)
    return badMap("version " + llvm::Twine(version) + ", features " + llvm::Twine(features) +
                  " are not known");
  data.getAddress(cursor); // relocated: the function that the section belongs to
  uint64_t count = data.getULEB128(cursor), end = 0;
  for (uint64_t i = 0; i < count && cursor; ++i) {
    BlockPlace place;
    place.id = static_cast<unsigned>(data.getULEB128(cursor));
    place.offset = end + data.getULEB128(cursor);
    uint64_t sites = callSites ? data.getULEB128(cursor) : 0;
    for (uint64_t site = 0; site < sites && cursor; ++site)
      place.bytes += data.getULEB128(cursor);
    place.bytes += data.getULEB128(cursor);
    data.getULEB128(cursor); // what kind of end the block has
    end = place.offset + place.bytes;
    places.push_back(place);
  }
  return cursor.takeError();
}

llvm::Expected<std::map<std::string, std::vector<BlockPlace>>>
codegen::readBlockPlaces(llvm::ArrayRef<char> object) {
  auto file = ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(StringRef(object.data(), object.size()), "object"));
  if (!file)
    return file.takeError();
  auto *elf = llvm::dyn_cast<ELF32LEObjectFile>(file->get());
  if (!elf)
    return badMap("found no 32-bit little-endian object");
  std::map<std::string, std::vector<BlockPlace>> places;
  for (const SectionRef section : elf->sections()) {
    if (ELFSectionRef(section).getType() != llvm::ELF::SHT_LLVM_BB_ADDR_MAP)
      continue;
    auto code = elf->getELFFile().getSection(elf->getSection(section.getRawDataRefImpl())->sh_link);
    if (!code)
      return code.takeError();
    auto name = elf->getELFFile().getSectionName(**code);
    if (!name)
      return name.takeError();
    auto contents = section.getContents();
    if (!contents)
      return contents.takeError();
    name->consume_front(".text."); // a section per function
    if (llvm::Error error = readPlaces(*contents, places[name->str()]))
      return error;
  }
  return places;
}

namespace {

class ProfileWriter {
public:
  ProfileWriter(const CodeImage &image, const FunctionFlow &flow, llvm::ArrayRef<BlockPlace> places,
                const CodeFunction &function)
      : image(image), flow(flow), base(function.begin), bytes(function.end - function.begin) {
    for (const BlockPlace &place : places) {
      placeOf[place.id] = place;
      starts.insert(place.offset);
      if (place.bytes > 0)
        withCode.insert(place.offset);
    }
  }
  llvm::Error write();
  ExecutionProfile profile;

private:
  const CodeImage &image;
  const FunctionFlow &flow;
  uint64_t base, bytes; ///< of the function
  std::map<unsigned, BlockPlace> placeOf;
  std::set<uint64_t> starts;   ///< offsets of blocks
  std::set<uint64_t> withCode; ///< of those that are not empty

  llvm::Error writeBlock(const BlockFlow &block);
  uint64_t flowTo(const BlockFlow &block, uint64_t offset) const;
  uint64_t takenBy(const CodeInstruction &instruction, uint64_t executions, const BlockFlow &block,
                   uint64_t blockEnd, uint64_t next) const;
};

bool isJump(InstructionClass kind) {
  using C = InstructionClass;
  return (kind >= C::Branch && kind <= C::LoopEnd) || kind == C::LoadPc;
}

} // namespace

/// Executions that go from the block to the code at an offset. Blocks without code share it with
/// the next.
uint64_t ProfileWriter::flowTo(const BlockFlow &block, uint64_t offset) const {
  uint64_t sum = 0;
  for (const BlockFlow::Successor &next : block.successors)
    if (auto it = placeOf.find(next.id); it != placeOf.end() && it->second.offset == offset)
      sum += next.count;
  return sum;
}

/// `blockEnd`: offset behind the block, `next`: of the block that is entered by falling through.
uint64_t ProfileWriter::takenBy(const CodeInstruction &instruction, uint64_t executions,
                                const BlockFlow &block, uint64_t blockEnd, uint64_t next) const {
  using C = InstructionClass;
  if (!isJump(instruction.kind))
    return 0;
  if (instruction.kind == C::Call || instruction.kind == C::CallIndirect)
    return executions;
  if (instruction.target)
    return std::min(executions, flowTo(block, *instruction.target - base));
  // Returns, table jumps, and loop starts that may skip the loop. A return that is not the last
  // instruction is a conditional one: what does not leave the function goes on.
  uint64_t stays = 0;
  if (instruction.address + instruction.bytes < base + blockEnd)
    for (const BlockFlow::Successor &successor : block.successors)
      stays += successor.count;
  else
    stays = flowTo(block, next);
  return executions - std::min(executions, stays);
}

llvm::Error ProfileWriter::writeBlock(const BlockFlow &block) {
  auto it = placeOf.find(block.id);
  if (it == placeOf.end())
    return badMap("block " + llvm::Twine(block.id) + " of '" + flow.function + "' is missing");
  const BlockPlace &place = it->second;
  if (place.bytes == 0 && withCode.count(place.offset))
    return llvm::Error::success(); // whoever comes here executes the next block, which is counted itself
  uint64_t executions = block.executions;
  auto code = image.instructions();
  auto first = std::lower_bound(code.begin(), code.end(), base + place.offset,
                                [](const CodeInstruction &i, uint64_t a) { return i.address < a; });
  // The padding in front of an aligned block is executed by whoever falls through to it.
  auto after = starts.upper_bound(place.offset);
  const uint64_t end = after == starts.end() ? bytes : *after;
  for (; first != code.end() && first->address < base + end && executions > 0; ++first) {
    uint64_t taken = takenBy(*first, executions, block, place.offset + place.bytes, end);
    profile.instructions.push_back({first->address, executions, taken});
    // Behind a taken branch in the middle of the block fewer go on; a call comes back.
    if (first->kind != InstructionClass::Call && first->kind != InstructionClass::CallIndirect)
      executions -= taken;
  }
  return llvm::Error::success();
}

llvm::Error ProfileWriter::write() {
  for (const BlockFlow &block : flow.blocks)
    if (block.executions > 0)
      if (llvm::Error error = writeBlock(block))
        return error;
  std::sort(profile.instructions.begin(), profile.instructions.end(),
            [](const auto &a, const auto &b) { return a.address < b.address; });
  return llvm::Error::success();
}

llvm::Expected<ExecutionProfile> codegen::profileOf(const CodeImage &image,
                                                    const FunctionFlow &flow,
                                                    llvm::ArrayRef<BlockPlace> places) {
  const CodeFunction *function = image.function(flow.function);
  if (!function)
    return badMap("function '" + flow.function + "' has no code");
  ProfileWriter writer(image, flow, places, *function);
  if (llvm::Error error = writer.write())
    return error;
  return std::move(writer.profile);
}
