// Constants as numbers, for operators that are evaluated while importing.
#ifndef MFC_IMPORT_ONNX_FOLDONLY_H
#define MFC_IMPORT_ONNX_FOLDONLY_H

#include "Node.h"

namespace mfc::onnx {

double elementAsReal(const Tensor &tensor, int64_t i);
/// The contents of all operands; lists the operator as unsupported if one is not constant.
std::optional<std::vector<Tensor>> allContents(NodeContext &ctx);

} // namespace mfc::onnx
#endif
