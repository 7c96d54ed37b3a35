// Small graphs in text form for tests: parse, verify, run, and look at what came out or what was refused.
#ifndef MFC_TEST_OPS_GRAPHTEXT_H
#define MFC_TEST_OPS_GRAPHTEXT_H

#include "mfc/IR/Parser.h"
#include "mfc/Interp/Interpreter.h"
#include "mfc/Ops/Ops.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace mfc::test {

inline std::string textOf(const DiagnosticEngine &diag) {
  std::string text;
  llvm::raw_string_ostream os(text);
  diag.printText(os);
  return text;
}

/// The body of a graph, without "graph @t {" and "}"; must parse.
inline Graph parsed(const std::string &body) {
  DiagnosticEngine diag;
  std::optional<Graph> graph = parseGraph("graph @t {\n" + body + "\n}\n", "t.mfcir", diag);
  INFO(body << "\n" << textOf(diag));
  REQUIRE(graph.has_value());
  return std::move(*graph);
}

/// What verifyGraph has to say; empty if the graph is fine.
inline std::string problems(const std::string &body) {
  DiagnosticEngine diag;
  Graph graph = parsed(body);
  bool ok = verifyGraph(graph, diag);
  CHECK(ok == !diag.hasErrors());
  return textOf(diag);
}

/// The exit code that verification leads to.
inline int exitCode(const std::string &body) {
  DiagnosticEngine diag;
  verifyGraph(parsed(body), diag);
  return diag.exitCode();
}

template <typename T> Tensor tensorFor(const TensorType &type, const std::vector<T> &values) {
  Tensor tensor(type);
  REQUIRE(tensor.bytes.size() == values.size() * sizeof(T));
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

template <typename T> std::vector<T> valuesOf(const Tensor &tensor) {
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

inline std::vector<Tensor> interpreted(const Graph &graph, const std::vector<Tensor> &inputs) {
  DiagnosticEngine diag;
  bool ok = verifyGraph(graph, diag);
  INFO(textOf(diag));
  REQUIRE(ok);
  llvm::Expected<std::vector<Tensor>> outputs = interpret(graph, inputs);
  if (!outputs) {
    FAIL(llvm::toString(outputs.takeError()));
    return {};
  }
  return std::move(*outputs);
}

/// Runs a graph without inputs, with one, or with two; returns its first output.
template <typename Out> std::vector<Out> run(const std::string &body) {
  return valuesOf<Out>(interpreted(parsed(body), {})[0]);
}
template <typename Out, typename In> std::vector<Out> run(const std::string &body, const std::vector<In> &a) {
  Graph graph = parsed(body);
  return valuesOf<Out>(interpreted(graph, {tensorFor(graph.inputs()[0]->type, a)})[0]);
}
template <typename Out, typename In, typename In2>
std::vector<Out> run(const std::string &body, const std::vector<In> &a, const std::vector<In2> &b) {
  Graph graph = parsed(body);
  return valuesOf<Out>(interpreted(
      graph, {tensorFor(graph.inputs()[0]->type, a), tensorFor(graph.inputs()[1]->type, b)})[0]);
}

using F = std::vector<float>;
using I8 = std::vector<int8_t>;
using U8 = std::vector<uint8_t>;
using I16 = std::vector<int16_t>;
using I32 = std::vector<int32_t>;
using I64 = std::vector<int64_t>;

/// Every value of an 8-bit type, ascending.
template <typename T> std::vector<T> everyValue() {
  std::vector<T> values(256);
  std::iota(values.begin(), values.end(), std::numeric_limits<T>::min());
  return values;
}

/// splitmix64: the same numbers on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }
  template <typename T> std::vector<T> list(size_t n, int64_t low, int64_t high) {
    std::vector<T> values(n);
    for (T &v : values)
      v = static_cast<T>(between(low, high));
    return values;
  }

private:
  uint64_t state;
};

/// "[1, 2, 3]" for constants in text.
template <typename T> std::string listText(const std::vector<T> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

} // namespace mfc::test
#endif
