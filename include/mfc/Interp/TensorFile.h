// Tensors in files: raw little-endian bytes, or NumPy's .npy (format versions 1 to 3, C order).
#ifndef MFC_INTERP_TENSORFILE_H
#define MFC_INTERP_TENSORFILE_H

#include "mfc/IR/Tensor.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mfc {

/// Reads a tensor of the wanted element type and shape. A name ending in .npy is read as such, with its own type and shape
/// checked; anything else is raw bytes, whose number must match. Errors are of class Usage and start with the path.
llvm::Expected<Tensor> readTensorFile(llvm::StringRef path, const TensorType &wanted);

/// The same for contents already in memory; `name` is for messages.
llvm::Expected<Tensor> parseNpy(llvm::StringRef contents, llvm::StringRef name, const TensorType &wanted);

/// The bytes of an .npy file, version 1.
std::string npyText(const Tensor &tensor);
/// The bytes of a raw file.
std::string rawText(const Tensor &tensor);

} // namespace mfc
#endif
