#!/bin/bash
# Equal input, equal bytes: other folder, time zone, locale, user mask and number of the process.
source "$(dirname "$0")/common.sh" "$@"

for cpu in cortex-m4 cortex-m55; do
  for model in int8 float; do
    rm -rf a b
    mkdir -p a "b/a folder/deeper"
    cp "$here/models/$model.mfcir" a/net.mfcir
    cp "$here/models/$model.mfcir" "b/a folder/deeper/net.mfcir"
    (cd a && TZ=UTC LC_ALL=C "$mfc" -mcpu=$cpu net.mfcir --name=tiny --save-temps -fsave-optimization-record)
    (umask 077 && cd "b/a folder" && TZ=Asia/Kathmandu LC_ALL=tr_TR.UTF-8 HOME=/nowhere \
      "$mfc" -mcpu=$cpu "$work/b/a folder/deeper/net.mfcir" --save-temps -fsave-optimization-record -o "$work/b/libtiny.a")
    names=$(cd a && ls)
    [ "$(echo "$names" | wc -l)" -ge 10 ] || fail "only these files were written: $names"
    for file in $names; do
      [ "$file" = net.mfcir ] || cmp "a/$file" "b/$file"
    done
  done
done
