// JSON and JUnit XML.
#include "SizeFormats.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mfc;

namespace {

class SizeJson {
public:
  SizeJson(const SizeReport &report, bool oneBuild, llvm::raw_ostream &os)
      : report(report), oneBuild(oneBuild), json(os, 2) {}
  void write();

private:
  const SizeReport &report;
  bool oneBuild;
  llvm::json::OStream json;

  void text(llvm::StringRef key, llvm::StringRef value) {
    json.attribute(key, llvm::json::fixUTF8(value));
  }
  void number(llvm::StringRef key, const std::optional<double> &value) {
    if (value)
      json.attribute(key, *value);
    else
      json.attribute(key, nullptr);
  }
  void figure(const Figure &figure) {
    if (!oneBuild)
      number("old", figure.before);
    number("new", figure.after);
    if (!oneBuild)
      number("difference", figure.known() ? std::optional(figure.growth()) : std::nullopt);
  }
  void build(llvm::StringRef key, const ReadReport &build);
  void layer(const LayerDiff &layer);
  llvm::StringRef status(LayerDiff::Status status) const;
};

void SizeJson::build(llvm::StringRef key, const ReadReport &build) {
  json.attributeObject(key, [&] {
    text("model", build.info.name);
    text("target", build.info.target.name);
    text("id", build.info.id);
    text("mfc_version", build.mfcVersion);
  });
}

llvm::StringRef SizeJson::status(LayerDiff::Status status) const {
  switch (status) {
  case LayerDiff::Status::Same:
    return "same";
  case LayerDiff::Status::Changed:
    return "changed";
  case LayerDiff::Status::Added:
    return "added";
  case LayerDiff::Status::Removed:
    return "removed";
  }
  return "same";
}

void SizeJson::layer(const LayerDiff &layer) {
  text("name", layer.name);
  if (!oneBuild)
    text("status", status(layer.status));
  for (size_t m = 0; m < allMetrics().size(); ++m)
    json.attributeObject(allMetrics()[m].name, [&] { figure(layer.figures[m]); });
}

void SizeJson::write() {
  json.object([&] {
    json.attribute("schema", 1);
    if (!oneBuild)
      build("old", report.diff.before);
    build("new", report.diff.after);
    json.attributeObject("totals", [&] {
      for (const TotalDiff &total : report.diff.totals)
        json.attributeObject(llvm::json::fixUTF8(total.name), [&] { figure(total.figure); });
    });
    json.attributeArray("layers", [&] {
      for (const LayerDiff &one : report.diff.layers)
        json.object([&] { layer(one); });
    });
    json.attributeArray("failures", [&] {
      for (const SizeFailure &failure : report.failures)
        json.object([&] {
          text("metric", failure.metric);
          if (failure.layer.empty())
            json.attribute("layer", nullptr);
          else
            text("layer", failure.layer);
          text("message", failure.message);
          json.attributeArray("notes", [&] {
            for (const std::string &note : failure.notes)
              json.value(llvm::json::fixUTF8(note));
          });
        });
    });
  });
}

/// Text and attribute values of XML 1.0. Control characters have no form in it at all; visible()
/// took them away.
std::string xmlText(llvm::StringRef text) {
  std::string out;
  llvm::raw_string_ostream os(out);
  llvm::printHTMLEscaped(visible(text), os);
  return out;
}

void printCase(const std::string &suite, const std::string &name,
               llvm::ArrayRef<const SizeFailure *> failures, llvm::StringRef output,
               llvm::raw_ostream &os) {
  os << "    <testcase classname=\"" << xmlText(suite) << "\" name=\"" << xmlText(name) << "\">\n";
  for (const SizeFailure *failure : failures) {
    os << "      <failure message=\"" << xmlText(failure->message) << "\">";
    for (const std::string &note : failure->notes)
      os << xmlText(note) << "\n";
    os << "</failure>\n";
  }
  if (!output.empty())
    os << "      <system-out>" << xmlText(output) << "</system-out>\n";
  os << "    </testcase>\n";
}

std::string figureText(const Figure &figure) {
  auto value = [](const std::optional<double> &v) { return v ? grouped(*v) : std::string("none"); };
  return value(figure.before) + " -> " + value(figure.after);
}

} // namespace

void mfc::printSizeJson(const SizeReport &report, bool oneBuild, llvm::raw_ostream &os) {
  SizeJson(report, oneBuild, os).write();
  os << "\n";
}

void mfc::printSizeJUnit(const SizeReport &report, llvm::raw_ostream &os) {
  const ModelInfo &info = report.diff.after.info;
  std::string suite = "mfc-size." + info.name + "." + info.target.name;
  size_t cases = report.diff.totals.size() + report.diff.layers.size(), failed = 0;
  auto matching = [&](llvm::StringRef metric, llvm::StringRef layer) {
    std::vector<const SizeFailure *> found;
    for (const SizeFailure &failure : report.failures)
      if (failure.layer == layer && (metric.empty() || failure.metric == metric))
        found.push_back(&failure);
    return found;
  };
  std::string body;
  llvm::raw_string_ostream out(body);
  for (const TotalDiff &total : report.diff.totals) {
    auto failures = matching(total.name, "");
    failed += !failures.empty();
    printCase(suite, "total " + total.name, failures, figureText(total.figure), out);
  }
  for (const LayerDiff &layer : report.diff.layers) {
    auto failures = layer.name.empty() ? decltype(matching("", "")){} : matching("", layer.name);
    failed += !failures.empty();
    printCase(suite, "layer " + layer.name, failures, "", out);
  }
  os << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\""
     << xmlText(suite) << "\" tests=\"" << cases << "\" failures=\"" << failed
     << "\" errors=\"0\">\n"
     << body << "  </testsuite>\n</testsuites>\n";
}
