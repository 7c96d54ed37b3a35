// The tables of the report page: layers with bars, inputs and outputs, decisions.
#include "HtmlParts.h"
#include "TextForms.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Support/HumanText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mfc;

namespace {

/// A column of figures: bars are in proportion to the largest one.
struct Column {
  const char *title, *hint;
  std::optional<double> (*of)(const LayerInfo &);
  double largest = 0, sum = 0;
};

std::optional<double> whole(uint64_t value) { return static_cast<double>(value); }

std::vector<Column> layerColumns(const ModelInfo &info) {
  std::vector<Column> all = {
      {"code", "bytes of the kernel's function; layers that share a kernel each have them",
       [](const LayerInfo &l) { return whole(l.codeBytes); }},
      {"constants", "bytes of weights, tables and constant pools",
       [](const LayerInfo &l) { return whole(l.constBytes); }},
      {"SRAM in use", "bytes alive in all arenas while the layer runs",
       [](const LayerInfo &l) { return whole(l.liveBytes); }},
      {"scratch", "bytes of working memory, part of SRAM in use",
       [](const LayerInfo &l) { return whole(l.scratchBytes); }},
      {"stack", "bytes of the kernel's frame and of what it calls",
       [](const LayerInfo &l) { return whole(l.stackBytes); }},
      {"MACs", "multiply-accumulates of one inference",
       [](const LayerInfo &l) { return whole(l.macs); }},
      {"modelled cycles", "from the cost table at zero wait states",
       [](const LayerInfo &l) { return l.modelledCycles; }},
      {"instructions", "executed in one inference",
       [](const LayerInfo &l) { return l.instructions ? whole(*l.instructions) : std::nullopt; }},
      {"spills", "stores and loads of spilled values in the code",
       [](const LayerInfo &l) { return whole(l.spills + l.reloads); }},
  };
  for (Column &column : all)
    for (const LayerInfo &layer : info.layers) {
      column.largest = std::max(column.largest, column.of(layer).value_or(0));
      column.sum += column.of(layer).value_or(0);
    }
  llvm::erase_if(all, [](const Column &c) { return c.largest == 0; }); // nothing to see
  return all;
}

std::string barCell(const Column &column, const LayerInfo &layer) {
  std::optional<double> figure = column.of(layer);
  if (!figure)
    return "<td class=\"n\" data-v=\"-1\">-</td>";
  std::string permille =
      llvm::utostr(static_cast<uint64_t>(std::llround(920 * *figure / column.largest)));
  while (permille.size() < 2)
    permille.insert(0, "0");
  permille.insert(permille.size() - 1, ".");
  return "<td class=\"n bar\" data-v=\"" +
         llvm::utostr(static_cast<uint64_t>(std::llround(*figure))) +
         "\"><i style=\"width:" + permille + "%\"></i><span>" + grouped(*figure) + "</span></td>";
}

std::string portRow(const PortInfo &port, const char *direction, const ModelInfo &info) {
  std::string place = port.caller ? "caller's buffer" : "arena";
  if (!port.caller && port.region < info.regions.size())
    place = htmlText(info.regions[port.region].name) + " + " +
            grouped(static_cast<double>(port.offset));
  std::string scales = "-";
  if (port.type.quant && !port.type.quant->scales.empty()) {
    const Quantization &quant = *port.type.quant;
    scales =
        quant.scales.size() == 1
            ? "scale " + floatText(quant.scales[0]) +
                  (quant.zeroPoints.empty() ? ""
                                            : ", zero point " + llvm::itostr(quant.zeroPoints[0]))
            : grouped(static_cast<double>(quant.scales.size())) + " scales along axis " +
                  llvm::itostr(quant.axis);
  }
  std::string shape;
  for (int64_t dim : port.type.shape)
    shape += (shape.empty() ? "" : "&#215;") + llvm::itostr(dim);
  return std::string("<tr><td>") + direction + "</td><td class=\"name\">" + htmlText(port.name) +
         "</td><td><code>" + htmlText(elementName(port.type.element)) + "</code></td><td>" + shape +
         "</td><td>" + htmlText(port.layout) + "</td><td class=\"n\">" +
         grouped(static_cast<double>(port.bytes)) + "</td><td>" + place + "</td><td>" + scales +
         "</td></tr>\n";
}

std::string decisionRow(const Remark &remark) {
  std::string kind = remarkKindName(remark.kind).str();
  std::string figures;
  for (const auto &[key, value] : remark.args)
    figures += (figures.empty() ? "" : ", ") + htmlText(key) + "&nbsp;" + htmlText(value);
  return "<tr><td class=\"kind " + kind + "\">" + kind + "</td><td>" + htmlText(remark.pass) +
         "</td><td>" + htmlText(remark.name) + "</td><td class=\"name\">" +
         htmlText(remark.subject) + "</td><td>" + htmlText(remark.message) +
         "</td><td class=\"soft\">" + figures + "</td></tr>\n";
}

} // namespace

std::string mfc::htmlLayers(const ModelInfo &info) {
  std::vector<Column> columns = layerColumns(info);
  std::string out = "<div class=\"scroll tall\"><table class=\"sort\" id=\"layers\"><thead><tr><th "
                    "class=\"n\">#</th>"
                    "<th>layer</th>";
  for (const Column &column : columns)
    out += std::string("<th class=\"n\" title=\"") + column.hint + "\">" + column.title + "</th>";
  out += "</tr></thead><tbody>\n";
  for (size_t i = 0; i < info.layers.size(); ++i) {
    const LayerInfo &layer = info.layers[i];
    out += "<tr><td class=\"n\" data-v=\"" + llvm::utostr(i + 1) + "\">" + llvm::utostr(i + 1) +
           "</td><td class=\"name\">" + htmlText(layer.name) + "<br><span class=\"soft\">" +
           htmlText(llvm::join(layer.ops, " + ")) + "</span></td>";
    for (const Column &column : columns)
      out += barCell(column, layer);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n<p class=\"soft\">A click on a heading sorts.</p>\n";
}

std::string mfc::htmlPorts(const ModelInfo &info) {
  std::string out =
      "<div class=\"scroll\"><table><thead><tr><th></th><th>name</th><th>type</th><th>shape</th>"
      "<th>layout</th><th "
      "class=\"n\">bytes</th><th>place</th><th>quantization</th></tr></thead><tbody>\n";
  for (const PortInfo &port : info.inputs)
    out += portRow(port, "input", info);
  for (const PortInfo &port : info.outputs)
    out += portRow(port, "output", info);
  out += "</tbody></table></div>\n<p class=\"soft\">Inputs are " +
         std::string(info.inputsOverwritten ? "overwritten" : "kept") +
         " by invoke. Symbols from outside: ";
  std::string symbols;
  for (const std::string &symbol : info.undefinedSymbols)
    symbols += (symbols.empty() ? "<code>" : ", <code>") + htmlText(symbol) + "</code>";
  return out + (symbols.empty() ? "none" : symbols) + ".</p>\n";
}

std::string mfc::htmlDecisions(const ModelInfo &info) {
  if (info.decisions.empty())
    return "<p class=\"soft\">None.</p>\n";
  std::string out =
      "<input type=\"search\" hidden data-table=\"decisions\" placeholder=\"show rows "
      "with&#8230;\" "
      "aria-label=\"show rows with these words\">\n"
      "<div class=\"scroll tall\"><table class=\"sort\" id=\"decisions\"><thead><tr><th>kind</th>"
      "<th>pass</th><th>rule</th><th>subject</th><th>decision</th><th>numbers</th></tr></"
      "thead><tbody>\n";
  for (const Remark &remark : info.decisions)
    out += decisionRow(remark);
  return out + "</tbody></table></div>\n";
}
