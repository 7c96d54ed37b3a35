// The mfc command: options, informational requests, the compile, the outputs, the exit code.
#include "mfc/Driver/Mfc.h"
#include "BudgetAdvice.h"
#include "CliPage.h"
#include "NewProject.h"
#include "Remarks.h"
#include "ListFusion.h"
#include "ScheduleSource.h"
#include "Statistics.h"
#include "mfc/Driver/Compile.h"
#include "mfc/Driver/OptionParser.h"
#include "mfc/Driver/Outputs.h"
#include "mfc/IR/Op.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/Version.h"
#include "mfc/Transforms/Pipeline.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"

using namespace mfc;

namespace {

/// Requests that need no model.
struct InfoRequests {
  bool help = false, version = false, listOps = false;
  std::string docs; ///< --dump-docs=cli
  std::string newProject; ///< --new-project
};

void addInfoOptions(OptionParser &parser, InfoRequests &requests, CompileOptions &options) {
  const char *group = "Information";
  parser.flag("help", requests.help, "print this list", group);
  parser.flag("version", requests.version, "print the version", group);
  parser.flag("list-ops", requests.listOps, "list the operators of the graph", group);
  parser.text("new-project", requests.newProject, "folder",
              "write a firmware project for a simulated board there; existing files are never replaced", "New project");
  parser.text("board", options.board, "name|file.json",
              "place tensors in the memories of this board, see docs/boards.md; with --new-project: the simulated board of "
              "the project, default mps3-an547 (Cortex-M55)",
              "Board");
  parser.text("dump-docs", requests.docs, "page", "", group); // not listed: for maintainers
}

void printVersion(llvm::raw_ostream &out) {
  out << "mfc " << mfcVersion() << " (LLVM " << LLVM_VERSION_STRING << ")\n";
}

void listOperators(llvm::raw_ostream &out) {
  for (const OpInfo &op : allOps())
    out << llvm::left_justify(op.name, 20) << op.summary << "\n";
}

class MfcRun {
public:
  MfcRun(llvm::raw_ostream &out, llvm::raw_ostream &err) : out(out), err(err) {}
  int run(llvm::ArrayRef<std::string> arguments);

private:
  llvm::raw_ostream &out, &err;
  CompileOptions options;
  ReportOptions report;
  InfoRequests requests;
  DiagnosticEngine diag;

  bool answered(const OptionParser &parser);
  void newProject();
  bool findModel(llvm::ArrayRef<std::string> positional);
  bool checkStopAfter();
  void dryRun(const OutputNames &names);
  std::optional<BudgetList> limits(const OutputNames &names);
  bool withinBudgets(const BudgetList &limits, CompiledModel &compiled);
  void compile(const OutputNames &names);
  void fail(llvm::Error error) { reportError(diag, {}, std::move(error)); }
  int finish();
};

/// True when a request was answered that makes a compile needless.
bool MfcRun::answered(const OptionParser &parser) {
  if (requests.help)
    parser.printHelp(out);
  else if (requests.docs == "cli")
    printCliPage(parser, out);
  else if (!requests.docs.empty())
    diag.error(ErrorClass::Usage, {}) << "unknown page '" << requests.docs << "', wanted cli";
  else if (requests.version)
    printVersion(out);
  else if (!requests.newProject.empty())
    newProject();
  else if (options.target.mcpu == "help" || options.target.march == "help")
    listCpus(out);
  else if (requests.listOps)
    listOperators(out);
  else
    return false;
  return true;
}

void MfcRun::newProject() {
  llvm::Expected<std::vector<std::string>> files = writeNewProject(requests.newProject, options.board.empty() ? "mps3-an547" : options.board);
  if (!files)
    return fail(files.takeError());
  out << requests.newProject << ": wrote " << llvm::join(*files, " ") << "; README.md has the next steps\n";
}

bool MfcRun::findModel(llvm::ArrayRef<std::string> positional) {
  if (positional.size() == 1) {
    options.model = positional.front();
    return true;
  }
  DiagnosticBuilder error = diag.error(ErrorClass::Usage, {});
  if (positional.empty())
    return error << "no model given, usage: mfc [options] model";
  return error << "found " << positional.size() << " models (" << llvm::join(positional, ", ")
               << "), wanted one";
}

/// Names of passes on the command line must be known: a misspelt one would silently do nothing.
bool MfcRun::checkStopAfter() {
  bool ok = true;
  std::vector<std::string> names = options.printAfter;
  if (!options.stopAfter.empty())
    names.push_back(options.stopAfter);
  for (const std::string &name : names) {
    if (name == "all" || findPass(name))
      continue;
    std::string known;
    for (const PassInfo &pass : allPasses())
      known += (known.empty() ? "" : ", ") + pass.name.str();
    diag.error(ErrorClass::Usage, {}) << "unknown pass '" << name << "', wanted one of " << known;
    ok = false;
  }
  return ok;
}

void MfcRun::dryRun(const OutputNames &names) {
  llvm::Expected<TargetInfo> target = resolveTarget(options.target);
  if (!target)
    return fail(target.takeError());
  PipelineOptions pipeline;
  pipeline.quantizedIO = options.quantizedIO;
  pipeline.optimize = options.level != OptLevel::O0;
  err << "model: " << options.model << " as " << names.model << "\n"
      << "target: " << targetRow(*target) << "\n"
      << "level: -O" << spelling(options.level) << "\n"
      << "passes:";
  PassManager passes = buildPipeline(pipeline);
  for (const PassInfo *pass : passes.list()) {
    err << ' ' << pass->name;
    if (pass->name == options.stopAfter)
      break;
  }
  err << "\nschedules: " << scheduleSourceText(options) << "\noutputs:";
  for (const std::string &file : names.files())
    err << ' ' << file;
  err << "\n";
}

/// --budget and --budget-file as one list. Before the compile: a misspelt limit should not cost its time.
std::optional<BudgetList> MfcRun::limits(const OutputNames &names) {
  BudgetList list;
  if (!options.budgetFile.empty()) {
    llvm::Expected<BudgetList> file = readBudgetFile(options.budgetFile, names.model);
    if (!file) {
      fail(file.takeError());
      return std::nullopt;
    }
    list = std::move(*file);
  }
  bool measured = options.stopAfter.empty() &&
                  (options.emit == OutputKind::Library || options.emit == OutputKind::Object);
  bool asked = !options.budgetFile.empty() || !options.budgets.empty() || !options.jsonReport.empty() ||
               !options.htmlReport.empty();
  if (asked && !measured) {
    diag.error(ErrorClass::Usage, {})
        << "budgets and reports need the compiled code, they go with --emit=lib and --emit=obj only";
    return std::nullopt;
  }
  return mergeBudgets(std::move(list), options.budgets);
}

bool MfcRun::withinBudgets(const BudgetList &limits, CompiledModel &compiled) {
  if (llvm::Error error = applyBudgets(limits, compiled.info)) {
    fail(std::move(error));
    return false;
  }
  return checkBudgets(compiled.info, options.model, diag);
}

void MfcRun::compile(const OutputNames &names) {
  std::optional<BudgetList> limits = this->limits(names);
  if (!limits)
    return;
  options.budgets = *limits; // the choice of groups looks at them too
  std::optional<CompiledModel> compiled = compileModel(options, diag, err);
  if (!compiled)
    return;
  reportRemarks(compiled->info.decisions, options, diag);
  if (!withinBudgets(*limits, *compiled)) {
    if (diag.exitCode() != static_cast<int>(ErrorClass::Budget))
      return;
    adviseOnBudgets(options, *limits, compiled->info, diag);
    if (llvm::Error error = collectReports(options, names, *compiled).commit())
      fail(std::move(error));
    return;
  }
  llvm::Expected<OutputFiles> outputs = collectOutputs(options, names, *compiled);
  if (!outputs)
    return fail(outputs.takeError());
  std::vector<std::string> written = outputs->paths();
  if (llvm::Error error = outputs->commit())
    return fail(std::move(error));
  if (options.verbose) {
    printSummary(*compiled, err);
    err << names.model << ": wrote " << llvm::join(written, " ") << "\n";
  }
  if (options.listFusion)
    listFusion(*compiled, out);
  if (options.stats)
    printStatistics(*compiled, err);
  if (options.timePasses)
    printTimes(*compiled, err);
}

int MfcRun::finish() {
  if (report.json)
    diag.printJSON(err);
  else
    diag.printText(err);
  err.flush();
  out.flush();
  return diag.exitCode();
}

int MfcRun::run(llvm::ArrayRef<std::string> arguments) {
  OptionParser parser(
      "mfc [options] model",
      "Compiles a neural network (ONNX, TFLite, or mfc's text) to a library for microcontrollers.");
  addCodeOptions(parser, options);
  addOutputOptions(parser, options);
  addBudgetOptions(parser, options);
  addDiagnosticOptions(parser, options, report);
  addInfoOptions(parser, requests, options);
  std::vector<std::string> positional;
  if (!parser.parse(arguments, positional, diag))
    return finish();
  if (answered(parser))
    return finish();
  bool known = checkStopAfter();
  if (!findModel(positional) || !known)
    return finish();
  if (options.verbose)
    printVersion(err);
  llvm::Expected<OutputNames> names = outputNames(options);
  if (!names) {
    fail(names.takeError());
    return finish();
  }
  if (options.dryRun)
    dryRun(*names);
  else if (llvm::Error error = checkOutputs(options, *names))
    fail(std::move(error));
  else
    compile(*names);
  return finish();
}

} // namespace

int mfc::runMfc(llvm::ArrayRef<std::string> arguments, llvm::raw_ostream &out,
                llvm::raw_ostream &err) {
  return MfcRun(out, err).run(arguments);
}
