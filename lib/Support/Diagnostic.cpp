// Collecting and printing diagnostics; the format is described in the header.
#include "mfc/Support/Diagnostic.h"

#include "llvm/Support/JSON.h"
#include <algorithm>

using namespace mfc;

DiagnosticBuilder::~DiagnosticBuilder() {
  if (engine)
    engine->report(std::move(diagnostic));
}

DiagnosticBuilder DiagnosticEngine::error(ErrorClass errorClass, Location location) {
  return {*this, {Severity::Error, errorClass, std::move(location), {}, {}, {}}};
}

DiagnosticBuilder DiagnosticEngine::warning(Location location) {
  return {*this, {Severity::Warning, ErrorClass::BadModel, std::move(location), {}, {}, {}}};
}

DiagnosticBuilder DiagnosticEngine::note(Location location) {
  return {*this, {Severity::Note, ErrorClass::BadModel, std::move(location), {}, {}, {}}};
}

DiagnosticBuilder DiagnosticEngine::remark(Location location) {
  return {*this, {Severity::Remark, ErrorClass::BadModel, std::move(location), {}, {}, {}}};
}

void DiagnosticEngine::report(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error)
    ++errors;
  all.push_back(std::move(diagnostic));
}

int DiagnosticEngine::exitCode() const {
  int code = 0;
  for (const Diagnostic &d : all) {
    if (d.severity != Severity::Error)
      continue;
    int c = static_cast<int>(d.errorClass);
    if (d.errorClass == ErrorClass::Internal)
      return c;
    code = code == 0 ? c : std::min(code, c);
  }
  return code;
}

static const char *severityName(Severity severity) {
  switch (severity) {
  case Severity::Note:
    return "note";
  case Severity::Remark:
    return "remark";
  case Severity::Warning:
    return "warning";
  case Severity::Error:
    return "error";
  }
  return "error";
}

std::string mfc::formatDiagnostic(const Diagnostic &d) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const Location &l = d.location;
  os << (l.file.empty() ? "mfc" : l.file) << ':';
  if (l.line)
    os << l.line << ':' << l.column << ':';
  os << ' ' << severityName(d.severity) << ": ";
  if (l.nodeIndex >= 0)
    os << "node " << l.nodeIndex << (l.node.empty() ? ": " : " ");
  if (!l.node.empty())
    os << (l.nodeIndex >= 0 ? "" : "node ") << '\'' << l.node << "': ";
  if (!l.tensor.empty())
    os << "tensor '" << l.tensor << "': ";
  if (l.byteOffset >= 0)
    os << "at byte " << l.byteOffset << ": ";
  os << d.message;
  return text;
}

void DiagnosticEngine::printText(llvm::raw_ostream &os, bool) const {
  for (const Diagnostic &d : all) {
    os << formatDiagnostic(d) << '\n';
    if (d.sourceLine.empty())
      continue;
    os << d.sourceLine << '\n';
    os.indent(d.location.column ? d.location.column - 1 : 0) << "^\n";
  }
}

void DiagnosticEngine::printJSON(llvm::raw_ostream &os) const {
  llvm::json::OStream json(os, 2);
  json.array([&] {
    for (const Diagnostic &d : all)
      json.object([&] {
        auto text = [&](llvm::StringRef key, llvm::StringRef value) {
          if (!value.empty())
            json.attribute(key, llvm::json::fixUTF8(value));
        };
        const Location &l = d.location;
        text("severity", severityName(d.severity));
        if (d.severity == Severity::Error)
          json.attribute("exit_code", static_cast<int>(d.errorClass));
        text("file", l.file);
        if (l.nodeIndex >= 0)
          json.attribute("node_index", l.nodeIndex);
        text("node", l.node);
        text("tensor", l.tensor);
        if (l.byteOffset >= 0)
          json.attribute("byte_offset", l.byteOffset);
        if (l.line) {
          json.attribute("line", l.line);
          json.attribute("column", l.column);
        }
        text("message", d.message);
        for (const auto &[key, value] : d.fields)
          text(key, value);
      });
  });
  os << '\n';
}
