// Typed access to tensors and walks over index spaces, shared by the evaluations.
#ifndef MFC_OPS_ELEMENTS_H
#define MFC_OPS_ELEMENTS_H

#include "OpFunctions.h"

#include <array>
#include <limits>
#include <vector>

namespace mfc {

/// The elements; the buffers of tensors come from operator new, so they are aligned for every element type.
template <typename T> const T *elements(const Tensor &tensor) { return reinterpret_cast<const T *>(tensor.bytes.data()); }
template <typename T> T *elements(Tensor &tensor) { return reinterpret_cast<T *>(tensor.bytes.data()); }

/// An attribute as a stored value; the double nearest to the largest i64 is one too large.
template <typename T> T storedAttribute(double value) {
  if constexpr (std::numeric_limits<T>::is_integer)
    if (value >= static_cast<double>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

/// Elements between neighbours of each dimension in a row-major tensor.
inline std::vector<int64_t> rowMajorStrides(const Shape &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Strides by which an operand is read when it is broadcast to a result shape: 0 along repeated dimensions.
inline std::vector<int64_t> broadcastStrides(const Shape &operand, const Shape &result) {
  std::vector<int64_t> own = rowMajorStrides(operand), strides(result.size(), 0);
  size_t missing = result.size() - operand.size();
  for (size_t i = 0; i < operand.size(); ++i)
    strides[missing + i] = operand[i] == 1 ? 0 : own[i];
  return strides;
}

/// Visits every index of `shape` in row-major order; visit(i, positions) gets the running number and, for each of N stride sets,
/// base + sum of index * stride.
template <size_t N, typename Visit>
void walk(const Shape &shape, const std::array<std::vector<int64_t>, N> &strides, std::array<int64_t, N> base,
          Visit &&visit) {
  size_t rank = shape.size();
  std::vector<int64_t> index(rank, 0);
  int64_t inner = rank ? shape[rank - 1] : 1;
  std::array<int64_t, N> step{};
  for (size_t n = 0; n < N && rank; ++n)
    step[n] = strides[n][rank - 1];
  for (int64_t i = 0;;) {
    std::array<int64_t, N> position = base;
    for (int64_t k = 0; k < inner; ++k, ++i) {
      visit(i, position);
      for (size_t n = 0; n < N; ++n)
        position[n] += step[n];
    }
    size_t d = rank ? rank - 1 : 0; // the innermost dimension is done; carry into the outer ones
    for (; d > 0; --d) {
      for (size_t n = 0; n < N; ++n)
        base[n] += strides[n][d - 1];
      if (++index[d - 1] < shape[d - 1])
        break;
      for (size_t n = 0; n < N; ++n)
        base[n] -= strides[n][d - 1] * shape[d - 1];
      index[d - 1] = 0;
    }
    if (d == 0)
      return;
  }
}

/// result[i] = f(a, b) with numpy broadcasting; A, B and R are the element types.
template <typename A, typename B, typename R, typename F> void applyBroadcast(const EvalArgs &args, F &&f) {
  const A *a = elements<A>(*args.operands[0]);
  const B *b = elements<B>(*args.operands[1]);
  R *out = elements<R>(args.result);
  const Shape &shape = args.resultType().shape;
  walk<2>(shape,
          {broadcastStrides(args.operandType(0).shape, shape), broadcastStrides(args.operandType(1).shape, shape)},
          {0, 0}, [&](int64_t i, const std::array<int64_t, 2> &p) { out[i] = f(a[p[0]], b[p[1]]); });
}

/// result[i] = f(operand[i]).
template <typename A, typename R, typename F> void applyUnary(const EvalArgs &args, F &&f) {
  const A *in = elements<A>(*args.operands[0]);
  R *out = elements<R>(args.result);
  for (int64_t i = 0, n = args.resultType().count(); i < n; ++i)
    out[i] = f(in[i]);
}

/// Calls f(T{}) with the unsigned integer type of that many bytes: for operators that only move elements.
template <typename F> void dispatchBytes(unsigned bytes, F &&f) {
  if (bytes == 1)
    f(uint8_t{});
  else if (bytes == 2)
    f(uint16_t{});
  else if (bytes == 4)
    f(uint32_t{});
  else
    f(uint64_t{});
}

/// Calls f(T{}) with the C++ type of an element type that activations can be quantized to.
template <typename F> void dispatchQuantized(ElementType type, F &&f) {
  if (type == ElementType::I8)
    f(int8_t{});
  else if (type == ElementType::U8)
    f(uint8_t{});
  else
    f(int16_t{});
}

/// Which slice of the quantization axis an element belongs to.
struct AxisIndex {
  int64_t inner = 1; ///< elements of one slice that lie together
  int64_t size = 1;  ///< slices
  explicit AxisIndex(const TensorType &type) {
    if (!type.quant || type.quant->isPerTensor())
      return;
    size = type.dim(type.quant->axis);
    for (int64_t d = type.quant->axis + 1; d < type.rank(); ++d)
      inner *= type.dim(d);
  }
  size_t operator()(int64_t i) const { return static_cast<size_t>(i / inner % size); }
};

/// Evaluates an operation that has a unary table (QuantizedForms.h).
void evalUnaryTable(const EvalArgs &args);

} // namespace mfc
#endif
