#!/bin/bash
# BL-26: what a library needs from outside and what it may write, for every net and target. Integer nets need nothing; float
# nets the soft-float helpers that the header and the report name, and no others; nothing but the arena is writable.
source "$(dirname "$0")/common.sh" "$@"

root=$here/../..
nm=$(first_of llvm-nm-22 /usr/lib/llvm-22/bin/llvm-nm)
# The run-time ABI's float helpers: __aeabi_fadd ..., __addsf3 ...
helper='^__(aeabi_(f|i2f|ui2f)[a-z0-9]*|(add|sub|mul|div|eq|ne|lt|le|gt|ge|unord)sf[23]|(fix|fixuns)sfsi|float(un)?sisf)$'

check() { # <net> <integer|float> <mfc options>
  local file=$1 kind=$2
  shift 2
  rm -rf lib && mkdir lib
  "$mfc" "$@" "$file" --name=tiny -o lib/libtiny.a -v > log.txt 2>&1
  "$nm" --format=just-symbols --undefined-only lib/libtiny.a | grep '[^:]$' | sort -u > undefined.txt || true
  "$nm" --format=just-symbols --defined-only --extern-only lib/libtiny.a | grep '[^:]$' | sort > defined.txt
  comm -23 undefined.txt defined.txt > needed.txt
  grep -vE "$helper" needed.txt && fail "$file, $*: needs these symbols"
  [ "$kind" = float ] || [ ! -s needed.txt ] || { cat needed.txt >&2; fail "$file, $*: an integer library needs symbols"; }
  # The three places that list them agree.
  local list
  list=$(paste -sd, needed.txt | sed 's/,/, /g')
  grep -qF "symbols from outside: ${list:-none}" log.txt || { cat log.txt >&2; fail "-v does not say: ${list:-none}"; }
  tr -d '\n' < lib/tiny.h | sed 's/ \* */ /g' | grep -qF "Symbols from outside: ${list:-none}" || fail "the header does not say: ${list:-none}"
  sed -n '/"undefined_symbols"/,/\]/p' lib/tiny.json | grep -o '__[a-z0-9_]*' | sort > listed.txt || true
  cmp listed.txt needed.txt || fail "the report lists other symbols ($file, $*)"
  # Writable sections: the arena, NOBITS. No constructors, no unwind tables.
  "$readelf" -SW lib/libtiny.a | sed -n 's/^ *\[ *[0-9]*\] *//p' > sections.txt
  awk '$1 != "" && $7 ~ /W/ { print }' sections.txt | grep -v '^\.bss\.mfc\.tiny\.[A-Z]* *NOBITS' && fail "$file, $*: writable sections"
  grep -E '^\.(init_array|ctors|eh_frame|ARM\.extab|ARM\.exidx|data|bss )' sections.txt | awk '$5 != "000000" { found = 1; print } END { exit !found }' &&
    fail "$file, $*: unwanted sections"
  return 0
}

for target in -mcpu=cortex-m0plus -mcpu=cortex-m3 -mcpu=cortex-m4 -mcpu=cortex-m7 -mcpu=cortex-m33 -mcpu=cortex-m55 \
  -mcpu=cortex-m85 -march=rv32imc -march=rv32imfc --target=host; do
  for net in "$here/models/int8.mfcir" "$here/models/branches.mfcir" "$root/test/models/keyword/keyword.tflite"; do
    check "$net" integer $target
  done
  for net in "$here/models/float.mfcir" "$here/models/mixed.mfcir"; do
    check "$net" float $target
  done
done
# The check can fail: a float net on a core without an FPU does need helpers.
check "$here/models/float.mfcir" float -mcpu=cortex-m0plus
[ -s needed.txt ] || fail "no helpers were found"
