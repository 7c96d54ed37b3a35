// A driver that calls two kernels, one of them twice, with known counts (LayerCountTest.cpp).
//
// kernel_a goes ten times round a loop and calls a helper; kernel_b is KERNEL_B_LOOP, which has r0 or a0 for
// itself and falls through to the return.
#ifndef MFC_TEST_LAYERS_MODEL_H
#define MFC_TEST_LAYERS_MODEL_H

#include "test_model.h"

#if defined(__arm__)
#define FUNCTION(name)                                                                             \
  ".globl " name "\n.type " name ", %function\n.thumb_func\n" name ":\n"
#define END(name) ".size " name ", . - " name "\n"
__asm__(".text\n.balign 4\n.syntax unified\n"
        FUNCTION("helper") "bx lr\n" END("helper")
        FUNCTION("kernel_a")
        "push {lr}\n"
        "movs r0, #10\n"
        ".globl loop_a\nloop_a:\n"
        "subs r0, r0, #1\n"
        ".globl branch_a\nbranch_a:\n"
        "bne loop_a\n"
        "bl helper\n"
        "pop {pc}\n" END("kernel_a")
        FUNCTION("kernel_b") KERNEL_B_LOOP "bx lr\n" END("kernel_b")
        FUNCTION("test_run")
        "push {lr}\n"
        "bl kernel_a\n"
        "bl kernel_b\n"
        "bl kernel_a\n"
        "pop {pc}\n" END("test_run")
        FUNCTION("test_invoke")
        "push {lr}\n"
        "bl test_run\n"
        "movs r0, #0\n"
        "pop {pc}\n" END("test_invoke"));
#else
#define FUNCTION(name) ".globl " name "\n.type " name ", @function\n" name ":\n"
#define END(name) ".size " name ", . - " name "\n"
#define ENTER "addi sp, sp, -16\nsw ra, 12(sp)\n"
#define LEAVE "lw ra, 12(sp)\naddi sp, sp, 16\nret\n"
__asm__(".text\n.balign 4\n"
        FUNCTION("helper") "ret\n" END("helper")
        FUNCTION("kernel_a")
        ENTER
        "li a0, 10\n"
        ".globl loop_a\nloop_a:\n1:\n" // a branch to a global symbol would become two
        "addi a0, a0, -1\n"
        ".globl branch_a\nbranch_a:\n"
        "bnez a0, 1b\n"
        "call helper\n"
        LEAVE END("kernel_a")
        FUNCTION("kernel_b") KERNEL_B_LOOP "ret\n" END("kernel_b")
        FUNCTION("test_run")
        ENTER
        "call kernel_a\n"
        "call kernel_b\n"
        "call kernel_a\n"
        LEAVE END("test_run")
        FUNCTION("test_invoke")
        ENTER
        "call test_run\n"
        "li a0, 0\n"
        LEAVE END("test_invoke"));
#endif

#endif
