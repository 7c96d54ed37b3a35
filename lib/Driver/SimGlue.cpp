// The table that the simulation harness reads, as an LLVM module. Layouts: struct mfc_sim_model and mfc_sim_buffer of
// runtime/include/mfc_sim.h, struct mfc_X_memory of the model's header.
#include "Simulate.h"

#include "mfc/Codegen/Compile.h"
#include "mfc/Emit/Names.h"
#include "mfc/Lowering/Lower.h"

#include "llvm/IR/IRBuilder.h"

using namespace mfc;

std::string mfc::simArenaSection(const ModelInfo &info, unsigned region) {
  return region == 0 ? ".bss.mfc_sim" : ".bss.mfc_sim." + info.regions[region].name;
}

namespace {
class GlueBuilder {
public:
  GlueBuilder(llvm::Module &module, const ModelInfo &info)
      : module(module), info(info), context(module.getContext()), pointer(llvm::PointerType::get(context, 0)),
        i32(llvm::Type::getInt32Ty(context)), byte(llvm::Type::getInt8Ty(context)),
        bufferType(llvm::StructType::get(pointer, i32)) {}

  void build(unsigned poison, unsigned repeat) {
    for (unsigned i = 0; i < info.regions.size(); ++i)
      arenas.push_back(guarded(info.regions[i].bytes, "arena", simArenaSection(info, i)));
    for (const PortInfo &port : info.inputs)
      inputs.push_back(port.caller ? guarded(port.bytes, "input") : inArena(port));
    for (const PortInfo &port : info.outputs)
      outputs.push_back(port.caller ? guarded(port.bytes, "output") : inArena(port));
    table(invokeFunction(), poison, repeat);
    if (info.layerTaps)
      recordTaps();
  }

private:
  struct Buffer {
    llvm::Constant *address;
    uint64_t bytes;
  };

  llvm::Constant *number(uint64_t value) { return llvm::ConstantInt::get(i32, value); }

  llvm::Constant *offset(llvm::Constant *base, uint64_t bytes) {
    return llvm::ConstantExpr::getGetElementPtr(byte, base, number(bytes));
  }

  /// Zeroed memory between two red zones; registers both zones and the memory itself (to be poisoned).
  Buffer guarded(uint64_t bytes, llvm::StringRef name, llvm::StringRef section = ".bss.mfc_sim") {
    uint64_t room = (bytes + 15) / 16 * 16;
    auto *type = llvm::ArrayType::get(byte, room + 2 * kRedZoneBytes);
    auto *global = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                            llvm::ConstantAggregateZero::get(type), "mfc_sim_" + name);
    global->setSection(section);
    global->setAlignment(llvm::Align(std::max<uint64_t>(info.alignment(), 16)));
    zone(global, kRedZoneBytes);
    // From the last byte on, rounding included.
    zone(offset(global, kRedZoneBytes + bytes), room - bytes + kRedZoneBytes);
    Buffer inner{offset(global, kRedZoneBytes), bytes};
    if (bytes)
      poisoned.push_back(inner);
    return inner;
  }

  /// The symbol is for mfc-sim, which counts accesses.
  void zone(llvm::Constant *address, uint64_t bytes) {
    guards.push_back({address, bytes});
    llvm::GlobalAlias::create(llvm::ArrayType::get(byte, bytes), 0, llvm::GlobalValue::InternalLinkage,
                              kZoneSymbol + llvm::Twine(bytes), address, &module);
  }

  Buffer inArena(const PortInfo &port) { return {offset(arenas[port.region].address, port.offset), port.bytes}; }

  llvm::Constant *bufferList(llvm::ArrayRef<Buffer> buffers, llvm::StringRef name) {
    std::vector<llvm::Constant *> rows;
    for (const Buffer &b : buffers)
      rows.push_back(llvm::ConstantStruct::get(bufferType, {b.address, number(b.bytes)}));
    auto *type = llvm::ArrayType::get(bufferType, rows.size());
    return new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::InternalLinkage,
                                    llvm::ConstantArray::get(type, rows), name);
  }

  llvm::Function *invokeFunction() {
    std::vector<llvm::Constant *> fields{number(kInterfaceVersion)};
    for (size_t i = 0; i < arenas.size(); ++i) {
      fields.push_back(arenas[i].bytes ? arenas[i].address : llvm::ConstantPointerNull::get(pointer));
      fields.push_back(number(arenas[i].bytes));
    }
    llvm::Constant *contents = llvm::ConstantStruct::getAnon(context, fields);
    auto *memory = new llvm::GlobalVariable(module, contents->getType(), true, llvm::GlobalValue::InternalLinkage,
                                            contents, "mfc_sim_memory");
    auto *id = new llvm::GlobalVariable(module, i32, true, llvm::GlobalValue::ExternalLinkage, nullptr, idSymbol(info));
    std::vector<llvm::Value *> arguments{memory, id};
    for (auto *list : {&inputs, &outputs})
      for (const Buffer &b : *list)
        if (info.callerIO)
          arguments.push_back(b.address);
    std::vector<llvm::Type *> types(arguments.size(), pointer);
    llvm::FunctionCallee entry =
        module.getOrInsertFunction(memoryEntrySymbol(info), llvm::FunctionType::get(i32, types, false));
    auto *fn = llvm::Function::Create(llvm::FunctionType::get(i32, false), llvm::GlobalValue::InternalLinkage,
                                      kGlueFunction, module);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", fn));
    // A tail call, where the core and the number of arguments allow it: the glue is neither on the model's stack nor (but
    // for a few moves) in its count.
    llvm::CallInst *call = b.CreateCall(entry, arguments);
    call->setTailCallKind(llvm::CallInst::TCK_Tail);
    b.CreateRet(call);
    return fn;
  }

  /// The model's hook, so that the harness records what it is shown (runtime/layer_record.h).
  void recordTaps() {
    auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {i32, pointer, i32}, false);
    auto *hook = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, layerTapSymbol(info.name), module);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", hook));
    b.CreateCall(module.getOrInsertFunction("mfc_record_layer", type),
                 {hook->getArg(0), hook->getArg(1), hook->getArg(2)});
    b.CreateRetVoid();
  }

  void table(llvm::Function *invoke, unsigned poison, unsigned repeat) {
    std::vector<llvm::Constant *> fields{number(2), invoke};
    auto list = [&](llvm::ArrayRef<Buffer> buffers, llvm::StringRef name) {
      fields.push_back(number(buffers.size()));
      fields.push_back(bufferList(buffers, name));
    };
    list(inputs, "mfc_sim_inputs");
    list(outputs, "mfc_sim_outputs");
    list(guards, "mfc_sim_guards");
    list(poisoned, "mfc_sim_poison");
    fields.push_back(number(poison));
    fields.push_back(number(repeat));
    llvm::Constant *contents = llvm::ConstantStruct::getAnon(context, fields);
    new llvm::GlobalVariable(module, contents->getType(), true, llvm::GlobalValue::ExternalLinkage, contents,
                             "mfc_sim_model");
  }

  llvm::Module &module;
  const ModelInfo &info;
  llvm::LLVMContext &context;
  llvm::PointerType *pointer;
  llvm::IntegerType *i32, *byte;
  llvm::StructType *bufferType;
  std::vector<Buffer> arenas, inputs, outputs, guards, poisoned;
};
} // namespace

std::unique_ptr<llvm::Module> mfc::createSimGlue(llvm::LLVMContext &context, const ModelInfo &info, unsigned poison,
                                                 unsigned repeat) {
  auto module = std::make_unique<llvm::Module>("mfc_sim_glue", context);
  if (llvm::Error error = prepareModule(*module, info.target)) {
    llvm::consumeError(std::move(error));
    return nullptr;
  }
  GlueBuilder(*module, info).build(poison, repeat);
  return module;
}
