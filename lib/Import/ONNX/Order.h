// The order in which nodes are converted: operands first, only what the outputs need.
#ifndef MFC_IMPORT_ONNX_ORDER_H
#define MFC_IMPORT_ONNX_ORDER_H

#include "mfc/Support/Diagnostic.h"

#include <functional>
#include <optional>
#include <vector>

namespace mfc::onnxpb {
class GraphProto;
class NodeProto;
} // namespace mfc::onnxpb

namespace mfc::onnx {

/// Names that the node reads, those that its subgraphs take from outside included; absent operands
/// left out.
std::vector<llvm::StringRef> namesRead(const onnxpb::NodeProto &node);

/// Node indices in a topological order that keeps the file's order where it can. Reports names that
/// are defined twice and cycles; `at` gives the location of a node.
std::optional<std::vector<int>> conversionOrder(const onnxpb::GraphProto &graph,
                                                DiagnosticEngine &diag,
                                                const std::function<Location(int)> &at);

} // namespace mfc::onnx
#endif
