#!/bin/bash
# Layer taps (BL-19): a weight that was changed in the linked image is found in its layer; a library without taps has
# nothing of them; cycles of layers are measured by the firmware itself.
source "$(dirname "$0")/common.sh" "$@"
source "$here/cmake-common.sh"
install_mfc
export PATH="$prefix/bin:$PATH"
objcopy=$(first_of llvm-objcopy-22 /usr/lib/llvm-22/bin/llvm-objcopy)
model="$prefix/share/mfc/templates/firmware/model/keyword.tflite"
sound="$prefix/share/mfc/templates/firmware/model/noise.bin"

# Kernels are the same with and without taps, byte for byte; only the driver differs.
for target in -mcpu=cortex-m0plus -mcpu=cortex-m55 -march=rv32imc; do
  for taps in "" --layer-taps; do
    mkdir -p "lib$taps"
    mfc $target $taps "$model" -o "lib$taps/libkeyword.a"
    (cd "lib$taps" && rm -f ./*.o ./*.bin && ar x libkeyword.a && "$readelf" -sW keyword_model.o > symbols.txt)
  done
  grep -q layer_tap lib/symbols.txt && fail "$target: a release library has a tap"
  grep -q -i tap lib/keyword.h && fail "$target: a release header speaks of taps"
  grep -q 'WEAK .* mfc_keyword_layer_tap$' lib--layer-taps/symbols.txt || fail "$target: the tap is no weak function"
  kernels=$(sed -n 's/.* FUNC  *LOCAL .* \(mfc_keyword_k[0-9].*\)$/\1/p' lib/symbols.txt)
  [ "$(echo "$kernels" | wc -l)" -ge 6 ] || fail "$target: these are not 6 layers: $kernels"
  for kernel in $kernels mfc_keyword_run; do
    for taps in "" --layer-taps; do
      "$objcopy" -O binary --only-section=.text.$kernel "lib$taps/keyword_model.o" "lib$taps/$kernel.bin"
    done
    [ -s lib/$kernel.bin ] || fail "$target: no code of $kernel"
    if [ $kernel = mfc_keyword_run ]; then
      cmp -s lib/$kernel.bin lib--layer-taps/$kernel.bin && fail "$target: the driver is the same with taps"
    else
      cmp lib/$kernel.bin lib--layer-taps/$kernel.bin || fail "$target: taps change $kernel"
    fi
  done
done

# With nobody at the tap the answer is the same.
mfc-sim -mcpu=cortex-m4 "$model" --input "$sound" --output-dir plain > /dev/null
mfc-sim -mcpu=cortex-m4 --layer-taps "$model" --input "$sound" --output-dir tapped > /dev/null
cmp plain/out0.bin tapped/out0.bin

# mfc-sim alone, on Arm and RISC-V.
for target in -mcpu=cortex-m0plus -mcpu=cortex-m55 "-mcpu=cortex-m4 -O0 --io=caller" -march=rv32imc; do
  expect_exit 0 "layers equal the interpreter's" mfc-sim $target --compare "$model" --input "$sound"
done

# file_offset <elf> <symbol>: where the symbol's first byte is in the file
file_offset() {
  local address name type start offset size rest
  address=$("$readelf" -sW "$1" | awk -v s="$2" '$8 == s { print $2 }' | head -1)
  [ -n "$address" ] || fail "no symbol $2 in $1"
  address=$((16#$address))
  while read -r name type start offset size rest; do
    if [ "$type" = PROGBITS ] && ((address >= 16#$start && address < 16#$start + 16#$size)); then
      echo $((address - 16#$start + 16#$offset))
      return
    fi
  done < <("$readelf" -SW "$1" | sed -n 's/^ *\[ *[0-9]*\] *//p')
  fail "symbol $2 is in no section of $1"
}

# patch <elf> <symbol>: inverts all of its bytes (some of a layer's constants may be padding)
patch() {
  local offset size
  offset=$(file_offset "$1" "$2")
  size=$("$readelf" -sW "$1" | awk -v s="$2" '$8 == s { print $3 }' | head -1)
  python3 - "$1" "$offset" "$size" <<'EOF'
import sys
path, offset, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(path, "r+b") as elf:
    elf.seek(offset)
    data = elf.read(size)
    elf.seek(offset)
    elf.write(bytes(255 - byte for byte in data))
EOF
}

# try <board> <preset> <layers> <mfc's target>: a new project with taps
try() {
  local board=$1 preset=$2 target=$4
  mfc --new-project $board-$preset --board=$board > /dev/null
  (cd $board-$preset && sed -i "s/\(mfc_add_model(keyword .*\))/\1 OPTIONS --layer-taps)/" CMakeLists.txt &&
    sed -i "s/^add_executable(firmware main.c)/add_executable(firmware main.c taps.c)/; s/^mfc_target_board(firmware /&LAYER_TAPS /" CMakeLists.txt &&
    cp "$here/taps.c" . && export mfc_ROOT="$prefix" && quiet cmake --preset $preset && quiet cmake --build --preset $preset)
  local elf=$board-$preset/build/$preset/firmware.elf
  compare=(mfc-sim $target --board=$board --compare --compare-model="$model" "$elf")
  expect_exit 0 "all $3 layers equal the interpreter's" "${compare[@]}"

  # Each patched weight is found in its layer, and the message has both values.
  cp "$elf" good.elf
  local layer=0 symbol found=0
  for kernel in $(sed -n 's/^      "kernel": "\(.*\)",/\1/p' $board-$preset/build/$preset/keyword/keyword.json); do
    for symbol in $("$readelf" -sW "$elf" | awk '{ print $8 }' | grep "^$kernel\.weights$" || true); do
      cp good.elf "$elf"
      patch "$elf" "$symbol"
      expect_exit 6 "layer $layer ($kernel) is the first that differs: element " "${compare[@]}"
      grep -qE ' is -?[0-9]+, the interpreter has -?[0-9]+; [0-9]+ of [0-9]+ elements differ' output.txt ||
        { cat output.txt >&2; fail "$board: no values"; }
      found=$((found + 1))
    done
    layer=$((layer + 1))
  done
  [ $found -ge 3 ] || fail "$board: only $found layers with weights of their own name"
  cp good.elf "$elf"
}
try mps3-an547 gcc 7 -mcpu=cortex-m55
try riscv32-virt clang 7 -march=rv32imc

# What a board recorded can be compared without it; records that do not fit are refused.
elf=riscv32-virt-clang/build/clang/firmware.elf
mkdir board
virt=(qemu-system-riscv32 -M virt -cpu rv32,a=off,f=off,d=off -bios none -display none -serial null -monitor none
  -semihosting-config enable=on,target=native)
(cd board && quiet "${virt[@]}" -kernel "$work/$elf")
records=(mfc-sim -march=rv32imc --name=keyword --layer-records)
expect_exit 0 "all 7 layers equal" "${records[@]}" board/mfc-layers.bin "$model"
head -c 900 board/mfc-layers.bin > board/short.bin
expect_exit 1 "is cut off at byte" "${records[@]}" board/short.bin "$model"
: > board/empty.bin
expect_exit 1 "no layer was recorded" "${records[@]}" board/empty.bin "$model"
expect_exit 1 "not those of this model and these options" mfc-sim -march=rv32imc --layer-records board/mfc-layers.bin "$here/models/int8.mfcir"
expect_exit 1 "built from another model, by another mfc or with other options" \
  mfc-sim -march=rv32imc --preserve-inputs --board=riscv32-virt --compare --compare-model="$model" $elf
expect_exit 1 "--compare with firmware needs --compare-model=" mfc-sim -march=rv32imc --board=riscv32-virt --compare $elf
expect_exit 1 "--compare runs on a board" mfc-sim --target=host --compare "$model" --input "$sound"

# The firmware's own table of cycles: mcycle counts in QEMU with -icount, and repeats; Arm's DWT stands still there.
sed -i 's|^target_compile_options(firmware PRIVATE|& -DTIMER|' \
  {riscv32-virt-clang,mps3-an547-gcc}/CMakeLists.txt
(cd riscv32-virt-clang && quiet cmake --build --preset clang)
(cd mps3-an547-gcc && quiet cmake --build --preset gcc)
for run in 1 2; do
  "${virt[@]}" -icount shift=0 -kernel $elf > table$run.txt 2>&1 || { cat table$run.txt >&2; fail "the timed firmware"; }
done
cmp table1.txt table2.txt || fail "cycles under -icount do not repeat"
grep -qE '^  DEPTHWISE_CONV_2D +[1-9][0-9,]+ +[0-9]+\.[0-9] %$' table1.txt || { cat table1.txt >&2; fail "no row of cycles"; }
grep -qE '^  total +[1-9][0-9,]+ +100\.0 %$' table1.txt || { cat table1.txt >&2; fail "no total"; }
qemu-system-arm -M mps3-an547 -display none -serial null -monitor none -semihosting-config enable=on,target=native \
  -kernel mps3-an547-gcc/build/gcc/firmware.elf > dwt.txt 2>&1 || { cat dwt.txt >&2; fail "the timed firmware on Arm"; }
grep -qE '^  DEPTHWISE_CONV_2D +- +-$' dwt.txt || { cat dwt.txt >&2; fail "a counter that stands still is not shown as one"; }
