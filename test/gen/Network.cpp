// Construction, float execution and calibration of the keyword network.
#include "Network.h"

#include <algorithm>
#include <cmath>

using namespace mfc::gen;

Affine mfc::gen::coverRange(double low, double high) {
  low = std::min(low, 0.0), high = std::max(high, low + 1e-6);
  Affine result;
  result.scale = float((high - low) / 255);
  result.zeroPoint = std::clamp(int(std::lround(-128 - low / double(result.scale))), -128, 127);
  return result;
}

int8_t mfc::gen::quantize(double real, Affine affine) {
  return int8_t(std::clamp<long>(std::lround(real / double(affine.scale)) + affine.zeroPoint, -128, 127));
}

/// Random weights with mean 0 per filter, so that a feature answers to shapes and not to loudness.
static std::vector<double> randomFilters(int filters, int taps, double gain, Random &random) {
  std::vector<double> weights;
  for (int f = 0; f < filters; ++f) {
    std::vector<double> filter(static_cast<size_t>(taps));
    double mean = 0;
    for (double &w : filter)
      mean += w = random.normal();
    for (double &w : filter)
      weights.push_back((w - (taps > 1 ? mean / taps : 0)) * gain / std::sqrt(taps));
  }
  return weights;
}

static std::vector<double> randomBias(int channels, double gain, Random &random) {
  std::vector<double> bias(static_cast<size_t>(channels));
  for (double &b : bias)
    b = random.uniform(-gain, gain);
  return bias;
}

Network mfc::gen::makeFeatures(Dims input, Affine inputAffine, Random &random) {
  Network net{input, inputAffine, {}};
  auto add = [&](LayerKind kind, Dims out, int kernel, int stride, bool relu, std::vector<double> weights = {},
                 std::vector<double> bias = {}) {
    net.layers.push_back({kind, out, kernel, stride, relu, -1, std::move(weights), std::move(bias), {}});
  };
  Dims half{input.h / 2, input.w / 2, 8}, quarter{input.h / 4, input.w / 4, 48};
  Dims pooled{quarter.h / 2, quarter.w / 2, 48};
  add(LayerKind::Conv, half, 5, 2, true, randomFilters(8, 25 * input.c, 0.1, random), randomBias(8, 0.5, random));
  add(LayerKind::Depthwise, half, 3, 1, true, {}, randomBias(8, 0.2, random));
  // Depthwise weights are [kh, kw, c]: transpose the filters that randomFilters gives channel by channel.
  std::vector<double> filters = randomFilters(8, 9, 1, random);
  for (int tap = 0; tap < 9; ++tap)
    for (int c = 0; c < 8; ++c)
      net.layers.back().weights.push_back(filters[size_t(c * 9 + tap)]);
  add(LayerKind::Conv, half, 1, 1, false, randomFilters(8, 8, 1, random), randomBias(8, 0.2, random));
  add(LayerKind::AddSkip, half, 1, 1, true);
  net.layers.back().skip = 0;
  add(LayerKind::Conv, quarter, 3, 2, true, randomFilters(48, 72, 1.5, random), randomBias(48, 0.5, random));
  add(LayerKind::AvgPool, pooled, 2, 2, false);
  return net;
}

namespace {
/// One layer on one input; SAME padding with zeros, odd pixel at the bottom and right.
class FloatLayer {
public:
  FloatLayer(const Layer &layer, Dims in, const std::vector<double> &x) : layer(layer), in(in), x(x) {
    padY = std::max(0, (layer.out.h - 1) * layer.stride + layer.kernel - in.h) / 2;
    padX = std::max(0, (layer.out.w - 1) * layer.stride + layer.kernel - in.w) / 2;
  }

  double at(int y, int xx, int c) const {
    return y < 0 || xx < 0 || y >= in.h || xx >= in.w ? 0 : x[size_t((y * in.w + xx) * in.c + c)];
  }

  double window(int oy, int ox, int oc) const {
    double sum = layer.kind == LayerKind::AvgPool ? 0 : layer.bias[size_t(oc)];
    for (int ky = 0; ky < layer.kernel; ++ky)
      for (int kx = 0; kx < layer.kernel; ++kx)
        sum += tap(oy * layer.stride - padY + ky, ox * layer.stride - padX + kx, ky * layer.kernel + kx, oc);
    return layer.kind == LayerKind::AvgPool ? sum / (layer.kernel * layer.kernel) : sum;
  }

private:
  double tap(int y, int xx, int k, int oc) const {
    if (layer.kind == LayerKind::AvgPool)
      return at(y, xx, oc);
    if (layer.kind == LayerKind::Depthwise)
      return at(y, xx, oc) * layer.weights[size_t(k * in.c + oc)];
    double sum = 0;
    for (int c = 0; c < in.c; ++c)
      sum += at(y, xx, c) * layer.weights[size_t((oc * layer.kernel * layer.kernel + k) * in.c + c)];
    return sum;
  }

  const Layer &layer;
  Dims in;
  const std::vector<double> &x;
  int padY, padX;
};
} // namespace

static std::vector<double> softmax(std::vector<double> x) {
  double top = *std::max_element(x.begin(), x.end()), sum = 0;
  for (double &v : x)
    sum += v = std::exp(v - top);
  for (double &v : x)
    v /= sum;
  return x;
}

static std::vector<double> runLayer(const Layer &layer, Dims in, const std::vector<double> &x,
                                    const std::vector<double> *skip) {
  if (layer.kind == LayerKind::Softmax)
    return softmax(x);
  std::vector<double> y(static_cast<size_t>(layer.out.count()));
  FloatLayer window(layer, in, x);
  for (size_t i = 0; i < y.size(); ++i) {
    int c = int(i) % layer.out.c, pixel = int(i) / layer.out.c;
    if (layer.kind == LayerKind::AddSkip) {
      y[i] = x[i] + (*skip)[i];
    } else if (layer.kind == LayerKind::Dense) {
      y[i] = layer.bias[i];
      for (size_t k = 0; k < x.size(); ++k)
        y[i] += layer.weights[i * x.size() + k] * x[k];
    } else {
      y[i] = window.window(pixel / layer.out.w, pixel % layer.out.w, c);
    }
    if (layer.relu)
      y[i] = std::max(0.0, y[i]);
  }
  return y;
}

std::vector<std::vector<double>> mfc::gen::runFloat(const Network &network, const std::vector<double> &input) {
  std::vector<std::vector<double>> results;
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const Layer &layer = network.layers[i];
    results.push_back(runLayer(layer, network.dims(int(i) - 1), i ? results[i - 1] : input,
                               layer.skip >= 0 ? &results[size_t(layer.skip)] : nullptr));
  }
  return results;
}

void mfc::gen::calibrate(Network &network, const std::vector<std::vector<double>> &inputs) {
  std::vector<std::pair<double, double>> ranges(network.layers.size(), {0, 0});
  for (const std::vector<double> &input : inputs) {
    auto results = runFloat(network, input);
    for (size_t i = 0; i < results.size(); ++i) {
      auto [low, high] = std::minmax_element(results[i].begin(), results[i].end());
      ranges[i] = {std::min(ranges[i].first, *low), std::max(ranges[i].second, *high)};
    }
  }
  for (size_t i = 0; i < ranges.size(); ++i) {
    Layer &layer = network.layers[i];
    if (layer.kind == LayerKind::Softmax)
      layer.affine = {1.0f / 256, -128}; // fixed by the format
    else if (layer.kind == LayerKind::AvgPool)
      layer.affine = network.affine(int(i) - 1); // pools keep the quantization
    else
      layer.affine = coverRange(ranges[i].first, ranges[i].second);
  }
}

/// Solves A X = B for symmetric positive definite A (n x n) by Cholesky; B has m columns and becomes X.
static void solveSymmetric(std::vector<double> &a, std::vector<double> &b, size_t n, size_t m) {
  for (size_t j = 0; j < n; ++j) {
    for (size_t k = 0; k < j; ++k)
      a[j * n + j] -= a[j * n + k] * a[j * n + k];
    a[j * n + j] = std::sqrt(a[j * n + j]);
    for (size_t i = j + 1; i < n; ++i) {
      for (size_t k = 0; k < j; ++k)
        a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] /= a[j * n + j];
    }
  }
  for (size_t c = 0; c < m; ++c) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < i; ++k)
        b[i * m + c] -= a[i * n + k] * b[k * m + c];
      b[i * m + c] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
      for (size_t k = i + 1; k < n; ++k)
        b[i * m + c] -= a[k * n + i] * b[k * m + c];
      b[i * m + c] /= a[i * n + i];
    }
  }
}

Layer mfc::gen::solveDense(const std::vector<std::vector<double>> &features, const std::vector<int> &labels,
                           int classes, double lambda, double gain) {
  size_t inputs = features[0].size(), n = inputs + 1, m = static_cast<size_t>(classes);
  std::vector<double> a(n * n), b(n * m);
  for (size_t s = 0; s < features.size(); ++s) {
    std::vector<double> row = features[s];
    row.push_back(1); // the bias
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j)
        a[i * n + j] += row[i] * row[j];
      for (size_t c = 0; c < m; ++c)
        b[i * m + c] += row[i] * (labels[s] == int(c) ? gain : -gain);
    }
  }
  for (size_t i = 0; i < inputs; ++i)
    a[i * n + i] += lambda;
  solveSymmetric(a, b, n, m);
  Layer layer{LayerKind::Dense, {1, 1, classes}, 1, 1, false, -1, {}, {}, {}};
  for (size_t c = 0; c < m; ++c) {
    for (size_t i = 0; i < inputs; ++i)
      layer.weights.push_back(b[i * m + c]);
    layer.bias.push_back(b[inputs * m + c]);
  }
  return layer;
}
