# stack-bound.sh folder model inputs option ...: compiles and simulates; the stack that the run used is at most what the header
# says. inputs are --input words.
folder=$1
model=$2
inputs=$3
shift 3
rm -rf "$folder"
mkdir "$folder" || exit 1
targets=
for option; do
  case $option in --board=* | --check-alignment) ;; *) targets="$targets $option" ;; esac
done
mfc $targets "$model" -o "$folder/libx.a" || exit 1
mfc-sim "$@" "$model" $inputs --json "$folder/sim.json" || exit 1
bound=$(sed -n 's/^#define MFC_X_STACK_BYTES \([0-9]*\)u$/\1/p' "$folder/x.h")
used=$(sed -n 's/^  "stack_bytes": \([0-9]*\),$/\1/p' "$folder/sim.json")
echo "used $used of $bound bytes: $*"
[ -n "$bound" ] && [ -n "$used" ] && [ "$used" -gt 0 ] && [ "$used" -le "$bound" ]
