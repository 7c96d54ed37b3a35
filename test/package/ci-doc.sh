#!/bin/bash
# The commands of docs/ci.md, in order, in one shell. The blocks that install packages and build mfc are those of
# tools/check; here the build at hand is installed in their place.
source "$(dirname "$0")/common.sh" "$@"
source "$here/cmake-common.sh"
doc="$here/../../docs/ci.md"

# blocks: the fenced blocks that start with "```sh", each followed by a line with its kind
awk '/^```sh/ { kind = $2 == "" ? "run" : $2; print "#block " kind; inside = 1; next }
     /^```/ { inside = 0; next } inside { print }' "$doc" > blocks.sh
[ "$(grep -c '^#block run' blocks.sh)" -ge 7 ] || fail "docs/ci.md has only $(grep -c '^#block run' blocks.sh) blocks to run"

# What is not run here is what tools/check runs.
for command in 'tools/install-deps' 'cmake --preset' 'cmake --build --preset'; do
  grep -q -- "$command" "$here/../../tools/check" || fail "tools/check does not run '$command' any more, docs/ci.md says so"
done

awk -v install="cmake --install '$build' --prefix \"\$HOME/mfc\"" '
  /^#block/ { kind = $2; if (kind == "build") print install; next } kind == "run" { print }' blocks.sh > steps.sh
mkdir home empty
(cd empty && HOME="$work/home" bash -euo pipefail -x ../steps.sh > ../steps.txt 2>&1) || { tail -60 steps.txt >&2; fail "docs/ci.md"; }

cd empty/product
for file in build/junit.xml build/size.xml build/comment.md build/gcc/firmware.elf build/gcc/model-cycles.json; do
  [ -s $file ] || fail "the pipeline left no $file"
done
for gate in model-cycles model-layers firmware-cycles model-budget model-limits model-size; do
  grep -q "<testcase name=\"$gate\"" build/junit.xml || fail "$gate is not in the JUnit report"
done
grep -q '^|' build/comment.md || fail "the comment has no table"
grep -qi "sram grew from .*allowed is 1 %" build/log.txt || { cat build/log.txt >&2; fail "the gate did not say what grew"; }
grep -q "layer '[A-Z0-9_#]*'" build/log.txt || { cat build/log.txt >&2; fail "the gate named no layer"; }
