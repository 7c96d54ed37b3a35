// Small TFLite models for tests: sound ones by default, to be broken in one place by each test.
#ifndef MFC_TEST_UNIT_IMPORT_TFLITEBUILDER_H
#define MFC_TEST_UNIT_IMPORT_TFLITEBUILDER_H

#include "mfc/Import/Import.h"
#include "tflite_generated.h"

#include <cstring>

namespace mfc::test {

namespace fb = mfc::tflite::fb;

class TFLiteBuilder {
public:
  TFLiteBuilder();

  fb::ModelT model;
  fb::SubGraphT &graph() { return *model.subgraphs[0]; }
  fb::TensorT &tensor(int index) { return *graph().tensors[static_cast<size_t>(index)]; }
  fb::OperatorT &op(int index) { return *graph().operators[static_cast<size_t>(index)]; }

  int add(const std::string &name, std::vector<int> shape, fb::TensorType type = fb::TensorType::Float32);
  int addInt8(const std::string &name, std::vector<int> shape, float scale, int zeroPoint);
  template <typename T>
  int addConstant(const std::string &name, std::vector<int> shape, fb::TensorType type, std::vector<T> contents) {
    int index = add(name, std::move(shape), type);
    setContents(index, contents);
    return index;
  }
  int addInts(const std::string &name, std::vector<int32_t> contents) {
    return addConstant(name, {static_cast<int>(contents.size())}, fb::TensorType::Int32, contents);
  }
  template <typename T> void setContents(int index, const std::vector<T> &contents) {
    auto buffer = std::make_unique<fb::BufferT>();
    buffer->data.resize(contents.size() * sizeof(T));
    if (!contents.empty())
      std::memcpy(buffer->data.data(), contents.data(), buffer->data.size());
    tensor(index).buffer = static_cast<uint32_t>(model.buffers.size());
    model.buffers.push_back(std::move(buffer));
  }
  void quantize(int index, std::vector<float> scales, std::vector<int64_t> zeroPoints, int axis = 0);

  /// Adds an operator of builtin number `code`; its options can be set on the returned table.
  fb::OperatorT &addOp(int code, std::vector<int> inputs, std::vector<int> outputs);
  fb::OperatorT &addOp(fb::Builtin code, std::vector<int> inputs, std::vector<int> outputs) {
    return addOp(static_cast<int>(code), std::move(inputs), std::move(outputs));
  }
  void setInputs(std::vector<int> inputs) { graph().inputs = std::move(inputs); }
  void setOutputs(std::vector<int> outputs) { graph().outputs = std::move(outputs); }

  std::vector<uint8_t> bytes();
  std::optional<Graph> import(DiagnosticEngine &diag, const ImportOptions &options = {});
};

std::optional<Graph> importBytes(const std::vector<uint8_t> &bytes, DiagnosticEngine &diag,
                                 const ImportOptions &options = {});

/// int8 convolution 1x4x4x2 -> 1x4x4x3 (3x3, SAME, per-channel weights, bias, relu).
/// Tensors: 0 input, 1 weights, 2 bias, 3 output.
TFLiteBuilder convModel();
/// float32 a + b -> c of shape 1x2x3. Tensors: 0 a, 1 b, 2 c.
TFLiteBuilder addModel();
/// One operator with one data operand: tensor 0 (input) -> last tensor (output); further operands are added by
/// the caller before the call.
TFLiteBuilder unaryModel(fb::Builtin code, std::vector<int> in, std::vector<int> out, bool int8 = false);

/// The import fails with this one error.
void expectError(TFLiteBuilder &builder, ErrorClass errorClass, const std::string &text,
                 const ImportOptions &options = {});
/// The import works; the graph.
Graph expectGraph(TFLiteBuilder &builder, const ImportOptions &options = {});

} // namespace mfc::test
#endif
