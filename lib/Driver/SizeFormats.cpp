// Text and Markdown: the same two tables, totals and layers.
#include "SizeFormats.h"
#include "Table.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

namespace {

bool isMarkdown(SizeFormat format) { return format == SizeFormat::Markdown; }

void printTable(const Table &table, SizeFormat format, llvm::raw_ostream &os) {
  if (isMarkdown(format))
    table.printMarkdown(os);
  else
    table.printText(os);
  os << "\n";
}

std::string known(const std::optional<double> &value) { return value ? grouped(*value) : "-"; }

/// A layer's figure in a comparison: the new value and, if it moved, by how much.
std::string cell(const Figure &figure) {
  if (!figure.before || !figure.after)
    return figure.after ? grouped(*figure.after) + " new" : figure.before ? "gone" : "-";
  std::string text = grouped(*figure.after);
  return figure.growth() != 0 ? text + " " + signedGrouped(figure.growth()) : text;
}

/// Metrics that have a figure in some layer: cycles are left out while none are known. flash is
/// code and constants, which have columns of their own.
std::vector<const Metric *> layerColumns(llvm::ArrayRef<LayerDiff> layers) {
  std::vector<const Metric *> columns;
  for (size_t m = 0; m < allMetrics().size(); ++m) {
    auto has = [&](const LayerDiff &layer) {
      return layer.figures[m].before || layer.figures[m].after;
    };
    if (allMetrics()[m].name != llvm::StringRef("flash") && llvm::any_of(layers, has))
      columns.push_back(&allMetrics()[m]);
  }
  return columns;
}

const Figure &figureOf(const LayerDiff &layer, const Metric *metric) {
  return layer.figures[static_cast<size_t>(metric - allMetrics().data())];
}

Table layerTable(llvm::ArrayRef<LayerDiff> layers, bool all, bool oneBuild) {
  std::vector<const Metric *> columns = layerColumns(layers);
  std::vector<std::string> headings = {"layer"};
  for (const Metric *metric : columns)
    headings.push_back(metric->name == llvm::StringRef("sram") ? "SRAM in use" : metric->title);
  Table table(headings);
  for (const LayerDiff &layer : layers) {
    if (!all && layer.status == LayerDiff::Status::Same)
      continue;
    std::string mark = layer.status == LayerDiff::Status::Added     ? "+ "
                       : layer.status == LayerDiff::Status::Removed ? "- "
                                                                    : "";
    std::vector<std::string> cells = {(oneBuild ? "" : mark) + shortName(layer.name)};
    for (const Metric *metric : columns)
      cells.push_back(oneBuild ? known(figureOf(layer, metric).after)
                               : cell(figureOf(layer, metric)));
    table.add(std::move(cells));
  }
  return table;
}

std::string buildName(const ReadReport &build) {
  return visible(build.info.name) + " for " + visible(build.info.target.name) + ", id " +
         visible(build.info.id) + ", mfc " + visible(build.mfcVersion);
}

void printFailures(const SizeReport &report, SizeFormat format, llvm::raw_ostream &os) {
  for (const SizeFailure &failure : report.failures) {
    os << (isMarkdown(format) ? "- **over the threshold:** " + markdownText(failure.message)
                              : "over the threshold: " + failure.message)
       << "\n";
    for (const std::string &note : failure.notes)
      os << (isMarkdown(format) ? "  - " + markdownText(note) : "  " + note) << "\n";
  }
  if (!report.failures.empty())
    os << "\n";
}

Table totalsTable(const SizeReport &report) {
  Table table({"total", "old", "new", "difference"});
  for (const TotalDiff &total : report.diff.totals)
    table.add({total.title, known(total.figure.before), known(total.figure.after),
               total.figure.known() ? differenceText(total.figure) : "-"});
  return table;
}

void printLayers(const SizeReport &report, SizeFormat format, llvm::raw_ostream &os) {
  Table table = layerTable(report.diff.layers, report.allLayers, false);
  llvm::ArrayRef<LayerDiff> layers =
      llvm::ArrayRef(report.diff.layers).drop_back(); // the rest is no layer
  size_t changed = llvm::count_if(
      layers, [](const LayerDiff &l) { return l.status != LayerDiff::Status::Same; });
  std::string summary =
      std::to_string(changed) + " of " + std::to_string(layers.size()) + " layers changed";
  os << summary << (table.empty() ? "\n" : ":\n\n");
  if (!table.empty())
    printTable(table, format, os);
}

} // namespace

void mfc::printDiff(const SizeReport &report, SizeFormat format, llvm::raw_ostream &os) {
  switch (format) {
  case SizeFormat::Json:
    return printSizeJson(report, false, os);
  case SizeFormat::JUnit:
    return printSizeJUnit(report, os);
  case SizeFormat::Text:
    os << "old: " << buildName(report.diff.before) << "\nnew: " << buildName(report.diff.after)
       << "\n\n";
    break;
  case SizeFormat::Markdown:
    os << "### Size of " << markdownText(visible(report.diff.after.info.name))
       << "\n\n- old: " << markdownText(buildName(report.diff.before))
       << "\n- new: " << markdownText(buildName(report.diff.after)) << "\n\n";
    break;
  }
  printFailures(report, format, os);
  printTable(totalsTable(report), format, os);
  printLayers(report, format, os);
}

void mfc::printBuild(const ReadReport &build, SizeFormat format, llvm::raw_ostream &os) {
  SizeReport report;
  report.diff = compareReports(build, build);
  switch (format) {
  case SizeFormat::Json:
    return printSizeJson(report, true, os);
  case SizeFormat::JUnit:
    return printSizeJUnit(report, os);
  case SizeFormat::Text:
    os << buildName(build) << "\n\n";
    break;
  case SizeFormat::Markdown:
    os << "### Size of " << markdownText(visible(build.info.name)) << "\n\n"
       << markdownText(buildName(build)) << "\n\n";
    break;
  }
  Table totals({"total", "size"});
  for (const TotalDiff &total : report.diff.totals)
    totals.add({total.title, known(total.figure.after)});
  printTable(totals, format, os);
  printTable(layerTable(report.diff.layers, true, true), format, os);
}
