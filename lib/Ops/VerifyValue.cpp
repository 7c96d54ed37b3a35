// Constraints on a single tensor type, and on the contents of constants.
#include "Verifier.h"

#include <cmath>

using namespace mfc;

static bool verifyShape(const TensorType &type, const Location &at, DiagnosticEngine &diag) {
  // value_c1: dimensions are positive.
  for (int64_t d : type.shape) {
    if (d == 0)
      return diag.error(ErrorClass::Unsupported, at)
             << "shape " << shapeText(type.shape) << " has no elements, wanted dimensions of at least 1";
    if (d < 0)
      return diag.error(ErrorClass::BadModel, at)
             << "shape " << shapeText(type.shape) << " has dimension " << d << ", wanted known, positive dimensions";
  }
  // value_c2: the number of elements can be addressed.
  if (!elementCount(type.shape))
    return diag.error(ErrorClass::BadModel, at)
           << "shape " << shapeText(type.shape) << " has more than 2^40 elements";
  return true;
}

static bool verifyQuantization(const TensorType &type, const Location &at, DiagnosticEngine &diag) {
  const Quantization &q = *type.quant;
  auto bad = [&] { return diag.error(ErrorClass::BadModel, at); };
  // value_c3: integers are quantized, floats are not.
  if (isFloat(type.element) || type.element == ElementType::Bool)
    return bad() << elementName(type.element) << " tensor has a scale, wanted an integer type";
  // value_c4: one scale, or one a slice of the axis; as many zero points.
  if (q.axis >= type.rank())
    return bad() << "quantization axis " << q.axis << " is outside rank " << type.rank();
  int64_t wanted = q.isPerTensor() ? 1 : type.dim(q.axis);
  if (static_cast<int64_t>(q.scales.size()) != wanted || q.scales.size() != q.zeroPoints.size())
    return bad() << "found " << q.scales.size() << " scales and " << q.zeroPoints.size() << " zero points, wanted "
                 << wanted << " of each";
  // value_c5: scales are positive and finite. value_c6: zero points are stored values.
  for (size_t i = 0; i < q.scales.size(); ++i) {
    if (!(q.scales[i] > 0) || !std::isfinite(q.scales[i]))
      return bad() << "scale " << i << " is " << q.scales[i] << ", wanted a positive, finite number";
    if (q.zeroPoints[i] < elementMin(type.element) || q.zeroPoints[i] > elementMax(type.element))
      return bad() << "zero point " << i << " is " << q.zeroPoints[i] << ", wanted " << elementMin(type.element)
                   << " to " << elementMax(type.element) << " for " << elementName(type.element);
  }
  return true;
}

bool mfc::verifyValue(const Value &value, Location at, DiagnosticEngine &diag) {
  at.tensor = value.name;
  bool ok = verifyShape(value.type, at, diag);
  if (ok && value.type.quant)
    ok = verifyQuantization(value.type, at, diag);
  // value_c7: a constant has the bytes of its type.
  if (ok && value.isConstant() && value.bytes().size() != value.type.bytes())
    return diag.error(ErrorClass::BadModel, at) << "constant has " << value.bytes().size() << " bytes, wanted "
                                                << value.type.bytes() << " for " << typeText(value.type);
  return ok;
}
