// See InputTypes.h. A dimension is dynamic if it is symbolic, absent, 0 or -1 (old exporters write
// the last two).
#include "InputTypes.h"

#include "TensorData.h"
#include "Types.h"
#include "onnx_subset.pb.h"
#include "llvm/ADT/STLExtras.h"

using namespace mfc;
using namespace mfc::onnx;

/// "1x?x10" as an example for --input-shape; the batch is filled in.
static std::string exampleShape(const onnxpb::TensorShapeProto &shape) {
  std::string text;
  for (int i = 0; i < shape.dim_size(); ++i) {
    int64_t d = shape.dim(i).dim_value();
    text += i ? "x" : "";
    text += d > 0 ? std::to_string(d) : i == 0 ? "1" : "<" + std::to_string(i) + ">";
  }
  return text;
}

static std::optional<Shape> declaredShape(const onnxpb::ValueInfoProto &info,
                                          DiagnosticEngine &diag, const Location &loc) {
  const auto &shape = info.type().tensor_type().shape();
  Shape result;
  for (int i = 0; i < shape.dim_size(); ++i) {
    const auto &dim = shape.dim(i);
    int64_t d = dim.dim_value();
    if (d < -1) {
      diag.error(ErrorClass::BadModel, loc)
          << "dimension " << i << " of the graph input is " << d << ", wanted a positive number";
      return std::nullopt;
    }
    if (d <= 0 && i > 0) {
      std::string found = dim.value_case() == onnxpb::TensorShapeProto::Dimension::kDimParam
                              ? "symbolic ('" + dim.dim_param() + "')"
                          : dim.has_dim_value() ? std::to_string(d)
                                                : std::string("not known");
      diag.error(ErrorClass::Unsupported, loc)
              .field("kind", "dynamic-dimension")
              .field("dimension", std::to_string(i))
          << "dimension " << i << " of the graph input is " << found
          << ", wanted a fixed size; say --input-shape " << info.name() << "="
          << exampleShape(shape);
      return std::nullopt;
    }
    result.push_back(d <= 0 ? 1 : d);
  }
  return result;
}

static std::optional<Shape> chosenShape(const onnxpb::ValueInfoProto &info, const Shape &chosen,
                                        DiagnosticEngine &diag, const Location &loc) {
  const auto &tensor = info.type().tensor_type();
  if (tensor.has_shape() && static_cast<size_t>(tensor.shape().dim_size()) != chosen.size()) {
    diag.error(ErrorClass::Usage, loc)
        << "--input-shape gives " << shapeText(chosen) << ", the model's input has "
        << tensor.shape().dim_size() << " dimensions";
    return std::nullopt;
  }
  if (llvm::any_of(chosen, [](int64_t d) { return d <= 0; })) {
    diag.error(ErrorClass::Usage, loc)
        << "--input-shape gives " << shapeText(chosen) << ", wanted positive dimensions";
    return std::nullopt;
  }
  return chosen;
}

static auto findChosen(const onnxpb::ValueInfoProto &info, const ImportOptions &options) {
  return llvm::find_if(options.inputShapes, [&](const auto &entry) { return entry.first == info.name(); });
}

bool onnx::hasAssumedBatch(const onnxpb::ValueInfoProto &info, const ImportOptions &options) {
  const auto &shape = info.type().tensor_type().shape();
  return shape.dim_size() > 0 && shape.dim(0).dim_value() <= 0 &&
         findChosen(info, options) == options.inputShapes.end();
}

std::optional<TensorType> onnx::inputType(const onnxpb::ValueInfoProto &info,
                                          const ImportOptions &options, DiagnosticEngine &diag,
                                          const Location &loc) {
  if (info.type().value_case() != onnxpb::TypeProto::kTensorType) {
    diag.error(ErrorClass::Unsupported, loc)
        << "graph input is a " << typeProtoText(info.type()) << ", wanted a tensor";
    return std::nullopt;
  }
  const auto &tensor = info.type().tensor_type();
  std::optional<ElementType> element = elementTypeOf(tensor.elem_type());
  if (!element) {
    diag.error(ErrorClass::Unsupported, loc).field("kind", "unsupported-type")
        << "graph input is a " << typeProtoText(info.type())
        << ", wanted float32, int8, uint8, int32, int64 or bool";
    return std::nullopt;
  }
  auto chosen = findChosen(info, options);
  std::optional<Shape> shape;
  if (chosen != options.inputShapes.end()) {
    shape = chosenShape(info, chosen->second, diag, loc);
  } else if (!tensor.has_shape()) {
    diag.error(ErrorClass::Unsupported, loc)
        << "the shape of the graph input is not known; say --input-shape " << info.name()
        << "=1x...";
  } else {
    shape = declaredShape(info, diag, loc);
  }
  if (!shape)
    return std::nullopt;
  if (shape->size() > kMaxRank) {
    diag.error(ErrorClass::Unsupported, loc)
        << "graph input has " << shape->size() << " dimensions, " << kMaxRank
        << " at most are supported";
    return std::nullopt;
  }
  if (!elementCount(*shape)) {
    diag.error(ErrorClass::BadModel, loc) << "graph input of shape " << shapeText(*shape)
                                          << " has more elements than mfc can address";
    return std::nullopt;
  }
  return TensorType{*element, std::move(*shape), {}};
}
