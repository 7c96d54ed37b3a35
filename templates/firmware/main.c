// Classifies one sound with the network in model/keyword.tflite and prints what it is.
//
// Output and exit go through semihosting: QEMU and debuggers have it, a board that runs alone does
// not. There, replace semihosting_print by your UART and the exit by a loop.
#include "keyword.h"
#include "semihosting.h"

// The input, int8, as the model's quantization wants it. In a product this is where the samples
// come from.
__asm__(".section .rodata.sound, \"a\"\n"
        ".global sound\n"
        "sound:\n"
        ".incbin \"model/noise.bin\"\n"
        ".text\n");
extern const int8_t sound[MFC_KEYWORD_INPUT0_COUNT];

static const char *const labels[MFC_KEYWORD_OUTPUT0_COUNT] = {"rise",     "fall",  "tone",
                                                              "two_tone", "beeps", "noise"};
enum { EXPECTED = 5 };

static void print_score(const char *label, int stored) {
  static char digits[] =
      "  000"; // static: gcc initialises a local one with memcpy, which is in a C library
  int value = stored - MFC_KEYWORD_OUTPUT0_ZERO_POINT; // in units of the scale, 1/256
  int hundreds = 0, tens = 0;
  for (; value >= 100; value -= 100)
    ++hundreds;
  for (; value >= 10; value -= 10)
    ++tens;
  digits[2] = (char)('0' + hundreds);
  digits[3] = (char)('0' + tens);
  digits[4] = (char)('0' + value);
  semihosting_print(digits);
  semihosting_print("/256  ");
  semihosting_print(label);
  semihosting_print("\n");
}

int main(void) {
  mfc_keyword_input0_t *input = mfc_keyword_input0();
  for (unsigned i = 0; i < MFC_KEYWORD_INPUT0_COUNT; ++i)
    input[i] = sound[i];
  if (mfc_keyword_invoke() != MFC_OK)
    semihosting_exit(1);

  const mfc_keyword_output0_t *output = mfc_keyword_output0();
  unsigned best = 0;
  for (unsigned i = 0; i < MFC_KEYWORD_OUTPUT0_COUNT; ++i) {
    print_score(labels[i], output[i]);
    if (output[i] > output[best])
      best = i;
  }
  semihosting_print("answer: ");
  semihosting_print(labels[best]);
  semihosting_print("\n");
  semihosting_exit(best == EXPECTED ? 0 : 2);
}
