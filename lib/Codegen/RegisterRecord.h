// What the register allocator and the frame lowering did to each function, read inside the code generator.
#ifndef MFC_LIB_CODEGEN_REGISTERRECORD_H
#define MFC_LIB_CODEGEN_REGISTERRECORD_H

#include "mfc/Cost/CostRecord.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>

namespace mfc::codegen {

/// Records by function name, filled while a pass manager runs. codeBytes stays 0: only the object knows.
struct RecordCollector {
  std::map<std::string, CostRecord, std::less<>> byFunction;
  CostRecord &of(llvm::StringRef function) { return byFunction[function.str()]; }
};

/// Inside the code generator: whether loop strength reduction may change the function at hand.
bool currentFunctionReducesLoops();

/// While an object of this lives, code generator pipelines that are *built* on this thread report to the
/// collector (if there is one) and have the scheduler or not. The passes keep the pointer, so the collector
/// must outlive the run.
class PipelineScope {
public:
  PipelineScope(RecordCollector *collector, bool machineScheduler);
  ~PipelineScope();
  PipelineScope(const PipelineScope &) = delete;

  RecordCollector *const collector;
  const bool machineScheduler;

private:
  const PipelineScope *outer;
};

} // namespace mfc::codegen
#endif
