// Tensors: type, shape, quantization and contents, each checked against the others.
#include "Model.h"

#include <cmath>

using namespace mfc;
using namespace mfc::tflite;

/// What a 32-bit microcontroller can address for data.
static constexpr uint64_t kMaxTensorBytes = uint64_t(1) << 31;

static std::optional<ElementType> elementType(fb::TensorType type) {
  switch (type) {
  case fb::TensorType::Float32:
    return ElementType::F32;
  case fb::TensorType::Int32:
    return ElementType::I32;
  case fb::TensorType::UInt8:
    return ElementType::U8;
  case fb::TensorType::Int64:
    return ElementType::I64;
  case fb::TensorType::Bool:
    return ElementType::Bool;
  case fb::TensorType::Int16:
    return ElementType::I16;
  case fb::TensorType::Int8:
    return ElementType::I8;
  case fb::TensorType::UInt32:
    return ElementType::U32;
  case fb::TensorType::UInt16:
    return ElementType::U16;
  case fb::TensorType::Float16:
  case fb::TensorType::String:
  case fb::TensorType::Complex64:
  case fb::TensorType::Float64:
  case fb::TensorType::Complex128:
  case fb::TensorType::UInt64:
  case fb::TensorType::Resource:
  case fb::TensorType::Variant:
  case fb::TensorType::Int4:
  case fb::TensorType::BFloat16:
    break;
  }
  return std::nullopt; // a number past the enum ends here too
}

namespace {
class TensorReader {
public:
  TensorReader(const fb::Model &model, llvm::MemoryBufferRef file, ModelInfo &info, DiagnosticEngine &diag)
      : model(model), file(file), info(info), diag(diag) {}

  void read(const fb::Tensor *table, int index);

private:
  DiagnosticBuilder error() { return diag.error(ErrorClass::BadModel, tensorLocation(info, current)); }
  bool readShape(const fb::Tensor &table, TensorInfo &tensor);
  bool readQuantization(const fb::Tensor &table, TensorInfo &tensor);
  bool checkScales(const Quantization &quant);
  bool checkAxis(const Quantization &quant, const TensorType &type);
  bool checkContents(TensorInfo &tensor);
  std::optional<llvm::ArrayRef<uint8_t>> bufferBytes(uint32_t number);

  const fb::Model &model;
  llvm::MemoryBufferRef file;
  ModelInfo &info;
  DiagnosticEngine &diag;
  int current = 0;
};
} // namespace

bool TensorReader::readShape(const fb::Tensor &table, TensorInfo &tensor) {
  bool sound = true;
  if (table.shape())
    tensor.type.shape.assign(table.shape()->begin(), table.shape()->end());
  if (const auto *signature = table.shape_signature(); signature && signature->size() == tensor.type.shape.size()) {
    for (uint32_t i = 0; i < signature->size(); ++i)
      if (signature->Get(i) == kDynamicDim)
        tensor.dynamicDims.push_back(i);
  }
  for (size_t i = 0; i < tensor.type.shape.size(); ++i) {
    int64_t &dim = tensor.type.shape[i];
    if (dim < 0) {
      error() << "dimension " << i << " is " << dim << "; wanted a positive number";
      sound = false;
    }
  }
  if (sound && !elementCount(tensor.type.shape)) {
    error() << "shape " << shapeText(tensor.type.shape) << " has too many elements to count";
    sound = false;
  }
  return sound;
}

bool TensorReader::checkScales(const Quantization &quant) {
  for (size_t i = 0; i < quant.scales.size(); ++i) {
    double scale = quant.scales[i];
    if (!std::isfinite(scale) || scale <= 0) {
      error() << "quantization scale " << i << " is " << scale << "; wanted a positive finite number";
      return false; // one message a tensor: a broken list is broken throughout
    }
  }
  return true;
}

bool TensorReader::checkAxis(const Quantization &quant, const TensorType &type) {
  if (quant.axis < 0 || quant.axis >= type.rank()) {
    error() << "quantized dimension is " << quant.axis << ", but the shape is " << shapeText(type.shape);
    return false;
  }
  if (type.dim(quant.axis) != static_cast<int64_t>(quant.scales.size())) {
    error() << "has " << quant.scales.size() << " quantization scales, but dimension " << quant.axis << " of "
            << shapeText(type.shape) << " is " << type.dim(quant.axis);
    return false;
  }
  return true;
}

bool TensorReader::readQuantization(const fb::Tensor &table, TensorInfo &tensor) {
  const fb::QuantizationParameters *q = table.quantization();
  ElementType element = tensor.type.element;
  if (!q || isFloat(element) || element == ElementType::Bool)
    return true; // float tensors may carry the range that a quantizer saw
  if (q->details_type() != 0) {
    tensor.unsupported = "has a custom quantization";
    return true;
  }
  if (!q->scale() || q->scale()->size() == 0)
    return true;
  Quantization quant;
  quant.scales.assign(q->scale()->begin(), q->scale()->end());
  size_t zeroPoints = q->zero_point() ? q->zero_point()->size() : 0;
  if (zeroPoints != quant.scales.size()) {
    error() << "has " << quant.scales.size() << " quantization scales but " << zeroPoints << " zero points";
    return false;
  }
  bool sound = checkScales(quant);
  for (int64_t zeroPoint : *q->zero_point()) {
    if (zeroPoint < elementMin(element) || zeroPoint > elementMax(element) || zeroPoint != int32_t(zeroPoint)) {
      error() << "zero point " << zeroPoint << " is outside the range of " << elementName(element);
      return false;
    }
    quant.zeroPoints.push_back(static_cast<int32_t>(zeroPoint));
  }
  if (quant.scales.size() > 1) {
    // Some converters give a bias the quantized dimension of its weights.
    quant.axis = tensor.type.rank() == 1 ? 0 : q->quantized_dimension();
    sound &= checkAxis(quant, tensor.type);
  }
  tensor.type.quant = std::move(quant);
  return sound;
}

std::optional<llvm::ArrayRef<uint8_t>> TensorReader::bufferBytes(uint32_t number) {
  llvm::ArrayRef<uint8_t> none;
  size_t count = model.buffers() ? model.buffers()->size() : 0;
  if (number == 0)
    return none; // buffer 0 is empty by definition, even where a file has none
  if (number >= count) {
    error() << "contents are in buffer " << number << ", but the model has " << count << " buffers";
    return std::nullopt;
  }
  const fb::Buffer *buffer = model.buffers()->Get(number);
  if (!buffer)
    return none;
  if (buffer->offset() > 1) {
    uint64_t size = file.getBufferSize();
    if (buffer->offset() > size || buffer->size() > size - buffer->offset()) {
      error() << "contents are bytes " << buffer->offset() << " to " << buffer->offset() + buffer->size()
              << " of the file, which has " << size;
      return std::nullopt;
    }
    return llvm::ArrayRef(reinterpret_cast<const uint8_t *>(file.getBufferStart()) + buffer->offset(), buffer->size());
  }
  if (!buffer->data())
    return none;
  return llvm::ArrayRef(buffer->data()->data(), buffer->data()->size());
}

bool TensorReader::checkContents(TensorInfo &tensor) {
  if (tensor.type.count() == 0) {
    tensor.isConstant = true; // an empty list, as Reshape to a scalar has it
    if (tensor.type.rank() != 1) {
      error() << "shape " << shapeText(tensor.type.shape) << " has a dimension of 0; wanted a positive number";
      return false;
    }
  }
  if (tensor.isConstant && tensor.data.size() != tensor.type.bytes()) {
    error() << "contents have " << tensor.data.size() << " bytes, but " << elementName(tensor.type.element) << ' '
            << shapeText(tensor.type.shape) << " needs " << tensor.type.bytes();
    return false;
  }
  return true;
}

void TensorReader::read(const fb::Tensor *table, int index) {
  current = index;
  info.tensors.emplace_back().name = "#" + std::to_string(index);
  if (!table) {
    error() << "tensor is missing";
    return;
  }
  TensorInfo &tensor = info.tensors.back();
  if (table->name() && table->name()->size() != 0)
    tensor.name = table->name()->str();
  tensor.isVariable = table->is_variable();
  if (tensor.isVariable)
    tensor.unsupported = "is a variable: models with state are not supported";
  if (table->sparsity())
    tensor.unsupported = "is stored in sparse form";
  bool sound = readShape(*table, tensor);
  if (std::optional<llvm::ArrayRef<uint8_t>> bytes = bufferBytes(table->buffer()))
    tensor.data = *bytes;
  else
    sound = false;
  tensor.isConstant = !tensor.data.empty();
  std::optional<ElementType> element = elementType(table->type());
  if (!element) {
    const char *name = fb::EnumNameTensorType(table->type());
    tensor.unsupported = *name ? "has element type " + llvm::StringRef(name).lower()
                               : "has the unknown element type " + std::to_string(int(table->type()));
    return;
  }
  tensor.type.element = *element;
  if (sound && uint64_t(tensor.type.count()) * elementBytes(*element) > kMaxTensorBytes) {
    tensor.unsupported = "needs " + std::to_string(tensor.type.bytes()) + " bytes, more than 2 GiB";
    return;
  }
  if (!sound || !tensor.unsupported.empty())
    return;
  sound &= readQuantization(*table, tensor);
  sound &= checkContents(tensor);
  tensor.usable = sound && tensor.unsupported.empty();
}

void tflite::readTensors(const fb::Model &model, llvm::MemoryBufferRef buffer, ModelInfo &info,
                         DiagnosticEngine &diag) {
  TensorReader reader(model, buffer, info, diag);
  const auto *tensors = model.subgraphs()->Get(0)->tensors();
  if (!tensors)
    return;
  info.tensors.reserve(tensors->size());
  for (uint32_t i = 0; i < tensors->size(); ++i)
    reader.read(tensors->Get(i), static_cast<int>(i));
}
