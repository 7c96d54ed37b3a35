// Everything that the outputs say about a compiled model. X.h, X.ld and X.json are written from
// this one struct (so they cannot disagree), and budget checks, mfc-sim and host runs read it.
//
// Filled in two steps: describeModel() from graph and plan, addCodeFacts() from the compiled
// objects.
#ifndef MFC_EMIT_MODELINFO_H
#define MFC_EMIT_MODELINFO_H

#include "mfc/IR/Plan.h"
#include "mfc/IR/Type.h"
#include "mfc/Support/Remark.h"
#include "mfc/Target/TargetInfo.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mfc {

/// Version of struct mfc_X_memory and of the calling convention of the entry points.
constexpr unsigned kInterfaceVersion = 1;

/// What mfc_X_invoke*() returns. The header and the generated code both take the numbers from here.
enum class Status : int { Ok = 0, Version = 1, Null = 2, Alignment = 3, Size = 4 };

/// An input or output of the model.
struct PortInfo {
  std::string name; ///< the model's, any bytes
  TensorType type;
  std::string layout;  ///< order of the dimensions in memory: "NHWC", "NCHW", "row-major"
  bool caller = false; ///< --io=caller: a parameter of invoke; region and offset mean nothing
  unsigned region = 0; ///< index into ModelInfo::regions
  uint64_t offset = 0; ///< bytes from the start of the region's arena
  uint64_t bytes = 0;
  std::optional<unsigned> tensor; ///< that owns its memory: index into ModelInfo::tensors
};

struct RegionInfo {
  std::string name;        ///< linker name: SRAM, DTCM ...
  uint64_t bytes = 0;      ///< size of the arena there
  uint64_t lowerBound = 0; ///< largest sum of live bytes at one step
  uint64_t align = 16;     ///< required alignment of the arena
  uint64_t capacity = 0;   ///< of the board; 0 when not known
};

/// One kernel in execution order. Layers that share a function differ in their call sites.
struct LayerInfo {
  std::string name;   ///< unique: node of the model that heads the kernel, as remarks call it (IR/OperationNames.h)
  std::string kernel; ///< symbol of the function
  unsigned group = 0;
  std::string schedule; ///< how its code is arranged (IR/Schedule.h)
  std::vector<std::string> ops;  ///< operators in the kernel, the anchor's name in front of the rest
  std::vector<unsigned> inputs;  ///< tensors read from memory, constants excluded: index into tensors
  std::optional<unsigned> output; ///< the tensor stored
  uint64_t macs = 0; ///< multiply-accumulates of one inference, all operators of the kernel (Ops/Ops.h)
  uint64_t codeBytes = 0;
  uint64_t constBytes = 0; ///< constants that the function refers to, and its constant pools
  unsigned spills = 0, reloads = 0;
  uint64_t frameBytes = 0;
  uint64_t stackBytes = 0; ///< deepest path from the kernel on, its own frame included
  uint64_t scratchBytes = 0;
  uint64_t liveBytes = 0; ///< arena memory in use while it runs, all regions; in-place pairs once
  std::optional<double> modelledCycles; ///< with what it calls; nothing without a cycle model (the host)
  std::optional<uint64_t> instructions; ///< executed by it and what it calls, known from trip counts
  uint64_t helperCalls = 0; ///< calls of soft-float helpers, whose cycles and instructions are not included
  bool exactCounts = true;  ///< no count depends on data; else the longer way was assumed
  std::vector<uint64_t> callSites; ///< offsets of the call instructions in the driver's section
};

struct TensorInfo {
  std::string name;
  std::string type; ///< text form of the type
  PlacementKind placement = PlacementKind::Arena;
  int group = -1;  ///< group that makes it; -1 for inputs and constants
  int region = -1; ///< index into regions; -1 when it has none (register, flash, caller)
  uint64_t offset = 0;
  uint64_t bytes = 0; ///< memory taken, 0 for register
};

/// A piece of arena memory and when it is in use: a tensor with all its views, or the scratch of a
/// kernel. Steps: 0 is before the first layer (inputs are written), layer i runs at step i + 1, and
/// the outputs are read at the step behind the last layer.
struct BufferInfo {
  std::string name;     ///< of the tensor, or of the layer whose scratch it is
  bool scratch = false;
  unsigned region = 0;  ///< index into regions
  uint64_t offset = 0;
  uint64_t bytes = 0;
  unsigned first = 0, last = 0; ///< steps, both included
};

/// A limit that the user set, and what the build needs.
struct BudgetInfo {
  std::string name; ///< "flash", "cycles", "region:DTCM"
  double limit = 0; ///< bytes, or modelled cycles
  double need = 0;
};

struct GroupInfo {
  std::vector<std::string> kernels; ///< symbols
};

/// The kernel that runs longest without giving control back to the driver.
struct LongestKernel {
  std::string layer;
  std::string kernel; ///< symbol
  double modelledCycles = 0;
};

/// Meanings in section 2 of the design: docs/outputs.md repeats them for users.
struct Totals {
  uint64_t codeBytes = 0, constBytes = 0;
  uint64_t arenaBytes = 0, arenaLowerBound = 0; ///< sums over the regions
  uint64_t stateBytes = 0;
  uint64_t callerBytes = 0; ///< inputs and outputs in the caller's buffers
  uint64_t stackBytes = 0;  ///< deepest path from the entry point, its own frame included
  std::optional<double> modelledCycles; ///< of the driver and all layers, without the entry point's checks
  std::optional<uint64_t> instructions; ///< executed by it
  uint64_t helperCalls = 0; ///< calls of soft-float helpers: not in cycles and instructions
  bool exactCounts = true;
  std::optional<LongestKernel> longestKernel;

  uint64_t flashBytes() const { return codeBytes + constBytes; }
  uint64_t sramBytes() const { return arenaBytes + stateBytes + callerBytes; }
};

struct ModelInfo {
  std::string name; ///< X
  std::string id;   ///< 16 hex digits: changes whenever code, constants or interface change
  TargetInfo target;
  bool usesFloat = false; ///< code with floating point: entry points carry the float ABI's name
  bool callerIO = false;  ///< --io=caller
  bool layerTaps = false; ///< --layer-taps: the driver calls mfc_X_layer_tap
  bool inputsOverwritten = true; ///< invoke may use the inputs' memory for other tensors
  std::vector<PortInfo> inputs, outputs;
  std::vector<RegionInfo> regions;
  std::vector<LayerInfo> layers;
  std::vector<GroupInfo> groups;
  std::vector<TensorInfo> tensors;
  std::vector<BufferInfo> buffers; ///< inputs, then results and scratch in execution order
  std::vector<BudgetInfo> budgets; ///< in the order of docs/budgets.md
  std::vector<std::string> undefinedSymbols; ///< sorted
  RemarkList decisions;
  Totals totals;

  /// Bytes of a region's arena in use at a step. A result written over its operand counts once.
  uint64_t liveBytesAt(unsigned step, unsigned region) const;
  /// Steps are 0 .. steps() - 1.
  unsigned steps() const { return static_cast<unsigned>(layers.size()) + 2; }

  /// Required alignment of every buffer that the caller provides.
  uint64_t alignment() const;
  /// "", "_hard", "_softfp", "_soft", "_single", "_double": end of the names of the entry points.
  std::string abiSuffix() const;
};

/// What comes from the user or the importer and not from graph and plan.
struct DescribeOptions {
  std::string imageLayout =
      "row-major"; ///< of inputs and outputs of rank 4: "NHWC" (TFLite), "NCHW" (ONNX)
  bool preserveInputs = false;
};

/// All facts that are known before code generation. The plan must be complete.
ModelInfo describeModel(const Graph &graph, const Plan &plan, const TargetInfo &target,
                        const DescribeOptions &options);

} // namespace mfc
#endif
