#include "Matrix.h"

#include "Process.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace mfc::shared;

static const std::vector<std::string> tfliteModels = {"kws_int8",         "vww_int8",          "ic_int8",
                                                      "ad_int8",          "sww_int8",          "micro_speech_int8",
                                                      "hello_world_int8", "person_detect_int8"};

namespace {
struct OnnxRow {
  std::string name;
  bool quantized;
  double step = 0; ///< one output step where the manifest has none
};
} // namespace

/// tinyperf-kws and tinyperf-ic end in a float softmax of dequantized logits. When every logit is off by at most its scale
/// s, a probability p changes by at most 2 s p (1 - p) <= s / 2. The scales are those of the models' last QuantizeLinear.
static constexpr double kKwsLogitScale = 0.17143708, kIcLogitScale = 0.16863397;

static std::vector<OnnxRow> onnxModels() {
  std::vector<OnnxRow> rows;
  for (const char *spelling :
       {"", "-opset7", "-opset9", "-opset11", "-opset15", "-opset17", "-opset21", "-constant-nodes", "-dynamic-batch",
        "-hostile-names", "-identities-dropouts", "-initializers-as-inputs", "-matmul-add", "-matmul-reversed-add",
        "-reshape", "-squeeze-opset11", "-squeeze-opset13"})
    rows.push_back({std::string("gen-kws-m55") + spelling, false});
  for (const char *name : {"gen-kws-m55-qdq", "gen-kws-m55-qdq-int8io", "gen-kws-m55-qdq-u8"})
    rows.push_back({name, true});
  for (const char *name : {"gen-wakeword-86k", "gen-wakeword-literal", "gen-conv-bn-relu", "gen-resnet8", "gen-ad-autoencoder"}) {
    rows.push_back({name, false});
    rows.push_back({std::string(name) + "-qdq", true});
  }
  rows.push_back({"deeploy-autoencoder1d", false}); // transposed convolutions
  rows.push_back({"tinyperf-kws-int8", true, kKwsLogitScale / 2});
  rows.push_back({"tinyperf-ic-int8", true, kIcLogitScale / 2});
  rows.push_back({"tinyperf-ad-int8", true});
  return rows;
}

namespace {
/// A model on an engine, over some of its cases.
class Runs {
public:
  Runs(const Settings &settings, const GoldenModel &model, std::string engine, std::vector<std::string> names)
      : settings(settings), model(model), engine(std::move(engine)) {
    for (const GoldenCase &golden : model.cases)
      if (names.empty() || std::find(names.begin(), names.end(), golden.name) != names.end())
        cases.push_back(golden);
  }

  std::vector<Row> run();

private:
  std::string folder(size_t i) const { return scratch.path + "/" + std::to_string(i); }
  ProcessResult interpret(size_t i) const;
  ProcessResult simulate() const;
  Row judge(size_t i, const ProcessResult &process) const;

  const Settings &settings;
  const GoldenModel &model;
  std::string engine;
  std::vector<GoldenCase> cases;
  ScratchFolder scratch;
};
} // namespace

ProcessResult Runs::interpret(size_t i) const {
  std::vector<std::string> command{settings.bin + "/mfc-run", model.path};
  for (const std::string &input : cases[i].inputs)
    command.insert(command.end(), {"--input", input});
  command.insert(command.end(), {"--output-dir", folder(i)});
  return runProcess(command, settings.timeoutSeconds);
}

/// All cases in one call: mfc-sim compiles once. A line of its batch file is an output folder and the inputs.
ProcessResult Runs::simulate() const {
  std::error_code error;
  llvm::raw_fd_ostream batch(scratch.path + "/batch", error);
  for (size_t i = 0; i < cases.size(); ++i) {
    batch << folder(i);
    for (const std::string &input : cases[i].inputs)
      batch << '\t' << input;
    batch << '\n';
  }
  batch.close();
  std::string target = engine == "host" ? "--target=host" : engine == "rv32imc" ? "-march=rv32imc" : "-mcpu=" + engine;
  return runProcess({settings.bin + "/mfc-sim", target, model.path, "--batch=" + scratch.path + "/batch",
                     "--json=" + scratch.path + "/report.json", "--timeout=600"},
                    settings.timeoutSeconds);
}

/// The instruction count of mfc-sim's report, which is that of the first case; empty if it has none.
static std::string instructions(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return {};
  llvm::Expected<llvm::json::Value> report = llvm::json::parse((*buffer)->getBuffer());
  if (!report) {
    llvm::consumeError(report.takeError());
    return {};
  }
  auto count = report->getAsObject() ? report->getAsObject()->getInteger("instructions") : std::nullopt;
  return count ? ", " + std::to_string(*count) + " instructions" : std::string();
}

Row Runs::judge(size_t i, const ProcessResult &process) const {
  Row row{model.name, engine, cases[i].name, process.ok(), {}};
  if (!process.ok()) {
    row.detail = process.describe();
    return row;
  }
  llvm::raw_string_ostream os(row.detail);
  for (size_t o = 0; o < cases[i].outputs.size(); ++o) {
    std::string found = folder(i) + "/out" + std::to_string(o) + ".bin";
    Comparison comparison = compareFiles(cases[i].outputs[o], found, model.tolerances[o]);
    row.passed &= comparison.ok;
    os << (o ? "; " : "");
    if (!comparison.problem.empty())
      os << "output " << o << ": " << comparison.problem;
    else
      os << comparison.differing << " of " << comparison.elements;
    if (comparison.differing)
      os << " (largest " << llvm::format("%.3g", comparison.largest) << ", allowed "
         << llvm::format("%.3g", model.tolerances[o].absolute) << ')';
  }
  if (i == 0)
    os << instructions(scratch.path + "/report.json");
  return row;
}

std::vector<Row> Runs::run() {
  std::vector<Row> rows;
  if (engine == "interpreter") {
    for (size_t i = 0; i < cases.size(); ++i)
      rows.push_back(judge(i, interpret(i)));
    return rows;
  }
  ProcessResult process = simulate();
  for (size_t i = 0; i < cases.size(); ++i)
    rows.push_back(judge(i, process));
  return rows;
}

/// One job for a model on an engine, over those of its cases whose names are listed (empty: all).
static void addRuns(Table &table, const Settings &settings, const GoldenModel &model, const std::string &engine,
                    std::vector<std::string> cases = {}) {
  table.add([=, &settings] { return Runs(settings, model, engine, cases).run(); });
}

/// A model that is not there is a failure, not a reason to run less.
static void addMissing(Table &table, const std::string &name) {
  table.add([=] { return std::vector<Row>{{name, "-", "-", false, "model or goldens are missing"}}; });
}

void mfc::shared::addTFLite(Table &table, const Settings &settings) {
  for (const std::string &name : tfliteModels) {
    if (!settings.wants(name))
      continue;
    std::optional<GoldenModel> model = loadTFLite(settings.shared + "/models", name);
    if (!model) {
      addMissing(table, name);
      continue;
    }
    addRuns(table, settings, *model, "interpreter");
    addRuns(table, settings, *model, "host");
    for (const char *engine : {"cortex-m0plus", "cortex-m4", "cortex-m55", "rv32imc"})
      addRuns(table, settings, *model, engine, {"0", "min", "max"});
  }
}

void mfc::shared::addONNX(Table &table, const Settings &settings) {
  for (const OnnxRow &row : onnxModels()) {
    if (!settings.wants(row.name))
      continue;
    std::optional<GoldenModel> model = loadONNX(settings.shared + "/onnx", row.name, row.quantized, row.step);
    if (!model) {
      addMissing(table, row.name);
      continue;
    }
    addRuns(table, settings, *model, "interpreter");
    addRuns(table, settings, *model, "host");
    for (const char *engine : {"cortex-m4", "cortex-m55", "rv32imc"})
      addRuns(table, settings, *model, engine, {"0"});
  }
}
