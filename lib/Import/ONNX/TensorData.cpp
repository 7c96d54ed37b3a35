// Contents come as raw little-endian bytes, in a typed field, or from an external file (onnx.proto,
// TensorProto).
#include "TensorData.h"

#include "ExternalData.h"
#include "Types.h"
#include "mfc/Support/ClassifiedError.h"
#include "onnx_subset.pb.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"
#include <cmath>
#include <functional>

using namespace mfc;
using onnxpb::TensorProto;

static llvm::Error badTensor(const llvm::Twine &message) {
  return makeError(ErrorClass::BadModel, message);
}

/// Bytes of one element in raw data; 0 for types whose contents cannot be read.
static unsigned rawElementBytes(int dataType) {
  if (std::optional<ElementType> element = onnx::elementTypeOf(dataType))
    return elementBytes(*element);
  switch (dataType) {
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
    return 2;
  case TensorProto::DOUBLE:
  case TensorProto::UINT64:
    return 8;
  }
  return 0;
}

static llvm::Expected<Shape> readShape(const TensorProto &proto) {
  Shape shape(proto.dims().begin(), proto.dims().end());
  if (shape.size() > onnx::kMaxRank)
    return makeError(ErrorClass::Unsupported, "rank " + llvm::Twine(shape.size()) + ", " +
                                                  llvm::Twine(onnx::kMaxRank) +
                                                  " dimensions at most are supported");
  for (int64_t d : shape)
    if (d < 0)
      return badTensor("dimension " + llvm::Twine(d) + " in shape " + shapeText(shape) +
                       ", wanted non-negative numbers");
  if (!elementCount(shape))
    return badTensor("shape " + shapeText(shape) + " has more elements than mfc can address");
  return shape;
}

/// Entries of the typed field that belongs to the type.
static size_t typedCount(const TensorProto &proto) {
  switch (proto.data_type()) {
  case TensorProto::FLOAT:
    return static_cast<size_t>(proto.float_data_size());
  case TensorProto::INT64:
    return static_cast<size_t>(proto.int64_data_size());
  case TensorProto::DOUBLE:
    return static_cast<size_t>(proto.double_data_size());
  case TensorProto::UINT32:
  case TensorProto::UINT64:
    return static_cast<size_t>(proto.uint64_data_size());
  }
  return static_cast<size_t>(proto.int32_data_size());
}

/// The typed field as the raw bytes that it stands for.
static std::vector<uint8_t> typedBytes(const TensorProto &proto, unsigned width) {
  std::vector<uint8_t> bytes(typedCount(proto) * width);
  auto put = [&](size_t i, uint64_t bits) {
    for (unsigned b = 0; b < width; ++b)
      bytes[i * width + b] = static_cast<uint8_t>(bits >> (8 * b));
  };
  auto copy = [&](const auto &field, auto &&bitsOf) {
    for (int i = 0; i < field.size(); ++i)
      put(static_cast<size_t>(i), bitsOf(field.Get(i)));
  };
  switch (proto.data_type()) {
  case TensorProto::FLOAT:
    copy(proto.float_data(), [](float v) { return llvm::bit_cast<uint32_t>(v); });
    break;
  case TensorProto::DOUBLE:
    copy(proto.double_data(), [](double v) { return llvm::bit_cast<uint64_t>(v); });
    break;
  case TensorProto::INT64:
    copy(proto.int64_data(), [](int64_t v) { return static_cast<uint64_t>(v); });
    break;
  case TensorProto::UINT32:
  case TensorProto::UINT64:
    copy(proto.uint64_data(), [](uint64_t v) { return v; });
    break;
  default:
    copy(proto.int32_data(),
         [](int32_t v) { return static_cast<uint64_t>(static_cast<int64_t>(v)); });
  }
  return bytes;
}

/// int32_data and uint64_data are wider than some types that are stored in them; a number that does not fit has no
/// meaning in the file format. (Bool is normalized, the 16-bit floats are bit patterns.)
static llvm::Error checkTypedRange(const TensorProto &proto) {
  auto check = [&](const auto &field, ElementType element) -> llvm::Error {
    for (int i = 0; i < field.size(); ++i) {
      auto value = static_cast<int64_t>(field.Get(i));
      if (value < elementMin(element) || value > elementMax(element))
        return badTensor("element " + llvm::Twine(i) + " is " + llvm::Twine(value) + ", outside the range of " +
                         onnx::dataTypeName(proto.data_type()));
    }
    return llvm::Error::success();
  };
  switch (proto.data_type()) {
  case TensorProto::INT8:
  case TensorProto::UINT8:
  case TensorProto::INT16:
  case TensorProto::UINT16:
    return check(proto.int32_data(), *onnx::elementTypeOf(proto.data_type()));
  case TensorProto::UINT32:
    return check(proto.uint64_data(), ElementType::U32);
  }
  return llvm::Error::success();
}

namespace {
struct RawContents {
  Shape shape;
  unsigned width = 0;
  std::vector<uint8_t> bytes;
};
} // namespace

static llvm::Expected<RawContents> readRaw(const TensorProto &proto, llvm::StringRef modelFile) {
  RawContents raw;
  llvm::Expected<Shape> shape = readShape(proto);
  if (!shape)
    return shape.takeError();
  raw.shape = std::move(*shape);
  raw.width = rawElementBytes(proto.data_type());
  if (raw.width == 0)
    return makeError(ErrorClass::Unsupported,
                     onnx::dataTypeName(proto.data_type()) + " tensors are not supported");
  auto count = static_cast<uint64_t>(*elementCount(raw.shape));
  uint64_t wanted = count * raw.width;
  if (proto.data_location() == TensorProto::EXTERNAL) {
    llvm::Expected<std::string> contents = onnx::readExternalData(proto, modelFile, wanted);
    if (!contents)
      return contents.takeError();
    raw.bytes.assign(contents->begin(), contents->end());
    return raw;
  }
  if (proto.has_raw_data() && (!proto.raw_data().empty() || typedCount(proto) == 0)) {
    if (proto.raw_data().size() != wanted)
      return badTensor("contents of " + llvm::Twine(proto.raw_data().size()) + " bytes, shape " +
                       shapeText(raw.shape) + " of " + onnx::dataTypeName(proto.data_type()) +
                       " needs " + llvm::Twine(wanted));
    raw.bytes.assign(proto.raw_data().begin(), proto.raw_data().end());
    return raw;
  }
  if (typedCount(proto) != count)
    return badTensor("contents of " + llvm::Twine(typedCount(proto)) + " elements, shape " +
                     shapeText(raw.shape) + " needs " + llvm::Twine(count));
  if (llvm::Error error = checkTypedRange(proto))
    return error;
  raw.bytes = typedBytes(proto, raw.width);
  return raw;
}

/// Bool is one byte that is 0 or 1; files may hold other bytes.
static void normalizeBools(Tensor &tensor) {
  if (tensor.type.element == ElementType::Bool)
    for (uint8_t &b : tensor.bytes)
      b = b != 0;
}

llvm::Expected<Tensor> onnx::readTensor(const TensorProto &proto, llvm::StringRef modelFile) {
  std::optional<ElementType> element = elementTypeOf(proto.data_type());
  if (!element)
    return makeError(ErrorClass::Unsupported,
                     dataTypeName(proto.data_type()) +
                         " tensors are not supported, wanted float32, int8, uint8, int16, "
                         "uint16, int32, uint32, int64 or bool");
  llvm::Expected<RawContents> raw = readRaw(proto, modelFile);
  if (!raw)
    return raw.takeError();
  Tensor tensor;
  tensor.type = {*element, std::move(raw->shape), {}};
  tensor.bytes = std::move(raw->bytes);
  normalizeBools(tensor);
  return tensor;
}

llvm::Error onnx::checkTensor(const TensorProto &proto, llvm::StringRef modelFile) {
  if (rawElementBytes(proto.data_type()) == 0)
    return readShape(proto).takeError();
  return readRaw(proto, modelFile).takeError();
}

/// One element of a type that only Cast accepts.
static double wideElement(int dataType, const uint8_t *bytes) {
  using namespace llvm::support;
  switch (dataType) {
  case TensorProto::FLOAT16:
    return llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, endian::read16le(bytes)))
        .convertToFloat();
  case TensorProto::BFLOAT16:
    return llvm::bit_cast<float>(static_cast<uint32_t>(endian::read16le(bytes)) << 16);
  case TensorProto::DOUBLE:
    return llvm::bit_cast<double>(endian::read64le(bytes));
  case TensorProto::UINT64:
    return static_cast<double>(endian::read64le(bytes));
  }
  return 0;
}

llvm::Expected<Tensor> onnx::readAs(ElementType wanted, const TensorProto &proto,
                                    llvm::StringRef modelFile) {
  llvm::Expected<RawContents> raw = readRaw(proto, modelFile);
  if (!raw)
    return raw.takeError();
  Tensor tensor(TensorType{wanted, raw->shape, {}});
  for (int64_t i = 0, n = tensor.type.count(); i < n; ++i) {
    double value =
        wideElement(proto.data_type(), raw->bytes.data() + static_cast<size_t>(i) * raw->width);
    if (wanted == ElementType::F32) {
      tensor.set(i, static_cast<float>(value));
    } else if (wanted == ElementType::Bool) {
      tensor.set(i, static_cast<uint8_t>(value != 0));
    } else {
      double truncated = std::trunc(value);
      if (!(truncated >= static_cast<double>(elementMin(wanted)) &&
            truncated <= static_cast<double>(elementMax(wanted))) ||
          truncated >= 0x1p63)
        return badTensor("element " + llvm::Twine(i) + " does not fit in " + dataTypeName(wanted));
      tensor.setInteger(i, static_cast<int64_t>(truncated));
    }
  }
  return tensor;
}
