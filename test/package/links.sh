#!/bin/bash
# Foreign firmware links with lld and both GNU ld; the arena lands in the region that the firmware names; what must
# not link does not.
source "$(dirname "$0")/common.sh" "$@"

# link <linker and flags> <folder>: links out.o with the library through the fragment
link() {
  local folder=${!#}
  "${@:1:$#-1}" -L "$folder" -T "$here/firmware.ld" --gc-sections out.o "$folder/libtiny.a" -o firmware.elf
}
arena_check() {
  "$readelf" -SW firmware.elf > sections.txt
  grep -E '\.mfc_tiny_SRAM +NOBITS +10000000' sections.txt > /dev/null || { cat sections.txt >&2; fail "the arena is not NOBITS in CCM ($*)"; }
  "$readelf" -sW firmware.elf > symbols.txt
  grep -E 'UND [^ ]' symbols.txt && fail "undefined symbols ($*)"
  grep -q ' __mfc_tiny_SRAM_start$' symbols.txt || fail "no region symbols ($*)"
}

build() { # <folder> <model> <mfc options>
  mkdir -p "$1"
  "$mfc" "${@:3}" "$here/models/$2.mfcir" -o "$1/libtiny.a"
}

for cpu in cortex-m0plus cortex-m4 cortex-m55; do
  build $cpu int8 -mcpu=$cpu
  for abi in soft softfp hard; do # an integer library goes with every float ABI
    [ $cpu = cortex-m0plus ] && [ $abi != soft ] && continue
    for form in "" -DCALLER_OWNED; do
      "$arm_gcc" $(arm_flags $cpu $abi) -std=c99 -Os -I$cpu $form -c "$here/firmware.c" -o out.o
      for linker in "$lld" "$arm_ld"; do
        link $linker $cpu || fail "$linker, $cpu, $abi"
        [ -n "$form" ] || arena_check "$linker, $cpu, $abi"
        "$readelf" -sW firmware.elf > symbols.txt
        if [ -n "$form" ] && grep -q ' mfc_tiny_arena$' symbols.txt; then
          fail "the caller-owned form links the static arena"
        fi
      done
    done
  done
done
build rv int8 -march=rv32imc
"$riscv_gcc" -march=rv32imc -mabi=ilp32 -std=c99 -ffreestanding -Os -Irv -c "$here/firmware.c" -o out.o
for linker in "$lld -m elf32lriscv" "$riscv_ld -m elf32lriscv"; do
  link $linker rv || fail "$linker, rv32imc"
  arena_check "$linker, rv32imc"
done

# Without the fragment the arena is part of .bss.
"$arm_gcc" $(arm_flags cortex-m4) -std=c99 -Os -Icortex-m4 -c "$here/firmware.c" -o out.o
sed '/INCLUDE/d' "$here/firmware.ld" > plain.ld
for linker in "$lld" "$arm_ld"; do
  $linker -T plain.ld out.o cortex-m4/libtiny.a -o firmware.elf
  "$readelf" -SW firmware.elf > sections.txt
  grep -qE '\.bss +NOBITS' sections.txt || fail "no NOBITS .bss without the fragment"
done

# A region that is too small, and the fragment of another build.
sed 's/CCM (rw) .*/CCM (rw) : ORIGIN = 0x10000000, LENGTH = 16/' "$here/firmware.ld" > small.ld
mkdir odd
sed 's/ == [0-9]*, "/ == 12345, "/' cortex-m4/tiny.ld > odd/tiny.ld
cmp -s cortex-m4/tiny.ld odd/tiny.ld && fail "the fragment has no size check"
for linker in "$lld" "$arm_ld"; do
  refused "a small region" $linker -L cortex-m4 -T small.ld out.o cortex-m4/libtiny.a -o firmware.elf
  refused "a fragment of another build" $linker -L odd -T "$here/firmware.ld" out.o cortex-m4/libtiny.a -o firmware.elf
  grep -q "different builds" output.txt || fail "no reason given for the stale fragment"
done

# A stale header does not link with a new archive: other weights are enough.
build stale int8-other-weights -mcpu=cortex-m4
for form in "" -DCALLER_OWNED; do
  "$arm_gcc" $(arm_flags cortex-m4) -std=c99 -Os -Istale $form -c "$here/firmware.c" -o out.o
  for linker in "$lld" "$arm_ld"; do
    refused "a stale header" link $linker cortex-m4
    grep -q mfc_tiny_id_ output.txt || { cat output.txt >&2; fail "the stale header fails for another reason"; }
    link $linker stale
  done
done

# A float library links with firmware of its own float ABI only.
for library in hard softfp soft; do build f-$library float -mcpu=cortex-m4 -mfloat-abi=$library; done
for firmware in hard softfp soft; do
  helpers=$("$arm_gcc" $(arm_flags cortex-m4 $firmware) -print-libgcc-file-name)
  for library in hard softfp soft; do
    for form in "" -DCALLER_OWNED; do
      "$arm_gcc" $(arm_flags cortex-m4 $firmware) -std=c99 -Os -DMFC_TINY_NO_TARGET_CHECK -If-$library $form -c "$here/firmware.c" -o out.o
      for linker in "$lld" "$arm_ld"; do
        pair=($linker -L f-$library -T "$here/firmware.ld" out.o f-$library/libtiny.a "$helpers" -o firmware.elf)
        if [ $firmware = $library ]; then
          "${pair[@]}" || fail "$linker refuses a $library library in $firmware firmware"
        else
          refused "$linker, $library library in $firmware firmware" "${pair[@]}"
          grep -q "mfc_tiny_invoke_.*_$firmware" output.txt || { cat output.txt >&2; fail "the pair fails for another reason"; }
        fi
      done
    done
  done
done

# RISC-V: the psABI's float flag of the objects says it too, but the names do not depend on a linker that checks it.
build rv-single float -march=rv32imfc -mabi=ilp32f
"$riscv_gcc" -march=rv32imfc -mabi=ilp32f -std=c99 -ffreestanding -Os -Irv-single -c "$here/firmware.c" -o out.o
link $lld -m elf32lriscv rv-single
link $riscv_ld -m elf32lriscv rv-single
"$riscv_gcc" -march=rv32imfc -mabi=ilp32 -std=c99 -ffreestanding -Os -Irv-single -c "$here/firmware.c" -o out.o
for linker in "$lld -m elf32lriscv" "$riscv_ld -m elf32lriscv"; do
  refused "$linker, ilp32f library in ilp32 firmware" link $linker rv-single
done
"$readelf" -sW out.o > symbols.txt
grep -q 'UND mfc_tiny_invoke_static_soft$' symbols.txt || fail "the header does not ask for the firmware's ABI"
