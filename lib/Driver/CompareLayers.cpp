// Values that live inside a kernel are computed on the way: a layer is compared where its result is
// stored.
#include "CompareLayers.h"

#include "LayerRecords.h"
#include "mfc/IR/Tensor.h"
#include "mfc/Ops/Ops.h"
#include "mfc/Support/ClassifiedError.h"

#include <cmath>
#include <map>

using namespace mfc;

namespace {

/// Contents of values around one layer: what was recorded, constants, and what follows from them.
class LayerValues {
public:
  void record(const Value *value, llvm::ArrayRef<uint8_t> bytes) {
    recorded[value] = Tensor(value->type, bytes);
  }

  /// What the layer's operations make of recorded operands. `result` itself is computed even where
  /// it was recorded.
  Tensor computed(const Value *result) {
    local.clear();
    return evaluate(*result->producer());
  }

private:
  Tensor evaluate(const Operation &op) {
    std::vector<const Tensor *> operands;
    for (const Value *operand : op.operands())
      operands.push_back(&get(operand));
    return std::move(evalOp(op, operands).front());
  }

  const Tensor &get(const Value *value) {
    if (auto it = recorded.find(value); it != recorded.end())
      return it->second;
    auto [it, added] = local.try_emplace(value);
    if (added)
      it->second =
          value->isConstant() ? Tensor(value->type, value->bytes()) : evaluate(*value->producer());
    return it->second;
  }

  std::map<const Value *, Tensor> recorded,
      local; ///< look-ups only; maps keep their entries in place
};

struct Difference {
  int64_t index = 0;
  std::string wanted, found;
  int64_t count = 0; ///< of elements that differ
};

std::string floatText(float value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g", static_cast<double>(value));
  return text;
}

/// docs/numerics.md, "Bounds for compiled float code": within 1e-5 of the range.
constexpr double kFloatTolerance = 1e-5;

std::optional<Difference> firstDifference(const Tensor &wanted, const Tensor &found) {
  const bool isFloatTensor = wanted.type.element == ElementType::F32;
  double range = 0;
  if (isFloatTensor)
    for (int64_t i = 0; i < wanted.type.count(); ++i)
      if (float value = wanted.get<float>(i); std::isfinite(value))
        range = std::max(range, std::fabs(static_cast<double>(value)));
  auto equal = [&](int64_t i) {
    if (!isFloatTensor)
      return wanted.getInteger(i) == found.getInteger(i);
    float a = wanted.get<float>(i), b = found.get<float>(i);
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) == std::isnan(b);
    return a == b ||
           std::fabs(static_cast<double>(a) - static_cast<double>(b)) <= kFloatTolerance * range;
  };
  auto text = [&](const Tensor &tensor, int64_t i) {
    return isFloatTensor ? floatText(tensor.get<float>(i)) : std::to_string(tensor.getInteger(i));
  };
  std::optional<Difference> first;
  for (int64_t i = 0; i < wanted.type.count(); ++i) {
    if (equal(i))
      continue;
    if (!first)
      first = Difference{i, text(wanted, i), text(found, i), 0};
    ++first->count;
  }
  return first;
}

/// "[0, 3, 1, 17]"
std::string coordinates(const TensorType &type, int64_t index) {
  std::string text;
  for (int64_t d = type.rank(); d-- > 0;) {
    text = std::to_string(index % type.dim(d)) + (text.empty() ? "" : ", ") + text;
    index /= type.dim(d);
  }
  return "[" + text + "]";
}

class RunComparison {
public:
  RunComparison(const CompiledModel &model, DiagnosticEngine &diag)
      : model(model), kernels(model.plan.kernels()), diag(diag) {}

  std::vector<uint64_t> layerBytes() const {
    std::vector<uint64_t> bytes;
    for (const Kernel *kernel : kernels)
      bytes.push_back(kernel->output->type.bytes());
    return bytes;
  }

  /// False at the first difference, or when the run broke off.
  bool compare(const RecordedRun &run, size_t number, size_t count) {
    LayerValues values;
    for (size_t i = 0; i < run.inputs.size(); ++i)
      values.record(model.graph.inputs()[i], run.inputs[i]);
    for (size_t i = 0; i < run.layers.size(); ++i) {
      const Value *output = kernels[i]->output;
      Tensor wanted = values.computed(output), found(output->type, run.layers[i]);
      if (std::optional<Difference> difference = firstDifference(wanted, found)) {
        report(i, wanted, *difference, count > 1 ? " of run " + std::to_string(number) : "");
        return false;
      }
      values.record(output, run.layers[i]);
    }
    if (run.layers.size() == kernels.size() && run.inputs.size() == model.info.inputs.size())
      return true;
    diag.error(ErrorClass::RunFailed, location())
        << "run " << number << " ends after " << run.layers.size() << " of " << kernels.size()
        << " layers";
    return false;
  }

private:
  const CompiledModel &model;
  std::vector<const Kernel *> kernels;
  DiagnosticEngine &diag;

  Location location() const {
    Location where;
    where.file = model.graph.file;
    return where;
  }

  void report(size_t layer, const Tensor &wanted, const Difference &difference,
              const std::string &run) {
    const LayerInfo &info = model.info.layers[layer];
    Location where = location();
    where.node = info.name;
    where.nodeIndex = kernels[layer]->anchor ? kernels[layer]->anchor->loc.nodeIndex : -1;
    diag.error(ErrorClass::RunFailed, where)
            .field("layer", std::to_string(layer))
            .field("index", std::to_string(difference.index))
            .field("found", difference.found)
            .field("wanted", difference.wanted)
        << "layer " << layer << run << " (" << info.kernel
        << ") is the first that differs: element " << difference.index << " "
        << coordinates(wanted.type, difference.index) << " of " << typeText(wanted.type) << " is "
        << difference.found << ", the interpreter has " << difference.wanted << "; "
        << difference.count << " of " << wanted.type.count() << " elements differ";
  }
};

} // namespace

void mfc::compareLayers(const CompiledModel &model, llvm::StringRef records, llvm::raw_ostream &out,
                        DiagnosticEngine &diag) {
  RunComparison comparison(model, diag);
  std::vector<uint64_t> bytes = comparison.layerBytes();
  Location location;
  location.file = model.graph.file;
  llvm::Expected<std::vector<RecordedRun>> runs = readLayerRecords(records, model.info, bytes);
  if (!runs)
    return reportError(diag, location, runs.takeError());
  if (runs->empty()) {
    diag.error(ErrorClass::Usage, location)
        << "no layer was recorded: wanted firmware with a library of mfc --layer-taps and "
           "mfc_record_layer() as its hook";
    return;
  }
  for (size_t i = 0; i < runs->size(); ++i)
    if (!comparison.compare((*runs)[i], i, runs->size()))
      return;
  out << model.info.name << ": all " << bytes.size() << " layers equal the interpreter's";
  if (runs->size() > 1)
    out << " in " << runs->size() << " runs";
  out << "\n";
}
