// From graph and plan to the facts that the outputs state.
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Lowering/Lower.h"

#include <algorithm>
#include <map>

using namespace mfc;

uint64_t ModelInfo::alignment() const {
  uint64_t align = target.arenaAlign;
  for (const RegionInfo &region : regions)
    align = std::max(align, region.align);
  return align;
}

std::string ModelInfo::abiSuffix() const {
  if (!usesFloat || target.isHost())
    return "";
  if (target.isRISCV()) {
    llvm::StringRef abi = target.abiName;
    return abi.ends_with("d") ? "_double" : abi.ends_with("f") ? "_single" : "_soft";
  }
  switch (target.floatABI) {
  case FloatABI::Soft:
    return "_soft";
  case FloatABI::SoftFP:
    return "_softfp";
  case FloatABI::Hard:
    return "_hard";
  }
  return "";
}

namespace {

class Describer {
public:
  Describer(const Graph &graph, const Plan &plan, const DescribeOptions &options, ModelInfo &info)
      : graph(graph), plan(plan), options(options), info(info) {}

  void run() {
    regions();
    kernels();
    for (Value *input : graph.inputs())
      info.inputs.push_back(port(input, input->name));
    for (const GraphOutput &output : graph.outputs())
      info.outputs.push_back(port(output.value, output.name));
    tensors();
  }

private:
  const Graph &graph;
  const Plan &plan;
  const DescribeOptions &options;
  ModelInfo &info;
  std::map<const Operation *, int> groupOf; ///< look-ups only

  void regions();
  void kernels();
  void tensors();
  PortInfo port(Value *value, const std::string &name);
  TensorInfo tensor(Value *value) const;
  const Placement *place(Value *value) const;
};

void Describer::regions() {
  for (const Region &region : plan.regions) {
    info.regions.push_back(
        {region.name, region.bytes, region.lowerBound, region.align, region.capacity});
    info.totals.arenaBytes += region.bytes;
    info.totals.arenaLowerBound += region.lowerBound;
  }
}

void Describer::kernels() {
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    GroupInfo group;
    for (const Kernel &kernel : plan.groups[g].kernels) {
      LayerInfo layer;
      const Operation *anchor = kernel.anchor ? kernel.anchor : kernel.ops.front();
      layer.name = anchor->loc.node;
      if (layer.name.empty() && kernel.output)
        layer.name = kernel.output->name;
      layer.kernel = kernelSymbol(info.name, kernel);
      layer.group = static_cast<unsigned>(g);
      layer.scratchBytes = kernel.scratchBytes;
      group.kernels.push_back(layer.kernel);
      info.layers.push_back(std::move(layer));
      for (const Operation *op : kernel.ops)
        groupOf[op] = static_cast<int>(g);
    }
    info.groups.push_back(std::move(group));
  }
}

/// Of the value itself (a view may have a copy of its own), else of the tensor that it is a view
/// of.
const Placement *Describer::place(Value *value) const {
  const Placement *own = plan.placementOf(value);
  return own ? own : plan.placementOf(viewSource(value));
}

PortInfo Describer::port(Value *value, const std::string &name) {
  PortInfo port;
  port.name = name;
  port.type = value->type;
  port.layout = value->type.rank() == 4 ? options.imageLayout : "row-major";
  port.bytes = value->type.bytes();
  if (const Placement *place = this->place(value)) {
    port.caller = place->kind == PlacementKind::Caller;
    port.region = place->region;
    port.offset = place->offset;
  }
  if (port.caller) {
    info.callerIO = true;
    info.totals.callerBytes += port.bytes;
  }
  return port;
}

TensorInfo Describer::tensor(Value *value) const {
  TensorInfo tensor;
  tensor.name = value->name;
  tensor.type = typeText(value->type);
  if (value->producer()) {
    auto it = groupOf.find(value->producer());
    tensor.group = it == groupOf.end() ? -1 : it->second;
  }
  const Placement *place = this->place(value);
  if (value->isConstant()) {
    tensor.placement = PlacementKind::Flash;
    tensor.bytes = value->type.bytes();
  } else if (!place) {
    tensor.placement = PlacementKind::Register;
  } else {
    tensor.placement = place->kind;
    tensor.bytes = place->kind == PlacementKind::Register ? 0 : place->bytes;
    if (place->kind == PlacementKind::Arena) {
      tensor.region = static_cast<int>(place->region);
      tensor.offset = place->offset;
    }
  }
  return tensor;
}

/// Inputs, constants that something reads, then results in execution order.
void Describer::tensors() {
  for (Value *input : graph.inputs())
    info.tensors.push_back(tensor(input));
  for (Value *constant : graph.constants())
    if (graph.useCount(constant) != 0)
      info.tensors.push_back(tensor(constant));
  for (Operation *op : graph.ops())
    for (Value *result : op->results())
      info.tensors.push_back(tensor(result));
}

} // namespace

ModelInfo mfc::describeModel(const Graph &graph, const Plan &plan, const TargetInfo &target,
                             const DescribeOptions &options) {
  ModelInfo info;
  info.name = graph.name;
  info.target = target;
  info.inputsOverwritten = !options.preserveInputs;
  Describer(graph, plan, options, info).run();
  if (info.callerIO)
    info.inputsOverwritten = false;
  return info;
}
