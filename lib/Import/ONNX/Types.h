// ONNX type numbers: their names, and which of them a tensor of the graph can have.
#ifndef MFC_IMPORT_ONNX_TYPES_H
#define MFC_IMPORT_ONNX_TYPES_H

#include "mfc/IR/Type.h"

namespace mfc::onnxpb {
class TypeProto;
}

namespace mfc::onnx {

/// "float32", "uint8", "bfloat16" ...; "type 99" for a number that ONNX does not define.
std::string dataTypeName(int dataType);
/// The same spelling for an element type of the graph.
std::string dataTypeName(ElementType type);
/// The element type with the same values; nothing for types that the graph does not have (float16,
/// string ...).
std::optional<ElementType> elementTypeOf(int dataType);
/// "float32 tensor", "sequence of map from int64 to float32" ...
std::string typeProtoText(const onnxpb::TypeProto &type);

} // namespace mfc::onnx
#endif
