#!/bin/bash
# The header compiles without a warning: C99 and C++17, gcc and clang, every core, integer and float, every form.
source "$(dirname "$0")/common.sh" "$@"

warnings="-Wall -Wextra -Werror -pedantic -Wshadow -Wundef"
check() { # <folder> <compiler and flags>
  local folder=$1
  shift
  for form in "" -DCALLER_OWNED; do
    "$@" -std=c99 $warnings -Wstrict-prototypes -Wmissing-prototypes -ffreestanding -I"$folder" $form -c "$here/firmware.c" -o out.o
    "$@" -x c++ -std=c++17 $warnings -ffreestanding -I"$folder" $form -c "$here/firmware.c" -o out.o
  done
}

for model in int8 float; do
  for cpu in cortex-m0plus cortex-m3 cortex-m4 cortex-m7 cortex-m33 cortex-m55 cortex-m85; do
    "$mfc" -mcpu=$cpu "$here/models/$model.mfcir" -o $cpu-$model/libtiny.a 2> log.txt && fail "wrote into a missing folder"
    mkdir $cpu-$model
    "$mfc" -mcpu=$cpu "$here/models/$model.mfcir" -o $cpu-$model/libtiny.a
    check $cpu-$model "$clang" --target=arm-none-eabi $(arm_flags $cpu | sed 's/-mfpu=auto//')
    [ $cpu = cortex-m85 ] || check $cpu-$model "$arm_gcc" $(arm_flags $cpu) # gcc 12 does not know the M85
  done
  mkdir rv-$model host-$model
  "$mfc" -march=rv32imc "$here/models/$model.mfcir" -o rv-$model/libtiny.a
  check rv-$model "$riscv_gcc" -march=rv32imc -mabi=ilp32
  check rv-$model "$clang" --target=riscv32-unknown-elf -march=rv32imc -mabi=ilp32
  "$mfc" --target=host "$here/models/$model.mfcir" -o host-$model/libtiny.a
  check host-$model "$clang"
done

# A compiler for another processor is stopped, with the reason, and can be told to go on.
wrong() { # <folder> <words> <compiler and flags>
  local folder=$1 words=$2
  shift 2
  expect_exit 1 "$words" "$@" -ffreestanding -I"$folder" -c "$here/firmware.c" -o out.o
  "$@" -ffreestanding -DMFC_TINY_NO_TARGET_CHECK -I"$folder" -c "$here/firmware.c" -o out.o
}
wrong cortex-m55-int8 "needs MVE" "$clang" --target=arm-none-eabi -mthumb -mcpu=cortex-m33 -mfloat-abi=hard
wrong cortex-m4-int8 "needs ARMv7-M" "$arm_gcc" -mthumb -mcpu=cortex-m0plus
wrong cortex-m4-int8 "needs the DSP extension" "$arm_gcc" -mthumb -mcpu=cortex-m3
wrong cortex-m4-float "needs a single-precision FPU" "$arm_gcc" -mthumb -mcpu=cortex-m4 -mfloat-abi=soft
wrong rv-int8 "needs RV32" "$clang" --target=arm-none-eabi -mthumb -mcpu=cortex-m4
wrong rv-int8 "needs compressed instructions" "$riscv_gcc" -march=rv32im -mabi=ilp32
wrong cortex-m0plus-int8 "needs an Arm M-profile core" "$riscv_gcc" -march=rv32imc -mabi=ilp32
# Code for a smaller core is welcome on a larger one.
check cortex-m0plus-int8 "$arm_gcc" $(arm_flags cortex-m4)

# A buffer that is too small does not compile, nor does a pointer in place of an array.
cat > small.c <<'END'
#include "tiny.h"
static unsigned char buffer[MFC_TINY_ARENA_BYTES - 1u];
struct mfc_tiny_memory memory = MFC_TINY_MEMORY(buffer);
END
refused "a small buffer" "$arm_gcc" -mthumb -mcpu=cortex-m4 -Icortex-m4-int8 -c small.c -o out.o
sed 's/buffer\[.*\]/buffer[MFC_TINY_ARENA_BYTES]/' small.c > fits.c
"$arm_gcc" -mthumb -mcpu=cortex-m4 -Icortex-m4-int8 -c fits.c -o out.o
# Two models in one file.
sed 's/tiny/other/g; s/TINY/OTHER/g' cortex-m4-int8/tiny.h > other.h
printf '#include "tiny.h"\n#include "other.h"\n#include "tiny.h"\nint both;\n' > both.c
"$arm_gcc" -std=c99 $warnings -mthumb -mcpu=cortex-m4 -Icortex-m4-int8 -I. -c both.c -o out.o
