# refused.sh sources code words base edit ...: mfc and mfc-run must refuse a model with this exit code and with an error that
# has these words, and leave no file behind. The model is `base` (a text for model.sh, or any other file as it is) after the
# edits, which are sed commands; one that changes nothing fails the test.
sources=$1
code=$2
words=$3
base=$4
shift 4
here=$(dirname "$0")
fail() { echo "$*" >&2; exit 1; }

work=$base.refused
rm -rf "$work"
mkdir "$work" || exit 1
case $base in
*.json) model=$work/model.tflite text=$work/text.json ;;
*.txt) model=$work/model.onnx text=$work/text.txt ;;
*.mfcir) model=$work/model.mfcir text=$work/model.mfcir ;;
*) model=$base text= ;;
esac
if [ -n "$text" ]; then
  cp "$base" "$text"
  for edit; do
    sed -e "$edit" "$text" > "$work/edited" || exit 1
    cmp -s "$text" "$work/edited" && fail "this edit changes nothing: $edit"
    cp "$work/edited" "$text"
  done
  [ "$text" = "$model" ] || sh "$here/model.sh" "$sources" "$text" "$model" || fail "the edited text is no model"
fi

mkdir "$work/out"
check() {
  "$@" > "$work/messages" 2>&1
  found=$?
  cat "$work/messages"
  [ $found = "$code" ] || fail "exit code $found, expected $code: $*"
  grep -F 'error: ' "$work/messages" | grep -qF -- "$words" || fail "no error with the words: $words"
  [ -z "$(ls -A "$work/out")" ] || fail "files left behind: $(ls -A "$work/out")"
}
check mfc -mcpu=cortex-m4 "$model" -o "$work/out/libx.a"
check mfc-run "$model" --output-dir "$work/out/results"
