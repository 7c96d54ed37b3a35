#include "MachineCode.h"

#include "mfc/Support/ClassifiedError.h"
#include "mfc/Target/TargetInfo.h"
#include "llvm-c/Target.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mfc;
using namespace mfc::cost;

static void initializeDecoders() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeARMTargetInfo();
    LLVMInitializeARMTargetMC();
    LLVMInitializeARMDisassembler();
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVDisassembler();
  });
}

llvm::Expected<std::unique_ptr<MachineCode>> MachineCode::create(const TargetInfo &target) {
  if (target.isHost())
    return makeError(ErrorClass::Unsupported, "there is no cycle model for the build machine; "
                                              "choose a core with -mcpu=");
  initializeDecoders();
  std::string error;
  llvm::Triple triple(target.triple);
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return makeError(ErrorClass::Internal, error);
  auto code = std::make_unique<MachineCode>();
  code->registers.reset(backend->createMCRegInfo(triple));
  code->assembly.reset(backend->createMCAsmInfo(*code->registers, triple, code->options));
  code->instructions.reset(backend->createMCInstrInfo());
  code->subtarget.reset(backend->createMCSubtargetInfo(triple, target.cpu, target.features));
  code->context = std::make_unique<llvm::MCContext>(triple, code->assembly.get(),
                                                    code->registers.get(), code->subtarget.get());
  code->disassembler.reset(backend->createMCDisassembler(*code->subtarget, *code->context));
  code->analysis.reset(backend->createMCInstrAnalysis(code->instructions.get()));
  code->model = &code->subtarget->getSchedModelForCPU(target.tuneCpu);
  return code;
}
