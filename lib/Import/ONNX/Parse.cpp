// Protobuf parsing. An empty file is a valid empty message, and most of a TFLite or text file fails
// somewhere in the first fields; both are told apart from a damaged ONNX file here.
#include "Parse.h"

#include "onnx_subset.pb.h"
#include <climits>
#include <google/protobuf/io/coded_stream.h>

using namespace mfc;

/// Deep enough for subgraphs a dozen levels down, shallow enough for any stack.
static constexpr int kRecursionLimit = 64;

std::unique_ptr<onnxpb::ModelProto> onnx::parseModel(llvm::MemoryBufferRef buffer,
                                                     DiagnosticEngine &diag) {
  Location loc;
  loc.file = buffer.getBufferIdentifier().str();
  llvm::StringRef bytes = buffer.getBuffer();
  if (bytes.empty()) {
    diag.error(ErrorClass::BadModel, loc) << "the file is empty, wanted an ONNX model";
    return nullptr;
  }
  if (bytes.size() > static_cast<size_t>(INT_MAX)) {
    diag.error(ErrorClass::Unsupported, loc)
        << "the model has " << bytes.size() << " bytes, an ONNX file can have 2147483647 at most";
    return nullptr;
  }
  if (bytes.substr(4, 4) == "TFL3") {
    diag.error(ErrorClass::BadModel, loc) << "this is a TFLite model, wanted an ONNX model";
    return nullptr;
  }

  auto model = std::make_unique<onnxpb::ModelProto>();
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const uint8_t *>(bytes.data()),
                                               static_cast<int>(bytes.size()));
  input.SetTotalBytesLimit(static_cast<int>(bytes.size()));
  input.SetRecursionLimit(kRecursionLimit);
  if (!model->ParseFromCodedStream(&input) || !input.ConsumedEntireMessage()) {
    loc.byteOffset = input.CurrentPosition();
    diag.error(ErrorClass::BadModel, loc)
        << "not an ONNX model, or a damaged one: parsing stopped here, the file has "
        << bytes.size() << " bytes";
    return nullptr;
  }
  if (!model->has_graph()) {
    diag.error(ErrorClass::BadModel, loc) << "not an ONNX model: the file holds no graph";
    return nullptr;
  }
  return model;
}
