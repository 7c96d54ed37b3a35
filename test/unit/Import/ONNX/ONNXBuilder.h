// Small ONNX models built in memory: serialized with our own schema and read back through
// importONNX.
#ifndef MFC_TEST_ONNXBUILDER_H
#define MFC_TEST_ONNXBUILDER_H

#include "mfc/IR/Tensor.h"
#include "mfc/Import/Import.h"
#include "onnx_subset.pb.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace mfc::test {

using onnxpb::TensorProto;

/// Dimensions; "N" for a symbolic one is written as a string.
struct Dim {
  Dim(int value) : value(value) {}
  Dim(const char *symbol) : symbol(symbol) {}
  int64_t value = 0;
  std::string symbol;
};

/// Adds attributes to a node one after the other.
class NodeRef {
public:
  explicit NodeRef(onnxpb::NodeProto *node) : node(node) {}
  NodeRef &name(const std::string &text);
  NodeRef &domain(const std::string &text);
  NodeRef &set(const std::string &name, int64_t value);
  NodeRef &set(const std::string &name, int value) {
    return set(name, static_cast<int64_t>(value));
  }
  NodeRef &set(const std::string &name, float value);
  NodeRef &set(const std::string &name, const char *value);
  NodeRef &set(const std::string &name, std::vector<int64_t> values);
  NodeRef &set(const std::string &name, std::initializer_list<int64_t> values) {
    return set(name, std::vector(values));
  }
  NodeRef &setFloats(const std::string &name, std::vector<float> values);
  NodeRef &set(const std::string &name, const TensorProto &value);
  NodeRef &set(const std::string &name, const onnxpb::GraphProto &value);
  onnxpb::NodeProto *node;
};

TensorProto floats(std::vector<int64_t> dims, std::vector<float> data);
TensorProto ints(std::vector<int64_t> dims, std::vector<int64_t> data,
                 int type = TensorProto::INT64);

/// A graph under construction; also used for branches of If.
class GraphMaker {
public:
  explicit GraphMaker(onnxpb::GraphProto *graph) : graph(graph) {}
  GraphMaker &input(const std::string &name, std::initializer_list<Dim> dims,
                    int type = TensorProto::FLOAT);
  GraphMaker &output(const std::string &name, int type = TensorProto::FLOAT);
  GraphMaker &init(const std::string &name, TensorProto tensor);
  NodeRef node(const std::string &op, std::vector<std::string> inputs,
               std::vector<std::string> outputs);
  onnxpb::GraphProto *graph;
};

struct Model : GraphMaker {
  explicit Model(int64_t opset = 13);
  Model(const Model &) = delete;

  std::string bytes() const;
  /// Imports; messages are in `diag` afterwards.
  std::optional<Graph> import(ImportOptions options = {}, const std::string &file = "test.onnx");
  /// Imports and runs on the inputs; fails the test if something is reported.
  std::vector<Tensor> run(std::vector<Tensor> inputs);
  /// The only output as floats.
  std::vector<float> runFloats(std::vector<Tensor> inputs);
  /// Imports, which must fail with the class; all messages, one a line.
  std::string errors(ErrorClass errorClass, ImportOptions options = {});

  onnxpb::ModelProto proto;
  DiagnosticEngine diag;
};

Tensor floatTensor(Shape shape, std::vector<float> data);
Tensor byteTensor(ElementType element, Shape shape, std::vector<int> data);
std::vector<float> floatsOf(const Tensor &tensor);
std::vector<int64_t> integersOf(const Tensor &tensor);
/// 0, step, 2 step ...
std::vector<float> ramp(size_t count, float step = 1, float start = 0);

size_t countOps(const Graph &graph, OpKind kind);
const Operation *findOp(const Graph &graph, OpKind kind);

} // namespace mfc::test
#endif
