#include "ModelledCycles.h"

#include "BlockProfile.h"
#include "StackNote.h"
#include "mfc/Codegen/Compile.h"
#include "mfc/Cost/CycleModel.h"
#include "mfc/Target/TargetInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include <map>

using namespace mfc;
using namespace mfc::codegen;
using namespace llvm::object;

static bool isCall(uint64_t relocationType, const TargetInfo &target) {
  using namespace llvm::ELF;
  if (target.isRISCV())
    return relocationType == R_RISCV_CALL || relocationType == R_RISCV_CALL_PLT ||
           relocationType == R_RISCV_JAL;
  return relocationType == R_ARM_THM_CALL || relocationType == R_ARM_THM_JUMP24;
}

namespace {
/// Call instructions by the section that they are in: offset and callee.
using Calls = std::map<std::string, std::map<uint64_t, std::string>>;
} // namespace

/// The name of a relocation's symbol; of a function that is meant by its section, the section's.
static llvm::Expected<std::string> calleeOf(const RelocationRef &relocation) {
  ELFSymbolRef symbol(*relocation.getSymbol());
  if (symbol.getELFType() != llvm::ELF::STT_SECTION) {
    auto name = symbol.getName();
    return name ? llvm::Expected<std::string>(name->str()) : name.takeError();
  }
  auto section = symbol.getSection();
  if (!section)
    return section.takeError();
  auto name = (*section)->getName();
  if (!name)
    return name.takeError();
  name->consume_front(".text.");
  return name->str();
}

static llvm::Expected<Calls> readCalls(llvm::ArrayRef<char> object, const TargetInfo &target) {
  auto file = ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "object"));
  if (!file)
    return file.takeError();
  Calls calls;
  for (const SectionRef &relocations : (*file)->sections()) {
    auto section = relocations.getRelocatedSection();
    if (!section)
      return section.takeError();
    if (*section == (*file)->section_end() || !(*section)->isText())
      continue;
    auto name = (*section)->getName();
    if (!name)
      return name.takeError();
    name->consume_front(".text.");
    for (const RelocationRef &relocation : relocations.relocations()) {
      if (!isCall(relocation.getType(), target) || relocation.getSymbol() == (*file)->symbol_end())
        continue;
      auto callee = calleeOf(relocation);
      if (!callee)
        return callee.takeError();
      calls[name->str()][relocation.getOffset()] = *callee;
    }
  }
  return calls;
}

static void countCalls(FunctionRecord &record, const std::map<uint64_t, std::string> &calls) {
  record.calls.clear();
  for (const InstructionCount &count : record.executions.instructions)
    if (auto it = calls.find(count.address); it != calls.end()) {
      auto known =
          llvm::find_if(record.calls, [&](const CalleeCount &c) { return c.callee == it->second; });
      if (known == record.calls.end())
        record.calls.push_back({it->second, count.executions});
      else
        known->count += count.executions;
    }
}

/// One function: its profile relative to its start, and the price.
static llvm::Error price(FunctionRecord &record, const FunctionFlow &flow, const CodeImage &image,
                         const CycleModel &model, llvm::ArrayRef<BlockPlace> places) {
  llvm::Expected<ExecutionProfile> profile = profileOf(image, flow, places);
  if (!profile)
    return profile.takeError();
  llvm::Expected<CycleReport> report = model.cycles(image, *profile);
  if (!report)
    return report.takeError();
  record.cost.modelledCycles = static_cast<double>(report->cycles);
  record.instructions = report->executed;
  record.exactCounts = flow.exact;
  record.steps = flow.steps;
  const uint64_t begin = image.function(flow.function)->begin;
  for (InstructionCount &count : profile->instructions)
    count.address -= begin;
  record.executions = std::move(*profile);
  return llvm::Error::success();
}

static llvm::Error priceAll(ObjectCode &object, llvm::ArrayRef<FunctionFlow> flows, const TargetInfo &target,
                            std::map<std::string, std::vector<BlockPlace>> &places) {
  llvm::Expected<CodeImage> image = CodeImage::decode(object.bytes, target);
  if (!image)
    return image.takeError();
  llvm::Expected<CycleModel> model = CycleModel::create(target);
  if (!model)
    return model.takeError();
  llvm::Expected<Calls> calls = readCalls(object.bytes, target);
  if (!calls)
    return calls.takeError();
  for (const FunctionFlow &flow : flows)
    for (FunctionRecord &record : object.functions)
      if (record.name == flow.function) {
        if (llvm::Error error = price(record, flow, *image, *model, places[flow.function]))
          object.notes.push_back("no modelled cycles for " + record.name + ": " + llvm::toString(std::move(error)));
        else
          countCalls(record, (*calls)[flow.function]);
      }
  return llvm::Error::success();
}

llvm::Error codegen::addModelledCycles(ObjectCode &object, llvm::ArrayRef<FunctionFlow> flows,
                                       const TargetInfo &target) {
  auto places = readBlockPlaces(object.bytes);
  llvm::Error removed = removeSections(object.bytes, {".llvm_bb_addr_map"});
  if (!places || removed)
    return llvm::joinErrors(places ? llvm::Error::success() : places.takeError(), std::move(removed));
  // An estimate may fail, the code is right all the same.
  if (llvm::Error error = priceAll(object, flows, target, *places))
    object.notes.push_back("no modelled cycles: " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}
