#include "Goldens.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mfc::shared;

std::optional<GoldenModel> mfc::shared::loadTFLite(const std::string &folder, const std::string &name) {
  GoldenModel model{name, folder + "/" + name + "/model.tflite", {}, {}};
  if (!llvm::sys::fs::exists(model.path))
    return std::nullopt;
  std::string base = folder + "/" + name + "/";
  for (const char *k : {"0", "1", "2", "3", "4", "5", "6", "7", "min", "max", "zero"}) {
    GoldenCase golden{k, {}, {}};
    auto collect = [&](const char *kind, std::vector<std::string> &list) {
      for (int i = 0;; ++i) {
        std::string file = base + kind + std::to_string(i) + "_" + k + ".bin";
        if (!llvm::sys::fs::exists(file))
          return;
        list.push_back(file);
      }
    };
    collect("in", golden.inputs);
    collect("out", golden.outputs);
    if (!golden.outputs.empty())
      model.cases.push_back(std::move(golden));
  }
  if (model.cases.empty())
    return std::nullopt;
  model.tolerances.resize(model.cases[0].outputs.size());
  return model;
}

template <typename T> static std::vector<double> elements(llvm::StringRef bytes) {
  std::vector<double> values(bytes.size() / sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<double>(value);
  }
  return values;
}

static std::optional<std::vector<double>> readValues(const std::string &path, OutputType type, size_t *bytes = nullptr) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return std::nullopt;
  llvm::StringRef data = (*buffer)->getBuffer();
  if (bytes)
    *bytes = data.size();
  switch (type) {
  case OutputType::Bytes:
  case OutputType::UInt8:
    return elements<uint8_t>(data);
  case OutputType::Int8:
    return elements<int8_t>(data);
  case OutputType::Int64:
    return elements<int64_t>(data);
  case OutputType::Float32:
    return elements<float>(data);
  }
  return std::nullopt;
}

static std::optional<OutputType> outputType(llvm::StringRef dtype) {
  if (dtype == "float32")
    return OutputType::Float32;
  if (dtype == "int8")
    return OutputType::Int8;
  if (dtype == "uint8")
    return OutputType::UInt8;
  if (dtype == "int64")
    return OutputType::Int64;
  return std::nullopt;
}

/// Largest minus smallest golden value of output i.
static double goldenRange(const GoldenModel &model, size_t i) {
  double low = INFINITY, high = -INFINITY;
  for (const GoldenCase &golden : model.cases) {
    auto values = readValues(golden.outputs[i], model.tolerances[i].type);
    for (double value : values.value_or(std::vector<double>()))
      low = std::min(low, value), high = std::max(high, value);
  }
  return high > low ? high - low : 0;
}

static std::vector<std::string> strings(const llvm::json::Array *array, const std::string &prefix) {
  std::vector<std::string> result;
  if (array)
    for (const llvm::json::Value &value : *array)
      result.push_back(prefix + value.getAsString().value_or("").str());
  return result;
}

std::optional<GoldenModel> mfc::shared::loadONNX(const std::string &folder, const std::string &name, bool quantized,
                                                 double quantizedStep) {
  std::string base = folder + "/" + name + "/";
  GoldenModel model{name, base + "model.onnx", {}, {}};
  auto buffer = llvm::MemoryBuffer::getFile(base + "manifest.json");
  if (!buffer || !llvm::sys::fs::exists(model.path))
    return std::nullopt;
  llvm::Expected<llvm::json::Value> manifest = llvm::json::parse((*buffer)->getBuffer());
  if (!manifest) {
    llvm::consumeError(manifest.takeError());
    return std::nullopt;
  }
  const llvm::json::Object *root = manifest->getAsObject();
  const llvm::json::Array *cases = root->getArray("cases"), *outputs = root->getArray("outputs");
  if (!cases || !outputs)
    return std::nullopt;
  for (const llvm::json::Value &entry : *cases) {
    const llvm::json::Object *object = entry.getAsObject();
    model.cases.push_back({std::to_string(object->getInteger("id").value_or(0)),
                           strings(object->getArray("inputs"), base), strings(object->getArray("outputs"), base)});
  }
  const llvm::json::Object *steps = root->getObject("output_lsb");
  double wobble = root->getNumber("ort_all_maxdiff").value_or(0);
  for (size_t i = 0; i < outputs->size(); ++i) {
    const llvm::json::Object *object = (*outputs)[i].getAsObject();
    std::optional<OutputType> type = outputType(object->getString("dtype").value_or(""));
    if (!type)
      return std::nullopt;
    model.tolerances.push_back({*type, 0});
    double &tolerance = model.tolerances.back().absolute;
    if (!quantized)
      tolerance = 1e-5 * goldenRange(model, i);
    else if (*type != OutputType::Float32)
      tolerance = std::max(1.0, wobble);
    else
      tolerance = std::max(
          steps ? steps->getNumber(object->getString("name").value_or("")).value_or(quantizedStep) : quantizedStep, wobble);
  }
  return model;
}

Comparison mfc::shared::compareFiles(const std::string &expected, const std::string &found, const Tolerance &tolerance) {
  Comparison result;
  size_t expectedBytes = 0, foundBytes = 0;
  auto a = readValues(expected, tolerance.type, &expectedBytes), b = readValues(found, tolerance.type, &foundBytes);
  if (!a || !b || expectedBytes != foundBytes) {
    result.problem = !a   ? "no golden " + expected
                     : !b ? "no output file " + llvm::sys::path::filename(found).str()
                          : std::to_string(foundBytes) + " bytes, wanted " + std::to_string(expectedBytes);
    return result;
  }
  result.elements = a->size();
  result.ok = true;
  for (size_t i = 0; i < a->size(); ++i) {
    double x = (*a)[i], y = (*b)[i];
    if (x == y || (std::isnan(x) && std::isnan(y)))
      continue;
    ++result.differing;
    double difference = std::fabs(x - y);
    if (!(difference <= tolerance.absolute)) // NaN against a number fails too
      result.ok = false;
    result.largest = std::isnan(difference) ? INFINITY : std::max(result.largest, difference);
  }
  return result;
}
