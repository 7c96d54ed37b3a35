// Goes 208 bytes down and writes the last word of them.
#include "test_model.h"

__attribute__((naked)) int test_invoke(void) {
#if defined(__arm__)
  __asm__ volatile("sub sp, #208\n\t"
                   "str r0, [sp]\n\t"
                   "add sp, #208\n\t"
                   "movs r0, #0\n\t"
                   "bx lr");
#else
  __asm__ volatile("addi sp, sp, -208\n\t"
                   "sw a0, 0(sp)\n\t"
                   "addi sp, sp, 208\n\t"
                   "li a0, 0\n\t"
                   "ret");
#endif
}

MODEL_WITHOUT_BUFFERS;
