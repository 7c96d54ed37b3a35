// Modules from text and targets by name, for the code generator's tests.
#ifndef MFC_TEST_CODEGEN_MODULEFIXTURE_H
#define MFC_TEST_CODEGEN_MODULEFIXTURE_H

#include "mfc/Codegen/Compile.h"
#include "mfc/Codegen/ObjectInfo.h"
#include "mfc/Target/TargetInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <string>
#include <vector>

namespace mfc::test {

/// A module in its own context.
struct ParsedModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

/// The text must be valid; the test fails otherwise.
ParsedModule parse(const std::string &text);

/// "host", a CPU or an architecture, resolved as the command line would.
TargetInfo targetNamed(const std::string &name, const std::string &floatAbi = "");

ObjectCode compileText(const std::string &text, const TargetInfo &target,
                       const CodegenSwitches &switches = {});
std::string assemblyOf(const std::string &text, const TargetInfo &target,
                       const CodegenSwitches &switches = {});

/// A loop with `live` sums that all stay alive through it: @sums(ptr %in, ptr %out, i32 %n).
/// The loop's block is named "taps".
std::string sumsKernel(unsigned live);

/// One of each flavour that the code generator serves.
const std::vector<std::string> &allTargets();

} // namespace mfc::test
#endif
