// The call of the model on Armv6-M to Armv8.1-M; see the header. Part of mfc-sim's harness only:
// firmware that has the labels is counted between them.
#include "sim_call.h"

__attribute__((naked)) int sim_call(int (*invoke)(void), uint32_t *lowest, uint32_t pattern,
                                    uint32_t *stack_pointer) {
  __asm__ volatile("push {r4, lr}\n\t"
                   "mov r4, sp\n\t"
                   "str r4, [r3]\n"
                   "1:\n\t"
                   "cmp r1, r4\n\t"
                   "bhs 2f\n\t"
                   "stmia r1!, {r2}\n\t"
                   "b 1b\n"
                   "2:\n\t"
                   ".globl mfc_sim_begin\n\t"
                   ".type mfc_sim_begin, %function\n"
                   "mfc_sim_begin:\n\t"
                   "blx r0\n\t"
                   ".globl mfc_sim_end\n\t"
                   ".type mfc_sim_end, %function\n"
                   "mfc_sim_end:\n\t"
                   "pop {r4, pc}");
}
