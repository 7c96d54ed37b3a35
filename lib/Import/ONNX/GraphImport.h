// One GraphProto (the model's, or the taken branch of an If) being turned into operations: its
// names, its nodes in order, its outputs.
#ifndef MFC_IMPORT_ONNX_GRAPHIMPORT_H
#define MFC_IMPORT_ONNX_GRAPHIMPORT_H

#include "Node.h"
#include "UnknownOperators.h"
#include "mfc/Import/Import.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mfc::onnxpb {
class ValueInfoProto;
}

namespace mfc::onnx {

/// What all graphs of one model share.
struct ModelState {
  std::string file;
  const ImportOptions &options;
  Builder &builder;
  llvm::StringMap<int64_t> opsets; ///< version by domain; the default domain is ""
  UnknownOperators unknown;

  DiagnosticEngine &diag() { return builder.diagnostics(); }
  Location at() const {
    Location loc;
    loc.file = file;
    return loc;
  }
};

class GraphImport {
public:
  /// `parent` is the graph around an If, null for the model's graph. `prefix` goes before node
  /// names in locations.
  GraphImport(ModelState &state, const onnxpb::GraphProto &proto, GraphImport *parent,
              std::string prefix);

  /// Converts everything that the outputs need. Problems are reported and leave outputs unbound.
  void run();
  /// Of the i-th output after run(): null if it could not be made (reported).
  Value *outputValue(int i);

  ModelState &state;
  const onnxpb::GraphProto &proto;

  /// Whether a node or an output of this graph reads the name.
  bool isRead(llvm::StringRef name) const { return read.contains(name); }
  /// Looks outwards; null if no graph defines the name.
  const Binding *lookup(llvm::StringRef name) const;
  /// Adds the unknown operators of a subgraph that is not converted.
  void listUnknown(const onnxpb::GraphProto &graph);
  std::string nodeName(const onnxpb::NodeProto &node) const;

private:
  GraphImport *parent;
  std::string prefix;
  llvm::StringMap<Binding> names;
  llvm::StringSet<> read;

  void bindInitializers();
  void bindInputs();
  void bindInput(const onnxpb::ValueInfoProto &info);
  void convert(const onnxpb::NodeProto &node);
  void remarkFolded(const NodeContext &context);
  void bindResults(const onnxpb::NodeProto &node, const NodeContext &context);
  std::optional<std::vector<std::optional<Binding>>> operandsOf(const onnxpb::NodeProto &node,
                                                                bool &poisoned);
  void bind(llvm::StringRef name, Binding binding) { names[name] = binding; }
};

} // namespace mfc::onnx
#endif
