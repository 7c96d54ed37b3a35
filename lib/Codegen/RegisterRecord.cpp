// Two machine passes that read, and never change, what they see:
//  - after stack slot coloring: spill and reload instructions, per loop too, and the bytes of the slots;
//  - after prologue insertion: frame size, saved registers, registers in use, constants outside the code.
//
// They are inserted by pass ID: RISC-V allocates registers twice (vectors first) and runs an inserted pass
// after each, so results are overwritten, never added up. The callback list of LLVM is global to the
// process; a thread-local pointer routes the results of each thread's compile.
#include "RegisterRecord.h"

#include "mfc/IR/Schedule.h"

#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineConstantPool.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineJumpTableInfo.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetFrameLowering.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Pass.h"
#include "llvm/PassRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include <mutex>

using namespace mfc;
using namespace mfc::codegen;
using namespace llvm;

static thread_local const PipelineScope *current = nullptr;
static thread_local bool reducesLoops = true;

bool codegen::currentFunctionReducesLoops() { return reducesLoops; }

namespace {

struct SpillCount {
  unsigned spills = 0, reloads = 0;
};

/// A pass that only reads. Constructed on the thread that builds the pipeline.
class ReadingPass : public MachineFunctionPass {
public:
  explicit ReadingPass(char &id) : MachineFunctionPass(id), collector(current ? current->collector : nullptr) {}

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<MachineLoopInfoWrapperPass>();
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &function) override {
    if (collector)
      read(function, collector->of(function.getName()));
    return false;
  }

protected:
  virtual void read(MachineFunction &function, CostRecord &record) = 0;

private:
  RecordCollector *collector;
};

class SpillReader : public ReadingPass {
public:
  static char ID;
  SpillReader() : ReadingPass(ID) {}
  StringRef getPassName() const override { return "mfc spill record"; }

protected:
  void read(MachineFunction &function, CostRecord &record) override;
};

class FrameReader : public ReadingPass {
public:
  static char ID;
  FrameReader() : ReadingPass(ID) {}
  StringRef getPassName() const override { return "mfc frame record"; }

protected:
  void read(MachineFunction &function, CostRecord &record) override;
};

} // namespace

char SpillReader::ID = 0;
char FrameReader::ID = 0;

static SpillCount countSpills(const MachineBasicBlock &block, const TargetInstrInfo &instrs) {
  SpillCount count;
  for (const MachineInstr &instr : block) {
    if (instr.getSpillSize(&instrs) || instr.getFoldedSpillSize(&instrs))
      ++count.spills;
    if (instr.getRestoreSize(&instrs) || instr.getFoldedRestoreSize(&instrs))
      ++count.reloads;
  }
  return count;
}

/// Name of the IR block that heads the loop, so that the lowering's names come back.
static std::string loopName(const MachineLoop &loop) {
  const BasicBlock *block = loop.getHeader()->getBasicBlock();
  return block ? block->getName().str() : std::string();
}

/// The entry of the loop, made when first needed; entries stay in layout order of their first spill.
static LoopSpills &entryFor(const MachineLoop &loop, std::vector<LoopSpills> &entries,
                            std::vector<const MachineLoop *> &owners) {
  for (size_t i = 0; i < owners.size(); ++i)
    if (owners[i] == &loop)
      return entries[i];
  owners.push_back(&loop);
  entries.push_back({loopName(loop), loop.getLoopDepth(), 0, 0});
  return entries.back();
}

void SpillReader::read(MachineFunction &function, CostRecord &record) {
  const TargetInstrInfo &instrs = *function.getSubtarget().getInstrInfo();
  const MachineLoopInfo &loops = getAnalysis<MachineLoopInfoWrapperPass>().getLI();
  record.spills = record.reloads = record.spillSlotBytes = 0;
  record.loops.clear();
  std::vector<const MachineLoop *> owners;
  for (const MachineBasicBlock &block : function) {
    SpillCount count = countSpills(block, instrs);
    record.spills += count.spills;
    record.reloads += count.reloads;
    const MachineLoop *loop = loops.getLoopFor(&block);
    if (!loop || (count.spills == 0 && count.reloads == 0))
      continue;
    LoopSpills &entry = entryFor(*loop, record.loops, owners);
    entry.spills += count.spills;
    entry.reloads += count.reloads;
  }
  const MachineFrameInfo &frame = function.getFrameInfo();
  for (int i = 0; i < frame.getObjectIndexEnd(); ++i)
    if (!frame.isDeadObjectIndex(i) && frame.isSpillSlotObjectIndex(i))
      record.spillSlotBytes += static_cast<unsigned>(frame.getObjectSize(i));
}

/// Units of allocatable registers that some instruction names: aliases count once.
static unsigned countRegisters(const MachineFunction &function) {
  const MachineRegisterInfo &registers = function.getRegInfo();
  const TargetRegisterInfo &info = *function.getSubtarget().getRegisterInfo();
  BitVector allocatable = info.getAllocatableSet(function);
  BitVector used(info.getNumRegUnits());
  for (unsigned reg : allocatable.set_bits())
    if (!registers.reg_nodbg_empty(reg))
      for (MCRegUnit unit : info.regunits(reg))
        used.set(static_cast<unsigned>(unit));
  return used.count();
}

/// Arm keeps pools and jump tables inside the function, where the symbol size counts them.
static bool poolsAreInCode(const MachineFunction &function) {
  return function.getTarget().getTargetTriple().isThumb() ||
         function.getTarget().getTargetTriple().isARM();
}

static uint64_t poolBytes(const MachineFunction &function) {
  const DataLayout &layout = function.getDataLayout();
  uint64_t bytes = 0;
  for (const MachineConstantPoolEntry &entry : function.getConstantPool()->getConstants())
    bytes += entry.getSizeInBytes(layout);
  if (const MachineJumpTableInfo *tables = function.getJumpTableInfo())
    for (const MachineJumpTableEntry &table : tables->getJumpTables())
      bytes += table.MBBs.size() * tables->getEntrySize(layout);
  return bytes;
}

void FrameReader::read(MachineFunction &function, CostRecord &record) {
  const MachineFrameInfo &frame = function.getFrameInfo();
  record.frameBytes = frame.getStackSize();
  // Very many arguments are pushed around each call instead of having a place in the frame, in whole units of the stack.
  const TargetFrameLowering *lowering = function.getSubtarget().getFrameLowering();
  if (frame.adjustsStack() && !lowering->hasReservedCallFrame(function))
    record.frameBytes += alignTo(frame.getMaxCallFrameSize(), lowering->getStackAlign());
  record.calleeSaved = static_cast<unsigned>(frame.getCalleeSavedInfo().size());
  record.registersUsed = countRegisters(function);
  record.constBytes = poolsAreInCode(function) ? 0 : poolBytes(function);
}

/// Runs just before loop strength reduction and tells the pass gate of the context, which that pass asks without naming
/// the function, whose turn it is.
namespace {
class FunctionMarker : public FunctionPass {
public:
  static char ID;
  FunctionMarker() : FunctionPass(ID) {}
  void getAnalysisUsage(AnalysisUsage &usage) const override { usage.setPreservesAll(); }
  bool runOnFunction(Function &function) override {
    reducesLoops = !function.hasFnAttribute(kNoLoopReductionAttribute);
    return false;
  }
};
char FunctionMarker::ID = 0;
} // namespace

/// Once per process, before the first pipeline is built.
static void registerReaders() {
  static std::once_flag once;
  std::call_once(once, [] {
    static RegisterPass<SpillReader> spills("mfc-spill-record", "mfc spill record", false, true);
    static RegisterPass<FrameReader> frames("mfc-frame-record", "mfc frame record", false, true);
    static RegisterPass<FunctionMarker> marker("mfc-function-marker", "mfc function marker", false, true);
    static RegisterTargetPassConfigCallback callback(
        [](TargetMachine &, PassManagerBase &, TargetPassConfig *config) {
          if (!current)
            return;
          // The scheduler ignores LLVM's per-context pass gate, so it is taken out of the pipeline.
          if (!current->machineScheduler)
            config->disablePass(&MachineSchedulerID);
          // The pass in front of loop strength reduction; LLVM does not export its ID.
          config->insertPass(std::unique_ptr<Pass>(createCanonicalizeFreezeInLoopsPass())->getPassID(),
                             &FunctionMarker::ID);
          if (!current->collector)
            return;
          config->insertPass(&StackSlotColoringID, &SpillReader::ID);
          config->insertPass(&PrologEpilogCodeInserterID, &FrameReader::ID);
        });
  });
}

PipelineScope::PipelineScope(RecordCollector *collector, bool machineScheduler)
    : collector(collector), machineScheduler(machineScheduler), outer(current) {
  registerReaders();
  current = this;
}

PipelineScope::~PipelineScope() { current = outer; }
