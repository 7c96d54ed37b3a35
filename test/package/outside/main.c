// Runs both models on the input that mfc-sim hands over, and prints all output bytes in decimal.
#include "second.h"
#include "semihosting.h"
#include "sim_report.h"
#include "tiny.h"

__attribute__((noinline)) static int run(void) {
  __asm__ volatile("");
  return mfc_tiny_invoke() | mfc_second_invoke();
}
__attribute__((noinline)) static void done(void) { __asm__ volatile(""); }

static void print(const char *name, const int8_t *values, unsigned count) {
  char digits[12];
  semihosting_print(name);
  for (unsigned i = 0; i < count; ++i) {
    format_decimal(digits, (uint8_t)values[i]);
    semihosting_print(" ");
    semihosting_print(digits);
  }
  semihosting_print("\n");
}

int main(void) {
  int32_t file = semihosting_open("in0.bin", SEMIHOSTING_READ);
  if (file == -1 || semihosting_read(file, mfc_tiny_input0(), MFC_TINY_INPUT0_BYTES) != 0)
    semihosting_exit(1);
  semihosting_close(file);
  for (unsigned i = 0; i < MFC_SECOND_INPUT0_COUNT; ++i)
    mfc_second_input0()[i] = mfc_tiny_input0()[i];
  int status = run();
  done();
  print("tiny", mfc_tiny_output0(), MFC_TINY_OUTPUT0_COUNT);
  print("second", mfc_second_output0(), MFC_SECOND_OUTPUT0_COUNT);
  semihosting_exit(status == MFC_OK ? 0 : 1);
}
