#include "Remarks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Regex.h"

using namespace mfc;

namespace {

struct KindInfo {
  const char *tag;    ///< in YAML
  const char *option; ///< that shows it
};

KindInfo kindInfo(RemarkKind kind) {
  switch (kind) {
  case RemarkKind::Passed:
    return {"Passed", "-Rpass"};
  case RemarkKind::Missed:
    return {"Missed", "-Rpass-missed"};
  case RemarkKind::Analysis:
    return {"Analysis", "-Rpass-analysis"};
  }
  return {"Analysis", "-Rpass-analysis"};
}

const std::string &filter(RemarkKind kind, const CompileOptions &options) {
  switch (kind) {
  case RemarkKind::Passed:
    return options.remarksPassed;
  case RemarkKind::Missed:
    return options.remarksMissed;
  case RemarkKind::Analysis:
    return options.remarksAnalysis;
  }
  return options.remarksAnalysis;
}

/// A double-quoted YAML scalar: escapes for everything that is not printable ASCII.
std::string yamlString(llvm::StringRef text) {
  std::string out = "\"";
  llvm::raw_string_ostream os(out);
  for (char c : text) {
    if (c == '"' || c == '\\')
      os << '\\' << c;
    else if (!llvm::isPrint(c))
      os << llvm::format("\\x%02x", static_cast<unsigned>(static_cast<uint8_t>(c)));
    else
      os << c;
  }
  return out + '"';
}

} // namespace

void mfc::reportRemarks(const RemarkList &remarks, const CompileOptions &options,
                        DiagnosticEngine &diag) {
  for (const Remark &remark : remarks) {
    const std::string &pattern = filter(remark.kind, options);
    if (pattern.empty() || !llvm::Regex(pattern).match(remark.pass))
      continue;
    KindInfo kind = kindInfo(remark.kind);
    Location location;
    location.file = options.model;
    DiagnosticBuilder note = diag.remark(location);
    note << remark.pass << ": ";
    if (!remark.subject.empty() && !llvm::StringRef(remark.message).starts_with(remark.subject))
      note << remark.subject << ": ";
    note << remark.message << " [" << kind.option << "=" << remark.pass << "]";
    note.field("remark", kind.tag).field("pass", remark.pass).field("name", remark.name);
    note.field("subject", remark.subject);
    for (const auto &[key, value] : remark.args)
      note.field(key, value);
  }
}

std::string mfc::remarksYaml(const RemarkList &remarks, llvm::StringRef model) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Remark &remark : remarks) {
    os << "--- !" << kindInfo(remark.kind).tag << "\n"
       << "Pass:            " << yamlString(remark.pass) << "\n"
       << "Name:            " << yamlString(remark.name) << "\n"
       << "Function:        " << yamlString(model) << "\n"
       << "Args:\n"
       << "  - Subject:         " << yamlString(remark.subject) << "\n"
       << "  - String:          " << yamlString(remark.message) << "\n";
    for (const auto &[key, value] : remark.args)
      os << "  - " << yamlString(key) << ": " << yamlString(value) << "\n";
    os << "...\n";
  }
  return text;
}
