# same-library.sh folder input model ...: the models give the same object bytes on every core, and every core and the
# interpreter the same first output for this input.
folder=$1
input=$2
shift 2
rm -rf "$folder"
mkdir "$folder" || exit 1
fail() { echo "$*" >&2; exit 1; }
same() { cmp "$1" "$2" || fail "$3"; }

first=
for model; do
  mfc-run "$model" --input "$input" --output-dir "$folder/run" || exit 1
  [ -n "$first" ] || cp "$folder/run/out0.bin" "$folder/wanted.bin"
  same "$folder/run/out0.bin" "$folder/wanted.bin" "$model gives another result than $1"
  for target in -mcpu=cortex-m0plus -mcpu=cortex-m4 -mcpu=cortex-m55 -march=rv32imc --target=host; do
    mfc "$target" --name=net -c -o "$folder/net.o" "$model" || exit 1
    if [ -z "$first" ]; then
      mv "$folder/net.o" "$folder/wanted$target.o"
      mfc-sim "$target" "$model" --input "$input" --output-dir "$folder/sim" || exit 1
      same "$folder/sim/out0.bin" "$folder/wanted.bin" "$target and the interpreter differ"
    else
      same "$folder/net.o" "$folder/wanted$target.o" "$model gives another library than $1, $target"
    fi
  done
  first=$model
done
