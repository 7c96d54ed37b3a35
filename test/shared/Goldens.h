// Models with stored inputs and outputs, as the shared folder has them (its README files describe the layout).
#ifndef MFC_TEST_SHARED_GOLDENS_H
#define MFC_TEST_SHARED_GOLDENS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mfc::shared {

enum class OutputType { Bytes, Int8, UInt8, Int64, Float32 };

struct GoldenCase {
  std::string name; ///< "0", "min" ...
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

/// How far an output may be from its golden.
struct Tolerance {
  OutputType type = OutputType::Bytes;
  double absolute = 0; ///< in the output's unit; 0: bit-exact
};

struct GoldenModel {
  std::string name;
  std::string path;
  std::vector<GoldenCase> cases;
  std::vector<Tolerance> tolerances; ///< by output
};

/// A TFLite model: all cases, bit-exact. Nothing if the folder has no model or no case.
std::optional<GoldenModel> loadTFLite(const std::string &folder, const std::string &name);

/// An ONNX model and its manifest.json. Float models: 1e-5 of the output's range over all cases; quantized ones: the
/// larger of one output step and what ONNX Runtime's own optimizer changes.
/// `quantizedStep`: one output step where the manifest cannot tell it (see Matrix.cpp).
std::optional<GoldenModel> loadONNX(const std::string &folder, const std::string &name, bool quantized,
                                    double quantizedStep);

struct Comparison {
  bool ok = false;
  uint64_t elements = 0, differing = 0;
  double largest = 0; ///< difference
  std::string problem;
};

Comparison compareFiles(const std::string &expected, const std::string &found, const Tolerance &tolerance);

} // namespace mfc::shared
#endif
