// Exactly 202 instructions on every core: 1 + 100 * 2 + 1.
#include "test_model.h"

__attribute__((naked)) int test_invoke(void) {
#if defined(__arm__)
  __asm__ volatile("movs r0, #100\n"
                   "1:\n\t"
                   "subs r0, r0, #1\n\t"
                   "bne 1b\n\t"
                   "bx lr");
#else
  __asm__ volatile("li a0, 100\n"
                   "1:\n\t"
                   "addi a0, a0, -1\n\t"
                   "bnez a0, 1b\n\t"
                   "ret");
#endif
}

MODEL_WITHOUT_BUFFERS;
