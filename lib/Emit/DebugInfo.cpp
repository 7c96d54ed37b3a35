#include "mfc/Emit/DebugInfo.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Support/Version.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Module.h"
#include <map>

using namespace mfc;

/// Line of each operation: the statements that are neither inputs, constants nor outputs, in order.
static std::map<const Operation *, unsigned> operationLines(const Graph &graph,
                                                            llvm::StringRef text) {
  std::map<const Operation *, unsigned> lines; // look-ups only
  std::vector<Operation *> ops = graph.ops();
  size_t next = 0;
  unsigned number = 0;
  while (!text.empty() && next < ops.size()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    ++number;
    llvm::StringRef operation = line.ltrim();
    if (!operation.consume_front("%"))
      continue;
    operation = operation.split(" = ").second;
    if (!operation.starts_with("input") && !operation.starts_with("constant"))
      lines[ops[next++]] = number;
  }
  return lines;
}

void mfc::addDebugInfo(llvm::Module &module, const ModelInfo &info, const Graph &graph,
                       const Plan &plan, llvm::StringRef graphText) {
  std::map<const Operation *, unsigned> lines = operationLines(graph, graphText);
  std::map<std::string, unsigned> kernelLines;
  for (const Kernel *kernel : plan.kernels())
    kernelLines[kernelSymbol(info.name, *kernel)] = lines[kernel->anchor];

  llvm::DIBuilder builder(module);
  llvm::DIFile *file = builder.createFile(info.name + ".mfcir", ".");
  builder.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C99), file,
                            ("mfc " + mfcVersion()).str(), /*isOptimized=*/true, "", /*RV=*/0, "",
                            llvm::DICompileUnit::FullDebug, 0, true, false,
                            llvm::DICompileUnit::DebugNameTableKind::None);
  llvm::DISubroutineType *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    auto found = kernelLines.find(function.getName().str());
    unsigned line = found == kernelLines.end() || found->second == 0 ? 1 : found->second;
    llvm::DISubprogram *subprogram =
        builder.createFunction(file, function.getName(), function.getName(), file, line, type, line,
                               llvm::DINode::FlagArtificial, llvm::DISubprogram::SPFlagDefinition);
    function.setSubprogram(subprogram);
    auto *location = llvm::DILocation::get(module.getContext(), line, 0, subprogram);
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        instruction.setDebugLoc(location);
  }
  builder.finalize();
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
}
