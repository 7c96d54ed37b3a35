// Start-up of every Armv6-M to Armv8.1-M core: vector table, FPU and MVE, memory, faults.
//
// Compiled once, for Armv6-M, which all of these cores execute. What a core has is found at run
// time. Register addresses and bits: Armv6-M, Armv7-M and Armv8-M Architecture Reference Manuals,
// "System Control Space". The linker script gives the symbols that start with __mfc_.
#include "sim_report.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define CPUID REGISTER(0xe000ed00u)
#define CCR REGISTER(0xe000ed14u)
#define CFSR REGISTER(0xe000ed28u)
#define HFSR REGISTER(0xe000ed2cu)
#define MMFAR REGISTER(0xe000ed34u)
#define BFAR REGISTER(0xe000ed38u)
#define ID_ISAR0 REGISTER(0xe000ed60u)
#define CPACR REGISTER(0xe000ed88u)

#define CPUID_IS_MAIN(cpuid)                                                                       \
  (((cpuid) >> 16 & 0xfu) == 0xfu) // v7-M or v8-M with the main extension
#define CCR_UNALIGN_TRP (1u << 3)
#define CCR_LOB (1u << 19)
#define CPACR_CP10_CP11 (0xfu << 20) // FPU and MVE

extern uint32_t __mfc_stack_top[], __mfc_stack_limit[];
extern uint32_t __mfc_data_start[], __mfc_data_end[], __mfc_bss_start[], __mfc_bss_end[];
extern const uint32_t __mfc_data_load[];
// Its address is a flag: not 0 when unaligned accesses must trap as on a v6-M core (--defsym).
extern char __mfc_trap_unaligned[] __attribute__((weak));

int main(void);

void mfc_reset(void);
void mfc_exception(void);

typedef void (*vector)(void);
__attribute__((section(".vectors"), used)) const vector mfc_vectors[16] = {
    (vector)__mfc_stack_top, mfc_reset,     mfc_exception, mfc_exception,
    mfc_exception,           mfc_exception, mfc_exception, mfc_exception,
    mfc_exception,           mfc_exception, mfc_exception, mfc_exception,
    mfc_exception,           mfc_exception, mfc_exception, mfc_exception,
};

static void enable_core_features(void) {
  if ((uintptr_t)__mfc_trap_unaligned)
    CCR |= CCR_UNALIGN_TRP;
  if (!CPUID_IS_MAIN(CPUID))
    return;
  CPACR |= CPACR_CP10_CP11;         // ignored where there is neither
  if ((ID_ISAR0 >> 12 & 0xfu) >= 3) // low-overhead loops: without LOB they branch the slow way
    CCR |= CCR_LOB;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
}

__attribute__((noreturn)) void mfc_reset(void) {
  enable_core_features();
  const uint32_t *from = __mfc_data_load;
  for (uint32_t *to = __mfc_data_start; to < __mfc_data_end; ++to)
    *to = *from++;
  for (uint32_t *to = __mfc_bss_start; to < __mfc_bss_end; ++to)
    *to = 0;
  main();
  for (;;) // main leaves by semihosting
    ;
}

// Exceptions continue on a stack of their own: the model's may be what broke.
#define EXCEPTION_STACK_WORDS 96
__attribute__((used, aligned(8))) static uint32_t exception_stack[EXCEPTION_STACK_WORDS];
#define STRING(x) #x
#define TEXT(x) STRING(x)

__attribute__((naked)) void mfc_exception(void) {
  __asm__ volatile(
      "mov r0, sp\n\t"
      "mrs r1, ipsr\n\t"
      "ldr r2, =exception_stack + 4 * " TEXT(EXCEPTION_STACK_WORDS) "\n\t"
                                                                    "mov sp, r2\n\t"
                                                                    "bl mfc_report_exception\n\t"
                                                                    ".pool");
}

// frame: r0-r3, r12, lr, pc, xpsr as pushed by the processor.
__attribute__((used, noreturn)) void mfc_report_exception(const uint32_t *frame,
                                                          uint32_t exception) {
  report_begin("fault");
  report_number("exception", exception);
  if (frame >= __mfc_stack_limit && frame + 8 <= __mfc_stack_top) {
    report_number("pc", frame[6]);
    report_number("lr", frame[5] & ~1u);
  }
  report_number("sp", (uint32_t)(uintptr_t)frame);
  if (CPUID_IS_MAIN(CPUID)) {
    report_number("cfsr", CFSR);
    report_number("hfsr", HFSR);
    report_number("mmfar", MMFAR);
    report_number("bfar", BFAR);
  }
  report_exit(MFC_SIM_FAULT);
}
