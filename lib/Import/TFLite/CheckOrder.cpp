// Data flow between operators: every tensor has one writer, which stands before its readers.
#include "Model.h"

#include <map>

using namespace mfc;
using namespace mfc::tflite;

namespace {
class OrderCheck {
public:
  OrderCheck(const ModelInfo &info, DiagnosticEngine &diag)
      : info(info), diag(diag), writer(info.tensors.size(), nullptr), isInput(info.tensors.size(), false) {}

  void run();

private:
  const TensorInfo &tensor(int index) const { return info.tensors[static_cast<size_t>(index)]; }
  void checkInputs();
  void findWriters();
  void checkReads(const OperatorInfo &op);
  void checkOutputs();

  const ModelInfo &info;
  DiagnosticEngine &diag;
  std::vector<const OperatorInfo *> writer; ///< by tensor
  std::vector<bool> isInput;
};
} // namespace

void OrderCheck::checkInputs() {
  for (int index : info.inputs) {
    Location loc = tensorLocation(info, index);
    if (isInput[static_cast<size_t>(index)])
      diag.error(ErrorClass::BadModel, loc) << "is listed twice as a model input";
    else if (tensor(index).isConstant)
      diag.error(ErrorClass::BadModel, loc) << "is a model input, but has constant contents";
    isInput[static_cast<size_t>(index)] = true;
  }
}

void OrderCheck::findWriters() {
  for (const OperatorInfo &op : info.operators) {
    for (int index : op.outputs) {
      auto error = [&] {
        Location loc = operatorLocation(info, op);
        loc.tensor = tensor(index).name;
        return diag.error(ErrorClass::BadModel, loc);
      };
      const OperatorInfo *&first = writer[static_cast<size_t>(index)];
      if (isInput[static_cast<size_t>(index)])
        error() << "is written, but is a model input";
      else if (tensor(index).isConstant)
        error() << "is written, but has constant contents";
      else if (first)
        error() << "is written a second time; node " << first->index << " '" << first->typeName << "' wrote it first";
      if (!first)
        first = &op;
    }
  }
}

void OrderCheck::checkReads(const OperatorInfo &op) {
  for (int index : op.inputs) {
    if (index < 0 || isInput[static_cast<size_t>(index)] || tensor(index).isConstant || tensor(index).isVariable)
      continue;
    const OperatorInfo *from = writer[static_cast<size_t>(index)];
    if (from && from->index < op.index)
      continue;
    Location loc = operatorLocation(info, op);
    loc.tensor = tensor(index).name;
    auto error = diag.error(ErrorClass::BadModel, loc);
    if (!from)
      error << "is read, but no operator writes it and it is neither a model input nor a constant";
    else
      error << "is read before node " << from->index << " '" << from->typeName
            << "' writes it; operators must stand in execution order, without cycles";
  }
}

void OrderCheck::checkOutputs() {
  std::vector<bool> seen(info.tensors.size(), false);
  for (int index : info.outputs) {
    size_t i = static_cast<size_t>(index);
    Location loc = tensorLocation(info, index);
    if (seen[i])
      diag.error(ErrorClass::BadModel, loc) << "is listed twice as a model output";
    else if (isInput[i])
      diag.error(ErrorClass::BadModel, loc) << "is both a model input and a model output; wanted the result of an operator";
    else if (tensor(index).isConstant)
      diag.error(ErrorClass::BadModel, loc) << "is a model output, but a constant; wanted the result of an operator";
    else if (!writer[i] && !info.operators.empty())
      diag.error(ErrorClass::BadModel, loc) << "is a model output, but no operator writes it";
    seen[i] = true;
  }
}

void OrderCheck::run() {
  checkInputs();
  findWriters();
  for (const OperatorInfo &op : info.operators)
    checkReads(op);
  checkOutputs();
}

void tflite::checkOrder(const ModelInfo &info, DiagnosticEngine &diag) { OrderCheck(info, diag).run(); }
