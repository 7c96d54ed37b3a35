// Semihosting: files, console and exit by way of the debugger, or QEMU with -semihosting-config.
//
// Source: "Semihosting for AArch32 and AArch64" (Arm), "RISC-V Semihosting" (RISC-V International);
// the RISC-V calls are the 32-bit Arm ones behind another trap instruction.
#ifndef MFC_RUNTIME_SEMIHOSTING_H
#define MFC_RUNTIME_SEMIHOSTING_H

#include <stdint.h>

enum semihosting_operation {
  SYS_OPEN = 0x01,
  SYS_CLOSE = 0x02,
  SYS_WRITE0 = 0x04,
  SYS_WRITE = 0x05,
  SYS_READ = 0x06,
  SYS_FLEN = 0x0c,
  SYS_EXIT_EXTENDED = 0x20
};

// fopen() modes by their number in SYS_OPEN.
enum semihosting_mode { SEMIHOSTING_READ = 1, SEMIHOSTING_WRITE = 5 };

// One trap into the host. Written in assembly, per architecture.
int32_t semihosting_call(uint32_t operation, const void *parameter);

int32_t semihosting_open(const char *path, enum semihosting_mode mode); // handle, or -1
void semihosting_close(int32_t handle);
int32_t semihosting_length(int32_t handle); // bytes, or -1
// 0 when all bytes were transferred.
int semihosting_read(int32_t handle, void *data, uint32_t bytes);
int semihosting_write(int32_t handle, const void *data, uint32_t bytes);
void semihosting_print(const char *text);
__attribute__((noreturn)) void semihosting_exit(uint32_t code);

#endif
