// From compiled objects to sizes, frames and symbols; the checks that every library has to pass.
#include "mfc/Emit/CodeFacts.h"
#include "CallSites.h"
#include "CycleFacts.h"
#include "mfc/Codegen/Compile.h"
#include "mfc/Codegen/ObjectInfo.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Emit/Names.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Support/ClassifiedError.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <algorithm>
#include <set>

using namespace mfc;

namespace {

llvm::Error internal(const llvm::Twine &message) {
  return makeError(ErrorClass::Internal, message);
}

/// Global values that an operand refers to, directly or inside constant expressions.
void collectGlobals(const llvm::Value *value, std::set<const llvm::GlobalValue *> &found) {
  if (auto *global = llvm::dyn_cast<llvm::GlobalValue>(value)) {
    found.insert(global);
    return;
  }
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(value))
    for (const llvm::Use &operand : constant->operands())
      collectGlobals(operand.get(), found);
}

class StackBound {
public:
  StackBound(const CodeUses &uses, const std::map<std::string, CostRecord> &records)
      : uses(uses), records(records) {}

  /// Bytes of the deepest path from the function on, its own frame included.
  llvm::Expected<uint64_t> from(const std::string &function);

private:
  const CodeUses &uses;
  const std::map<std::string, CostRecord> &records;
  std::map<std::string, uint64_t> known;
  std::set<std::string> open; ///< functions on the present path
};

llvm::Expected<uint64_t> StackBound::from(const std::string &function) {
  if (auto it = known.find(function); it != known.end())
    return it->second;
  auto record = records.find(function);
  if (record == records.end())
    return internal("function '" + function + "' has no record of its stack frame");
  if (!open.insert(function).second)
    return internal("function '" + function + "' calls itself");
  uint64_t deepest = 0;
  if (auto callees = uses.callees.find(function); callees != uses.callees.end())
    for (const std::string &callee : callees->second) {
      llvm::Expected<uint64_t> below = from(callee);
      if (!below)
        return below;
      deepest = std::max(deepest, *below);
    }
  open.erase(function);
  return known[function] = record->second.frameBytes + deepest;
}

/// Code and constants of an object; nothing but the arenas may be writable.
llvm::Error addSections(ModelInfo &info, const ObjectCode &object) {
  llvm::Expected<ObjectInfo> sections = readObject(object.bytes);
  if (!sections)
    return sections.takeError();
  const std::string arenas = ".bss.mfc." + info.name + ".";
  for (const ObjectSection &section : sections->sections) {
    if (!section.loaded || section.bytes == 0)
      continue;
    if (section.writable) {
      if (!llvm::StringRef(section.name).starts_with(arenas))
        return internal("the library has writable data in section '" + section.name + "'");
      if (!section.noBits)
        return internal("arena section '" + section.name + "' takes room in the file");
      continue;
    }
    (section.code ? info.totals.codeBytes : info.totals.constBytes) += section.bytes;
  }
  return llvm::Error::success();
}

llvm::Error addLayers(ModelInfo &info, const CodeUses &uses,
                      const std::map<std::string, CostRecord> &records) {
  for (LayerInfo &layer : info.layers) {
    auto record = records.find(layer.kernel);
    if (record == records.end())
      return internal("kernel '" + layer.kernel + "' was planned but not compiled");
    const CostRecord &cost = record->second;
    layer.codeBytes = cost.codeBytes;
    layer.constBytes = cost.constBytes;
    if (auto it = uses.constantBytes.find(layer.kernel); it != uses.constantBytes.end())
      layer.constBytes += it->second;
    layer.spills = cost.spills;
    layer.reloads = cost.reloads;
    layer.frameBytes = cost.frameBytes;
  }
  return llvm::Error::success();
}

llvm::Error addUndefined(ModelInfo &info, llvm::ArrayRef<const ObjectCode *> objects) {
  std::vector<llvm::ArrayRef<char>> bytes;
  for (const ObjectCode *object : objects)
    bytes.push_back(object->bytes);
  auto names = undefinedSymbols(bytes);
  if (!names)
    return names.takeError();
  info.undefinedSymbols = std::move(*names);
  for (const std::string &name : info.undefinedSymbols)
    if (!info.usesFloat || !isSoftFloatHelper(name))
      return internal("the library needs '" + name + "' from outside, " +
                      (info.usesFloat ? "which is no soft-float helper of the target"
                                      : "an integer model may need nothing"));
  return llvm::Error::success();
}

} // namespace

bool mfc::isSoftFloatHelper(llvm::StringRef symbol) {
  // Run-time ABI for the Arm Architecture, tables 2 to 7.
  if (symbol.consume_front("__aeabi_")) {
    static const std::set<llvm::StringRef> conversions = {
        "f2iz",  "f2uiz", "f2lz",  "f2ulz", "i2f",  "ui2f", "l2f",  "ul2f", "f2d", "d2f", "d2iz",
        "d2uiz", "d2lz",  "d2ulz", "i2d",   "ui2d", "l2d",  "ul2d", "f2h",  "h2f", "d2h"};
    static const std::set<llvm::StringRef> arithmetic = {
        "add", "sub", "rsub", "mul", "div", "cmpeq", "cmplt", "cmple", "cmpge", "cmpgt", "cmpun"};
    return conversions.count(symbol) || ((symbol.starts_with("f") || symbol.starts_with("d")) &&
                                         arithmetic.count(symbol.drop_front()));
  }
  // GCC internals, soft float library routines; used on RISC-V.
  if (!symbol.consume_front("__"))
    return false;
  static const std::set<llvm::StringRef> names = {
      "addsf3",      "subsf3",      "mulsf3",      "divsf3",     "eqsf2",       "nesf2",
      "ltsf2",       "lesf2",       "gtsf2",       "gesf2",      "unordsf2",    "fixsfsi",
      "fixunssfsi",  "fixsfdi",     "fixunssfdi",  "floatsisf",  "floatunsisf", "floatdisf",
      "floatundisf", "adddf3",      "subdf3",      "muldf3",     "divdf3",      "eqdf2",
      "nedf2",       "ltdf2",       "ledf2",       "gtdf2",      "gedf2",       "unorddf2",
      "fixdfsi",     "fixunsdfsi",  "fixdfdi",     "fixunsdfdi", "floatsidf",   "floatunsidf",
      "floatdidf",   "floatundidf", "extendsfdf2", "truncdfsf2"};
  return names.count(symbol) != 0;
}

CodeUses mfc::collectUses(const llvm::Module &module) {
  CodeUses uses;
  for (const llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    std::set<const llvm::GlobalValue *> found;
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block)
        for (const llvm::Use &operand : instruction.operands())
          collectGlobals(operand.get(), found);
    std::set<std::string> callees;
    uint64_t bytes = 0;
    for (const llvm::GlobalValue *global : found) {
      if (auto *callee = llvm::dyn_cast<llvm::Function>(global)) {
        if (!callee->isDeclaration())
          callees.insert(callee->getName().str());
      } else if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(global)) {
        if (variable->isConstant() && variable->hasInitializer())
          bytes += module.getDataLayout().getTypeAllocSize(variable->getValueType());
      }
    }
    std::string name = function.getName().str();
    uses.callees[name].assign(callees.begin(), callees.end());
    uses.constantBytes[name] = bytes;
  }
  return uses;
}

llvm::Error mfc::addCodeFacts(ModelInfo &info, const CodeUses &uses,
                              llvm::ArrayRef<const ObjectCode *> objects) {
  std::map<std::string, CostRecord> records;
  info.totals.codeBytes = info.totals.constBytes = info.totals.stackBytes = 0;
  for (const ObjectCode *object : objects) {
    for (const FunctionRecord &function : object->functions)
      records[function.name] = function.cost;
    if (llvm::Error error = addSections(info, *object))
      return error;
  }
  if (llvm::Error error = addLayers(info, uses, records))
    return error;
  const std::string driver = driverSymbol(info.name);
  StackBound stack(uses, records);
  for (LayerInfo &layer : info.layers) {
    llvm::Expected<uint64_t> bytes = stack.from(layer.kernel);
    if (!bytes)
      return bytes.takeError();
    layer.stackBytes = *bytes;
  }
  llvm::Expected<uint64_t> below = stack.from(driver);
  if (!below)
    return below.takeError();
  for (const std::string &entry : {memoryEntrySymbol(info), staticEntrySymbol(info)})
    if (auto record = records.find(entry); record != records.end())
      info.totals.stackBytes = std::max(info.totals.stackBytes, record->second.frameBytes + *below);
  for (const ObjectCode *object : objects)
    if (object->find(driver))
      if (llvm::Error error = findCallSites(info, driver, object->bytes))
        return error;
  addCycleFacts(info, objects);
  return addUndefined(info, objects);
}
