#!/bin/bash
# Firmware of foreign compilers and linkers that runs (in QEMU): exact arena size, alignment, float ABIs. target.c says what
# each run checks; the models are five nets of different kinds.
#   BL-21  arenas of exactly the header's size between red zones; one byte less is refused by the compiler and by invoke
#   BL-29  wrong addresses are refused; with right ones nothing is unaligned (Armv6-M traps it, the plugin counts it)
#   BL-30  libraries run in firmware of their own float ABI, integer libraries in any; links.sh has the wrong pairs
source "$(dirname "$0")/common.sh" "$@"

bin=$(dirname "$mfc")
share=$bin/../share/mfc
root=$here/../..
declare -A net=([int8]=$here/models/int8.mfcir [float]=$here/models/float.mfcir [branches]=$here/models/branches.mfcir
  [mixed]=$here/models/mixed.mfcir [keyword]=$root/test/models/keyword/keyword.tflite)
bytes() { od -An -v -tu1 "$1" | sed 's/  *\([0-9]\)/\1/; s/  */, /g; s/$/,/'; }

# Floats 1 and -2, which are also stored values of both signs; expected.h from the interpreter.
for name in "${!net[@]}"; do
  mkdir "$name"
  "$mfc" --target=host "${net[$name]}" --name=tiny -o "$name/libtiny.a"
  size=$(sed -n 's/^#define MFC_TINY_INPUT0_BYTES \([0-9]*\)u$/\1/p' "$name/tiny.h")
  for ((i = 0; i < (size + 7) / 8; ++i)); do printf '\000\000\200\077\000\000\000\300'; done | head -c "$size" > "$name/in.bin"
  "$bin/mfc-run" "${net[$name]}" --input "$name/in.bin" --output-dir "$name/run"
  {
    echo "static const unsigned char expected_input[] = {$(bytes "$name/in.bin")};"
    echo "static const unsigned char expected_output[] __attribute__((aligned(4))) = {$(bytes "$name/run/out0.bin")};"
  } > "$name/expected.h"
done

# library <folder> <net> <mfc options>
library() {
  mkdir -p "$1"
  "$mfc" "${@:3}" "${net[$2]}" --name=tiny -o "$1/libtiny.a"
  echo "INCLUDE tiny.ld" > "$1/mfc-models.ld"
  # N is the plan's peak: nothing but rounding to the alignment is added to the highest byte in use.
  if ! awk -F'[:,]' '
      /"align"/ && !align { align = $2 }
      /"arena_bytes"/ { arena = $2 }
      /"arena_lower_bound_bytes"/ { bound = $2 }
      END { exit !(arena >= bound && arena < bound + align) }' "$1/tiny.json"; then
    fail "the arena of $2 is larger than its lower bound and one alignment ($1)"
  fi
}

# The start-up code and the report of the simulation harness, by the firmware's own compiler: runtime <compiler and flags>
runtime() {
  local folder
  folder=runtime-$(echo "$*" | cksum | tr ' ' -)
  if [ ! -d "$folder" ]; then
    mkdir "$folder"
    for file in "$root"/runtime/{startup_$architecture,sim_call_$architecture,semihosting,sim_report}.c; do
      "$@" -std=gnu11 -Os -ffreestanding -fno-tree-loop-distribute-patterns -I"$root/runtime/include" -c "$file" \
        -o "$folder/$(basename "$file").o"
    done
  fi
  # gcc 12 finds no multilib for an architecture that names Zicsr, which the start-up code needs.
  objects=("$folder"/*.o "$("${@/_zicsr/}" -print-libgcc-file-name)")
}

# run <library folder> <net> <board> <linker> <mfc-sim options> -- <compiler and flags>
run() {
  local folder=$1 name=$2 board=$3 linker=$4 options=()
  shift 4
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  "$@" -std=c99 -Wall -Wextra -Werror -O1 -ffreestanding -fno-tree-loop-distribute-patterns -I"$folder" -I"$name" \
    -I"$root/runtime" -I"$root/runtime/include" -c "$here/target.c" -o target.o
  runtime "$@"
  $linker -L "$folder" -L "$share/linker" -T "${board%-full}.ld" ${trap:+--defsym=__mfc_trap_unaligned=1} target.o "$folder/libtiny.a" \
    "${objects[@]}" -o firmware.elf
  "$bin/mfc-sim" firmware.elf --board="$board" "${options[@]}" > log.txt 2>&1 ||
    { cat log.txt >&2; fail "$name in $folder on $board, $linker, $*: the status is a line of target.c"; }
}

architecture=arm
for name in "${!net[@]}"; do
  for io in model caller; do
    form=()
    [ $io = model ] || form=(-DCALLER_IO)
    for row in cortex-m0plus:mps2-an385 cortex-m4:mps2-an386 cortex-m55:mps3-an547; do
      cpu=${row%:*} board=${row#*:}
      library "$cpu-$name-$io" "$name" -mcpu="$cpu" --io=$io
      architecture=arm trap=$([ "$cpu" != cortex-m0plus ] || echo yes)
      run "$cpu-$name-$io" "$name" "$board" "$lld" -mcpu="$cpu" $([ "$cpu" != cortex-m0plus ] || echo --check-alignment) \
        -- "$arm_gcc" -masm-syntax-unified $(arm_flags "$cpu") "${form[@]}"
    done
    library "rv-$name-$io" "$name" -march=rv32imc --io=$io
    architecture=riscv trap=
    run "rv-$name-$io" "$name" riscv32-virt "$lld -m elf32lriscv" -march=rv32imc --check-alignment \
      -- "$riscv_gcc" -march=rv32imc_zicsr -mabi=ilp32 "${form[@]}"
  done
  # One byte less than N does not compile.
  printf '#include "tiny.h"\nstatic unsigned char b[MFC_TINY_ARENA_BYTES - LESS];\nstruct mfc_tiny_memory m = MFC_TINY_MEMORY(b);\n' > size.c
  "$arm_gcc" $(arm_flags cortex-m4) -DLESS=0u -Icortex-m4-$name-model -c size.c -o size.o
  refused "a buffer of $name that is a byte too small" "$arm_gcc" $(arm_flags cortex-m4) -DLESS=1u -Icortex-m4-$name-model -c size.c -o size.o
done

# Float ABIs: each library in firmware of its ABI, and the integer library in all, with both linkers.
architecture=arm
for abi in hard softfp soft; do
  library "abi-$abi" float -mcpu=cortex-m4 -mfloat-abi=$abi
  for linker in "$lld" "$arm_ld"; do
    run "abi-$abi" float mps2-an386 "$linker" -mcpu=cortex-m4 -- "$arm_gcc" $(arm_flags cortex-m4 $abi)
    for name in int8 keyword; do
      run "cortex-m4-$name-model" "$name" mps2-an386 "$linker" -mcpu=cortex-m4 -- "$arm_gcc" $(arm_flags cortex-m4 $abi)
    done
  done
done
library abi-single float -march=rv32imfc -mabi=ilp32f
architecture=riscv
for linker in "$lld -m elf32lriscv" "$riscv_ld -m elf32lriscv"; do
  run abi-single float riscv32-virt-full "$linker" -march=rv32imfc -mabi=ilp32f \
    -- "$riscv_gcc" -march=rv32imfc_zicsr -mabi=ilp32f
done
