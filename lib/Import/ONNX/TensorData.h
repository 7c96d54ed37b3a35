// TensorProto to Tensor: the six places where ONNX keeps numbers, sizes checked against the shape.
#ifndef MFC_IMPORT_ONNX_TENSORDATA_H
#define MFC_IMPORT_ONNX_TENSORDATA_H

#include "mfc/IR/Tensor.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mfc::onnxpb {
class TensorProto;
}

namespace mfc::onnx {

/// No tensor of an ONNX model for a microcontroller needs more dimensions.
constexpr int kMaxRank = 8;

/// The contents. `modelFile` is where external data is looked for, beside it. Element types that
/// the graph does not have are Unsupported; see readAs.
llvm::Expected<Tensor> readTensor(const onnxpb::TensorProto &proto, llvm::StringRef modelFile);

/// The contents converted as ONNX's Cast does it, also from float16, bfloat16, float64 and uint64.
llvm::Expected<Tensor> readAs(ElementType wanted, const onnxpb::TensorProto &proto,
                              llvm::StringRef modelFile);

/// Checks shape and size of the contents without keeping them.
llvm::Error checkTensor(const onnxpb::TensorProto &proto, llvm::StringRef modelFile);

} // namespace mfc::onnx
#endif
