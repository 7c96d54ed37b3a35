// The keyword network: random fixed features, a last layer solved in closed form, and its quantized TFLite form.
#ifndef MFC_TEST_GEN_NETWORK_H
#define MFC_TEST_GEN_NETWORK_H

#include "Random.h"

#include <string>
#include <vector>

namespace mfc::gen {

/// Height, width, channels of a feature map (batch 1).
struct Dims {
  int h = 1, w = 1, c = 1;
  int count() const { return h * w * c; }
};

/// Affine int8 quantization of a tensor: real = scale * (stored - zeroPoint).
struct Affine {
  float scale = 1;
  int zeroPoint = 0;
};
/// The quantization that covers [low, high] and has an exact zero.
Affine coverRange(double low, double high);
int8_t quantize(double real, Affine affine);

enum class LayerKind { Conv, Depthwise, AddSkip, AvgPool, Dense, Softmax };

/// A layer with SAME padding. Weights OHWI; depthwise [kh, kw, c]; dense [out, in].
struct Layer {
  LayerKind kind;
  Dims out;
  int kernel = 1, stride = 1;
  bool relu = false;
  int skip = -1; ///< AddSkip: the layer whose result is added
  std::vector<double> weights, bias;
  Affine affine; ///< of the result; set by calibrate()
};

struct Network {
  Dims input;
  Affine inputAffine;
  std::vector<Layer> layers;

  const Dims &dims(int layer) const { return layer < 0 ? input : layers[size_t(layer)].out; }
  Affine affine(int layer) const { return layer < 0 ? inputAffine : layers[size_t(layer)].affine; }
};

/// Layers up to the flattened features; weights drawn at random, zero mean per filter.
Network makeFeatures(Dims input, Affine inputAffine, Random &random);

/// Real-valued results of all layers on one input.
std::vector<std::vector<double>> runFloat(const Network &network, const std::vector<double> &input);

/// Chooses every layer's quantization from the ranges seen on these inputs.
void calibrate(Network &network, const std::vector<std::vector<double>> &inputs);

/// Minimises |features * W + b - targets|^2 + lambda |W|^2 and returns it as a dense layer. Targets are +gain for the
/// right class and -gain for the others.
Layer solveDense(const std::vector<std::vector<double>> &features, const std::vector<int> &labels, int classes,
                 double lambda, double gain);

/// The int8 model as a TFLite file.
std::vector<uint8_t> writeTFLite(const Network &network, const std::string &inputName, const std::string &outputName);

} // namespace mfc::gen
#endif
