// A tensor with its contents: what the reference interpreter computes on. Little-endian, row-major.
#ifndef MFC_IR_TENSOR_H
#define MFC_IR_TENSOR_H

#include "mfc/IR/Type.h"

#include <cstring>

namespace mfc {

struct Tensor {
  TensorType type;
  std::vector<uint8_t> bytes;

  Tensor() = default;
  explicit Tensor(TensorType t) : type(std::move(t)), bytes(type.bytes()) {}
  Tensor(TensorType t, llvm::ArrayRef<uint8_t> contents) : type(std::move(t)), bytes(contents.begin(), contents.end()) {}

  template <typename T> T get(int64_t i) const {
    T value;
    std::memcpy(&value, bytes.data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
    return value;
  }
  template <typename T> void set(int64_t i, T value) {
    std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(T), &value, sizeof(T));
  }
  /// Element i as a wide integer (integer types) or as a float (F32).
  int64_t getInteger(int64_t i) const;
  void setInteger(int64_t i, int64_t value); ///< wraps like a C cast
};

/// Calls f(T{}) with the C++ type of the element type.
template <typename F> decltype(auto) dispatchElement(ElementType type, F &&f) {
  switch (type) {
  case ElementType::Bool:
  case ElementType::U8:
    return f(uint8_t{});
  case ElementType::I8:
    return f(int8_t{});
  case ElementType::I16:
    return f(int16_t{});
  case ElementType::U16:
    return f(uint16_t{});
  case ElementType::I32:
    return f(int32_t{});
  case ElementType::U32:
    return f(uint32_t{});
  case ElementType::I64:
    return f(int64_t{});
  case ElementType::F32:
    return f(float{});
  }
  __builtin_unreachable();
}

} // namespace mfc
#endif
