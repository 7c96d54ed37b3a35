// Multiplication.
#include "float_bits.h"

// The 48-bit product of two 24-bit numbers as high * 2^24 + low, from products of 12-bit halves.
static void multiply24(uint32_t a, uint32_t b, uint32_t *high, uint32_t *low) {
  uint32_t a1 = a >> 12, a0 = a & 0xfff, b1 = b >> 12, b0 = b & 0xfff;
  uint32_t middle = a1 * b0 + a0 * b1;                  // below 2^25
  uint32_t bottom = a0 * b0 + ((middle & 0xfff) << 12); // below 2^25
  *high = a1 * b1 + (middle >> 12) + (bottom >> 24);
  *low = bottom & 0xffffff;
}

static float_word multiply(float_word a, float_word b) {
  uint32_t sign = (a ^ b) & SIGN_BIT;
  if (magnitude(a) >= INFINITY_WORD || magnitude(b) >= INFINITY_WORD) {
    if (is_nan(a) || is_nan(b) || magnitude(a) == 0 || magnitude(b) == 0)
      return NAN_WORD;
    return sign | INFINITY_WORD;
  }
  if (magnitude(a) == 0 || magnitude(b) == 0)
    return sign;
  struct unpacked x = unpack_normalized(a), y = unpack_normalized(b);
  uint32_t high, low;
  multiply24(x.fraction, y.fraction, &high, &low); // in [2^46, 2^48)
  int32_t exponent = x.exponent + y.exponent - EXPONENT_BIAS;
  uint32_t significand = high << 8 | low >> 16 | ((low & 0xffff) != 0);
  if (significand & 0x80000000u) {
    significand = shift_right_sticky(significand, 1);
    ++exponent;
  }
  return round_and_pack(sign, exponent, significand);
}

#if WITH_ARM_NAMES
float_word EXPORT(__aeabi_fmul)(float_word a, float_word b) { return multiply(a, b); }
#endif
#if WITH_GENERIC_NAMES
float_word EXPORT(__mulsf3)(float_word a, float_word b) { return multiply(a, b); }
#endif
