// The table of TensorProto.DataType (onnx.proto) with our element types.
#include "Types.h"

#include "onnx_subset.pb.h"

using namespace mfc;

namespace {
struct DataTypeRow {
  const char *name;
  std::optional<ElementType> element;
};
} // namespace

/// Indexed by TensorProto.DataType.
static const DataTypeRow dataTypes[] = {
    {"undefined", {}},
    {"float32", ElementType::F32},
    {"uint8", ElementType::U8},
    {"int8", ElementType::I8},
    {"uint16", ElementType::U16},
    {"int16", ElementType::I16},
    {"int32", ElementType::I32},
    {"int64", ElementType::I64},
    {"string", {}},
    {"bool", ElementType::Bool},
    {"float16", {}},
    {"float64", {}},
    {"uint32", ElementType::U32},
    {"uint64", {}},
    {"complex64", {}},
    {"complex128", {}},
    {"bfloat16", {}},
    {"float8e4m3fn", {}},
    {"float8e4m3fnuz", {}},
    {"float8e5m2", {}},
    {"float8e5m2fnuz", {}},
    {"uint4", {}},
    {"int4", {}},
    {"float4e2m1", {}},
};

std::string onnx::dataTypeName(int dataType) {
  if (dataType < 0 || static_cast<size_t>(dataType) >= std::size(dataTypes))
    return "type " + std::to_string(dataType);
  return dataTypes[dataType].name;
}

std::string onnx::dataTypeName(ElementType type) {
  for (const DataTypeRow &row : dataTypes)
    if (row.element == type)
      return row.name;
  return elementName(type).str();
}

std::optional<ElementType> onnx::elementTypeOf(int dataType) {
  if (dataType < 0 || static_cast<size_t>(dataType) >= std::size(dataTypes))
    return std::nullopt;
  return dataTypes[dataType].element;
}

std::string onnx::typeProtoText(const onnxpb::TypeProto &type) {
  // Depth is bounded by the parser's recursion limit.
  switch (type.value_case()) {
  case onnxpb::TypeProto::kTensorType:
    return dataTypeName(type.tensor_type().elem_type()) + " tensor";
  case onnxpb::TypeProto::kSequenceType:
    return "sequence of " + typeProtoText(type.sequence_type().elem_type());
  case onnxpb::TypeProto::kMapType:
    return "map from " + dataTypeName(type.map_type().key_type()) + " to " +
           typeProtoText(type.map_type().value_type());
  case onnxpb::TypeProto::kSparseTensorType:
    return dataTypeName(type.sparse_tensor_type().elem_type()) + " sparse tensor";
  case onnxpb::TypeProto::kOptionalType:
    return "optional " + typeProtoText(type.optional_type().elem_type());
  case onnxpb::TypeProto::VALUE_NOT_SET:
    return "value without a type";
  }
  return "value without a type";
}
