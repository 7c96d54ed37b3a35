// Loads one word from an odd address, at unaligned_here.
#include "test_model.h"

__attribute__((used)) static uint32_t words[2] IN_ARENA;

__attribute__((naked)) int test_invoke(void) {
#if defined(__arm__)
  __asm__ volatile("ldr r0, =words + 1\n\t"
                   ".globl unaligned_here\n"
                   "unaligned_here:\n\t"
                   "ldr r0, [r0]\n\t"
                   "movs r0, #0\n\t"
                   "bx lr\n\t"
                   ".pool");
#else
  __asm__ volatile("la a0, words + 1\n\t"
                   ".globl unaligned_here\n"
                   "unaligned_here:\n\t"
                   "lw a0, 0(a0)\n\t"
                   "li a0, 0\n\t"
                   "ret");
#endif
}

MODEL_WITHOUT_BUFFERS;
