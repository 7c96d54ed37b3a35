#include "ConstantEdit.h"

#include "Rewrite.h"

using namespace mfc;

Tensor mfc::tensorOf(const Value &constant) { return Tensor(constant.type, constant.bytes()); }

std::vector<float> mfc::floatsOf(const Value &constant) {
  std::vector<float> values(static_cast<size_t>(constant.type.count()));
  std::memcpy(values.data(), constant.bytes().data(), values.size() * sizeof(float));
  return values;
}

/// Index along the quantization axis of element i (0 when per tensor).
static size_t sliceOf(const TensorType &type, int64_t i) {
  if (!type.quant || type.quant->isPerTensor())
    return 0;
  int64_t inner = 1;
  for (int64_t d = type.quant->axis + 1; d < type.rank(); ++d)
    inner *= type.dim(d);
  return static_cast<size_t>(i / inner % type.dim(type.quant->axis));
}

std::vector<double> mfc::realsOf(const Value &constant) {
  Tensor tensor = tensorOf(constant);
  std::vector<double> values(static_cast<size_t>(constant.type.count()));
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t at = static_cast<int64_t>(i);
    if (isFloat(constant.type.element)) {
      values[i] = tensor.get<float>(at);
      continue;
    }
    values[i] = static_cast<double>(tensor.getInteger(at));
    if (const std::optional<Quantization> &q = constant.type.quant) {
      size_t slice = sliceOf(constant.type, at);
      values[i] = (values[i] - q->zeroPoint(slice)) * static_cast<double>(q->scale(slice));
    }
  }
  return values;
}

Value *mfc::addFloats(Graph &graph, Shape shape, llvm::ArrayRef<float> values, std::string name) {
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return graph.addConstant({ElementType::F32, std::move(shape), std::nullopt}, std::move(bytes), std::move(name));
}

Value *mfc::addTensor(Graph &graph, Tensor tensor, std::string name) {
  return graph.addConstant(std::move(tensor.type), std::move(tensor.bytes), std::move(name));
}

Value *mfc::constantUnder(Value *value) {
  if (value->isConstant())
    return value;
  Operation *op = producerOfKind(value, OpKind::Dequantize);
  return op && op->operand(0)->isConstant() ? op->operand(0) : nullptr;
}

std::vector<uint8_t> mfc::permutedBytes(const Value &constant, const Shape &shape, llvm::ArrayRef<int64_t> perm) {
  size_t rank = shape.size(), width = elementBytes(constant.type.element);
  std::vector<int64_t> step(rank, 1); // elements between neighbours, per dimension of the source
  for (size_t d = rank; d-- > 1;)
    step[d - 1] = step[d] * shape[d];
  std::vector<uint8_t> result(constant.bytes().size());
  std::vector<int64_t> index(rank, 0);
  for (size_t to = 0; to < result.size(); to += width) {
    int64_t from = 0;
    for (size_t d = 0; d < rank; ++d)
      from += index[d] * step[static_cast<size_t>(perm[d])];
    std::memcpy(&result[to], &constant.bytes()[static_cast<size_t>(from) * width], width);
    for (size_t d = rank; d-- > 0 && ++index[d] == shape[static_cast<size_t>(perm[d])];)
      index[d] = 0;
  }
  return result;
}

static Quantization selectedScales(const Quantization &q, llvm::ArrayRef<int64_t> indices) {
  Quantization result = q;
  result.scales.clear();
  result.zeroPoints.clear();
  for (int64_t i : indices) {
    result.scales.push_back(q.scale(static_cast<size_t>(i)));
    result.zeroPoints.push_back(q.zeroPoint(static_cast<size_t>(i)));
  }
  return result;
}

Tensor mfc::selected(const Value &constant, int64_t axis, llvm::ArrayRef<int64_t> indices) {
  TensorType type = constant.type;
  size_t inner = elementBytes(type.element), outer = 1;
  for (int64_t d = 0; d < type.rank(); ++d)
    (d < axis ? outer : inner) *= d == axis ? 1 : static_cast<size_t>(type.dim(d));
  const auto extent = static_cast<size_t>(type.dim(axis));
  type.shape[static_cast<size_t>(axis)] = static_cast<int64_t>(indices.size());
  if (type.quant && type.quant->axis == axis)
    type.quant = selectedScales(*type.quant, indices);
  Tensor result(type);
  uint8_t *to = result.bytes.data();
  for (size_t o = 0; o < outer; ++o)
    for (int64_t i : indices) {
      std::memcpy(to, constant.bytes().data() + (o * extent + static_cast<size_t>(i)) * inner, inner);
      to += inner;
    }
  return result;
}
