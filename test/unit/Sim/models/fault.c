// Executes an undefined instruction at fault_here.
#include "test_model.h"

__attribute__((naked)) int test_invoke(void) {
#if defined(__arm__)
  __asm__ volatile("nop\n\t"
                   ".globl fault_here\n"
                   "fault_here:\n\t"
                   "udf #1\n\t"
                   "bx lr");
#else
  __asm__ volatile("nop\n\t"
                   ".globl fault_here\n"
                   "fault_here:\n\t"
                   "unimp\n\t"
                   "ret");
#endif
}

MODEL_WITHOUT_BUFFERS;
