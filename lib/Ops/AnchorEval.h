// What conv2d, depthwise_conv2d and dense share: choosing the element types, and from accumulator to result.
#ifndef MFC_OPS_ANCHOREVAL_H
#define MFC_OPS_ANCHOREVAL_H

#include "Elements.h"
#include "mfc/Ops/QuantizedForms.h"

namespace mfc {

/// Adds the bias to a float accumulator and stores it.
struct FloatStore {
  const float *bias; ///< null without bias
  float *out;
  void operator()(int64_t i, int64_t channel, float acc) const { out[i] = bias ? acc + bias[channel] : acc; }
};

/// Adds the bias to an integer accumulator, requantizes and stores it.
template <typename Out> struct IntegerStore {
  const RequantForm &form;
  const int32_t *bias; ///< null without bias
  Out *out;
  void operator()(int64_t i, int64_t channel, int32_t acc) const {
    int64_t sum = int64_t(acc) + (bias ? bias[channel] : 0);
    out[i] = static_cast<Out>(form.apply(sum, static_cast<size_t>(channel)));
  }
};

/// Calls run(input, weights, zero point, store) with the pointer types of the operation. The accumulator has the type of
/// the zero point: float or int32.
template <typename Run> void evalAnchor(const EvalArgs &args, Run &&run) {
  const Tensor &x = *args.operands[0], &w = *args.operands[1];
  const Tensor *bias = args.operands.size() > 2 ? args.operands[2] : nullptr;
  if (isFloat(args.operandType(0).element)) {
    run(elements<float>(x), elements<float>(w), 0.0f,
        FloatStore{bias ? elements<float>(*bias) : nullptr, elements<float>(args.result)});
    return;
  }
  RequantForm form = requantForm(args.op);
  const int32_t *biasData = bias ? elements<int32_t>(*bias) : nullptr;
  auto withOut = [&](auto *weights) {
    if (args.resultType().element == ElementType::I8)
      run(elements<int8_t>(x), weights, form.inputZeroPoint,
          IntegerStore<int8_t>{form, biasData, elements<int8_t>(args.result)});
    else
      run(elements<int8_t>(x), weights, form.inputZeroPoint,
          IntegerStore<int16_t>{form, biasData, elements<int16_t>(args.result)});
  };
  if (args.operandType(1).element == ElementType::I8)
    withOut(elements<int8_t>(w));
  else
    withOut(elements<int16_t>(w));
}

} // namespace mfc
#endif
