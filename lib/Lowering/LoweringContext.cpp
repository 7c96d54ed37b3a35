#include "LoweringContext.h"

#include "Target/TargetHooks.h"
#include "mfc/Support/Hashing.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

LoweringContext::LoweringContext(llvm::Module &module, const Graph &graph, const Plan &plan, const TargetInfo &target,
                                 const LoweringOptions &options)
    : module(module), llvm(module.getContext()), graph(graph), plan(plan), target(target), options(options),
      targetHooks(createTargetHooks(target)) {}

LoweringContext::~LoweringContext() = default;

std::string LoweringContext::symbol(llvm::StringRef suffix) const {
  return "mfc_" + options.modelName + "_" + suffix.str();
}

llvm::GlobalVariable *LoweringContext::constant(llvm::StringRef name, llvm::ArrayRef<uint8_t> bytes, unsigned align) {
  llvm::GlobalVariable *&slot = pool[{stableHash(bytes), align}];
  auto *init = llvm::ConstantDataArray::get(llvm, bytes);
  if (slot && slot->getInitializer() == init)
    return slot;
  auto *global = new llvm::GlobalVariable(module, init->getType(), true, llvm::GlobalValue::InternalLinkage, init,
                                          symbol(name));
  global->setAlignment(llvm::Align(align));
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  global->setSection(".rodata.mfc." + options.modelName + "." + name.str());
  slot = global;
  return global;
}

/// Little-endian bytes of an array of plain values. The build machine is little-endian like every target here.
template <typename T> static llvm::ArrayRef<uint8_t> bytesOf(llvm::ArrayRef<T> values) {
  return {reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(T)};
}

llvm::GlobalVariable *LoweringContext::constant(llvm::StringRef name, llvm::ArrayRef<int8_t> values, unsigned align) {
  return constant(name, bytesOf(values), align);
}
llvm::GlobalVariable *LoweringContext::constant(llvm::StringRef name, llvm::ArrayRef<int16_t> values) {
  return constant(name, bytesOf(values), 4);
}
llvm::GlobalVariable *LoweringContext::constant(llvm::StringRef name, llvm::ArrayRef<int32_t> values) {
  return constant(name, bytesOf(values), 4);
}
llvm::GlobalVariable *LoweringContext::constant(llvm::StringRef name, llvm::ArrayRef<float> values) {
  return constant(name, bytesOf(values), 4);
}

llvm::Function *LoweringContext::function(llvm::StringRef name, llvm::FunctionType *type, bool &created) {
  std::string fullName = symbol(name);
  llvm::Function *fn = module.getFunction(fullName);
  created = fn == nullptr;
  if (!fn) {
    fn = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, fullName, module);
    fn->addFnAttr(llvm::Attribute::NoInline);
    fn->setDoesNotThrow();
  }
  return fn;
}
