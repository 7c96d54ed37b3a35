// Writes a plan; names of values are those of the graph's text.
#include "mfc/IR/PlanPrinter.h"

#include "mfc/IR/Printer.h"

using namespace mfc;

static void printKernel(const Kernel &kernel, const ValueNames &names, llvm::raw_ostream &os) {
  PrintOptions options;
  options.locations = false;
  os << "    kernel @" << kernel.name << "(";
  for (size_t i = 0; i < kernel.inputs.size(); ++i)
    os << (i ? ", " : "") << names(kernel.inputs[i]);
  os << ") -> " << names(kernel.output) << " {\n";
  for (const Operation *op : kernel.ops) {
    printOperation(*op, names, os.indent(6), options);
    os << '\n';
  }
  os << "    }\n";
}

static void printPlacement(llvm::StringRef name, const Placement &placement, const Plan &plan, llvm::raw_ostream &os) {
  os << "  " << name << ": " << placementName(placement.kind);
  if (placement.kind == PlacementKind::Register) {
    os << '\n';
    return;
  }
  if (placement.kind == PlacementKind::Ring)
    os << '(' << placement.rows << ')';
  os << ' ' << placement.bytes << " bytes";
  if (placement.kind == PlacementKind::Arena && placement.region < plan.regions.size())
    os << " at " << plan.regions[placement.region].name << '+' << placement.offset;
  if (placement.kind == PlacementKind::Caller)
    os << " buffer " << placement.ioIndex;
  os << '\n';
}

void mfc::printPlan(const Graph &graph, const Plan &plan, llvm::raw_ostream &os) {
  ValueNames names(graph);
  os << "plan @" << graph.name << " {\n";
  for (const Group &group : plan.groups) {
    os << "  group {\n";
    for (const Kernel &kernel : group.kernels)
      printKernel(kernel, names, os);
    os << "  }\n";
  }
  auto printAll = [&](auto &&values) {
    for (const Value *value : values)
      if (const Placement *placement = plan.placementOf(value))
        printPlacement(names(value), *placement, plan, os);
  };
  printAll(graph.inputs());
  printAll(graph.constants());
  for (const Operation *op : graph.ops())
    printAll(op->results());
  for (const Kernel *kernel : plan.kernels()) {
    auto scratch = plan.scratch.find(kernel->anchor);
    if (scratch != plan.scratch.end())
      printPlacement("scratch of @" + kernel->name, scratch->second, plan, os);
  }
  for (const Region &region : plan.regions)
    os << "  region " << region.name << ": " << region.bytes << " bytes, lower bound " << region.lowerBound << '\n';
  os << "}\n";
}
