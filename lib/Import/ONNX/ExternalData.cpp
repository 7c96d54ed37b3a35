// Keys of external_data (onnx.proto): location (relative path), offset and length (decimal),
// checksum (unused).
#include "ExternalData.h"

#include "mfc/Support/ClassifiedError.h"
#include "onnx_subset.pb.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <optional>

using namespace mfc;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

namespace {
struct Reference {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};
} // namespace

static llvm::Expected<Reference> readReference(const onnxpb::TensorProto &proto) {
  Reference ref;
  for (const auto &entry : proto.external_data()) {
    uint64_t number = 0;
    if (entry.key() == "location") {
      ref.location = entry.value();
    } else if (entry.key() == "offset" || entry.key() == "length") {
      if (llvm::StringRef(entry.value()).getAsInteger(10, number))
        return makeError(ErrorClass::BadModel, "external data has " + entry.key() + " '" +
                                                   entry.value() + "', wanted a number");
      if (entry.key() == "offset")
        ref.offset = number;
      else
        ref.length = number;
    }
  }
  if (ref.location.empty() || ref.location.find('\0') != std::string::npos)
    return makeError(ErrorClass::BadModel, "external data without a file name");
  return ref;
}

/// The real path of the file, if it lies in or below the model's folder.
static llvm::Expected<std::string> resolve(llvm::StringRef location, llvm::StringRef modelFile) {
  llvm::SmallString<256> folder = path::parent_path(modelFile), realFolder, file, realFile;
  if (folder.empty())
    folder = ".";
  file = folder;
  path::append(file, location);
  bool climbs =
      llvm::is_contained(llvm::make_range(path::begin(location), path::end(location)), "..");
  if (path::is_absolute(location) || climbs)
    return makeError(ErrorClass::BadModel, "external data in '" + location +
                                               "', wanted a file in the folder of the model");
  if (fs::real_path(folder, realFolder) || fs::real_path(file, realFile) ||
      !fs::is_regular_file(realFile))
    return makeError(ErrorClass::Usage, "cannot read external data file '" + file + "'");
  path::append(realFolder, "");
  llvm::StringRef prefix = realFolder;
  if (!llvm::StringRef(realFile).starts_with(prefix))
    return makeError(ErrorClass::BadModel,
                     "external data in '" + location + "' leads out of the folder of the model");
  return std::string(realFile);
}

llvm::Expected<std::string> onnx::readExternalData(const onnxpb::TensorProto &proto,
                                                   llvm::StringRef modelFile, uint64_t bytes) {
  llvm::Expected<Reference> ref = readReference(proto);
  if (!ref)
    return ref.takeError();
  if (ref->length && *ref->length != bytes)
    return makeError(ErrorClass::BadModel, "external data of " + llvm::Twine(*ref->length) +
                                               " bytes, the shape needs " + llvm::Twine(bytes));
  llvm::Expected<std::string> file = resolve(ref->location, modelFile);
  if (!file)
    return file.takeError();
  uint64_t size = 0;
  if (fs::file_size(*file, size))
    return makeError(ErrorClass::Usage, "cannot read external data file '" + *file + "'");
  if (ref->offset > size || bytes > size - ref->offset)
    return makeError(ErrorClass::BadModel, "external data file '" + ref->location + "' has " +
                                               llvm::Twine(size) + " bytes, wanted " +
                                               llvm::Twine(bytes) + " from byte " +
                                               llvm::Twine(ref->offset));
  if (bytes == 0)
    return std::string();
  auto slice = llvm::MemoryBuffer::getFileSlice(*file, bytes, ref->offset);
  if (!slice)
    return makeError(ErrorClass::Usage, "cannot read external data file '" + *file +
                                            "': " + slice.getError().message());
  return (*slice)->getBuffer().str();
}

void onnx::noteExternalData(const onnxpb::TensorProto &proto, llvm::StringRef modelFile,
                            std::vector<std::string> *filesRead) {
  if (!filesRead || proto.data_location() != onnxpb::TensorProto::EXTERNAL)
    return;
  llvm::Expected<Reference> ref = readReference(proto);
  if (!ref)
    return llvm::consumeError(ref.takeError()); // reported where the contents are read
  llvm::SmallString<256> file = path::parent_path(modelFile);
  path::append(file, ref->location);
  if (!llvm::is_contained(*filesRead, file.str()))
    filesRead->push_back(file.str().str());
}
