// LLVM IR of the entry points; their contract is in EntryPoints.h and, for users, in
// docs/outputs.md.
#include "mfc/Emit/EntryPoints.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Emit/Names.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Support/Hashing.h"
#include "mfc/Support/Version.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace mfc;

std::string mfc::modelId(const llvm::Module &lowered, const ModelInfo &info) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  os << mfcVersion() << '\n'
     << info.name << ' ' << kInterfaceVersion << ' ' << targetRow(info.target) << ' '
     << info.inputsOverwritten << info.usesFloat << '\n';
  for (const auto *ports : {&info.inputs, &info.outputs})
    for (const PortInfo &port : *ports)
      os << port.name.size() << ':' << port.name << ' ' << typeText(port.type) << ' ' << port.layout
         << ' ' << port.caller << ' ' << port.region << ' ' << port.offset << '\n';
  for (const RegionInfo &region : info.regions)
    os << region.name << ' ' << region.bytes << ' ' << region.align << '\n';
  llvm::WriteBitcodeToFile(lowered, os);
  return hashText(stableHash(llvm::StringRef(bytes.data(), bytes.size())));
}

namespace {

class EntryBuilder {
public:
  EntryBuilder(llvm::Module &module, const ModelInfo &info)
      : module(module), info(info), context(module.getContext()), b(context),
        pointer(llvm::PointerType::get(context, 0)), i32(llvm::Type::getInt32Ty(context)) {}

  void memoryForm();
  void staticForm();
  void idObject();

private:
  llvm::Module &module;
  const ModelInfo &info;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> b;
  llvm::PointerType *pointer;
  llvm::IntegerType *i32;
  llvm::Function *entry = nullptr;

  size_t callerPorts() const;
  llvm::Function *begin(const std::string &name, unsigned ownParameters);
  llvm::FunctionCallee driver();
  void failIf(llvm::Value *condition, Status status);
  void checkPointers(llvm::ArrayRef<llvm::Value *> pointers);
  void finish(llvm::ArrayRef<llvm::Value *> arenas, llvm::ArrayRef<llvm::Value *> ports);
  std::vector<llvm::Value *> portArguments(unsigned ownParameters);
  llvm::StructType *memoryType();
};

size_t EntryBuilder::callerPorts() const {
  return info.callerIO ? info.inputs.size() + info.outputs.size() : 0;
}

/// int name(ptr x ownParameters, inputs, outputs)
llvm::Function *EntryBuilder::begin(const std::string &name, unsigned ownParameters) {
  std::vector<llvm::Type *> parameters(ownParameters + callerPorts(), pointer);
  auto *type = llvm::FunctionType::get(i32, parameters, false);
  entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", entry));
  return entry;
}

/// mfc_X_run(arena of each region, inputs, outputs): hidden, so that it is no name of the
/// firmware's.
llvm::FunctionCallee EntryBuilder::driver() {
  std::vector<llvm::Type *> parameters(info.regions.size() + callerPorts(), pointer);
  auto *type = llvm::FunctionType::get(b.getVoidTy(), parameters, false);
  llvm::FunctionCallee callee = module.getOrInsertFunction(driverSymbol(info.name), type);
  llvm::cast<llvm::Function>(callee.getCallee())
      ->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return callee;
}

void EntryBuilder::failIf(llvm::Value *condition, Status status) {
  auto *fail = llvm::BasicBlock::Create(context, "fail", entry);
  auto *next = llvm::BasicBlock::Create(context, "next", entry);
  b.CreateCondBr(condition, fail, next);
  b.SetInsertPoint(fail);
  b.CreateRet(llvm::ConstantInt::get(i32, static_cast<uint64_t>(status)));
  b.SetInsertPoint(next);
}

/// None is null, all are aligned: one test of the bits that any of them has.
void EntryBuilder::checkPointers(llvm::ArrayRef<llvm::Value *> pointers) {
  if (pointers.empty())
    return;
  auto *word = module.getDataLayout().getIntPtrType(context);
  llvm::Value *bits = nullptr, *null = nullptr;
  for (llvm::Value *p : pointers) {
    llvm::Value *isNull = b.CreateIsNull(p);
    null = null ? b.CreateOr(null, isNull) : isNull;
    llvm::Value *address = b.CreatePtrToInt(p, word);
    bits = bits ? b.CreateOr(bits, address) : address;
  }
  failIf(null, Status::Null);
  llvm::Value *low = b.CreateAnd(bits, llvm::ConstantInt::get(word, info.alignment() - 1));
  failIf(b.CreateIsNotNull(low), Status::Alignment);
}

void EntryBuilder::finish(llvm::ArrayRef<llvm::Value *> arenas,
                          llvm::ArrayRef<llvm::Value *> ports) {
  std::vector<llvm::Value *> arguments(arenas.begin(), arenas.end());
  arguments.insert(arguments.end(), ports.begin(), ports.end());
  b.CreateCall(driver(), arguments);
  b.CreateRet(llvm::ConstantInt::get(i32, static_cast<uint64_t>(Status::Ok)));
}

std::vector<llvm::Value *> EntryBuilder::portArguments(unsigned ownParameters) {
  std::vector<llvm::Value *> ports;
  for (unsigned i = 0; i < callerPorts(); ++i)
    ports.push_back(entry->getArg(ownParameters + i));
  return ports;
}

/// struct mfc_X_memory: uint32_t version, then pointer and uint32_t size of each arena.
llvm::StructType *EntryBuilder::memoryType() {
  std::vector<llvm::Type *> fields{i32};
  for (size_t i = 0; i < info.regions.size(); ++i)
    fields.insert(fields.end(), {pointer, i32});
  return llvm::StructType::get(context, fields);
}

void EntryBuilder::memoryForm() {
  begin(memoryEntrySymbol(info), 2);
  llvm::Value *memory = entry->getArg(0);
  llvm::StructType *type = memoryType();
  failIf(b.CreateIsNull(memory), Status::Null);
  auto field = [&](llvm::Type *fieldType, size_t number) {
    return b.CreateLoad(fieldType, b.CreateStructGEP(type, memory, static_cast<unsigned>(number)));
  };
  failIf(b.CreateICmpNE(field(i32, 0), llvm::ConstantInt::get(i32, kInterfaceVersion)),
         Status::Version);
  std::vector<llvm::Value *> arenas, checked;
  for (size_t i = 0; i < info.regions.size(); ++i) {
    arenas.push_back(field(pointer, 1 + 2 * i));
    if (info.regions[i].bytes != 0) // an arena without bytes may be null
      checked.push_back(arenas.back());
  }
  std::vector<llvm::Value *> ports = portArguments(2);
  checked.insert(checked.end(), ports.begin(), ports.end());
  checkPointers(checked);
  for (size_t i = 0; i < info.regions.size(); ++i)
    if (info.regions[i].bytes != 0)
      failIf(b.CreateICmpULT(field(i32, 2 + 2 * i),
                             llvm::ConstantInt::get(i32, info.regions[i].bytes)),
             Status::Size);
  finish(arenas, ports);
}

void EntryBuilder::staticForm() {
  begin(staticEntrySymbol(info), 1);
  std::vector<llvm::Value *> arenas;
  for (size_t i = 0; i < info.regions.size(); ++i) {
    const RegionInfo &region = info.regions[i];
    if (region.bytes == 0) {
      arenas.push_back(llvm::ConstantPointerNull::get(pointer));
      continue;
    }
    auto *type = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), region.bytes);
    auto *arena = new llvm::GlobalVariable(
        module, type, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
        llvm::ConstantAggregateZero::get(type), arenaSymbol(info, i));
    arena->setSection(arenaSection(info, region));
    arena->setAlignment(llvm::Align(region.align));
    arenas.push_back(arena);
  }
  std::vector<llvm::Value *> ports = portArguments(1);
  checkPointers(ports); // the arena's alignment is the linker's duty
  finish(arenas, ports);
}

void EntryBuilder::idObject() {
  auto *id =
      new llvm::GlobalVariable(module, i32, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
                               llvm::ConstantInt::get(i32, kInterfaceVersion), idSymbol(info));
  id->setSection(".rodata.mfc." + info.name + ".id");
  id->setAlignment(llvm::Align(4));
}

} // namespace

void mfc::addMemoryForm(llvm::Module &module, const ModelInfo &info) {
  EntryBuilder builder(module, info);
  builder.idObject();
  builder.memoryForm();
}

void mfc::addStaticForm(llvm::Module &module, const ModelInfo &info) {
  EntryBuilder(module, info).staticForm();
}

std::unique_ptr<llvm::Module> mfc::createStaticModule(llvm::LLVMContext &context,
                                                      const ModelInfo &info) {
  auto module = std::make_unique<llvm::Module>(info.name + "_static", context);
  addStaticForm(*module, info);
  return module;
}
