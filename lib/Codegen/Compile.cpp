// Runs LLVM's code generator on one module and puts the record together.
//
// The new pass manager has no code generator for Arm and RISC-V in LLVM 22, so this is the legacy one.
#include "mfc/Codegen/Compile.h"

#include "FatalErrors.h"
#include "ModelledCycles.h"
#include "RegisterRecord.h"
#include "StackNote.h"
#include "mfc/Codegen/ObjectInfo.h"
#include "mfc/IR/Schedule.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Target/TargetInfo.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/RuntimeLibcallInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "llvm/Transforms/Scalar.h"

using namespace mfc;
using namespace mfc::codegen;
using llvm::StringRef;

namespace {

/// Turns loop strength reduction off for one LLVMContext, and both that and the scheduler for the functions that say so. The command-line option that LLVM has for it is
/// global to the process and would not do with two threads, and the pass cannot be taken out of the
/// pipeline by its ID.
class SwitchGate : public llvm::OptPassGate {
public:
  SwitchGate(const CodegenSwitches &switches, const llvm::Module &module) : switches(switches) {
    for (const llvm::Function &function : module)
      if (function.hasFnAttribute(kNoSchedulerAttribute))
        unscheduled.insert(("function (" + function.getName() + ")").str());
  }
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef unit) const override {
    if (pass == "Loop Strength Reduction")
      return switches.loopStrengthReduce && currentFunctionReducesLoops();
    return pass != "machine-scheduler" || !unscheduled.contains(unit);
  }

private:
  CodegenSwitches switches;
  llvm::StringSet<> unscheduled; ///< descriptions of functions, as the passes give them
};

/// Keeps the first error that LLVM reports; without it LLVM would print and exit.
class ErrorKeeper : public llvm::DiagnosticHandler {
public:
  explicit ErrorKeeper(std::string &first) : first(first) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error || !first.empty())
      return true;
    llvm::raw_string_ostream os(first);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    return true;
  }

private:
  std::string &first;
};

/// Puts gate and handler into the context and takes them out again.
class ContextScope {
public:
  ContextScope(const llvm::Module &module, const CodegenSwitches &switches)
      : context(module.getContext()), gate(switches, module), outerGate(context.getOptPassGate()),
        outerHandler(context.getDiagnosticHandler()) {
    context.setOptPassGate(gate);
    context.setDiagnosticHandler(std::make_unique<ErrorKeeper>(firstError));
  }
  ~ContextScope() {
    context.setOptPassGate(outerGate);
    context.setDiagnosticHandler(std::move(outerHandler));
  }
  std::string firstError;

private:
  llvm::LLVMContext &context;
  SwitchGate gate;
  llvm::OptPassGate &outerGate;
  std::unique_ptr<llvm::DiagnosticHandler> outerHandler;
};

} // namespace

/// What TargetMachine::addPassesToEmitFile() adds, with a pass that reads the finished code before it is
/// written. False if the target cannot emit this kind of file.
static bool addCodeGenerator(llvm::TargetMachine &machine, llvm::legacy::PassManager &passes,
                             std::vector<FunctionFlow> *flows, llvm::CodeGenFileType kind,
                             llvm::raw_pwrite_stream &os) {
  auto *moduleInfo = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  passes.add(config);
  passes.add(moduleInfo);
  // In front of everything: the call-backs insert passes before instruction selection, too.
  llvm::invokeGlobalTargetPassConfigCallbacks(machine, passes, config);
  if (config->addISelPasses())
    return false;
  config->addMachinePasses();
  config->setInitialized();
  if (flows)
    passes.add(createFlowReader(*flows));
  if (machine.addAsmPrinter(passes, os, nullptr, kind, moduleInfo->getMMI().getContext()))
    return false;
  passes.add(llvm::createFreeMachineFunctionPass());
  return true;
}

static llvm::Error generate(llvm::Module &module, const TargetInfo &target, bool cleanup,
                            std::vector<FunctionFlow> *flows, llvm::CodeGenFileType kind,
                            llvm::raw_pwrite_stream &os) {
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target);
  machine->Options.BBAddrMap = flows != nullptr;
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(machine->getTargetTriple()));
  // Without it the soft-float helpers have their GNU names (__mulsf3) on Arm too.
  const llvm::TargetOptions &options = machine->Options;
  passes.add(new llvm::RuntimeLibraryInfoWrapper(
      machine->getTargetTriple(), options.ExceptionModel, options.FloatABIType,
      options.EABIVersion, options.MCOptions.ABIName, options.VecLib));
  if (cleanup) {
    passes.add(llvm::createEarlyCSEPass());
    passes.add(llvm::createInstSimplifyLegacyPass());
    passes.add(llvm::createCFGSimplificationPass());
  }
  if (!addCodeGenerator(*machine, passes, flows, kind, os))
    return makeError(ErrorClass::Internal, "LLVM cannot emit this kind of file for " + target.triple);
  passes.run(module);
  return llvm::Error::success();
}

/// The part that is common to objects and assembly: prepare, verify, generate under guard.
static llvm::Error compile(llvm::Module &module, const TargetInfo &target,
                           const CodegenSwitches &switches, RecordCollector *collector,
                           std::vector<FunctionFlow> *flows, llvm::CodeGenFileType kind,
                           llvm::raw_pwrite_stream &os) {
  if (llvm::Error error = prepareModule(module, target))
    return error;
  std::string problem;
  llvm::raw_string_ostream problemStream(problem);
  if (llvm::verifyModule(module, &problemStream))
    return makeError(ErrorClass::Internal, "generated LLVM IR is not valid: " + problem);
  ContextScope scope(module, switches);
  PipelineScope pipeline(collector, switches.machineScheduler);
  llvm::Error error = runGuarded("LLVM code generation for " + target.name, [&] {
    return generate(module, target, switches.cleanup, flows, kind, os);
  });
  if (error)
    return error;
  if (!scope.firstError.empty())
    return makeError(ErrorClass::Internal,
                     "LLVM code generation for " + target.name + ": " + scope.firstError);
  return llvm::Error::success();
}

/// Joins what the passes saw with the sizes that only the object knows.
static llvm::Error fillRecords(const RecordCollector &collector,
                               llvm::ArrayRef<std::string> functions, ObjectCode &object) {
  llvm::Expected<ObjectInfo> info = readObject(object.bytes);
  if (!info)
    return info.takeError();
  for (const std::string &name : functions) {
    const ObjectSymbol *symbol = info->symbol(name);
    if (!symbol)
      continue; // available_externally and the like: no code in this object
    FunctionRecord record;
    record.name = name;
    if (auto it = collector.byFunction.find(name); it != collector.byFunction.end())
      record.cost = it->second;
    record.cost.codeBytes = symbol->bytes;
    object.functions.push_back(std::move(record));
  }
  for (const ObjectSymbol &symbol : info->symbols) {
    const ObjectSection *section = info->section(symbol.section);
    if (symbol.kind == SymbolKind::Data && section && section->loaded && !section->writable)
      object.constants.push_back({symbol.name, symbol.bytes});
  }
  object.readOnlyBytes = info->readOnlyBytes();
  return llvm::Error::success();
}

static std::vector<std::string> definedFunctions(const llvm::Module &module) {
  std::vector<std::string> names;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration())
      names.push_back(function.getName().str());
  return names;
}

llvm::Expected<ObjectCode> mfc::compileToObject(llvm::Module &module, const TargetInfo &target,
                                                const CodegenSwitches &switches) {
  ObjectCode object;
  RecordCollector collector;
  std::vector<FunctionFlow> flows;
  std::vector<std::string> functions = definedFunctions(module);
  llvm::raw_svector_ostream os(object.bytes);
  if (llvm::Error error = compile(module, target, switches, &collector, target.isHost() ? nullptr : &flows,
                                  llvm::CodeGenFileType::ObjectFile, os))
    return error;
  if (!target.isHost())
    if (llvm::Error error = removeStackNote(object.bytes))
      return error;
  if (llvm::Error error = fillRecords(collector, functions, object))
    return error;
  if (!target.isHost())
    if (llvm::Error error = addModelledCycles(object, flows, target))
      return error;
  return object;
}

llvm::Expected<std::string> mfc::compileToAssembly(llvm::Module &module, const TargetInfo &target,
                                                   const CodegenSwitches &switches) {
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream os(text);
  if (llvm::Error error =
          compile(module, target, switches, nullptr, nullptr, llvm::CodeGenFileType::AssemblyFile, os))
    return error;
  std::string assembly(text.begin(), text.end());
  if (!target.isHost())
    removeStackNote(assembly);
  return assembly;
}

const FunctionRecord *ObjectCode::find(StringRef name) const {
  for (const FunctionRecord &record : functions)
    if (record.name == name)
      return &record;
  return nullptr;
}

CostRecord ObjectCode::total() const {
  CostRecord result;
  for (const FunctionRecord &record : functions)
    result = sum(result, record.cost);
  result.modelledCycles.reset();
  result.constBytes = readOnlyBytes;
  return result;
}
