// One ONNX node as a converter sees it: operands as values, attributes by name and type, and
// diagnostics that say where they are from.
#ifndef MFC_IMPORT_ONNX_NODE_H
#define MFC_IMPORT_ONNX_NODE_H

#include "Builder.h"

#include <set>

namespace mfc::onnxpb {
class AttributeProto;
class GraphProto;
class NodeProto;
class TensorProto;
} // namespace mfc::onnxpb

namespace mfc::onnx {

class GraphImport;

/// What a name stands for: a value, or an initializer of a type that the graph does not have, which
/// only Cast can read. Neither: a failed node made it.
struct Binding {
  Value *value = nullptr;
  const onnxpb::TensorProto *foreign = nullptr;
};

class NodeContext {
public:
  NodeContext(const onnxpb::NodeProto &proto, int64_t opset, GraphImport &scope, Builder &builder,
              std::vector<std::optional<Binding>> operands);

  Builder &b;
  const int64_t opset; ///< version of the node's domain
  GraphImport &scope;  ///< the graph that the node stands in

  const std::string &opType() const;
  const onnxpb::NodeProto &node() const { return proto; }

  // Operands. A missing optional operand is null and says nothing; a missing required one is
  // reported.
  size_t inputCount() const { return operands.size(); }
  bool reads(const Value *value) const; ///< it is one of the operands
  bool hasInput(size_t i) const { return i < operands.size() && operands[i].has_value(); }
  Value *optionalInput(size_t i);
  Value *input(size_t i);
  /// Also reports another element type.
  Value *floatInput(size_t i);
  /// A constant, a dequantize of a constant, or a computed constant made one. `what` is what it is
  /// for: "weights".
  Value *constantInput(size_t i, llvm::StringRef what);
  /// The contents of a constant operand, dequantized; reports if it is not constant.
  std::optional<Tensor> contents(size_t i, llvm::StringRef what);
  std::optional<std::vector<int64_t>> integers(size_t i, llvm::StringRef what);
  std::optional<double> number(size_t i, llvm::StringRef what); ///< one element
  const std::string &inputName(size_t i) const;
  /// The initializer of a type that the graph does not have, if operand i is one.
  const onnxpb::TensorProto *foreignInput(size_t i) const;

  // Attributes. Reading one marks it as known; finishAttributes reports the others.
  bool hasAttr(llvm::StringRef name);
  int64_t intAttr(llvm::StringRef name, int64_t otherwise);
  double floatAttr(llvm::StringRef name, float otherwise);
  std::string stringAttr(llvm::StringRef name, llvm::StringRef otherwise);
  std::vector<int64_t> intsAttr(llvm::StringRef name); ///< empty if it is not there
  std::vector<float> floatsAttr(llvm::StringRef name);
  const onnxpb::TensorProto *tensorAttr(llvm::StringRef name);
  const onnxpb::GraphProto *graphAttr(llvm::StringRef name);
  void finishAttributes();

  /// attribute `name` (then input `i` from opset `since` on); nothing if there is none. Reports
  /// non-constants.
  std::optional<std::vector<int64_t>> intsFrom(llvm::StringRef name, size_t i, int64_t since);
  /// A dimension number in [0, rank), given from the end if negative; reports others.
  std::optional<int64_t> axis(int64_t axis, int64_t rank);
  std::optional<std::vector<int64_t>> axes(llvm::ArrayRef<int64_t> list,
                                           int64_t rank); ///< ascending, each once

  // Results.
  size_t outputCount() const;
  bool hasOutput(size_t i) const; ///< named and read by somebody
  void setResult(size_t i, Value *value);
  /// Result 0 is a constant of a type that the graph does not have.
  void setForeignResult(const onnxpb::TensorProto *tensor) { foreignResult = tensor; }
  /// What result i stands for; neither value nor tensor if the converter failed.
  Binding result(size_t i) const { return {resultList[i], i == 0 ? foreignResult : nullptr}; }
  /// Reports if anybody reads result i.
  bool refuseOutput(size_t i, llvm::StringRef what);

  // Diagnostics at this node, optionally about one of its operands.
  DiagnosticBuilder bad(int operand = -1) { return error(ErrorClass::BadModel, operand); }
  DiagnosticBuilder unsupported(int operand = -1) {
    return error(ErrorClass::Unsupported, operand);
  }
  /// Lists the operator among the unknown ones of the model: "is supported on constants only".
  void refuseOperator(llvm::StringRef reason);
  /// The results cannot be made, for a reason that is reported elsewhere.
  void giveUp() { hasFailed = true; }
  bool failed() const { return hasFailed; }

private:
  const onnxpb::NodeProto &proto;
  std::vector<std::optional<Binding>> operands;
  std::vector<Value *> resultList;
  const onnxpb::TensorProto *foreignResult = nullptr;
  std::set<std::string, std::less<>> known; ///< attributes read
  bool hasFailed = false;

  DiagnosticBuilder error(ErrorClass errorClass, int operand);
  const onnxpb::AttributeProto *find(llvm::StringRef name, int type);
};

} // namespace mfc::onnx
#endif
