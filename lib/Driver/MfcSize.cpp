// The command line of mfc-size.
#include "mfc/Driver/MfcSize.h"

#include "SizeFormats.h"
#include "mfc/Driver/OptionParser.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/OutputFiles.h"
#include "mfc/Support/Version.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mfc;

namespace {

class SizeCommand {
public:
  SizeCommand(llvm::raw_ostream &out, llvm::raw_ostream &err) : out(out), err(err) {}
  int run(llvm::ArrayRef<std::string> arguments);

private:
  llvm::raw_ostream &out, &err;
  DiagnosticEngine diag;
  SizeFormat format = SizeFormat::Text;
  SizeGate gate;
  std::vector<std::string> files;
  std::string output, docs;
  bool json = false, allLayers = false, otherModel = false, help = false, version = false;

  void addOptions(OptionParser &parser);
  void execute();
  void one();
  void two();
  std::optional<ReadReport> read(const std::string &file);
  bool comparable(const ReadReport &before, const ReadReport &after);
  void reportFailures(llvm::ArrayRef<SizeFailure> failures);
  void write(const std::string &text);
  void fail(llvm::Error error) { reportError(diag, {}, std::move(error)); }
};

void SizeCommand::addOptions(OptionParser &parser) {
  const char *group = "Output";
  parser.add({"format", OptionForm::Value, "format",
              "text (default), json, markdown (for a merge-request comment) or junit (XML)", group,
              false, [&](llvm::StringRef value) -> llvm::Error {
                auto known = llvm::StringSwitch<std::optional<SizeFormat>>(value)
                                 .Case("text", SizeFormat::Text)
                                 .Case("json", SizeFormat::Json)
                                 .Case("markdown", SizeFormat::Markdown)
                                 .Case("junit", SizeFormat::JUnit)
                                 .Default(std::nullopt);
                if (!known)
                  return makeError(ErrorClass::Usage,
                                   "found '" + value + "', wanted text, json, markdown or junit");
                format = *known;
                return llvm::Error::success();
              }});
  parser.add({"o", OptionForm::Value, "file",
              "write there and not to the standard output; over a threshold too", group, true,
              [&](llvm::StringRef value) {
                output = value.str();
                return llvm::Error::success();
              }});
  parser.flag("all", allLayers, "list layers that did not change too", group);
  group = "Gates";
  auto thresholds = [&](const char *name, Thresholds &target, const char *text) {
    parser.add({name, OptionForm::Value, "limit", text, group, false,
                [&target](llvm::StringRef value) { return target.parse(value); }});
  };
  thresholds(
      "fail-above", gate.totals,
      "exit 4 if a total grew by more: 1%, 64, or by metric code=2%,sram=0,stack=64,cycles=1%");
  thresholds("fail-layer-above", gate.layers, "the same for every single layer");
  parser.flag("allow-other-model", otherModel, "compare builds of models with different names",
              group);
  group = "Information";
  parser.add({"diagnostics-format", OptionForm::Value, "format", "text (default) or json", group,
              false, [&](llvm::StringRef value) -> llvm::Error {
                if (value != "text" && value != "json")
                  return makeError(ErrorClass::Usage,
                                   "found '" + value + "', wanted one of text, json");
                json = value == "json";
                return llvm::Error::success();
              }});
  parser.flag("help", help, "print this list", group);
  parser.flag("version", version, "print the version", group);
  parser.text("dump-docs", docs, "page", "", group); // not listed: for maintainers
}

std::optional<ReadReport> SizeCommand::read(const std::string &file) {
  llvm::Expected<ReadReport> report = readReportFile(file);
  if (report)
    return std::move(*report);
  fail(report.takeError());
  return std::nullopt;
}

bool SizeCommand::comparable(const ReadReport &before, const ReadReport &after) {
  if (before.info.name != after.info.name && !otherModel) {
    diag.error(ErrorClass::Usage, {})
        << "the reports are of two models, '" << visible(before.info.name) << "' and '"
        << visible(after.info.name) << "'; --allow-other-model compares them all the same";
    return false;
  }
  if (before.info.target.name != after.info.target.name)
    diag.warning({}) << "the reports are for two targets, '" << visible(before.info.target.name)
                     << "' and '" << visible(after.info.target.name) << "'";
  return true;
}

void SizeCommand::reportFailures(llvm::ArrayRef<SizeFailure> failures) {
  Location location;
  location.file = files[1];
  for (const SizeFailure &failure : failures) {
    diag.error(ErrorClass::Budget, location)
            .field("metric", failure.metric)
            .field("layer", failure.layer)
        << failure.message;
    for (const std::string &note : failure.notes)
      diag.note(location) << note;
  }
}

void SizeCommand::write(const std::string &text) {
  if (output.empty()) {
    out << text;
    return;
  }
  OutputFiles set;
  for (const std::string &file : files)
    set.protect(file);
  set.add(output, text);
  if (llvm::Error error = set.commit())
    fail(std::move(error));
}

void SizeCommand::one() {
  if (gate.totals.any() || gate.layers.any()) {
    diag.error(ErrorClass::Usage, {})
        << "thresholds need two reports: mfc-size [options] old.json new.json";
    return;
  }
  std::optional<ReadReport> build = read(files[0]);
  if (!build)
    return;
  std::string text;
  llvm::raw_string_ostream os(text);
  printBuild(*build, format, os);
  write(text);
}

void SizeCommand::two() {
  std::optional<ReadReport> before = read(files[0]), after = read(files[1]);
  if (!before || !after || !comparable(*before, *after))
    return;
  SizeReport report;
  report.diff = compareReports(std::move(*before), std::move(*after));
  report.allLayers = allLayers;
  llvm::Expected<std::vector<SizeFailure>> failures = gate.check(report.diff);
  if (!failures)
    return fail(failures.takeError());
  report.failures = std::move(*failures);
  reportFailures(report.failures);
  if (format == SizeFormat::Text && output.empty())
    report.failures.clear(); // the standard error has them
  std::string text;
  llvm::raw_string_ostream os(text);
  printDiff(report, format, os);
  write(text);
}

void SizeCommand::execute() {
  if (files.size() == 1)
    one();
  else if (files.size() == 2)
    two();
  else
    diag.error(ErrorClass::Usage, {})
        << "found " << files.size()
        << " reports, wanted one or two: mfc-size [options] [old.json] new.json";
}

int SizeCommand::run(llvm::ArrayRef<std::string> arguments) {
  OptionParser parser(
      "mfc-size [options] [old.json] new.json",
      "Prints the sizes of a build from its X.json, or what changed from one build to another.");
  addOptions(parser);
  if (parser.parse(arguments, files, diag)) {
    if (help)
      parser.printHelp(out);
    else if (version)
      out << "mfc-size " << mfcVersion() << "\n";
    else if (docs == "cli")
      parser.printMarkdown(out);
    else
      execute();
  }
  if (json)
    diag.printJSON(err);
  else
    diag.printText(err);
  return diag.exitCode();
}

} // namespace

int mfc::runMfcSize(llvm::ArrayRef<std::string> arguments, llvm::raw_ostream &out,
                    llvm::raw_ostream &err) {
  return SizeCommand(out, err).run(arguments);
}
