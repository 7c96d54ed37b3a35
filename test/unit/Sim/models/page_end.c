// A loop of 16-bit instructions whose last one ends a page: 1 + 31 * 4 + 1 instructions.
//
// QEMU's translator reads ahead at the end of a page (1 KiB on Arm M, 4 KiB on RISC-V).
#include "test_model.h"

#if defined(__arm__)
__asm__(".text\n.syntax unified\n.balign 4096\n.space 4086\n"
        ".globl test_invoke\n.type test_invoke, %function\n.thumb_func\ntest_invoke:\n"
        "movs r0, #31\n"
        "1:\nnop\nnop\n"
        "subs r0, r0, #1\n"
        ".globl page_branch\npage_branch:\n"
        "bne 1b\n"
        "bx lr\n"
        ".size test_invoke, . - test_invoke\n");
#else
__asm__(".text\n.balign 4096\n.space 4086\n"
        ".globl test_invoke\n.type test_invoke, @function\ntest_invoke:\n"
        "c.li a0, 31\n"
        "1:\nc.nop\nc.nop\n"
        "c.addi a0, -1\n"
        ".globl page_branch\npage_branch:\n"
        "c.bnez a0, 1b\n"
        "c.jr ra\n"
        ".size test_invoke, . - test_invoke\n");
#endif

MODEL_WITHOUT_BUFFERS;
