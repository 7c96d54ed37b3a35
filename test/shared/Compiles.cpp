// Compiles that need no run: every target, and models that must be refused.
#include "Matrix.h"

#include "Process.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace mfc::shared;

/// MLPerf Tiny: keyword spotting, visual wake words, image classification, anomaly detection.
static const char *const benchmarkModels[] = {"kws_int8", "vww_int8", "ic_int8", "ad_int8"};
static const char *const targets[] = {"-march=armv8.1-m.main+mve", "-mcpu=cortex-m0plus", "-mcpu=cortex-m3",
                                      "-mcpu=cortex-m4",           "-mcpu=cortex-m7",     "-mcpu=cortex-m33",
                                      "-mcpu=cortex-m55",          "-mcpu=cortex-m85",    "-march=rv32imc"};
/// Processor time of one compile with nothing in the cache: by rules, and with measured schedules.
struct Level {
  const char *option;
  double seconds;
};
static constexpr Level levels[] = {{"-O1", 5}, {"-O2", 15}};

static std::vector<std::string> filesIn(const std::string &folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    names.push_back(llvm::StringRef(it->path()).rsplit('/').second.str());
  std::sort(names.begin(), names.end());
  return names;
}

static Row compile(const Settings &settings, const std::string &model, const std::string &target, const Level &level) {
  Row row{model, target, "compile", false, {}};
  ScratchFolder scratch;
  ProcessResult run = runProcess({settings.bin + "/mfc", target, level.option, "--no-cache", settings.shared + "/models/" + model + "/model.tflite",
                                  "-o", scratch.path + "/libx.a"},
                                 settings.timeoutSeconds);
  llvm::raw_string_ostream os(row.detail);
  if (!run.ok()) {
    os << run.describe();
    return row;
  }
  std::vector<std::string> files = filesIn(scratch.path);
  bool complete = files == std::vector<std::string>{"libx.a", "x.h", "x.json", "x.ld"};
  row.passed = complete && run.cpuSeconds <= level.seconds;
  os << level.option << ", " << files.size() << " files, " << llvm::format("%.2f", run.cpuSeconds) << " s of processor time";
  return row;
}

void mfc::shared::addCompiles(Table &table, const Settings &settings) {
  for (const char *model : benchmarkModels)
    for (const char *target : targets)
      if (settings.wants(model))
        table.add([=, &settings] {
          return std::vector<Row>{compile(settings, model, target, levels[0]), compile(settings, model, target, levels[1])};
        });
}

namespace {
/// What the diagnostic must name; any of the words will do. The shared folder's README lists the acceptable answers.
struct RejectRow {
  const char *model;
  std::vector<const char *> words;
};
} // namespace

static const std::vector<RejectRow> rejects = {
    {"brevitas-bnn-custom-domain", {"onnx.brevitas"}},
    {"deeploy-requantshift-custom-op", {"RequantShift"}},
    {"burn-opset13-mod-floats", {"Mod"}},
    {"keras-mlp-bn-transposes", {"BatchNormalization"}},
    {"match-kws-intarith", {"Conv"}},
    {"mnist1-cntk-opset1", {"opset"}},
    {"pytorch03-mlp-bn", {"opset"}},
    {"pytorch03-lstm", {"opset", "LSTM"}},
    {"skl-tree-zipmap", {"sequence"}},
    {"coreml-onehot-bikesharing", {"ai.onnx.ml"}},
};

/// Exit code 2 or 3, a diagnostic that names the fault, and no file left behind.
static Row reject(const Settings &settings, const RejectRow &entry) {
  Row row{entry.model, "-mcpu=cortex-m55", "reject", false, {}};
  ScratchFolder scratch;
  ProcessResult run = runProcess({settings.bin + "/mfc", "-mcpu=cortex-m55",
                                  settings.shared + "/onnx-reject/" + entry.model + "/model.onnx", "-o",
                                  scratch.path + "/libx.a"},
                                 settings.timeoutSeconds);
  row.detail = run.describe();
  llvm::StringRef output = run.output;
  bool named = std::any_of(entry.words.begin(), entry.words.end(), [&](const char *word) { return output.contains(word); });
  bool refused = (run.exitCode == 2 || run.exitCode == 3) && output.contains("error: ");
  bool clean = filesIn(scratch.path).empty();
  row.passed = refused && named && clean;
  if (refused && !named)
    row.detail += " (fault not named)";
  if (!clean)
    row.detail += " (files left behind)";
  return row;
}

/// A batch of 789444 that the file fixes: legal, so the answer is a compile that states the memory it would take.
static Row absurdBatch(const Settings &settings) {
  Row row{"pytorch03-mlp-2layer", "-mcpu=cortex-m55", "batch", false, {}};
  constexpr int64_t inputBytes = 789444 * 10 * int64_t(sizeof(float));
  ScratchFolder scratch;
  ProcessResult run = runProcess({settings.bin + "/mfc", "-mcpu=cortex-m55",
                                  settings.shared + "/onnx-reject/" + row.model + "/model.onnx", "-o",
                                  scratch.path + "/libx.a"},
                                 settings.timeoutSeconds);
  row.detail = run.describe();
  auto report = llvm::MemoryBuffer::getFile(scratch.path + "/x.json");
  if (!run.ok() || !report)
    return row;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse((*report)->getBuffer());
  if (!value) {
    row.detail = llvm::toString(value.takeError());
    return row;
  }
  const llvm::json::Object *root = value->getAsObject(), *totals = root ? root->getObject("totals") : nullptr;
  int64_t sram = totals ? totals->getInteger("sram_bytes").value_or(0) : 0;
  row.passed = sram >= inputBytes;
  row.detail = "report states " + std::to_string(sram) + " bytes of SRAM";
  return row;
}

void mfc::shared::addRejects(Table &table, const Settings &settings) {
  if (settings.wants("pytorch03-mlp-2layer"))
    table.add([&settings] { return std::vector<Row>{absurdBatch(settings)}; });
  for (const RejectRow &entry : rejects)
    if (settings.wants(entry.model))
      table.add([&settings, &entry] { return std::vector<Row>{reject(settings, entry)}; });
}
