// Arithmetic on two broadcast operands of one element type.
#ifndef MFC_OPS_BINARYEVAL_H
#define MFC_OPS_BINARYEVAL_H

#include "Elements.h"

#include <type_traits>

namespace mfc {

/// f on floats, or on 64-bit unsigned numbers whose low bits are the wrapped result of the integer type.
template <typename F> void evalPlain(const EvalArgs &args, F &&f) {
  dispatchElement(args.resultType().element, [&](auto zero) {
    using T = decltype(zero);
    applyBroadcast<T, T, T>(args, [&](T a, T b) {
      if constexpr (std::is_same_v<T, float>)
        return f(a, b);
      else
        return static_cast<T>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
    });
  });
}

/// form.apply on stored values of a quantized type.
template <typename Form> void evalWithForm(const EvalArgs &args, const Form &form) {
  dispatchQuantized(args.resultType().element, [&](auto zero) {
    using T = decltype(zero);
    applyBroadcast<T, T, T>(args, [&](T a, T b) { return static_cast<T>(form.apply(a, b)); });
  });
}

} // namespace mfc
#endif
