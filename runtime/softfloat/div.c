// Division, one quotient bit a step.
#include "float_bits.h"

#define QUOTIENT_BITS                                                                              \
  26 // 24 of the result, one to round by, one so that the sticky bit is below it

static float_word divide(float_word a, float_word b) {
  uint32_t sign = (a ^ b) & SIGN_BIT;
  if (is_nan(a) || is_nan(b))
    return NAN_WORD;
  if (magnitude(a) == INFINITY_WORD)
    return magnitude(b) == INFINITY_WORD ? NAN_WORD : sign | INFINITY_WORD;
  if (magnitude(b) == 0)
    return magnitude(a) == 0 ? NAN_WORD : sign | INFINITY_WORD;
  if (magnitude(a) == 0 || magnitude(b) == INFINITY_WORD)
    return sign;
  struct unpacked x = unpack_normalized(a), y = unpack_normalized(b);
  int32_t exponent = x.exponent - y.exponent + EXPONENT_BIAS;
  uint32_t rest = x.fraction;
  if (rest < y.fraction) {
    rest <<= 1;
    --exponent;
  }
  uint32_t quotient = 0; // in [1, 2), leading bit QUOTIENT_BITS - 1
  for (int i = 0; i < QUOTIENT_BITS; ++i) {
    quotient <<= 1;
    if (rest >= y.fraction) {
      rest -= y.fraction;
      quotient |= 1;
    }
    rest <<= 1;
  }
  return round_and_pack(sign, exponent, quotient << (31 - QUOTIENT_BITS) | (rest != 0));
}

#if WITH_ARM_NAMES
float_word EXPORT(__aeabi_fdiv)(float_word a, float_word b) { return divide(a, b); }
#endif
#if WITH_GENERIC_NAMES
float_word EXPORT(__divsf3)(float_word a, float_word b) { return divide(a, b); }
#endif
