// What the verify<Op> functions work with: the operation, where to report, and the checks that several operators share.
// A check reports and returns false; verification goes on as long as it makes sense, so that one run lists everything.
#ifndef MFC_OPS_VERIFIER_H
#define MFC_OPS_VERIFIER_H

#include "mfc/Ops/Ops.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mfc {

/// Contents of a value that depends on constants only, or nothing. The bytes stay valid while the verifier lives.
using ConstantLookup = llvm::function_ref<std::optional<llvm::ArrayRef<uint8_t>>(const Value &)>;

class OpVerifier {
public:
  OpVerifier(const Operation &op, DiagnosticEngine &diag, ConstantLookup constants)
      : op(op), diag(diag), constants(constants) {}

  const Operation &op;
  DiagnosticEngine &diag;
  ConstantLookup constants;

  const TensorType &operand(size_t i) const { return op.operand(i)->type; }
  const TensorType &result() const { return op.result()->type; }

  /// The model contradicts itself.
  DiagnosticBuilder bad() { return diag.error(ErrorClass::BadModel, op.loc); }
  DiagnosticBuilder bad(const Value &at) { return diag.error(ErrorClass::BadModel, locationOf(at)); }
  /// The model may be right, but mfc has no code for it.
  DiagnosticBuilder unsupported() { return diag.error(ErrorClass::Unsupported, op.loc); }
  DiagnosticBuilder unsupported(const Value &at) { return diag.error(ErrorClass::Unsupported, locationOf(at)); }

  /// Reports the element types as a combination that the operator does not have; `wanted` names those it has.
  bool unsupportedTypes(const char *wanted);
  /// Every operand and the result have one element type.
  bool sameElements() const;
  /// No operand and no result is quantized.
  bool nothingQuantized() const;
  /// Every operand and the result are quantized.
  bool allQuantized() const;
  /// The result has the element type and quantization of operand 0.
  bool resultLikeOperand(const char *reason);
  /// Quantized with one scale for the whole tensor.
  bool perTensor(const Value &value);
  /// A TFLite rounding shifts left before it multiplies: |accumulator| <= bound must survive that in 32 bits.
  bool leftShiftFits(int shift, double bound, Rounding rounding);

private:
  Location locationOf(const Value &value) const;
};

/// "i8 and f32"
std::string elementNames(llvm::ArrayRef<Value *> values);
/// i8, u8 or i16: what activations are quantized to.
bool isActivationElement(ElementType type);
/// Integers that are no quantized numbers: everything but bool and f32.
bool isPlainInteger(ElementType type);
/// Largest |stored - zero point| of a per-tensor quantized type.
int64_t largestStoredOffset(const TensorType &type);

/// The type by itself: dimensions, quantization parameters; contents of constants have the right size.
bool verifyValue(const Value &value, Location location, DiagnosticEngine &diag);
/// One operation whose operands' and results' types are fine by themselves.
bool verifyOperation(const Operation &op, DiagnosticEngine &diag, ConstantLookup constants);

/// conv2d, depthwise_conv2d, dense; `channelAxis` of the weights runs over the result's channels.
void verifyAnchor(OpVerifier &v, int channelAxis);
/// Both pools: every window must reach the input.
bool verifyWindows(OpVerifier &v);
/// Operators that move elements: same element type, quantization unchanged.
void verifyMovement(OpVerifier &v);
/// Operators that compute in one type: float, plain integers or one quantized element type. Reports anything else, with
/// `wanted` naming what the operator has (a caller that lacks one of the kinds says so itself).
enum class ArithmeticKind { Float, Integer, Quantized, Invalid };
ArithmeticKind verifyArithmetic(OpVerifier &v, const char *wanted);

#define MFC_OP(Kind, ...) void verify##Kind(OpVerifier &v);
#include "mfc/IR/Ops.def"
#undef MFC_OP

} // namespace mfc
#endif
