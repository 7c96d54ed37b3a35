#include "UnknownOperators.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mfc;
using namespace mfc::onnx;

/// Node names shown in one message.
static constexpr size_t kShownNodes = 5;

void UnknownOperators::add(llvm::StringRef domain, llvm::StringRef op,
                           std::optional<int64_t> version, Location node, llvm::StringRef reason) {
  auto it = llvm::find_if(entries, [&](const Entry &e) {
    return e.domain == domain && e.op == op && e.version == version && e.reason == reason;
  });
  if (it == entries.end()) {
    entries.push_back({domain.str(), op.str(), reason.str(), version, std::move(node), {}});
    it = std::prev(entries.end());
    it->nodes.push_back(it->first.node);
    return;
  }
  it->nodes.push_back(node.node);
}

void UnknownOperators::report(DiagnosticEngine &diag) const {
  for (const Entry &e : entries) {
    std::string domain = e.domain.empty() ? "ai.onnx" : e.domain;
    std::string version = e.version ? std::to_string(*e.version) : "unknown";
    std::string names = llvm::join(llvm::ArrayRef(e.nodes).take_front(kShownNodes), ", ");
    if (e.nodes.size() > kShownNodes)
      names += ", ...";
    diag.error(ErrorClass::Unsupported, e.first)
            .field("kind", "unsupported-operator")
            .field("domain", domain)
            .field("operator", e.op)
            .field("version", version)
            .field("count", std::to_string(e.nodes.size()))
            .field("nodes", llvm::join(e.nodes, ","))
        << "operator '" << e.op << "' of domain '" << domain << "' version " << version << " "
        << e.reason << " (" << e.nodes.size() << (e.nodes.size() == 1 ? " node: " : " nodes: ")
        << names << ")";
  }
}
