// mfc-gen-keyword DIR: writes the quickstart model and its sample sounds.
//
//   DIR/keyword.tflite   int8 classifier of six kinds of generated sounds
//   DIR/labels.txt       one name a model output
//   DIR/<name>-<n>.bin   inputs: the first sounds of each kind in the test set, unselected
//
// The convolutions are random and fixed. The last layer is ridge regression on what the quantized convolutions give for
// a training set, as mfc's interpreter computes it. The test set has other sounds; its accuracy is printed. Everything
// follows from the seeds below.
#include "Network.h"
#include "Sounds.h"

#include "mfc/Import/Import.h"
#include "mfc/Interp/Interpreter.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>

using namespace mfc;
using namespace mfc::gen;

static constexpr uint64_t kTrainSeed = 1, kTestSeed = 4, kWeightSeed = 3;
static constexpr int kTrainPerKind = 800, kTestPerKind = 100, kSamplesPerKind = 2;
static constexpr double kRidge = 0.5, kGain = 4;

namespace {
struct Example {
  int label;
  std::vector<double> features; ///< spectrogram
};
} // namespace

static std::vector<Example> makeExamples(uint64_t seed, int perKind) {
  Random random(seed);
  std::vector<Example> examples;
  for (int i = 0; i < perKind; ++i)
    for (int kind = 0; kind < int(kSoundNames.size()); ++kind)
      examples.push_back({kind, spectrogram(makeSound(kind, random))});
  return examples;
}

static std::vector<uint8_t> quantizeInput(const Network &network, const std::vector<double> &features) {
  std::vector<uint8_t> bytes;
  for (double value : features)
    bytes.push_back(static_cast<uint8_t>(quantize(value, network.inputAffine)));
  return bytes;
}

/// Runs a graph with one int8 input and one output; returns the output's stored values.
static std::vector<int> runGraph(const Graph &graph, const std::vector<uint8_t> &input) {
  std::vector<Tensor> outputs = llvm::cantFail(interpret(graph, {Tensor(graph.inputs()[0]->type, input)}));
  std::vector<int> values;
  for (int64_t i = 0; i < outputs[0].type.count(); ++i)
    values.push_back(static_cast<int>(outputs[0].getInteger(i)));
  return values;
}

static std::optional<Graph> import(const std::vector<uint8_t> &file) {
  DiagnosticEngine diag;
  llvm::StringRef bytes(reinterpret_cast<const char *>(file.data()), file.size());
  std::optional<Graph> graph = importTFLite({bytes, "keyword.tflite"}, {}, diag);
  diag.printText(llvm::errs());
  return graph;
}

/// Adds the last layers, trained on what the quantized convolutions answer.
static bool train(Network &network, const std::vector<Example> &examples) {
  std::optional<Graph> features = import(writeTFLite(network, "sound", "features"));
  if (!features)
    return false;
  Affine affine = network.layers.back().affine;
  std::vector<std::vector<double>> rows, inputs;
  std::vector<int> labels;
  for (const Example &example : examples) {
    std::vector<double> row;
    for (int stored : runGraph(*features, quantizeInput(network, example.features)))
      row.push_back(double(affine.scale) * (stored - affine.zeroPoint));
    rows.push_back(std::move(row));
    labels.push_back(example.label);
    inputs.push_back(example.features);
  }
  int classes = int(kSoundNames.size());
  network.layers.push_back(solveDense(rows, labels, classes, kRidge, kGain));
  network.layers.push_back({LayerKind::Softmax, {1, 1, classes}, 1, 1, false, -1, {}, {}, {}});
  calibrate(network, inputs);
  return true;
}

static double accuracy(const Graph &graph, const Network &network, const std::vector<Example> &examples) {
  int right = 0;
  for (const Example &example : examples) {
    std::vector<int> scores = runGraph(graph, quantizeInput(network, example.features));
    right += std::max_element(scores.begin(), scores.end()) - scores.begin() == example.label;
  }
  return 100.0 * right / double(examples.size());
}

static bool writeFile(const std::string &path, const std::vector<uint8_t> &bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file)
    std::fprintf(stderr, "mfc-gen-keyword: cannot write %s\n", path.c_str());
  return bool(file);
}

static bool writeSamples(const std::string &folder, const Network &network, const std::vector<Example> &test) {
  std::string labels;
  for (const std::string &name : kSoundNames)
    labels += name + "\n";
  bool written = writeFile(folder + "/labels.txt", {labels.begin(), labels.end()});
  std::map<int, int> count;
  for (const Example &example : test) {
    int number = count[example.label]++;
    if (number < kSamplesPerKind)
      written &= writeFile(folder + "/" + kSoundNames[size_t(example.label)] + "-" + std::to_string(number) + ".bin",
                           quantizeInput(network, example.features));
  }
  return written;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mfc-gen-keyword DIR\n");
    return 1;
  }
  std::string folder = argv[1];
  std::vector<Example> examples = makeExamples(kTrainSeed, kTrainPerKind), test = makeExamples(kTestSeed, kTestPerKind);
  Random random(kWeightSeed);
  Network network = makeFeatures({kFrames, kBands, 1}, coverRange(0, kDecibels), random);
  std::vector<std::vector<double>> inputs;
  for (const Example &example : examples)
    inputs.push_back(example.features);
  calibrate(network, inputs);
  if (!train(network, examples))
    return 5;
  std::vector<uint8_t> file = writeTFLite(network, "sound", "probabilities");
  std::optional<Graph> graph = import(file);
  if (!graph)
    return 5;
  std::printf("accuracy: training %.1f %%, test %.1f %% of %zu sounds; model %zu bytes\n",
              accuracy(*graph, network, examples), accuracy(*graph, network, test), test.size(), file.size());
  return writeFile(folder + "/keyword.tflite", file) && writeSamples(folder, network, test) ? 0 : 1;
}
