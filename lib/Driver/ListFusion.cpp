#include "ListFusion.h"

#include "mfc/Driver/Compile.h"
#include "mfc/IR/Printer.h"
#include "mfc/Memory/Lifetime.h"
#include "mfc/Support/HumanText.h"

#include "llvm/ADT/StringExtras.h"

using namespace mfc;

namespace {

class FusionList {
public:
  FusionList(const CompiledModel &compiled, llvm::raw_ostream &os)
      : plan(compiled.plan), info(compiled.info), names(compiled.graph), memoryOf(plan), os(os) {}

  void print() {
    os << info.name << ": " << plan.groups.size() << " groups, " << info.layers.size() << " kernels, "
       << grouped(static_cast<double>(info.totals.sramBytes())) << " bytes of SRAM, "
       << grouped(static_cast<double>(info.totals.flashBytes())) << " of flash";
    if (info.totals.modelledCycles)
      os << ", " << grouped(*info.totals.modelledCycles) << " modelled cycles";
    os << "\n";
    size_t layer = 0;
    for (size_t g = 0; g < plan.groups.size(); ++g) {
      const Group &group = plan.groups[g];
      os << "group " << g << (group.kernels.size() > 1 ? ", row by row:\n" : ":\n");
      for (const Kernel &kernel : group.kernels)
        printKernel(kernel, info.layers[layer++]);
    }
  }

private:
  const Plan &plan;
  const ModelInfo &info;
  ValueNames names;
  MemoryOf memoryOf;
  llvm::raw_ostream &os;

  void printKernel(const Kernel &kernel, const LayerInfo &layer) {
    os << "  " << kernel.name << " (" << shortName(layer.name) << "): " << llvm::join(layer.ops, " + ") << "; ";
    if (layer.modelledCycles)
      os << grouped(*layer.modelledCycles) << " modelled cycles, ";
    os << grouped(static_cast<double>(layer.codeBytes)) << " B of code, " << layer.spills << " spills, "
       << grouped(static_cast<double>(layer.scratchBytes)) << " B of scratch\n";
    for (const Value *input : kernel.inputs)
      printPlace("reads", memoryOf(input));
    for (const Operation *op : kernel.ops)
      if (op->result() != kernel.output)
        os << "    keeps " << names(op->result()) << " in registers (" << op->result()->type.bytes() << " B not stored)\n";
    printPlace("makes", kernel.output);
  }

  void printPlace(const char *verb, const Value *value) {
    const Placement *place = plan.placementOf(value);
    os << "    " << verb << ' ' << names(value) << ": " << typeText(value->type);
    if (place && place->kind == PlacementKind::Ring)
      os << ", ring of " << place->rows << (place->rows == 1 ? " row, " : " rows, ") << grouped(static_cast<double>(place->bytes)) << " of "
         << grouped(static_cast<double>(value->type.bytes())) << " B";
    else if (place && place->kind == PlacementKind::Caller)
      os << ", the caller's buffer";
    else if (place)
      os << ", whole, " << grouped(static_cast<double>(place->bytes)) << " B";
    if (place && place->kind != PlacementKind::Caller)
      os << " at " << plan.regions[place->region].name << '+' << place->offset;
    os << '\n';
  }
};

} // namespace

void mfc::listFusion(const CompiledModel &compiled, llvm::raw_ostream &os) { FusionList(compiled, os).print(); }
