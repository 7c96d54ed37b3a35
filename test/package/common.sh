# What the package tests share: tools, compilers per target, and checks that say what went wrong.
# usage of every test: <test>.sh <mfc> <folder for files>
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mfc=$1
work=$2
rm -rf "$work"
mkdir -p "$work"
cd "$work"

fail() { echo "FAIL: $*" >&2; exit 1; }
first_of() { for tool; do if command -v "$tool" > /dev/null; then echo "$tool"; return; fi; done; fail "none of $* is installed"; }
clang=$(first_of clang-22 /usr/lib/llvm-22/bin/clang)
lld=$(first_of ld.lld-22 /usr/lib/llvm-22/bin/ld.lld)
arm_gcc=$(first_of arm-none-eabi-gcc)
arm_ld=$(first_of arm-none-eabi-ld)
riscv_gcc=$(first_of riscv64-unknown-elf-gcc)
riscv_ld=$(first_of riscv64-unknown-elf-ld)
readelf=$(first_of llvm-readelf-22 /usr/lib/llvm-22/bin/llvm-readelf)

# expect_exit <code> <words that the messages must have> command...
expect_exit() {
  local code=$1 words=$2 got=0
  shift 2
  "$@" > "$work/output.txt" 2>&1 || got=$?
  [ "$got" = "$code" ] || { cat "$work/output.txt" >&2; fail "exit code $got, wanted $code: $*"; }
  grep -qF -- "$words" "$work/output.txt" || { cat "$work/output.txt" >&2; fail "no '$words' in the messages of: $*"; }
}

# refused <what> command...: the command must fail, and not by a crash
refused() {
  local what=$1 got=0
  shift
  "$@" > "$work/output.txt" 2>&1 || got=$?
  [ "$got" != 0 ] && [ "$got" -lt 126 ] || { cat "$work/output.txt" >&2; fail "$what: exit code $got"; }
}

# arm_flags <cpu> [float abi]: the flags that a firmware of that core uses
arm_flags() {
  case $1 in
    cortex-m0plus | cortex-m3) echo "-mthumb -mcpu=$1 -mfloat-abi=soft" ;;
    cortex-m4) echo "-mthumb -mcpu=$1 -mfloat-abi=${2:-hard} $([ "${2:-hard}" = soft ] || echo -mfpu=fpv4-sp-d16)" ;;
    *) echo "-mthumb -mcpu=$1 -mfloat-abi=${2:-hard} $([ "${2:-hard}" = soft ] || echo -mfpu=auto)" ;;
  esac
}
