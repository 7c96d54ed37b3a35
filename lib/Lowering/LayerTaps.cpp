// The hook is a weak function that does nothing: a library with taps links as it is, and firmware
// that defines a function of that name takes its place (runtime/layer_record.h,
// runtime/layer_timer.h). Kernels are the same with and without.
#include "LayerTaps.h"

#include "LoweringContext.h"
#include "mfc/Lowering/Lower.h"

using namespace mfc;

std::string mfc::layerTapSymbol(llvm::StringRef modelName) {
  return ("mfc_" + modelName + "_layer_tap").str();
}

/// void mfc_X_layer_tap(int32_t layer, const void *data, uint32_t bytes)
static llvm::Function *hook(LoweringContext &cx) {
  std::string name = layerTapSymbol(cx.options.modelName);
  if (llvm::Function *known = cx.module.getFunction(name))
    return known;
  llvm::Type *i32 = llvm::Type::getInt32Ty(cx.llvm);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(cx.llvm),
                                       {i32, llvm::PointerType::getUnqual(cx.llvm), i32}, false);
  auto *fn = llvm::Function::Create(type, llvm::GlobalValue::WeakAnyLinkage, name, cx.module);
  fn->addFnAttr(llvm::Attribute::NoInline);
  fn->setDoesNotThrow();
  llvm::ReturnInst::Create(cx.llvm, llvm::BasicBlock::Create(cx.llvm, "entry", fn));
  return fn;
}

void mfc::emitLayerTap(KernelBuilder &kb, int layer, llvm::Value *address, uint64_t bytes) {
  llvm::Value *arguments[] = {kb.i32(layer), address, kb.i32(static_cast<int64_t>(bytes))};
  kb.b.CreateCall(hook(kb.cx), arguments)->setTailCallKind(llvm::CallInst::TCK_NoTail);
}
