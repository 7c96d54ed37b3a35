// Addition and subtraction.
#include "float_bits.h"

static float_word add(float_word a, float_word b) {
  if (magnitude(a) < magnitude(b)) {
    float_word t = a;
    a = b;
    b = t;
  }
  if (magnitude(a) >= INFINITY_WORD) { // also when b is a NaN: NaNs are the largest words
    if (is_nan(a) || (magnitude(b) == INFINITY_WORD && a != b))
      return NAN_WORD;
    return a;
  }
  struct unpacked x = unpack(a), y = unpack(b);
  uint32_t sign = a & SIGN_BIT;
  uint32_t large = x.fraction << 7;
  uint32_t small = shift_right_sticky(y.fraction << 7, (uint32_t)(x.exponent - y.exponent));
  if (((a ^ b) & SIGN_BIT) == 0) {
    uint32_t sum = large + small; // below 2^32
    if (sum & 0x80000000u) {
      sum = shift_right_sticky(sum, 1);
      ++x.exponent;
    }
    return round_and_pack(sign, x.exponent, sum);
  }
  uint32_t difference = large - small;
  if (difference == 0)
    return 0; // exact cancellation is +0 when rounding to nearest
  difference = normalize(difference, 1u << 30, &x.exponent);
  return round_and_pack(sign, x.exponent, difference);
}

#if WITH_ARM_NAMES
float_word EXPORT(__aeabi_fadd)(float_word a, float_word b) { return add(a, b); }
float_word EXPORT(__aeabi_fsub)(float_word a, float_word b) { return add(a, b ^ SIGN_BIT); }
float_word EXPORT(__aeabi_frsub)(float_word a, float_word b) { return add(b, a ^ SIGN_BIT); }
#endif
#if WITH_GENERIC_NAMES
float_word EXPORT(__addsf3)(float_word a, float_word b) { return add(a, b); }
float_word EXPORT(__subsf3)(float_word a, float_word b) { return add(a, b ^ SIGN_BIT); }
#endif
