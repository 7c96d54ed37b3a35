// What kind of model a file holds, from its bytes.
//
// A TFLite flatbuffer has the identifier "TFL3" at byte 4. ONNX has no identifier: a ModelProto is recognised by its
// top-level fields (protobuf wire format: each field starts with number * 8 + wire type). The textual form starts with
// the word "graph" after blanks and // comments.
#include "Detect.h"

#include "mfc/Import/Import.h"

using namespace mfc;

llvm::StringRef mfc::formatName(ModelFormat format) {
  switch (format) {
  case ModelFormat::TFLite:
    return "a TFLite model";
  case ModelFormat::ONNX:
    return "an ONNX model";
  case ModelFormat::Text:
    return "a textual mfc graph";
  }
  return "";
}

static bool looksLikeText(llvm::StringRef content) {
  llvm::StringRef rest = content.ltrim();
  while (rest.consume_front("//"))
    rest = rest.drop_front(std::min(rest.find('\n'), rest.size())).ltrim();
  return rest.consume_front("graph") && rest.ltrim(" \t\r\n").starts_with("@");
}

/// Reads a varint; false at the end of the data or when it is longer than 64 bits.
static bool readVarint(llvm::StringRef &data, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !data.empty(); shift += 7) {
    uint8_t byte = static_cast<uint8_t>(data.front());
    data = data.drop_front();
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

namespace {
enum WireType : unsigned { Varint = 0, Length = 2 };
} // namespace

/// The wire type that onnx.ModelProto has for a field; nothing for fields that it does not have.
static std::optional<unsigned> modelProtoWireType(uint64_t field) {
  switch (field) {
  case 1: // ir_version
  case 5: // model_version
    return Varint;
  case 2:  // producer_name
  case 3:  // producer_version
  case 4:  // domain
  case 6:  // doc_string
  case 7:  // graph
  case 8:  // opset_import
  case 14: // metadata_props
  case 20: // training_info
  case 25: // functions
    return Length;
  default:
    return std::nullopt;
  }
}

/// Walks the top-level fields until something contradicts ModelProto. Accepts a file that is cut short inside a
/// field, so that the importer can say so, but only if what stands before it is convincing: the IR version, or
/// an operator set or graph.
static bool looksLikeONNX(llvm::StringRef content) {
  bool convincing = false;
  while (!content.empty()) {
    uint64_t tag, value;
    if (!readVarint(content, tag) || modelProtoWireType(tag >> 3) != (tag & 7))
      return false;
    if (!readVarint(content, value))
      return convincing;
    uint64_t field = tag >> 3;
    if (field == 1)
      convincing = value >= 1 && value < 1000;
    if (field == 7 || field == 8)
      convincing = true;
    if ((tag & 7) == Varint)
      continue;
    if (value > content.size())
      return convincing;
    content = content.drop_front(value);
  }
  return convincing;
}

std::optional<ModelFormat> mfc::detectFormat(llvm::StringRef content) {
  if (content.size() >= 8 && content.substr(4, 4) == "TFL3")
    return ModelFormat::TFLite;
  if (looksLikeText(content))
    return ModelFormat::Text;
  if (looksLikeONNX(content))
    return ModelFormat::ONNX;
  return std::nullopt;
}

llvm::StringRef mfc::describeForeignContent(llvm::StringRef content) {
  struct Signature {
    llvm::StringLiteral start, description;
  };
  static constexpr Signature signatures[] = {
      {"version https://git-lfs", "a Git LFS pointer: fetch the real file with 'git lfs pull'"},
      {"PK\x03\x04", "a ZIP archive, such as a Keras, PyTorch or SavedModel package: export it to ONNX or TFLite"},
      {"\x89HDF", "an HDF5 file, such as a Keras .h5 model: convert it to TFLite"},
      {"\x1f\x8b", "gzip-compressed: unpack it first"},
      {"GGUF", "a GGUF file: export the model to ONNX"},
      {"\x7f" "ELF", "an ELF object or program"},
      {"!<arch>", "an archive of objects"},
      {"<", "an HTML or XML page, perhaps from a failed download"},
      {"{", "JSON text"},
  };
  for (const Signature &signature : signatures)
    if (content.starts_with(signature.start))
      return signature.description;
  if (content.size() >= 4 && llvm::StringRef("TFL3").starts_with(content.substr(4, 4)) && content.size() < 8 &&
      content.size() > 4)
    return "a TFLite file cut off inside its header";
  return {};
}
