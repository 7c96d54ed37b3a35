#!/bin/bash
# BL-40. Equal input, equal bytes: other folder and path of the model, time zone, locale, user, home, file mode mask, number of
# processors, address layout and environment.
source "$(dirname "$0")/common.sh" "$@"

root=$here/../..
declare -A net=([int8]=$here/models/int8.mfcir [float]=$here/models/float.mfcir [branches]=$here/models/branches.mfcir
  [keyword]=$root/test/models/keyword/keyword.tflite)

# Somebody else, if that can be had: root becomes nobody. One processor, addresses without randomness, if the tools are there.
as=()
if [ "$(id -u)" = 0 ]; then
  chmod 755 "$work"
  as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
alone=()
taskset -c 0 true 2> /dev/null && alone+=(taskset -c 0)
setarch -R true 2> /dev/null && alone+=(setarch -R)

for target in -mcpu=cortex-m0plus -mcpu=cortex-m4 -mcpu=cortex-m55 -march=rv32imc --target=host; do
  for name in "${!net[@]}"; do
    for options in "" "-g -O1 --io=caller"; do
      rm -rf a b
      mkdir -p a "b/a folder/deeper"
      file=net.${net[$name]##*.}
      cp "${net[$name]}" "a/$file"
      cp "${net[$name]}" "b/a folder/deeper/$file"
      chmod 777 b
      (cd a && env -i PATH="$PATH" TZ=UTC LC_ALL=C HOME=/root USER=root \
        "$mfc" $target $options "$file" --name=tiny --save-temps -fsave-optimization-record)
      (umask 077 && cd "b/a folder" && env TZ=Asia/Kathmandu LC_ALL=tr_TR.UTF-8 LANG=tr_TR.UTF-8 HOME=/nowhere USER=nobody \
        LOGNAME=nobody TMPDIR=/nowhere MALLOC_PERTURB_=165 LLVM_PROFILE_FILE=x OMP_NUM_THREADS=7 SOURCE_DATE_EPOCH=1 "${alone[@]}" "${as[@]}" \
        "$mfc" $target $options "$work/b/a folder/deeper/$file" --save-temps -fsave-optimization-record -o "$work/b/libtiny.a")
      names=$(cd a && ls)
      [ "$(echo "$names" | wc -l)" -ge 10 ] || fail "only these files were written: $names"
      for written in $names; do
        [ "$written" = "$file" ] || cmp "a/$written" "b/$written"
      done
    done
  done
done
