// Start-up of RV32 in machine mode: stack, trap vector, memory, traps.
//
// Source of registers and causes: "The RISC-V Instruction Set Manual, Volume II". The linker script
// gives the symbols that start with __mfc_; execution starts at .vectors.
#include "sim_report.h"

extern uint32_t __mfc_data_start[], __mfc_data_end[], __mfc_bss_start[], __mfc_bss_end[];
extern const uint32_t __mfc_data_load[];

int main(void);

__attribute__((naked, used, section(".vectors"))) void mfc_reset(void) {
  __asm__ volatile(".option push\n\t"
                   ".option norelax\n\t" // no gp: nothing here may be relaxed against it
                   "la sp, __mfc_stack_top\n\t"
                   "la t0, mfc_exception\n\t"
                   "csrw mtvec, t0\n\t"
                   "li t0, 0x2000\n\t" // mstatus.FS = initial: the FPU is on, where there is one
                   "csrs mstatus, t0\n\t"
                   "j mfc_start\n\t"
                   ".option pop");
}

__attribute__((used, noreturn)) void mfc_start(void) {
  const uint32_t *from = __mfc_data_load;
  for (uint32_t *to = __mfc_data_start; to < __mfc_data_end; ++to)
    *to = *from++;
  for (uint32_t *to = __mfc_bss_start; to < __mfc_bss_end; ++to)
    *to = 0;
  main();
  for (;;) // main leaves by semihosting
    ;
}

// Traps continue on a stack of their own: the model's may be what broke.
#define EXCEPTION_STACK_WORDS 96
__attribute__((used, aligned(16))) static uint32_t exception_stack[EXCEPTION_STACK_WORDS];
#define STRING(x) #x
#define TEXT(x) STRING(x)

__attribute__((naked, used, aligned(4))) void mfc_exception(void) {
  __asm__ volatile(
      "mv a0, sp\n\t"
      "mv a1, ra\n\t"
      "la sp, exception_stack + 4 * " TEXT(EXCEPTION_STACK_WORDS) "\n\t"
                                                                  "j mfc_report_exception");
}

__attribute__((used, noreturn)) void mfc_report_exception(uint32_t sp, uint32_t ra) {
  uint32_t pc, cause, value;
  __asm__ volatile("csrr %0, mepc" : "=r"(pc));
  __asm__ volatile("csrr %0, mcause" : "=r"(cause));
  __asm__ volatile("csrr %0, mtval" : "=r"(value));
  report_begin("fault");
  report_number("exception", cause);
  report_number("pc", pc);
  report_number("lr", ra);
  report_number("sp", sp);
  report_number("mtval", value);
  report_exit(MFC_SIM_FAULT);
}
