// Comparisons. Arm's helpers answer 1 or 0 ("Run-time ABI for the Arm Architecture", 4.1.2); the
// generic ones answer a number to be compared with 0, chosen so that a NaN makes the test fail.
#include "float_bits.h"

static int unordered(float_word a, float_word b) { return is_nan(a) || is_nan(b); }

static int both_zero(float_word a, float_word b) { return magnitude(a | b) == 0; }

// The next two ask nothing about NaNs.
static int equal(float_word a, float_word b) { return a == b || both_zero(a, b); }

static int less(float_word a, float_word b) {
  if (both_zero(a, b))
    return 0;
  if (a & b & SIGN_BIT)
    return a > b;
  return (int32_t)a < (int32_t)b;
}

#if WITH_ARM_NAMES
int EXPORT(__aeabi_fcmpeq)(float_word a, float_word b) { return !unordered(a, b) && equal(a, b); }
int EXPORT(__aeabi_fcmplt)(float_word a, float_word b) { return !unordered(a, b) && less(a, b); }
int EXPORT(__aeabi_fcmple)(float_word a, float_word b) { return !unordered(a, b) && !less(b, a); }
int EXPORT(__aeabi_fcmpge)(float_word a, float_word b) { return !unordered(a, b) && !less(a, b); }
int EXPORT(__aeabi_fcmpgt)(float_word a, float_word b) { return !unordered(a, b) && less(b, a); }
int EXPORT(__aeabi_fcmpun)(float_word a, float_word b) { return unordered(a, b); }
#endif

#if WITH_GENERIC_NAMES
// -1, 0 or 1; `nan` when unordered.
static int order(float_word a, float_word b, int nan) {
  if (unordered(a, b))
    return nan;
  return less(a, b) ? -1 : !equal(a, b);
}

int EXPORT(__eqsf2)(float_word a, float_word b) { return order(a, b, 1); }
int EXPORT(__nesf2)(float_word a, float_word b) { return order(a, b, 1); }
int EXPORT(__ltsf2)(float_word a, float_word b) { return order(a, b, 1); }
int EXPORT(__lesf2)(float_word a, float_word b) { return order(a, b, 1); }
int EXPORT(__gesf2)(float_word a, float_word b) { return order(a, b, -1); }
int EXPORT(__gtsf2)(float_word a, float_word b) { return order(a, b, -1); }
int EXPORT(__unordsf2)(float_word a, float_word b) { return unordered(a, b); }
#endif
