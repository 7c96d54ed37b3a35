// Single-precision numbers as 32-bit words: taking apart, normalising, rounding. IEEE 754-2019,
// round to nearest, ties to even; no flags, no traps.
//
// For cores without an FPU. Only 32-bit operations that an Armv6-M core has (no 64-bit product, no
// division, no count of leading zeros), so that the helpers need no helpers themselves. A result
// that is not a number is always the word 0x7fc00000, as on RISC-V.
#ifndef MFC_RUNTIME_FLOAT_BITS_H
#define MFC_RUNTIME_FLOAT_BITS_H

#include <stdint.h>

typedef uint32_t float_word; // an IEEE single in an integer register, as soft-float ABIs pass it

#define SIGN_BIT 0x80000000u
#define INFINITY_WORD 0x7f800000u
#define NAN_WORD 0x7fc00000u
#define HIDDEN_BIT 0x00800000u
#define FRACTION_MASK 0x007fffffu
#define EXPONENT_BIAS 127

// On the target the functions have the names that the compiler calls. On the host, where the tests
// run, these names belong to the C library and get a prefix.
#if defined(__arm__) || defined(__riscv)
#define EXPORT(name) name
#else
#define EXPORT(name) mfc_soft_##name
#endif
#if !defined(__riscv)
#define WITH_ARM_NAMES 1
#endif
#if !defined(__arm__)
#define WITH_GENERIC_NAMES 1
#endif

static inline float_word magnitude(float_word a) { return a & ~SIGN_BIT; }
static inline int is_nan(float_word a) { return magnitude(a) > INFINITY_WORD; }

// Right shift that keeps "something was lost" in the lowest bit.
static inline uint32_t shift_right_sticky(uint32_t value, uint32_t count) {
  if (count == 0)
    return value;
  if (count > 31)
    return value != 0;
  return value >> count | ((value << (32 - count)) != 0);
}

// Shifts `value` (not 0) left until `top` (a power of two above it or its leading bit) is set and
// lowers *exponent by the same count.
static inline uint32_t normalize(uint32_t value, uint32_t top, int32_t *exponent) {
  for (uint32_t step = 16; step != 0; step >>= 1)
    if (value < top >> (step - 1)) {
      value <<= step;
      *exponent -= (int32_t)step;
    }
  return value;
}

// A finite number as fraction * 2^(exponent - 127 - 23).
struct unpacked {
  uint32_t fraction; // hidden bit included; below HIDDEN_BIT only for subnormals and 0
  int32_t exponent;
};

static inline struct unpacked unpack(float_word a) {
  struct unpacked u = {a & FRACTION_MASK, (int32_t)(a >> 23 & 0xff)};
  if (u.exponent == 0)
    u.exponent = 1;
  else
    u.fraction |= HIDDEN_BIT;
  return u;
}

// Same for a number that is not 0, with the hidden bit always set.
static inline struct unpacked unpack_normalized(float_word a) {
  struct unpacked u = unpack(a);
  u.fraction = normalize(u.fraction, HIDDEN_BIT, &u.exponent);
  return u;
}

// Rounds significand * 2^(exponent - 127 - 30) to a float. The leading bit of the significand is
// bit 30, or lower when exponent is 1; bits 6..0 are rounded away and bit 0 is sticky.
static inline float_word round_and_pack(uint32_t sign, int32_t exponent, uint32_t significand) {
  if (exponent >= 255)
    return sign | INFINITY_WORD;
  uint32_t base = 0;
  if (exponent <= 0)
    significand = shift_right_sticky(significand, (uint32_t)(1 - exponent));
  else
    base = (uint32_t)(exponent - 1) << 23; // the hidden bit adds the missing one
  uint32_t lost = significand & 0x7f;
  uint32_t fraction = (significand + 0x40) >> 7;
  if (lost == 0x40)
    fraction &= ~1u;
  return sign | (base + fraction); // a carry goes into the exponent, up to infinity
}

#endif
