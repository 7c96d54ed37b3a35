#!/bin/bash
# mfc --new-project: its README's commands work as they stand, for Arm and RISC-V boards and both compilers; files that
# are there already stay as they are.
source "$(dirname "$0")/common.sh" "$@"
source "$here/cmake-common.sh"
install_mfc
export PATH="$prefix/bin:$PATH" mfc_ROOT="$prefix"

# commands <README> <preset>: the indented lines, without comments
commands() { sed -n 's/^    \([^ ].*\)/\1/p' "$1" | sed -e 's/ *#.*//' -e "s/\bgcc\b/$2/g"; }

try() { # <board> <preset>
  local step steps=0
  while read -r step; do
    (cd "$1" && quiet eval "$step" && cp quiet.txt last.txt) || fail "$1, $2: $step"
    steps=$((steps + 1))
  done < <(commands "$1/README.md" "$2")
  [ $steps = 5 ] || fail "$1: $steps commands in the README, wanted 5"
  grep -q '^answer: noise$' "$1/last.txt" || { cat "$1/last.txt" >&2; fail "$1, $2: wrong answer"; }
  grep -qE 'DEPTHWISE_CONV_2D +[1-9][0-9,]+ ' "$1/last.txt" || { cat "$1/last.txt" >&2; fail "$1, $2: no table of layers"; }
  unchanged "$1/build/$2"
  sleep 0.01
  touch "$1/model/keyword.tflite"
  build_log "$1/build/$2"
  grep -q "Compiling model keyword" build.txt || fail "$1, $2: a touched model is not compiled"
  grep -q "Linking C executable firmware.elf" build.txt || fail "$1, $2: a touched model is not linked"
  touch "$1/model/noise.bin" "$1/board.ld"
  build_log "$1/build/$2"
  grep -q "main.c" build.txt || fail "$1, $2: main.c does not follow the sound in it"
  unchanged "$1/build/$2"
  quiet ctest --test-dir "$1/build/$2"
}

for board in mps3-an547 mps2-an386 mps2-an385 riscv32-virt; do
  mfc --new-project $board --board=$board > written.txt
  grep -q "README.md has the next steps" written.txt || fail "$board: no hint at the README"
  [ -z "$(grep -rnE '@[A-Z_]+@' $board)" ] || fail "$board: a word of the template was not replaced"
  try $board gcc
  try $board clang
done
mfc --new-project mps2-an500 --board=mps2-an500 > written.txt
mfc --new-project mps2-an505 --board=mps2-an505 > written.txt
mfc --new-project microbit --board=microbit > written.txt
for board in mps2-an500 mps2-an505 microbit; do try $board gcc; done

# Existing files: nothing is written, not even the files that are missing.
(cd riscv32-virt && rm main.c board.ld && find . -type f ! -path './build/*' -exec cksum {} + | sort) > before.txt
expect_exit 1 "these files exist already, and nothing was written: " mfc --new-project riscv32-virt --board=mps2-an386
(cd riscv32-virt && find . -type f ! -path './build/*' -exec cksum {} + | sort) > after.txt
cmp before.txt after.txt || fail "a refused project changed files"

# A folder that exists with other files in it is fine; a name that is no C identifier too.
mkdir "2 dir-with.odd näme"
touch "2 dir-with.odd näme/notes.txt"
mfc --new-project "2 dir-with.odd näme" > written.txt
(cd "2 dir-with.odd näme" && quiet cmake --preset gcc && quiet cmake --build --preset gcc)
expect_exit 1 "no template for board 'zx81', wanted one of microbit, mps2-an385" mfc --new-project other --board=zx81
[ ! -e other ] || fail "a refused project made a folder"
touch a-file
expect_exit 1 "a-file" mfc --new-project a-file
