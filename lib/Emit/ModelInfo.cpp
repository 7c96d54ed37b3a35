// From graph and plan to the facts that the outputs state.
#include "mfc/Emit/ModelInfo.h"
#include "mfc/IR/OperationNames.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Memory/Lifetime.h"
#include "mfc/Ops/Ops.h"

#include <algorithm>
#include <map>
#include <set>

using namespace mfc;

uint64_t ModelInfo::alignment() const {
  uint64_t align = target.arenaAlign;
  for (const RegionInfo &region : regions)
    align = std::max(align, region.align);
  return align;
}

uint64_t ModelInfo::liveBytesAt(unsigned step, unsigned region) const {
  std::vector<std::pair<uint64_t, uint64_t>> ranges; // [begin, end)
  for (const BufferInfo &buffer : buffers)
    if (buffer.region == region && buffer.first <= step && step <= buffer.last)
      ranges.emplace_back(buffer.offset, buffer.offset + buffer.bytes);
  std::sort(ranges.begin(), ranges.end());
  uint64_t live = 0, covered = 0;
  for (auto [begin, end] : ranges) {
    live += end > covered ? end - std::max(begin, covered) : 0;
    covered = std::max(covered, end);
  }
  return live;
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
    dataFlow();
    buffers();
  }

private:
  const Graph &graph;
  const Plan &plan;
  const DescribeOptions &options;
  ModelInfo &info;
  OperationNames nameOf{graph};
  std::set<std::string> layerNames; ///< used so far
  std::map<const Operation *, int> groupOf;   ///< look-ups only
  std::map<const Value *, unsigned> tensorOf; ///< look-ups only: index into info.tensors

  void regions();
  void kernels();
  void tensors();
  void dataFlow();
  void buffers();
  void addTensor(Value *value);
  PortInfo port(Value *value, const std::string &name);
  TensorInfo tensor(Value *value) const;
  const Placement *place(Value *value) const;
  std::string uniqueName(std::string name, const Operation &anchor);
};

void Describer::regions() {
  for (const Region &region : plan.regions) {
    info.regions.push_back(
        {region.name, region.bytes, region.lowerBound, region.align, region.capacity});
    info.totals.arenaBytes += region.bytes;
    info.totals.arenaLowerBound += region.lowerBound;
  }
}

/// Names are keys of baselines. One node may become several kernels (then the operator's kind tells
/// them apart), and nothing keeps the nodes of an ONNX model from having equal names.
std::string Describer::uniqueName(std::string name, const Operation &anchor) {
  if (!layerNames.insert(name).second) {
    name += "/" + anchor.info().name.str();
    const std::string stem = name;
    for (unsigned copy = 2; !layerNames.insert(name).second; ++copy)
      name = stem + "." + std::to_string(copy);
  }
  return name;
}

void Describer::kernels() {
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    GroupInfo group;
    for (const Kernel &kernel : plan.groups[g].kernels) {
      LayerInfo layer;
      const Operation *anchor = kernel.anchor ? kernel.anchor : kernel.ops.front();
      layer.name = uniqueName(nameOf(*anchor), *anchor);
      layer.kernel = kernelSymbol(info.name, kernel);
      layer.group = static_cast<unsigned>(g);
      layer.schedule = scheduleText(kernel.schedule);
      layer.scratchBytes = kernel.scratchBytes;
      layer.ops.push_back(anchor->info().name.str());
      for (const Operation *op : kernel.ops) {
        if (op != anchor)
          layer.ops.push_back(op->info().name.str());
        layer.macs += static_cast<uint64_t>(macCount(*op));
        groupOf[op] = static_cast<int>(g);
      }
      group.kernels.push_back(layer.kernel);
      info.layers.push_back(std::move(layer));
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

void Describer::addTensor(Value *value) {
  tensorOf[value] = static_cast<unsigned>(info.tensors.size());
  info.tensors.push_back(tensor(value));
}

/// Inputs, constants that something reads, then results in execution order.
void Describer::tensors() {
  for (Value *input : graph.inputs())
    addTensor(input);
  for (Value *constant : graph.constants())
    if (graph.useCount(constant) != 0)
      addTensor(constant);
  for (Operation *op : graph.ops())
    for (Value *result : op->results())
      addTensor(result);
}

/// Which tensors a layer reads and stores: those that own the memory, not views of them.
void Describer::dataFlow() {
  MemoryOf memoryOf(plan);
  std::vector<const Kernel *> kernels = plan.kernels();
  for (size_t k = 0; k < kernels.size(); ++k) {
    for (const Value *input : kernels[k]->inputs)
      if (auto it = tensorOf.find(memoryOf(input)); it != tensorOf.end())
        info.layers[k].inputs.push_back(it->second);
    if (auto it = tensorOf.find(kernels[k]->output); it != tensorOf.end())
      info.layers[k].output = it->second;
  }
  auto tensor = [&](const Value *value) -> std::optional<unsigned> {
    auto it = tensorOf.find(memoryOf(value));
    return it == tensorOf.end() ? std::nullopt : std::optional(it->second);
  };
  for (size_t i = 0; i < info.inputs.size(); ++i)
    info.inputs[i].tensor = tensor(graph.inputs()[i]);
  for (size_t i = 0; i < info.outputs.size(); ++i)
    info.outputs[i].tensor = tensor(graph.outputs()[i].value);
}

void Describer::buffers() {
  MemoryOptions memory;
  memory.preserveInputs = options.preserveInputs;
  for (const Buffer &buffer : computeLifetimes(graph, plan, memory).buffers) {
    const Placement *place = nullptr;
    BufferInfo piece;
    if (buffer.value) {
      place = plan.placementOf(buffer.value);
      piece.name = buffer.value->name;
      if (piece.name.empty() && buffer.first > 0)
        piece.name = "result of " + info.layers[buffer.first - 1].name;
    } else {
      auto it = plan.scratch.find(buffer.kernel->anchor);
      place = it == plan.scratch.end() ? nullptr : &it->second;
      piece.scratch = true;
      piece.name = info.layers[buffer.first - 1].name;
    }
    if (!place)
      continue;
    piece.region = place->region;
    piece.offset = place->offset;
    piece.bytes = buffer.bytes;
    piece.first = buffer.first;
    piece.last = buffer.last;
    info.buffers.push_back(std::move(piece));
  }
  for (unsigned i = 0; i < info.layers.size(); ++i)
    for (unsigned region = 0; region < info.regions.size(); ++region)
      info.layers[i].liveBytes += info.liveBytesAt(i + 1, region);
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
