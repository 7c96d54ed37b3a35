// The graph: operators and tensors in SSA form, in execution order.
//
// Ownership: the graph owns values and operations; pointers stay valid until erased. Order of operations is a
// topological order (operands before users), and the order in which they will run.
#ifndef MFC_IR_GRAPH_H
#define MFC_IR_GRAPH_H

#include "mfc/IR/Op.h"
#include "mfc/IR/Type.h"
#include "mfc/Support/Diagnostic.h"

#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <string>
#include <vector>

namespace mfc {

class Graph;
class Operation;

/// Little-endian, row-major bytes of a constant; shared between copies of a graph.
using ConstantData = std::shared_ptr<const std::vector<uint8_t>>;

class Value {
public:
  enum class Kind { Input, Constant, Result };

  Kind kind() const { return valueKind; }
  bool isConstant() const { return valueKind == Kind::Constant; }
  bool isInput() const { return valueKind == Kind::Input; }
  /// The operation that defines a result; null for inputs and constants.
  Operation *producer() const { return definingOp; }
  unsigned resultIndex() const { return index; }
  /// Users in no particular order, one entry per use (an operation that reads it twice is there twice).
  llvm::ArrayRef<Operation *> users() const { return uses; }
  bool hasOneUse() const { return uses.size() == 1; }

  llvm::ArrayRef<uint8_t> bytes() const { return *data; }
  const ConstantData &constantData() const { return data; }

  TensorType type;
  std::string name; ///< the model's name; any bytes, may repeat or be empty

private:
  friend class Graph;
  friend class Operation;
  Kind valueKind = Kind::Result;
  Operation *definingOp = nullptr;
  unsigned index = 0;
  ConstantData data;
  std::vector<Operation *> uses;
};

class Operation {
public:
  OpKind kind() const { return opKind; }
  const OpInfo &info() const { return opInfo(opKind); }
  llvm::ArrayRef<Value *> operands() const { return operandList; }
  Value *operand(size_t i) const { return operandList[i]; }
  /// Null if the optional operand is not there.
  Value *operandOrNull(size_t i) const { return i < operandList.size() ? operandList[i] : nullptr; }
  void setOperand(size_t i, Value *value);
  void addOperand(Value *value);
  llvm::ArrayRef<Value *> results() const { return resultList; }
  Value *result(size_t i = 0) const { return resultList[i]; }

  /// The attribute struct; asserts that the operator has this one.
  template <typename T> const T &attrs() const { return std::get<T>(attributes); }
  template <typename T> T &attrs() { return std::get<T>(attributes); }

  Attributes attributes;
  Location loc;

private:
  friend class Graph;
  OpKind opKind = OpKind::Identity;
  std::vector<Value *> operandList;
  std::vector<Value *> resultList;
};

struct GraphOutput {
  Value *value = nullptr;
  std::string name;
};

class Graph {
public:
  Graph() = default;
  Graph(Graph &&) = default;
  Graph &operator=(Graph &&) = default;

  std::string name; ///< a C identifier
  std::string file; ///< for diagnostics

  Value *addInput(TensorType type, std::string name);
  Value *addConstant(TensorType type, ConstantData data, std::string name);
  Value *addConstant(TensorType type, std::vector<uint8_t> data, std::string name);

  /// Appends an operation (or inserts it before `before`) with one result per type.
  Operation *addOp(OpKind kind, llvm::ArrayRef<Value *> operands, Attributes attributes,
                   llvm::ArrayRef<TensorType> resultTypes, Location loc, Operation *before = nullptr);
  /// The usual case: one result, named.
  Value *add(OpKind kind, llvm::ArrayRef<Value *> operands, Attributes attributes, TensorType resultType,
             Location loc, std::string resultName = {}, Operation *before = nullptr);

  void addOutput(Value *value, std::string name) { outputList.push_back({value, std::move(name)}); }

  llvm::ArrayRef<Value *> inputs() const { return inputList; }
  std::vector<GraphOutput> &outputs() { return outputList; }
  const std::vector<GraphOutput> &outputs() const { return outputList; }
  /// A snapshot in execution order: safe to walk while adding and erasing (an erased operation stays in the
  /// snapshot as a dangling pointer, so erase only the one at hand or ones before it).
  std::vector<Operation *> ops() const;
  size_t opCount() const { return opList.size(); }
  /// Constants in order of creation, unused ones included.
  std::vector<Value *> constants() const;

  bool isOutput(const Value *value) const;
  /// Uses by operations and by the output list.
  size_t useCount(const Value *value) const;
  void replaceAllUses(Value *from, Value *to); ///< outputs too
  /// The operation's results must have no users left.
  void erase(Operation *op);
  /// Removes operations whose results nobody reads, then constants without users. Inputs stay.
  /// Returns the number of operations removed.
  size_t eraseDead();
  /// Sorts the operations topologically, stable with respect to the present order.
  /// False if there is a cycle (the order is then unchanged).
  bool sortTopologically();
  /// Moves an operation directly before another.
  void moveBefore(Operation *op, Operation *before);
  /// Position in execution order; linear time.
  size_t position(const Operation *op) const;

  Graph clone() const;

private:
  std::vector<std::unique_ptr<Value>> values;
  std::vector<std::unique_ptr<Operation>> opList;
  std::vector<Value *> inputList;
  std::vector<GraphOutput> outputList;
  Value *newValue(Value::Kind kind, TensorType type, std::string name);
};

} // namespace mfc
#endif
