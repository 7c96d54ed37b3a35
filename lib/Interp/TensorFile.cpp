// Reading and writing tensors; the .npy format is that of numpy.lib.format.
#include "mfc/Interp/TensorFile.h"

#include "mfc/Support/ClassifiedError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mfc;

static llvm::Error usage(llvm::StringRef path, const llvm::Twine &message) {
  return makeError(ErrorClass::Usage, path + ": " + message);
}

static constexpr llvm::StringLiteral kNpyMagic("\x93NUMPY");

/// The type character and size of .npy, without the byte order.
static llvm::StringRef npyType(ElementType type) {
  switch (type) {
  case ElementType::Bool:
    return "b1";
  case ElementType::I8:
    return "i1";
  case ElementType::U8:
    return "u1";
  case ElementType::I16:
    return "i2";
  case ElementType::U16:
    return "u2";
  case ElementType::I32:
    return "i4";
  case ElementType::U32:
    return "u4";
  case ElementType::I64:
    return "i8";
  case ElementType::F32:
    return "f4";
  }
  __builtin_unreachable();
}

static std::string npyDescription(ElementType type) {
  return (elementBytes(type) == 1 ? "|" : "<") + npyType(type).str();
}

/// "(1, 49, 10, 1)"; one dimension keeps Python's comma.
static std::string pythonTuple(const Shape &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string mfc::npyText(const Tensor &tensor) {
  std::string header = "{'descr': '" + npyDescription(tensor.type.element) +
                       "', 'fortran_order': False, 'shape': " + pythonTuple(tensor.type.shape) + ", }";
  constexpr size_t fixedBytes = 10; // magic, version, header length; the data starts at a multiple of 64
  header.append(63 - (fixedBytes + header.size()) % 64, ' ');
  header += '\n';
  std::string text = kNpyMagic.str();
  text += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return text + header + rawText(tensor);
}

std::string mfc::rawText(const Tensor &tensor) { return std::string(tensor.bytes.begin(), tensor.bytes.end()); }

namespace {
/// The three entries of the header's dictionary, as they are written.
struct NpyHeader {
  llvm::StringRef descr, order, shape;
  llvm::StringRef data; ///< what follows the header
};
} // namespace

/// The text behind "'key':" up to the end of its value.
static llvm::StringRef dictionaryValue(llvm::StringRef header, llvm::StringRef key) {
  size_t at = header.find(("'" + key + "':").str());
  if (at == llvm::StringRef::npos)
    return {};
  llvm::StringRef rest = header.substr(at + key.size() + 3).ltrim();
  if (rest.starts_with("("))
    return rest.take_until([](char c) { return c == ')'; }).drop_front();
  if (rest.starts_with("["))
    return "[";
  return rest.take_until([](char c) { return c == ',' || c == '}'; }).trim();
}

static llvm::Expected<NpyHeader> splitNpy(llvm::StringRef contents, llvm::StringRef name) {
  if (!contents.starts_with(kNpyMagic) || contents.size() < 12)
    return usage(name, "does not start with the signature of an .npy file");
  auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(contents[i])); };
  size_t version = byte(6);
  if (version < 1 || version > 3)
    return usage(name, ".npy version is " + llvm::Twine(version) + ", wanted 1 to 3");
  size_t start = version == 1 ? 10 : 12, length = byte(8) | byte(9) << 8;
  if (version > 1)
    length |= byte(10) << 16 | byte(11) << 24;
  if (contents.size() - start < length)
    return usage(name, "file ends inside the .npy header");
  llvm::StringRef header = contents.substr(start, length);
  return NpyHeader{dictionaryValue(header, "descr"), dictionaryValue(header, "fortran_order"),
                   dictionaryValue(header, "shape"), contents.substr(start + length)};
}

static llvm::Error checkNpyType(llvm::StringRef found, llvm::StringRef name, ElementType wanted) {
  found = found.trim("'\"");
  if (found.starts_with("["))
    return usage(name, "array has structured elements, wanted " + npyDescription(wanted));
  if (found.contains('O'))
    return usage(name, "array holds Python objects, wanted " + npyDescription(wanted));
  if (found.starts_with(">") && !found.ends_with("1"))
    return usage(name, "array is big-endian (" + found + "), wanted " + npyDescription(wanted));
  if (found.size() != 3 || found.drop_front() != npyType(wanted))
    return usage(name, "array has element type '" + found + "', wanted '" + npyDescription(wanted) + "' (" +
                           elementName(wanted) + ")");
  return llvm::Error::success();
}

/// Nothing if the text is no list of non-negative numbers.
static std::optional<Shape> parseShape(llvm::StringRef text) {
  Shape shape;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    int64_t d;
    if (part.trim().empty())
      continue;
    if (part.trim().getAsInteger(10, d) || d < 0)
      return std::nullopt;
    shape.push_back(d);
  }
  return shape;
}

llvm::Expected<Tensor> mfc::parseNpy(llvm::StringRef contents, llvm::StringRef name, const TensorType &wanted) {
  llvm::Expected<NpyHeader> header = splitNpy(contents, name);
  if (!header)
    return header.takeError();
  if (llvm::Error error = checkNpyType(header->descr, name, wanted.element))
    return error;
  if (header->order != "False")
    return usage(name, header->order == "True" ? "array is in Fortran order, wanted C order"
                                               : "header does not say fortran_order: False");
  std::optional<Shape> shape = parseShape(header->shape);
  if (!shape)
    return usage(name, "header has no readable shape");
  if (*shape != wanted.shape)
    return usage(name, "array has shape " + shapeText(*shape) + ", wanted " + shapeText(wanted.shape));
  if (header->data.size() != wanted.bytes())
    return usage(name, "array has " + llvm::Twine(header->data.size()) + " bytes of data, wanted " +
                           llvm::Twine(wanted.bytes()));
  return Tensor(wanted, llvm::arrayRefFromStringRef<uint8_t>(header->data));
}

llvm::Expected<Tensor> mfc::readTensorFile(llvm::StringRef path, const TensorType &wanted) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return usage(path, llvm::StringRef(error.message()).lower());
  if (llvm::sys::fs::is_directory(status))
    return usage(path, "is a directory, wanted a file");
  bool isNpy = path.ends_with_insensitive(".npy");
  if (!isNpy && llvm::sys::fs::is_regular_file(status) && status.getSize() != wanted.bytes())
    return usage(path, "has " + llvm::Twine(status.getSize()) + " bytes, wanted " + llvm::Twine(wanted.bytes()) +
                           " for " + elementName(wanted.element) + " " + shapeText(wanted.shape));
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  if (!buffer)
    return usage(path, llvm::StringRef(buffer.getError().message()).lower());
  llvm::StringRef contents = (*buffer)->getBuffer();
  if (isNpy)
    return parseNpy(contents, path, wanted);
  if (contents.size() != wanted.bytes())
    return usage(path, "has " + llvm::Twine(contents.size()) + " bytes, wanted " + llvm::Twine(wanted.bytes()));
  return Tensor(wanted, llvm::arrayRefFromStringRef<uint8_t>(contents));
}
