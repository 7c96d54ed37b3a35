// mfc-run: model and inputs to outputs, by the reference interpreter.
#include "Options.h"

#include "mfc/Interp/Interpreter.h"
#include "mfc/Interp/TensorFile.h"
#include "mfc/Ops/Ops.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/OutputFiles.h"
#include "mfc/Support/Version.h"
#include "mfc/Transforms/Pipeline.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mfc;

/// The model as the compiler would see it: imported, verified and, unless told otherwise, transformed.
static std::optional<Graph> loadGraph(const RunOptions &options, DiagnosticEngine &diag) {
  std::optional<Graph> graph = importModel(options.model, options.import, diag);
  if (!graph || !verifyGraph(*graph, diag))
    return std::nullopt;
  if (!options.transform)
    return graph;
  RemarkList remarks;
  PassContext context{diag, remarks};
  context.options.quantizedIO = options.quantizedIO;
  if (!runPipeline(*graph, context) || !verifyGraph(*graph, diag))
    return std::nullopt;
  return graph;
}

static bool readInputs(const Graph &graph, const RunOptions &options, DiagnosticEngine &diag,
                       std::vector<Tensor> &inputs) {
  Location at;
  at.file = options.model;
  if (options.inputs.size() != graph.inputs().size())
    return diag.error(ErrorClass::Usage, at) << "model has " << graph.inputs().size() << " inputs but "
                                             << options.inputs.size() << " --input options are given";
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    llvm::Expected<Tensor> tensor = readTensorFile(options.inputs[i], graph.inputs()[i]->type);
    at.tensor = graph.inputs()[i]->name;
    if (tensor)
      inputs.push_back(std::move(*tensor));
    else
      reportError(diag, at, tensor.takeError());
  }
  return !diag.hasErrors();
}

/// FNV-1a, 64 bits: easy to compute anywhere, so that layers can be compared with other runtimes.
static uint64_t fnv1a(llvm::ArrayRef<uint8_t> bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (uint8_t b : bytes)
    hash = (hash ^ b) * 0x100000001b3;
  return hash;
}

static std::string inFolder(llvm::StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

static llvm::Error prepareFolder(const std::string &folder) {
  if (std::error_code error = llvm::sys::fs::create_directory(folder))
    return makeError(ErrorClass::Usage, "cannot create the output folder '" + folder +
                                            "': " + llvm::StringRef(error.message()).lower());
  return llvm::Error::success();
}

static llvm::Error runAndWrite(const Graph &graph, const RunOptions &options, llvm::ArrayRef<Tensor> inputs) {
  OutputFiles files;
  files.protect(options.model);
  for (const std::string &input : options.inputs)
    files.protect(input);
  auto addTensor = [&](const llvm::Twine &stem, const Tensor &tensor) {
    files.add(inFolder(options.outputDir, stem + (options.writeNpy ? ".npy" : ".bin")),
              options.writeNpy ? npyText(tensor) : rawText(tensor));
  };
  std::string list;
  InterpOptions interp;
  interp.observer = [&, index = 0](const Operation &op, const Tensor &tensor) mutable {
    if (options.dumpContents)
      addTensor("tensor" + llvm::Twine(index), tensor);
    llvm::raw_string_ostream(list) << index++ << ' ' << op.info().name << ' ' << tensor.bytes.size() << ' '
                                   << llvm::format_hex_no_prefix(fnv1a(tensor.bytes), 16) << ' '
                                   << typeText(tensor.type) << " '" << op.result()->name << "'\n";
  };
  llvm::Expected<std::vector<Tensor>> outputs = interpret(graph, inputs, interp);
  if (!outputs)
    return outputs.takeError();
  if (options.dumpTensors || options.dumpContents)
    files.add(inFolder(options.outputDir, "tensors.txt"), list);
  for (size_t i = 0; i < outputs->size(); ++i)
    addTensor("out" + llvm::Twine(i), (*outputs)[i]);
  if (llvm::Error error = prepareFolder(options.outputDir))
    return error;
  return files.commit();
}

static void run(const RunOptions &options, DiagnosticEngine &diag) {
  std::optional<Graph> graph = loadGraph(options, diag);
  std::vector<Tensor> inputs;
  if (!graph || !readInputs(*graph, options, diag, inputs))
    return;
  if (llvm::Error error = runAndWrite(*graph, options, inputs))
    reportError(diag, {}, std::move(error));
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DiagnosticEngine diag;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  llvm::Expected<RunOptions> options = parseRunOptions(arguments);
  if (!options) {
    Location tool;
    tool.file = "mfc-run";
    reportError(diag, tool, options.takeError());
    diag.printText(llvm::errs());
    return diag.exitCode();
  }
  if (options->help || options->version) {
    llvm::outs() << (options->help ? runHelp().str() : "mfc-run " + mfcVersion().str() + "\n");
    return 0;
  }
  run(*options, diag);
  if (options->json)
    diag.printJSON(llvm::errs());
  else
    diag.printText(llvm::errs());
  return diag.exitCode();
}
