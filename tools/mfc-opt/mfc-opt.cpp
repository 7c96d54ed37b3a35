// mfc-opt: text IR (or a model) in, passes, text IR out. See Options.cpp for the command line.
#include "Docs.h"
#include "Options.h"

#include "mfc/IR/Parser.h"
#include "mfc/IR/PlanPrinter.h"
#include "mfc/IR/Printer.h"
#include "mfc/Import/Import.h"
#include "mfc/Memory/ExecutionOrder.h"
#include "mfc/Memory/Planner.h"
#include "mfc/Memory/Verifier.h"
#include "mfc/Ops/Ops.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/OutputFiles.h"
#include "mfc/Support/Version.h"
#include "mfc/Transforms/FuseRegister.h"
#include "mfc/Transforms/Pipeline.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mfc;

static std::optional<std::vector<Graph>> readGraphs(const OptOptions &options, DiagnosticEngine &diag) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.input);
  if (!buffer) {
    Location loc;
    loc.file = options.input;
    diag.error(ErrorClass::Usage, loc) << "cannot read: " << buffer.getError().message();
    return std::nullopt;
  }
  llvm::StringRef name = options.input == "-" ? "<stdin>" : llvm::StringRef(options.input);
  llvm::MemoryBufferRef contents((*buffer)->getBuffer(), name);
  std::optional<ModelFormat> format = detectFormat(contents.getBuffer());
  if (!format || *format == ModelFormat::Text)
    return parseGraphs(contents.getBuffer(), name, diag);
  // importModel() names the graph after its file; standard input is read already and has no name.
  std::optional<Graph> graph = options.input != "-"            ? importModel(options.input, {}, diag)
                               : *format == ModelFormat::TFLite ? importTFLite(contents, {}, diag)
                                                                : importONNX(contents, {}, diag);
  if (!graph)
    return std::nullopt;
  if (graph->name.empty())
    graph->name = "model";
  std::vector<Graph> graphs;
  graphs.push_back(std::move(*graph));
  return graphs;
}

static bool buildPlan(Graph &graph, const OptOptions &options, PassContext &ctx, llvm::raw_ostream &os) {
  FuseOptions fuseOptions;
  fuseOptions.fuse = !options.fusionOff;
  fuseOptions.callerIO = options.callerIO;
  MemoryOptions memoryOptions;
  memoryOptions.preserveInputs = options.preserveInputs;
  Plan plan;
  if (!verifyGraph(graph, ctx.diag))
    return false;
  fuseRegister(graph, plan, ctx, fuseOptions);
  if (options.planMemory) {
    if (!options.fusionOff)
      orderGroups(graph, plan, memoryOptions, &ctx.remarks);
    planMemory(graph, plan, memoryOptions, &ctx.remarks);
    if (!verifyPlan(graph, plan, memoryOptions, ctx.diag))
      return false;
  }
  printPlan(graph, plan, os);
  return true;
}

static void printRemarks(llvm::ArrayRef<Remark> remarks, llvm::raw_ostream &os) {
  for (const Remark &remark : remarks)
    os << remark.pass << ": " << remark.subject << ": " << remark.message << " [" << remark.name << "]\n";
}

static bool process(Graph &graph, const OptOptions &options, PassManager &passes, PassContext &ctx,
                    llvm::raw_ostream &os) {
  PrintOptions printOptions;
  printOptions.elideConstants = options.elideConstants;
  passes.print = [&](const PassInfo &pass, const Graph &g) {
    llvm::errs() << "// after " << pass.name << '\n';
    print(g, llvm::errs(), printOptions);
  };
  // Passes may rely on a graph that verifies, whatever is checked between them.
  if (!options.verifyEach && !passes.list().empty() && !verifyGraph(graph, ctx.diag))
    return false;
  if (!passes.run(graph, ctx))
    return false;
  if (options.fuse)
    return buildPlan(graph, options, ctx, os);
  print(graph, os, printOptions);
  return true;
}

/// The passes by name; "default" stands for those that mfc runs.
static llvm::Error addPasses(PassManager &passes, const OptOptions &options) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(options.passes).split(names, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : names) {
    if (name == "default") {
      PassManager pipeline = buildPipeline({options.passOptions.quantizedIO});
      for (const PassInfo *pass : pipeline.list())
        passes.add(*pass);
    } else if (llvm::Error error = passes.addList(name)) {
      return error;
    }
  }
  return llvm::Error::success();
}

static bool runPasses(const OptOptions &options, DiagnosticEngine &diag, std::string &text) {
  PassManager passes;
  if (llvm::Error error = addPasses(passes, options)) {
    reportError(diag, {}, std::move(error));
    return false;
  }
  passes.verifyEach = options.verifyEach;
  passes.printAfter = options.printAfter;
  passes.printChangedOnly = options.printChanged;
  passes.stopAfter = options.stopAfter;
  std::optional<std::vector<Graph>> graphs = readGraphs(options, diag);
  if (!graphs)
    return false;
  llvm::raw_string_ostream os(text);
  bool good = true;
  for (Graph &graph : *graphs) {
    RemarkList remarks;
    PassContext ctx{diag, remarks, options.passOptions};
    good &= process(graph, options, passes, ctx, os);
    if (options.remarks)
      printRemarks(remarks, llvm::errs());
  }
  return good;
}

static bool runAction(const OptOptions &options, DiagnosticEngine &diag, std::string &text) {
  llvm::raw_string_ostream os(text);
  switch (options.action) {
  case OptOptions::Action::Run:
    return runPasses(options, diag, text);
  case OptOptions::Action::Help:
    os << kOptHelp;
    return true;
  case OptOptions::Action::Version:
    os << "mfc-opt " << mfcVersion() << '\n';
    return true;
  case OptOptions::Action::ListPasses:
    for (const PassInfo &pass : allPasses())
      os << pass.name << '\n';
    os << "fuse\nplan-memory\n";
    return true;
  case OptOptions::Action::DumpOps:
    dumpOperatorDocs(os);
    return true;
  case OptOptions::Action::DumpPasses:
    dumpPassDocs(os);
    return true;
  }
  return false;
}

int main(int argc, char **argv) {
  DiagnosticEngine diag;
  OptOptions options;
  std::string text;
  llvm::ArrayRef<const char *> arguments(argv, static_cast<size_t>(argc));
  if (parseOptions(arguments.drop_front(), options, diag) && runAction(options, diag, text)) {
    OutputFiles output;
    if (options.input != "-")
      output.protect(options.input);
    output.add(options.output, std::move(text));
    if (llvm::Error error = output.commit())
      reportError(diag, {}, std::move(error));
  }
  if (options.json)
    diag.printJSON(llvm::errs());
  else
    diag.printText(llvm::errs());
  return diag.exitCode();
}
