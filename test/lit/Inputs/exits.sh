# exits.sh code command ...: succeeds if the command exits with this code.
wanted=$1
shift
"$@"
found=$?
if [ "$found" -ne "$wanted" ]; then
  echo "exit code $found, expected $wanted: $*" >&2
  exit 1
fi
