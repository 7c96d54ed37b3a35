// The back end of a target: initialisation, TargetMachine, and what every module must say before it is
// compiled.
#include "mfc/Codegen/Compile.h"

#include "FixedPointConversions.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Target/TargetInfo.h"
#include "llvm-c/Target.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mfc;
using llvm::StringRef;

/// Global merging would put several arenas or tables behind one symbol. LLVM only has process-wide
/// options for it; they are set once, before any thread compiles.
static void disableGlobalMerge() {
  auto &options = llvm::cl::getRegisteredOptions();
  for (StringRef name : {"arm-global-merge", "riscv-enable-global-merge", "aarch64-enable-global-merge"})
    if (auto it = options.find(name); it != options.end())
      it->second->addOccurrence(0, name, "false");
}

static void initializeBackends() {
  static std::once_flag once;
  std::call_once(once, [] {
#define MFC_INITIALIZE(NAME)                                                                       \
  LLVMInitialize##NAME##TargetInfo();                                                              \
  LLVMInitialize##NAME##Target();                                                                  \
  LLVMInitialize##NAME##TargetMC();                                                                \
  LLVMInitialize##NAME##AsmPrinter();                                                              \
  LLVMInitialize##NAME##AsmParser();                                                               \
  LLVMInitialize##NAME##Disassembler();
    MFC_INITIALIZE(ARM)
    MFC_INITIALIZE(RISCV)
    MFC_INITIALIZE(X86)
    MFC_INITIALIZE(AArch64)
#undef MFC_INITIALIZE
    disableGlobalMerge();
  });
}

static llvm::TargetOptions backendOptions(const TargetInfo &target) {
  llvm::TargetOptions options;
  options.FunctionSections = true; // the linker drops what is not called
  options.DataSections = true;
  options.EmitStackSizeSection = true;
  options.FloatABIType =
      target.floatABI == FloatABI::Hard ? llvm::FloatABI::Hard : llvm::FloatABI::Soft;
  options.MCOptions.ABIName = target.abiName;
  options.MCOptions.AsmVerbose = true;
  return options;
}

/// On Arm even a function that cannot be unwound costs 8 bytes of .ARM.exidx in Flash, to say so. No option
/// turns that off (TargetOptions::ExceptionModel = None means "the default"); the description of the
/// assembler does, and it belongs to this machine alone.
static void dropUnwindTables(llvm::TargetMachine &machine) {
  auto &assembler = const_cast<llvm::MCAsmInfo &>(*machine.getMCAsmInfo());
  assembler.setExceptionsType(llvm::ExceptionHandling::None);
}

std::unique_ptr<llvm::TargetMachine> mfc::createTargetMachine(const TargetInfo &target) {
  initializeBackends();
  llvm::Triple triple(target.triple);
  std::string error;
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return nullptr;
  // Host objects are placed by JITLink anywhere in memory; firmware knows its addresses at link time.
  llvm::Reloc::Model relocation = target.isHost() ? llvm::Reloc::PIC_ : llvm::Reloc::Static;
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, target.cpu, target.features, backendOptions(target), relocation,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return nullptr;
  machine->setMachineOutliner(false); // it makes functions that no report could account for
  dropUnwindTables(*machine);
  return machine;
}

bool mfc::usesFloatingPoint(const llvm::Module &module) {
  auto isFloat = [](const llvm::Type *type) {
    if (type->isFPOrFPVectorTy())
      return true;
    while (type->isArrayTy())
      type = type->getArrayElementType();
    return type->isFPOrFPVectorTy();
  };
  for (const llvm::GlobalVariable &global : module.globals())
    if (isFloat(global.getValueType()))
      return true;
  for (const llvm::Function &function : module) {
    if (function.isIntrinsic() && function.use_empty())
      continue;
    const llvm::FunctionType *type = function.getFunctionType();
    if (isFloat(type->getReturnType()) || llvm::any_of(type->params(), isFloat))
      return true;
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      if (isFloat(instruction.getType()))
        return true;
      for (const llvm::Use &operand : instruction.operands())
        if (isFloat(operand->getType()))
          return true;
    }
  }
  return false;
}

/// "Links with every float ABI" (Tag_ABI_VFP_args = 3, "Addenda to, and errata in, the ABI for the Arm
/// Architecture"): GNU ld refuses to mix hard and soft objects that do not say so.
static void markFloatAbiCompatible(llvm::Module &module) {
  static constexpr StringRef directive = ".eabi_attribute 28, 3";
  if (!StringRef(module.getModuleInlineAsm()).contains(directive))
    module.appendModuleInlineAsm(directive);
}

static void setFunctionAttributes(llvm::Function &function, const TargetInfo &target) {
  function.addFnAttr("target-cpu", target.cpu);
  if (!target.features.empty())
    function.addFnAttr("target-features", target.features);
  // Only RISC-V schedules for a core other than the one whose instructions it may use.
  if (target.isRISCV())
    function.addFnAttr("tune-cpu", target.tuneCpu);
  function.setDoesNotThrow(); // else .ARM.exidx wants __aeabi_unwind_cpp_pr0
  function.removeFnAttr(llvm::Attribute::UWTable);
}

llvm::Error mfc::prepareModule(llvm::Module &module, const TargetInfo &target) {
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target);
  if (!machine)
    return makeError(ErrorClass::Internal, "LLVM has no back end for " + target.triple);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : module)
    if (!function.isIntrinsic())
      setFunctionAttributes(function, target);
  if (target.isArm() && !usesFloatingPoint(module))
    markFloatAbiCompatible(module);
  if (target.hasMVEFloat)
    codegen::hideFixedPointConversions(module);
  return llvm::Error::success();
}
