// One TFLite operator while it is converted: typed access to its operands, options and result types, and the calls
// that add mfc operations for it. Converters see the file through this class only.
#ifndef MFC_LIB_IMPORT_TFLITE_NODE_H
#define MFC_LIB_IMPORT_TFLITE_NODE_H

#include "Model.h"

#include "mfc/IR/Graph.h"

#include "llvm/ADT/DenseMap.h"
#include <initializer_list>

namespace mfc::tflite {

/// What SPACE_TO_BATCH_ND was made from, for the BATCH_TO_SPACE_ND that takes it back.
struct BlockedInput {
  Value *source;
  std::vector<int64_t> block, before, after; ///< of dimensions 1 and up: block sizes, padding
};

/// Graph values of the model's tensors; what all nodes of one import share.
struct ImportState {
  const ModelInfo &info;
  DiagnosticEngine &diag;
  Graph graph;
  std::vector<Value *> values; ///< by tensor; null: not made yet
  std::vector<bool> reported;  ///< by tensor: its being unsupported has been said
  llvm::DenseMap<const Value *, BlockedInput> blocked; ///< results of SPACE_TO_BATCH_ND
  /// Shapes differ from the file's because an input's was chosen (--input-shape).
  bool reshaped = false;

  ImportState(const ModelInfo &info, DiagnosticEngine &diag)
      : info(info), diag(diag), values(info.tensors.size()), reported(info.tensors.size()) {}

  /// The graph value of a tensor, made on first use if it is a constant. Null if mfc cannot use the tensor; that has
  /// then been reported, at this operator if it was not before.
  Value *value(int tensor, const OperatorInfo *user);
  /// After a failed conversion: lets later operators be checked against the type that the file states.
  void substitute(int tensor);
};

class Node {
public:
  Node(ImportState &state, const OperatorInfo &op) : state(state), op(op), loc(operatorLocation(state.info, op)) {}

  // Operands and results.
  size_t inputCount() const { return op.inputs.size(); }
  size_t outputCount() const { return op.outputs.size(); }
  bool hasInput(size_t i) const { return i < op.inputs.size() && op.inputs[i] >= 0; }
  Value *input(size_t i) const { return inputs[i]; } ///< null: optional and left out
  const TensorInfo &outputInfo(size_t i = 0) const { return state.info.tensors[static_cast<size_t>(op.outputs[i])]; }
  /// The result type that the file states; element and quantization are binding, the shape is checked by finish().
  const TensorType &outputType(size_t i = 0) const { return outputInfo(i).type; }
  const Location &location() const { return loc; }

  /// The operator's options; all defaults when the file has none, as TFLite reads it.
  template <typename T> typename T::NativeTableType options() const {
    typename T::NativeTableType result;
    if (const T *table = op.table->template builtin_options_as<T>())
      table->UnPackTo(&result);
    return result;
  }

  // Diagnostics; all return false so that a converter can `return node.bad() << ...`.
  DiagnosticBuilder bad() const { return state.diag.error(ErrorClass::BadModel, loc); }
  DiagnosticBuilder badInput(size_t i) const;
  DiagnosticBuilder unsupported() const { return state.diag.error(ErrorClass::Unsupported, loc); }

  // Checks.
  /// Element type of operand i, which must be one of these.
  bool wantType(size_t i, std::initializer_list<ElementType> types) const;
  /// Result i has the element type of operand `from`.
  bool wantSameElement(size_t from, size_t result = 0) const;
  /// Operand i and result have the same element type and quantization: for operators that move stored values.
  bool wantSameType(size_t i, size_t result = 0) const;
  /// Integer tensors of arithmetic operators need a scale (I32 and I64 may do without).
  bool wantQuantized(const Value &value) const;
  /// Contents of an integer constant operand.
  std::optional<std::vector<int64_t>> constantIntegers(size_t i) const;
  /// Turns a negative axis into a position; reports one outside the rank.
  std::optional<int64_t> axis(int64_t axis, int64_t rank) const;

  // From SPACE_TO_BATCH_ND to BATCH_TO_SPACE_ND.
  void remember(const Value *result, BlockedInput input) const { state.blocked[result] = std::move(input); }
  const BlockedInput *remembered(const Value *result) const {
    auto it = state.blocked.find(result);
    return it == state.blocked.end() ? nullptr : &it->second;
  }

  // Building. All pass a null operand on as a null result, so that a converter checks once, in finish().
  Value *constant(TensorType type, std::vector<uint8_t> bytes) const;
  /// Same contents as operand i (a constant), another type of the same size.
  Value *retyped(size_t i, TensorType type) const;
  /// Adds an operation; its result has this element type and quantization and the inferred shape.
  Value *add(OpKind kind, std::vector<Value *> operands, Attributes attributes, const TensorType &like) const;
  Value *reshape(Value *value, Shape shape) const;
  /// The clamp of a fused activation, bounds as TFLite's CalculateActivationRangeQuantized computes them.
  Value *activate(Value *value, fb::Activation activation) const;
  /// Binds a result: checks type and shape against the file, names the value.
  bool finish(Value *value, size_t i = 0) const;

private:
  friend class Importer;
  ImportState &state;
  const OperatorInfo &op;
  Location loc;
  std::vector<Value *> inputs;
};

} // namespace mfc::tflite
#endif
