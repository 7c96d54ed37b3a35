// The semihosting calls that the harness uses; see the header for the source of the numbers.
#include "semihosting.h"

// ADP_Stopped_ApplicationExit: a regular end, the second word is the exit code.
#define APPLICATION_EXIT 0x20026u

// Not inlined: the trap of RISC-V must be aligned, and one copy is enough.
__attribute__((noinline)) int32_t semihosting_call(uint32_t operation, const void *parameter) {
#if defined(__arm__)
  register uint32_t result __asm__("r0") = operation;
  register const void *block __asm__("r1") = parameter;
  __asm__ volatile("bkpt 0xab" : "+r"(result) : "r"(block) : "memory");
#elif defined(__riscv)
  register uint32_t result __asm__("a0") = operation;
  register const void *block __asm__("a1") = parameter;
  // The three instructions are recognised only uncompressed and within one page.
  __asm__ volatile(".option push\n\t"
                   ".option norvc\n\t"
                   ".balign 16\n\t"
                   "slli zero, zero, 0x1f\n\t"
                   "ebreak\n\t"
                   "srai zero, zero, 7\n\t"
                   ".option pop"
                   : "+r"(result)
                   : "r"(block)
                   : "memory");
#else
#error "no semihosting trap is known for this architecture"
#endif
  return (int32_t)result;
}

int32_t semihosting_open(const char *path, enum semihosting_mode mode) {
  uint32_t length = 0;
  while (path[length])
    ++length;
  const uint32_t block[3] = {(uint32_t)(uintptr_t)path, (uint32_t)mode, length};
  return semihosting_call(SYS_OPEN, block);
}

void semihosting_close(int32_t handle) {
  const uint32_t block[1] = {(uint32_t)handle};
  semihosting_call(SYS_CLOSE, block);
}

int32_t semihosting_length(int32_t handle) {
  const uint32_t block[1] = {(uint32_t)handle};
  return semihosting_call(SYS_FLEN, block);
}

// Both transfers return the number of bytes that were not transferred.
int semihosting_read(int32_t handle, void *data, uint32_t bytes) {
  const uint32_t block[3] = {(uint32_t)handle, (uint32_t)(uintptr_t)data, bytes};
  return bytes != 0 && semihosting_call(SYS_READ, block) != 0;
}

int semihosting_write(int32_t handle, const void *data, uint32_t bytes) {
  const uint32_t block[3] = {(uint32_t)handle, (uint32_t)(uintptr_t)data, bytes};
  return bytes != 0 && semihosting_call(SYS_WRITE, block) != 0;
}

void semihosting_print(const char *text) { semihosting_call(SYS_WRITE0, text); }

void semihosting_exit(uint32_t code) {
  const uint32_t block[2] = {APPLICATION_EXIT, code};
  for (;;)
    semihosting_call(SYS_EXIT_EXTENDED, block);
}
