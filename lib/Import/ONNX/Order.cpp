// Dependences by tensor name. ONNX demands topological order in the file; any order is accepted
// here, since exporters get it wrong, but a cycle is a cycle.
#include "Order.h"

#include "onnx_subset.pb.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <queue>

using namespace mfc;
using namespace mfc::onnx;

static void collectFree(const onnxpb::GraphProto &graph, std::vector<llvm::StringRef> &names) {
  llvm::StringSet<> inner;
  for (const auto &tensor : graph.initializer())
    inner.insert(tensor.name());
  for (const auto &input : graph.input())
    inner.insert(input.name());
  for (const auto &node : graph.node())
    for (const std::string &output : node.output())
      inner.insert(output);
  auto add = [&](llvm::StringRef name) {
    if (!inner.contains(name))
      names.push_back(name);
  };
  for (const auto &node : graph.node())
    for (llvm::StringRef name : namesRead(node))
      add(name);
  for (const auto &output : graph.output())
    add(output.name());
}

std::vector<llvm::StringRef> onnx::namesRead(const onnxpb::NodeProto &node) {
  std::vector<llvm::StringRef> names;
  for (const std::string &input : node.input())
    if (!input.empty())
      names.push_back(input);
  for (const auto &attribute : node.attribute())
    if (attribute.has_g())
      collectFree(attribute.g(), names);
  return names;
}

namespace {
struct Dependences {
  llvm::StringMap<int> definer;        ///< node index; -1 for inputs and initializers
  std::vector<std::vector<int>> needs; ///< nodes whose results a node reads, each once
  std::vector<std::vector<int>> users;
};
} // namespace

/// Every name has one definition; an initializer may give the value of an input.
static bool collectDefiners(const onnxpb::GraphProto &graph, DiagnosticEngine &diag,
                            const std::function<Location(int)> &at, llvm::StringMap<int> &definer) {
  bool good = true;
  auto twice = [&](int node, llvm::StringRef name, llvm::StringRef what) {
    Location loc = at(node);
    loc.tensor = name.str();
    diag.error(ErrorClass::BadModel, loc)
        << what << " is defined twice, wanted one definition for each name";
    good = false;
  };
  llvm::StringSet<> inputs;
  for (const auto &input : graph.input()) {
    if (!inputs.insert(input.name()).second)
      twice(-1, input.name(), "graph input");
    definer[input.name()] = -1;
  }
  llvm::StringSet<> initializers;
  for (const auto &tensor : graph.initializer()) {
    if (!initializers.insert(tensor.name()).second)
      twice(-1, tensor.name(), "initializer");
    definer[tensor.name()] = -1;
  }
  for (int i = 0; i < graph.node_size(); ++i)
    for (const std::string &output : graph.node(i).output())
      if (!output.empty() && !definer.try_emplace(output, i).second)
        twice(i, output, "result");
  return good;
}

static Dependences collectDependences(const onnxpb::GraphProto &graph,
                                      llvm::StringMap<int> definer) {
  Dependences d;
  d.definer = std::move(definer);
  d.needs.resize(static_cast<size_t>(graph.node_size()));
  d.users.resize(d.needs.size());
  for (int i = 0; i < graph.node_size(); ++i) {
    std::vector<int> &needs = d.needs[static_cast<size_t>(i)];
    for (llvm::StringRef name : namesRead(graph.node(i))) {
      auto it = d.definer.find(name);
      if (it != d.definer.end() && it->second >= 0)
        needs.push_back(it->second);
    }
    llvm::sort(needs);
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    for (int need : needs)
      d.users[static_cast<size_t>(need)].push_back(i);
  }
  return d;
}

/// `left` counts the unmet needs; those of nodes on or behind a cycle stay above zero.
static void reportCycle(const onnxpb::GraphProto &graph, const Dependences &d,
                        const std::vector<int> &left, DiagnosticEngine &diag,
                        const std::function<Location(int)> &at) {
  // Walking back along unmet needs must come round: every such node has one.
  std::vector<int> path;
  std::vector<bool> visited(left.size());
  int node = static_cast<int>(llvm::find_if(left, [](int n) { return n != 0; }) - left.begin());
  while (!visited[static_cast<size_t>(node)]) {
    visited[static_cast<size_t>(node)] = true;
    path.push_back(node);
    node = *llvm::find_if(d.needs[static_cast<size_t>(node)],
                          [&](int n) { return left[static_cast<size_t>(n)] != 0; });
  }
  path.erase(path.begin(), llvm::find(path, node));
  std::string names;
  constexpr size_t shown = 8;
  for (size_t i = path.size(); i-- > 0 && path.size() - i <= shown;) {
    const auto &member = graph.node(path[i]);
    names += "'" + (member.name().empty() ? member.op_type() : member.name()) + "' -> ";
  }
  const auto &last = graph.node(path.back());
  names += "'" + (last.name().empty() ? last.op_type() : last.name()) + "'";
  diag.error(ErrorClass::BadModel, at(path.back()))
      << "the graph has a cycle of " << path.size() << " nodes: " << names;
}

/// Nodes that the outputs depend on.
static std::vector<bool> collectLive(const onnxpb::GraphProto &graph, const Dependences &d) {
  std::vector<bool> live(d.needs.size());
  std::vector<int> work;
  auto visit = [&](int node) {
    if (node >= 0 && !live[static_cast<size_t>(node)]) {
      live[static_cast<size_t>(node)] = true;
      work.push_back(node);
    }
  };
  for (const auto &output : graph.output())
    if (auto it = d.definer.find(output.name()); it != d.definer.end())
      visit(it->second);
  while (!work.empty()) {
    int node = work.back();
    work.pop_back();
    for (int need : d.needs[static_cast<size_t>(node)])
      visit(need);
  }
  return live;
}

std::optional<std::vector<int>> onnx::conversionOrder(const onnxpb::GraphProto &graph,
                                                      DiagnosticEngine &diag,
                                                      const std::function<Location(int)> &at) {
  llvm::StringMap<int> definer;
  if (!collectDefiners(graph, diag, at, definer))
    return std::nullopt;
  Dependences d = collectDependences(graph, std::move(definer));
  std::vector<int> left(d.needs.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (size_t i = 0; i < left.size(); ++i) {
    left[i] = static_cast<int>(d.needs[i].size());
    if (left[i] == 0)
      ready.push(static_cast<int>(i));
  }
  std::vector<bool> live = collectLive(graph, d);
  std::vector<int> order;
  size_t done = 0;
  while (!ready.empty()) {
    int node = ready.top();
    ready.pop();
    ++done;
    if (live[static_cast<size_t>(node)])
      order.push_back(node);
    for (int user : d.users[static_cast<size_t>(node)])
      if (--left[static_cast<size_t>(user)] == 0)
        ready.push(user);
  }
  if (done == left.size())
    return order;
  reportCycle(graph, d, left, diag, at);
  return std::nullopt;
}
