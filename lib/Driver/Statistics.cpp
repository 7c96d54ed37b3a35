#include "Statistics.h"
#include "mfc/Driver/Compile.h"
#include "mfc/Support/HumanText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mfc;

void mfc::printStatistics(const CompiledModel &compiled, llvm::raw_ostream &os) {
  const ModelInfo &info = compiled.info;
  const Totals &t = info.totals;
  unsigned spills = 0, reloads = 0, stored = 0, registers = 0;
  uint64_t macs = 0;
  for (const LayerInfo &layer : info.layers) {
    spills += layer.spills, reloads += layer.reloads;
    macs += layer.macs;
  }
  for (const TensorInfo &tensor : info.tensors) {
    stored += tensor.placement == PlacementKind::Arena;
    registers += tensor.placement == PlacementKind::Register;
  }
  auto line = [&](uint64_t value, const char *what) {
    os << llvm::format("%10llu", static_cast<unsigned long long>(value)) << "  " << what << "\n";
  };
  line(compiled.graph.opCount(), "operators after the passes");
  line(info.layers.size(), "kernels");
  line(info.groups.size(), "groups");
  line(macs, "multiply-accumulates of one inference");
  line(stored, "tensors in the arena");
  line(registers, "tensors in registers only");
  line(t.codeBytes, "bytes of code");
  line(t.constBytes, "bytes of constants");
  line(t.sramBytes(), "bytes of SRAM");
  line(t.arenaBytes, "bytes of arena");
  line(t.arenaLowerBound, "bytes of arena, lower bound");
  line(t.stackBytes, "bytes of stack");
  line(spills, "spills");
  line(reloads, "reloads");
  line(info.decisions.size(), "remarks");
}

void mfc::printTimes(const CompiledModel &compiled, llvm::raw_ostream &os) {
  for (const PhaseTime &time : compiled.times)
    os << llvm::format("%10.3f ms  ", time.seconds * 1e3) << time.name
       << (time.name == "schedules" && !compiled.candidates.empty() ? ": " + compiled.candidates : "") << "\n";
}

void mfc::printSummary(const CompiledModel &compiled, llvm::raw_ostream &os) {
  const ModelInfo &info = compiled.info;
  const Totals &t = info.totals;
  os << info.name << ": " << compiled.graph.opCount() << " operators, " << info.layers.size()
     << " kernels\n";
  if (compiled.objects.empty())
    return;
  os << info.name << ": flash " << t.flashBytes() << " bytes (code " << t.codeBytes
     << ", constants " << t.constBytes << "), SRAM " << t.sramBytes() << " bytes (lower bound "
     << t.arenaLowerBound << "), stack " << t.stackBytes << " bytes\n";
  os << info.name << ": symbols from outside: "
     << (info.undefinedSymbols.empty() ? "none" : llvm::join(info.undefinedSymbols, ", ")) << "\n";
  for (const BudgetInfo &budget : info.budgets)
    os << info.name << ": budget of " << budget.name << ": " << grouped(budget.need) << " of "
       << grouped(budget.limit)
       << (budget.limit > 0 ? " (" + percentText(100 * budget.need / budget.limit) + ")" : "") << "\n";
}
