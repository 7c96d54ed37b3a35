#!/bin/bash
# Outputs that cannot be written, kills and races: the right exit code and message, and never half a set.
source "$(dirname "$0")/common.sh" "$@"

model=$here/models/int8.mfcir
other=$here/models/int8-other-weights.mfcir
listing() { (cd "$1" && find . | sort); }
unchanged() { [ "$(listing "$1")" = "$2" ] || { listing "$1" >&2; fail "$3 left something behind"; }; }

mkdir out
"$mfc" -mcpu=cortex-m4 "$model" -o out/libtiny.a
[ "$(ls out)" = "$(printf 'libtiny.a\ntiny.h\ntiny.json\ntiny.ld')" ] || fail "wrong set of files: $(ls out)"
before=$(listing .)

expect_exit 1 "missing/libtiny.a" "$mfc" -mcpu=cortex-m4 "$model" -o missing/libtiny.a
expect_exit 1 "no such file or directory" "$mfc" -mcpu=cortex-m4 "$model" -o missing/libtiny.a
expect_exit 1 "no space left on device" "$mfc" -mcpu=cortex-m4 "$model" -o /dev/full
expect_exit 1 "no space left on device" "$mfc" -mcpu=cortex-m4 -S "$model" -o /dev/full
expect_exit 1 "is a folder" "$mfc" -mcpu=cortex-m4 "$model" -o out
expect_exit 1 "is not a folder" "$mfc" -mcpu=cortex-m4 "$model" -o out/tiny.h/libtiny.a
[ ! -e /dev/full.h ] && [ ! -e /dev/tiny.h ] || fail "files beside the device"
rm -f output.txt
unchanged . "$before" "a refused output"
"$mfc" -mcpu=cortex-m4 "$model" -o /dev/null

# -o and its companions naming the input, by any name.
mkdir in
cp "$model" in/tiny.json
ln in/tiny.json in/hard.a
ln -s tiny.json in/soft.a
for output in in/tiny.json in/hard.a in/soft.a in/libtiny.a; do
  expect_exit 1 "it is the input" "$mfc" -mcpu=cortex-m4 in/tiny.json -o $output
  cmp "$model" in/tiny.json
done
[ "$(ls in)" = "$(printf 'hard.a\nsoft.a\ntiny.json')" ] || fail "files beside the input: $(ls in)"

# A folder without write permission; root needs to become somebody for that.
mkdir readonly
if [ "$(id -u)" = 0 ]; then
  chmod 755 readonly "$work"
  as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
else
  chmod 555 readonly
  as=()
fi
touch output.txt
expect_exit 1 "permission denied" "${as[@]}" "$mfc" -mcpu=cortex-m4 "$model" -o readonly/libtiny.a
[ -z "$(ls -A readonly)" ] || fail "files in a read-only folder"

# A disk that fills up: no file may grow past a limit.
mkdir limited
(ulimit -f 1; expect_exit 1 "limited/" "$mfc" -mcpu=cortex-m4 "$model" -o limited/libtiny.a)
[ -z "$(ls -A limited)" ] || fail "files left on a full disk: $(ls -A limited)"

# Bad models leave nothing and replace nothing.
cp -r out saved
echo "graph @tiny {" > broken.mfcir
: > empty.onnx
for input in broken.mfcir empty.onnx no-such-file.onnx out; do
  code=0
  "$mfc" -mcpu=cortex-m4 $input -o out/libtiny.a > log.txt 2>&1 || code=$?
  [ $code = 1 ] || [ $code = 2 ] || { cat log.txt >&2; fail "exit code $code for $input"; }
  grep -qF "$input" log.txt || { cat log.txt >&2; fail "the message does not name $input"; }
  diff -r saved out || fail "$input changed the outputs"
done

# Killed at any moment: each file is the old or the new one as a whole, and the next run leaves no temporaries.
"$mfc" -mcpu=cortex-m4 "$other" -o out/libtiny.a
cp -r out new
for signal in KILL TERM INT; do
  for delay in 0.00 0.01 0.02 0.03 0.05 0.08; do
    cp saved/* out/
    "$mfc" -mcpu=cortex-m4 "$other" -o out/libtiny.a 2> log.txt &
    sleep $delay
    kill -$signal $! 2> /dev/null || true
    wait $! 2> /dev/null || true
    for file in libtiny.a tiny.h tiny.ld tiny.json; do
      cmp -s out/$file saved/$file || cmp -s out/$file new/$file || fail "$file is neither old nor new after SIG$signal"
    done
  done
done
"$mfc" -mcpu=cortex-m4 "$other" -o out/libtiny.a
diff -r new out || fail "temporaries are left"

# Killed between any two steps of the replacement, one after the other: a library in front of the C library's counts them.
cat > steps.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void step(void) {
  static int count;
  if (++count == atoi(getenv("KILL_AT")))
    kill(getpid(), SIGKILL);
}
int rename(const char *from, const char *to) {
  step();
  return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}
int link(const char *from, const char *to) {
  step();
  return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "link"))(from, to);
}
int unlink(const char *path) {
  step();
  return ((int (*)(const char *))dlsym(RTLD_NEXT, "unlink"))(path);
}
END
"$clang" -shared -fPIC -O1 steps.c -o steps.so -ldl
mixed=0
for at in $(seq 1 40); do
  cp saved/* out/
  code=0
  # A subshell, so that the note about the kill goes nowhere.
  (KILL_AT=$at LD_PRELOAD=$work/steps.so ASAN_OPTIONS=verify_asan_link_order=0 "$mfc" -mcpu=cortex-m4 "$other" -o out/libtiny.a; exit $?) 2> log.txt || code=$?
  for file in libtiny.a tiny.h tiny.ld tiny.json; do
    cmp -s out/$file saved/$file || cmp -s out/$file new/$file || fail "$file is neither old nor new after a kill at step $at"
  done
  # The archive comes last, so that a make rule on it runs again.
  if cmp -s out/libtiny.a new/libtiny.a; then
    for file in tiny.h tiny.ld tiny.json; do cmp out/$file new/$file; done
  elif ! cmp -s out/tiny.h saved/tiny.h; then
    # A mixed set is found by the linker: the new header asks for an id that the old archive does not have.
    mixed=1
    "$arm_gcc" $(arm_flags cortex-m4) -std=c99 -Os -Iout -c "$here/firmware.c" -o out.o
    refused "a header of another build" "$lld" -L out -T "$here/firmware.ld" out.o out/libtiny.a -o firmware.elf
    grep -q mfc_tiny_id_ output.txt || { cat output.txt >&2; fail "the mixed set fails for another reason"; }
  fi
  [ $code != 0 ] || break
  [ $code = 137 ] || { cat log.txt >&2; fail "exit code $code at step $at, wanted 137 (killed)"; }
done
[ $code = 0 ] && [ "$at" -gt 4 ] || fail "the steps were not met: $at"
[ $mixed = 1 ] || fail "no kill fell between two files"
"$mfc" -mcpu=cortex-m4 "$other" -o out/libtiny.a
diff -r new out || fail "temporaries are left after a kill"

# Two at once: the set is that of one of them.
for round in 1 2 3 4 5 6; do
  "$mfc" -mcpu=cortex-m4 "$model" -o out/libtiny.a &
  first=$!
  "$mfc" -mcpu=cortex-m4 "$other" -o out/libtiny.a &
  second=$!
  wait $first && wait $second || fail "two runs at once disturb each other"
  diff -r saved out > log.txt || diff -r new out > log.txt || { cat log.txt >&2; fail "a mixed set"; }
done
