// Groups in execution order, one below the other. What a layer stores for the next one is an arrow
// down; tensors that are read later go through lanes on the right.
#include "HtmlParts.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Support/HumanText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>
#include <map>

using namespace mfc;

namespace {

constexpr unsigned kLeft = 60, kBox = 760, kRow = 62, kBoxHeight = 40, kTop = 12, kLane = 14;

/// A box: an input, a layer or an output.
struct Node {
  std::string title, detail; ///< markup
  std::string tip;
  bool port = false;
  int group = -1;
};

struct Edge {
  unsigned from, to;
  std::string tip;
  int lane = -1; ///< -1: straight down
};

class GroupGraph {
public:
  explicit GroupGraph(const ModelInfo &info) : info(info) {}
  std::string draw();

private:
  const ModelInfo &info;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::map<unsigned, unsigned> makerOf; ///< tensor -> node
  int lanes = 0;
  std::string out;

  void collect();
  void connect(unsigned tensor, unsigned to);
  void chooseLanes();
  void drawNode(unsigned i);
  void drawEdge(const Edge &edge);
  void drawFrames();
  std::string tensorText(unsigned tensor) const;
  static unsigned top(unsigned row) { return kTop + row * kRow; }
};

std::string GroupGraph::tensorText(unsigned tensor) const {
  const TensorInfo &t = info.tensors[tensor];
  return htmlShort(llvm::StringRef(t.type).split(' ').first, 40) + ", " +
         byteText(static_cast<double>(t.bytes)) + ", " + placementName(t.placement).str();
}

void GroupGraph::connect(unsigned tensor, unsigned to) {
  auto it = makerOf.find(tensor);
  if (it != makerOf.end())
    edges.push_back(
        {it->second, to, htmlText(info.tensors[tensor].name) + ": " + tensorText(tensor), -1});
}

/// Inputs stand first in the list of tensors.
void GroupGraph::collect() {
  for (unsigned i = 0; i < info.inputs.size(); ++i) {
    makerOf[i] = static_cast<unsigned>(nodes.size());
    nodes.push_back({"input " + htmlShort(info.inputs[i].name, 70),
                     i < info.tensors.size() ? tensorText(i) : "", htmlText(info.inputs[i].name),
                     true, -1});
  }
  for (const LayerInfo &layer : info.layers) {
    auto node = static_cast<unsigned>(nodes.size());
    std::string detail = htmlShort(llvm::join(layer.ops, " + "), 60);
    if (layer.output)
      detail += " &#8594; " + tensorText(*layer.output);
    nodes.push_back({htmlShort(layer.name, 80), detail,
                     htmlText(layer.name) + ", " + htmlText(layer.kernel), false,
                     static_cast<int>(layer.group)});
    for (unsigned tensor : layer.inputs)
      connect(tensor, node);
    if (layer.output)
      makerOf[*layer.output] = node;
  }
  for (const PortInfo &port : info.outputs) {
    auto node = static_cast<unsigned>(nodes.size());
    nodes.push_back({"output " + htmlShort(port.name, 70),
                     byteText(static_cast<double>(port.bytes)), htmlText(port.name), true, -1});
    if (std::optional<unsigned> tensor = port.tensor)
      connect(*tensor, node);
  }
}

/// The leftmost lane that is free between the two rows.
void GroupGraph::chooseLanes() {
  std::vector<unsigned> freeFrom; // by lane: the row from which on it is free
  for (unsigned row = 0; row < nodes.size(); ++row)
    for (Edge &edge : edges) {
      if (edge.from != row || edge.to <= edge.from + 1)
        continue;
      size_t lane = 0;
      while (lane < freeFrom.size() && freeFrom[lane] > edge.from)
        ++lane;
      if (lane == freeFrom.size())
        freeFrom.push_back(0);
      freeFrom[lane] = edge.to;
      edge.lane = static_cast<int>(lane);
    }
  lanes = static_cast<int>(freeFrom.size());
}

void GroupGraph::drawNode(unsigned i) {
  const Node &node = nodes[i];
  std::string y = llvm::utostr(top(i)), x = llvm::utostr(kLeft + 12);
  out += "<g><title>" + node.tip + "</title><rect class=\"" + (node.port ? "port" : "box") +
         "\" rx=\"" + (node.port ? "18" : "4") + "\" x=\"" + llvm::utostr(kLeft) + "\" y=\"" + y +
         "\" width=\"" + llvm::utostr(kBox) + "\" height=\"" + llvm::utostr(kBoxHeight) +
         "\"/><text x=\"" + x + "\" y=\"" + llvm::utostr(top(i) + 17) + "\" font-weight=\"600\">" +
         node.title + "</text><text class=\"soft\" x=\"" + x + "\" y=\"" +
         llvm::utostr(top(i) + 32) + "\">" + node.detail + "</text>";
  if (node.group >= 0)
    out += "<text class=\"soft\" text-anchor=\"end\" x=\"" + llvm::utostr(kLeft - 12) + "\" y=\"" +
           llvm::utostr(top(i) + 24) + "\">" + llvm::itostr(node.group) + "</text>";
  out += "</g>\n";
}

void GroupGraph::drawEdge(const Edge &edge) {
  unsigned from = top(edge.from) + kBoxHeight, to = top(edge.to);
  std::string path, head;
  if (edge.lane < 0) {
    std::string x = llvm::utostr(kLeft + 30);
    path = "M" + x + " " + llvm::utostr(from) + " V" + llvm::utostr(to - 6);
    head = "M" + llvm::utostr(kLeft + 26) + " " + llvm::utostr(to - 7) + " h8 l-4 7 z";
  } else {
    unsigned side = kLeft + kBox, x = side + 18 + static_cast<unsigned>(edge.lane) * kLane;
    unsigned start = from - 10, end = to + 10;
    path = "M" + llvm::utostr(side) + " " + llvm::utostr(start) + " H" + llvm::utostr(x - 5) +
           " q5 0 5 5 V" + llvm::utostr(end - 5) + " q0 5 -5 5 H" + llvm::utostr(side + 6);
    head = "M" + llvm::utostr(side + 7) + " " + llvm::utostr(end - 4) + " v8 l-7 -4 z";
  }
  out += "<g><title>" + edge.tip + "</title><path class=\"edge\" d=\"" + path +
         "\"/><path class=\"arrow\" d=\"" + head + "\"/></g>\n";
}

/// A frame around layers that share a loop.
void GroupGraph::drawFrames() {
  for (unsigned first = 0; first < nodes.size();) {
    unsigned last = first;
    while (last + 1 < nodes.size() && nodes[first].group >= 0 &&
           nodes[last + 1].group == nodes[first].group)
      ++last;
    if (last > first)
      out += "<rect class=\"group\" rx=\"8\" x=\"" + llvm::utostr(kLeft - 6) + "\" y=\"" +
             llvm::utostr(top(first) - 6) + "\" width=\"" + llvm::utostr(kBox + 12) +
             "\" height=\"" + llvm::utostr((last - first) * kRow + kBoxHeight + 12) + "\"/>\n";
    first = last + 1;
  }
}

std::string GroupGraph::draw() {
  collect();
  chooseLanes();
  unsigned width = kLeft + kBox + 30 + static_cast<unsigned>(lanes) * kLane;
  out += "<div class=\"scroll tall\"><svg role=\"img\" aria-label=\"groups\" width=\"" +
         llvm::utostr(width) + "\" height=\"" +
         llvm::utostr(kTop + static_cast<unsigned>(nodes.size()) * kRow) + "\">\n";
  drawFrames();
  for (const Edge &edge : edges)
    drawEdge(edge);
  for (unsigned i = 0; i < nodes.size(); ++i)
    drawNode(i);
  return out + "</svg></div>\n";
}

} // namespace

std::string mfc::htmlGraph(const ModelInfo &info) {
  return "<p class=\"soft\">In execution order, the number of the group on the left. Operators in "
         "one box share a kernel "
         "and hand their results over in registers; boxes in a dashed frame share a loop.</p>\n" +
         GroupGraph(info).draw();
}
