// Conversions between floats and 32-bit integers. To an integer: towards zero; out of range
// saturates and a NaN gives 0, as the VCVT instruction of Arm does.
#include "float_bits.h"

static float_word from_magnitude(uint32_t sign, uint32_t value) {
  if (value == 0)
    return 0;
  int32_t exponent = EXPONENT_BIAS + 31;
  value = normalize(value, 1u << 31, &exponent);
  return round_and_pack(sign, exponent, shift_right_sticky(value, 1));
}

static float_word from_signed(int32_t value) {
  uint32_t word = (uint32_t)value;
  return value < 0 ? from_magnitude(SIGN_BIT, 0u - word) : from_magnitude(0, word);
}

// |a| truncated, for |a| below 2^32.
static uint32_t truncate_magnitude(float_word a) {
  struct unpacked u = unpack(a);
  if (u.exponent < EXPONENT_BIAS)
    return 0;
  return u.fraction << 8 >> (EXPONENT_BIAS + 31 - u.exponent);
}

#define TWO_TO_31 0x4f000000u
#define TWO_TO_32 0x4f800000u

static int32_t to_signed(float_word a) {
  if (is_nan(a))
    return 0;
  if (magnitude(a) >= TWO_TO_31)
    return a & SIGN_BIT ? INT32_MIN : INT32_MAX;
  int32_t value = (int32_t)truncate_magnitude(a);
  return a & SIGN_BIT ? -value : value;
}

static uint32_t to_unsigned(float_word a) {
  if (is_nan(a) || (a & SIGN_BIT))
    return 0;
  return a >= TWO_TO_32 ? UINT32_MAX : truncate_magnitude(a);
}

#if WITH_ARM_NAMES
float_word EXPORT(__aeabi_i2f)(int32_t value) { return from_signed(value); }
float_word EXPORT(__aeabi_ui2f)(uint32_t value) { return from_magnitude(0, value); }
int32_t EXPORT(__aeabi_f2iz)(float_word a) { return to_signed(a); }
uint32_t EXPORT(__aeabi_f2uiz)(float_word a) { return to_unsigned(a); }
#endif
#if WITH_GENERIC_NAMES
float_word EXPORT(__floatsisf)(int32_t value) { return from_signed(value); }
float_word EXPORT(__floatunsisf)(uint32_t value) { return from_magnitude(0, value); }
int32_t EXPORT(__fixsfsi)(float_word a) { return to_signed(a); }
uint32_t EXPORT(__fixunssfsi)(float_word a) { return to_unsigned(a); }
#endif
