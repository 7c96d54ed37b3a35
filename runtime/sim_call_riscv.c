// The call of the model on RV32; see the header. Part of mfc-sim's harness only: firmware that has
// the labels is counted between them.
#include "sim_call.h"

__attribute__((naked)) int sim_call(int (*invoke)(void), uint32_t *lowest, uint32_t pattern,
                                    uint32_t *stack_pointer) {
  __asm__ volatile("addi sp, sp, -16\n\t"
                   "sw ra, 12(sp)\n\t"
                   "sw sp, 0(a3)\n"
                   "1:\n\t"
                   "bgeu a1, sp, 2f\n\t"
                   "sw a2, 0(a1)\n\t"
                   "addi a1, a1, 4\n\t"
                   "j 1b\n"
                   "2:\n\t"
                   ".globl mfc_sim_begin\n\t"
                   ".type mfc_sim_begin, @function\n"
                   "mfc_sim_begin:\n\t"
                   "jalr a0\n\t"
                   ".globl mfc_sim_end\n\t"
                   ".type mfc_sim_end, @function\n"
                   "mfc_sim_end:\n\t"
                   "lw ra, 12(sp)\n\t"
                   "addi sp, sp, 16\n\t"
                   "ret");
}
