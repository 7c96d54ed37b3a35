# casts.sh: prints a graph with a cast between every two element types that have a kernel.
types="f32 bool i8 u8 i16 u16 i32 u32 i64"
echo "graph @casts {"
for from in $types; do
  echo "  %$from = input \"$from\" : $from[8]"
done
outputs=
for from in $types; do
  for to in $types; do
    case $from-$to in f32-i64 | i64-f32) continue ;; esac
    [ $from != $to ] || continue
    echo "  %$from.$to = cast %$from : $to[8]"
    outputs="$outputs $from.$to"
  done
done
for output in $outputs; do
  echo "  output %$output \"$output\""
done
echo "}"
