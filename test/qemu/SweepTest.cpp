// Random operators on simulated cores: many small graphs are joined into one model, compiled and run by mfc-sim, and every
// output is compared with the reference interpreter. Integers bit for bit, floats within the bound of the host's sweep.
//
//   sweep-test MFC_SIM FOLDER SEED COUNT [--models=N] [--lines=STEP] [--integers-only] [mfc-sim options]
//
// N models of COUNT operators each, with the seeds from SEED on; with --lines every STEP-th convolution of makeLines() instead.
#include "OneOpGraph.h"

#include "mfc/IR/Printer.h"
#include "mfc/Interp/Interpreter.h"
#include "mfc/Interp/TensorFile.h"
#include "mfc/Ops/Ops.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <cmath>

using namespace mfc;
using namespace mfc::test;

namespace {

using Maker = Graph (*)(Random &, Numbers);
constexpr Maker makers[] = {randomConv2D, randomDepthwise, randomDense,  randomPool,    randomMean,
                            randomSoftmax, randomBinary,    randomUnary, randomMovement};

/// One model from many: inputs, operators and outputs side by side.
void append(Graph &to, const Graph &from) {
  llvm::DenseMap<const Value *, Value *> map;
  for (const Value *input : from.inputs())
    map[input] = to.addInput(input->type, "in" + std::to_string(to.inputs().size()));
  for (const Value *constant : from.constants())
    map[constant] = to.addConstant(constant->type, constant->constantData(), "");
  for (const Operation *op : from.ops()) {
    std::vector<Value *> operands;
    for (const Value *operand : op->operands())
      operands.push_back(map[operand]);
    map[op->result()] = to.add(op->kind(), operands, op->attributes, op->result()->type, op->loc);
  }
  for (const GraphOutput &output : from.outputs())
    to.addOutput(map[output.value], "out" + std::to_string(to.outputs().size()));
}

struct Sweep {
  Graph graph;
  std::vector<std::string> subjects; ///< by output
};

/// Convolutions of 1 x 1 to 1 x 7 over rows of up to 19 pixels, all that fit, with strides 1 to 3 and channel counts around whole
/// vectors: kernels go wrong at such ends (CMSIS-NN #109, #111).
Sweep makeLines(uint64_t first, uint64_t count, uint64_t step, bool integersOnly) {
  Sweep sweep;
  sweep.graph.name = "lines";
  uint64_t index = 0;
  for (int64_t channels : {1, 3, 4, 15, 16, 17})
    for (int64_t stride = 1; stride <= 3; ++stride)
      for (int64_t taps = 1; taps <= 7; ++taps)
        for (int64_t width = taps; width <= 19; ++width, ++index) {
          if (index % step || index / step < first || index / step >= first + count)
            continue;
          Random random(index);
          auto numbers = static_cast<Numbers>(random.range(integersOnly ? 1 : 0, 2));
          Graph one = lineConv2D(random, numbers, width, taps, stride, channels);
          DiagnosticEngine diag;
          if (!verifyGraph(one, diag)) // a sum that could overflow
            continue;
          append(sweep.graph, one);
          sweep.subjects.push_back("line " + std::to_string(index));
        }
  return sweep;
}

Sweep makeSweep(uint64_t seed, int count, bool integersOnly) {
  Sweep sweep;
  sweep.graph.name = "sweep";
  for (uint64_t i = 0; static_cast<int>(sweep.subjects.size()) < count; ++i) {
    Random random(seed * 1000003 + i);
    auto numbers = static_cast<Numbers>(random.range(integersOnly ? 1 : 0, 2));
    Graph one = makers[i % std::size(makers)](random, numbers);
    DiagnosticEngine diag;
    if (one.outputs().empty() || !verifyGraph(one, diag))
      continue;
    bool real = false;
    for (const Operation *op : one.ops())
      real |= isFloat(op->result()->type.element) || isFloat(op->operand(0)->type.element);
    if (real && integersOnly)
      continue;
    append(sweep.graph, one);
    sweep.subjects.push_back("case " + std::to_string(i) + " " + one.ops()[0]->info().name.str());
  }
  return sweep;
}

bool writeText(const std::string &path, llvm::StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  os << text;
  return !code;
}

/// Largest difference allowed: 0 for integers, relative to the largest output for floats.
bool sameTensor(const Tensor &expected, llvm::StringRef got, std::string &why) {
  if (got.size() != expected.bytes.size()) {
    why = "size differs";
    return false;
  }
  Tensor tensor(expected.type, llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(got.data()), got.size()));
  float largest = 0.1f; // what goes in is within [-1, 1]: sums that cancel keep rounding errors of that size
  if (isFloat(expected.type.element))
    for (int64_t i = 0; i < expected.type.count(); ++i)
      largest = std::max(largest, std::abs(expected.get<float>(i)));
  for (int64_t i = 0; i < expected.type.count(); ++i) {
    bool same = isFloat(expected.type.element)
                    ? std::abs(expected.get<float>(i) - tensor.get<float>(i)) <= 2e-6f * largest
                    : expected.getInteger(i) == tensor.getInteger(i);
    if (same)
      continue;
    llvm::raw_string_ostream os(why);
    os << "element " << i << ": expected ";
    if (isFloat(expected.type.element))
      os << expected.get<float>(i) << ", found " << tensor.get<float>(i);
    else
      os << expected.getInteger(i) << ", found " << tensor.getInteger(i);
    return false;
  }
  return true;
}

/// Every element at one end of the range, or at random at either: where sums are largest.
Tensor extremeTensor(const TensorType &type, Random &random) {
  Tensor tensor = randomTensor(type, random);
  if (isFloat(type.element))
    return tensor;
  int64_t lowest = elementMin(type.element), highest = elementMax(type.element);
  auto style = random.range(0, 2);
  for (int64_t i = 0; i < type.count(); ++i)
    tensor.setInteger(i, style == 0 || (style == 2 && random.chance(50)) ? lowest : highest);
  return tensor;
}

int runSweep(const std::string &tool, const std::string &folder, const Sweep &sweep, uint64_t seed,
             llvm::ArrayRef<std::string> options) {
  llvm::sys::fs::create_directories(folder);
  std::string text;
  llvm::raw_string_ostream os(text);
  print(sweep.graph, os);
  std::vector<std::string> words{tool, folder + "/sweep.mfcir", "--output-dir", folder + "/out"};
  bool written = writeText(folder + "/sweep.mfcir", text);
  std::vector<Tensor> inputs;
  Random random(seed);
  for (const Value *input : sweep.graph.inputs()) {
    inputs.push_back(random.chance(25) ? extremeTensor(input->type, random) : randomTensor(input->type, random));
    std::string path = folder + "/in" + std::to_string(inputs.size()) + ".bin";
    written &= writeText(path, rawText(inputs.back()));
    words.insert(words.end(), {"--input", path});
  }
  words.insert(words.end(), options.begin(), options.end());
  auto expected = interpret(sweep.graph, inputs);
  if (!written || !expected) {
    llvm::errs() << "cannot prepare the sweep in " << folder << "\n";
    return 1;
  }
  std::vector<llvm::StringRef> arguments(words.begin(), words.end());
  if (int status = llvm::sys::ExecuteAndWait(tool, arguments)) {
    llvm::errs() << "mfc-sim failed with " << status << "; the model is " << folder << "/sweep.mfcir\n";
    return 1;
  }
  int failures = 0;
  for (size_t i = 0; i < expected->size(); ++i) {
    auto buffer = llvm::MemoryBuffer::getFile(folder + "/out/out" + std::to_string(i) + ".bin");
    std::string why = "no output file";
    if (buffer && sameTensor((*expected)[i], (*buffer)->getBuffer(), why = ""))
      continue;
    ++failures;
    llvm::errs() << "output " << i << ", " << sweep.subjects[i] << ": " << why << "\n";
  }
  llvm::outs() << "seed " << seed << ": " << sweep.subjects.size() << " operators, " << failures << " wrong\n";
  return failures != 0;
}
} // namespace

int main(int argc, char **argv) {
  if (argc < 5) {
    llvm::errs() << "usage: sweep-test MFC_SIM FOLDER SEED COUNT [--models=N] [--lines=STEP] [--integers-only] [mfc-sim options]\n";
    return 1;
  }
  std::vector<std::string> options;
  uint64_t seed = std::strtoull(argv[3], nullptr, 10), models = 1, lines = 0;
  int count = std::atoi(argv[4]);
  bool integersOnly = false;
  for (llvm::StringRef argument : llvm::ArrayRef(argv + 5, argv + argc)) {
    llvm::StringRef value = argument;
    if (argument == "--integers-only")
      integersOnly = true;
    else if (!(value.consume_front("--models=") && !value.getAsInteger(10, models)) &&
             !(value.consume_front("--lines=") && !value.getAsInteger(10, lines)))
      options.push_back(argument.str());
  }
  int failed = 0;
  for (uint64_t i = seed; i < seed + models; ++i) {
    Sweep sweep = lines ? makeLines((i - seed) * static_cast<uint64_t>(count), static_cast<uint64_t>(count), lines, integersOnly)
                        : makeSweep(i, count, integersOnly);
    failed += runSweep(argv[1], argv[2], sweep, i, options);
  }
  return failed != 0;
}
