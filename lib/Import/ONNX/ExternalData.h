// Contents of initializers that are kept in files beside the model.
#ifndef MFC_IMPORT_ONNX_EXTERNALDATA_H
#define MFC_IMPORT_ONNX_EXTERNALDATA_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mfc::onnxpb {
class TensorProto;
}

namespace mfc::onnx {

/// `bytes` bytes of the tensor's file. The file must lie in the folder of `modelFile` or below: a
/// model must not be able to read anything else.
llvm::Expected<std::string> readExternalData(const onnxpb::TensorProto &proto,
                                             llvm::StringRef modelFile, uint64_t bytes);

/// Adds the tensor's file to the list, once; nothing for a tensor with its contents inside the model.
void noteExternalData(const onnxpb::TensorProto &proto, llvm::StringRef modelFile,
                      std::vector<std::string> *filesRead);

} // namespace mfc::onnx
#endif
