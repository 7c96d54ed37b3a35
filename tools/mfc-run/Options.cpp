// Option parsing of mfc-run: "--name value" and "--name=value", each option once except --input and --input-shape.
#include "Options.h"

#include "mfc/Support/ClassifiedError.h"

using namespace mfc;

llvm::StringRef mfc::runHelp() {
  return "usage: mfc-run [options] model --input in0 [--input in1 ...] --output-dir dir\n"
         "\n"
         "Runs a model (ONNX, TFLite or textual graph) in the reference interpreter and writes dir/out0.bin,\n"
         "out1.bin, ... in graph order.\n"
         "\n"
         "  --input file              contents of the next graph input: raw little-endian bytes, or .npy\n"
         "  --output-dir dir          where outputs go; created if its parent exists\n"
         "  --input-shape name=AxBxC  shape of an input with dynamic dimensions\n"
         "  --io=model|quantized      model: inputs and outputs as in the model (default); quantized: stored\n"
         "                            integers where the model begins with quantize and ends with dequantize\n"
         "  --as-imported             skip the graph transforms: run what the importer produced\n"
         "  --npy                     write .npy instead of raw bytes\n"
         "  --dump-tensors            also write dir/tensors.txt: operation, result, bytes and FNV-1a hash\n"
         "  --dump-contents           the same, and every result in dir/tensor0.bin, tensor1.bin, ...\n"
         "  --diagnostics-format=text|json\n"
         "  --help, --version\n";
}

static llvm::Error usage(const llvm::Twine &message) { return makeError(ErrorClass::Usage, message); }

static llvm::Error addInputShape(RunOptions &options, llvm::StringRef text) {
  auto [name, dims] = text.rsplit('='); // names may hold '='
  Shape shape;
  llvm::SmallVector<llvm::StringRef> parts;
  dims.split(parts, 'x');
  for (llvm::StringRef part : parts) {
    int64_t d;
    if (part.getAsInteger(10, d) || d <= 0)
      return usage("--input-shape is '" + text + "', wanted name=1x49x10x1");
    shape.push_back(d);
  }
  if (name.empty() || name.size() == text.size())
    return usage("--input-shape is '" + text + "', wanted name=1x49x10x1");
  options.import.inputShapes.emplace_back(name.str(), std::move(shape));
  return llvm::Error::success();
}

/// Picks one of two words for an option.
static llvm::Error chooseWord(llvm::StringRef option, llvm::StringRef value, llvm::StringRef off, llvm::StringRef on,
                              bool &target) {
  if (value != off && value != on)
    return usage(option + " is '" + value + "', wanted " + off + " or " + on);
  target = value == on;
  return llvm::Error::success();
}

static llvm::Error setOnce(std::string &target, llvm::StringRef what, llvm::StringRef value) {
  if (!target.empty())
    return usage(what + " is given twice: '" + target + "' and '" + value + "'");
  if (value.empty())
    return usage(what + " is empty");
  target = value.str();
  return llvm::Error::success();
}

static llvm::Error setValue(RunOptions &options, llvm::StringRef name, llvm::StringRef value) {
  if (name == "--output-dir")
    return setOnce(options.outputDir, name, value);
  if (name == "--input-shape")
    return addInputShape(options, value);
  if (name == "--io")
    return chooseWord(name, value, "model", "quantized", options.quantizedIO);
  if (name == "--diagnostics-format")
    return chooseWord(name, value, "text", "json", options.json);
  options.inputs.push_back(value.str());
  return llvm::Error::success();
}

static bool *findFlag(RunOptions &options, llvm::StringRef name) {
  if (name == "--npy")
    return &options.writeNpy;
  if (name == "--dump-tensors")
    return &options.dumpTensors;
  if (name == "--dump-contents")
    return &options.dumpContents;
  if (name == "--help" || name == "-h")
    return &options.help;
  if (name == "--version")
    return &options.version;
  return nullptr;
}

static bool takesValue(llvm::StringRef name) {
  return name == "--input" || name == "--output-dir" || name == "--input-shape" || name == "--io" ||
         name == "--diagnostics-format";
}

static llvm::Error checkComplete(const RunOptions &options) {
  if (options.help || options.version)
    return llvm::Error::success();
  if (options.model.empty())
    return usage("no model given; see mfc-run --help");
  if (options.outputDir.empty())
    return usage("no --output-dir given; see mfc-run --help");
  return llvm::Error::success();
}

llvm::Expected<RunOptions> mfc::parseRunOptions(llvm::ArrayRef<std::string> arguments) {
  RunOptions options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i];
    llvm::Error error = llvm::Error::success();
    auto [name, inlineValue] = argument.split('=');
    if (argument == "--as-imported") {
      options.transform = false;
    } else if (bool *flag = findFlag(options, argument)) {
      *flag = true;
    } else if (takesValue(name)) {
      bool isInline = argument.contains('=');
      if (!isInline && ++i == arguments.size())
        error = usage(name + " needs a value");
      else
        error = setValue(options, name, isInline ? inlineValue : llvm::StringRef(arguments[i]));
    } else if (argument.starts_with("-") && argument != "-") {
      error = usage("unknown option '" + argument + "'; see mfc-run --help");
    } else {
      error = setOnce(options.model, "the model", argument);
    }
    if (error)
      return error;
  }
  if (llvm::Error error = checkComplete(options))
    return error;
  return options;
}
