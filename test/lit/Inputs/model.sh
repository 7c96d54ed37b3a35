# model.sh sources text model: writes a model from its text. text is JSON of tflite.fbs (.json) or text form of
# onnx_subset.proto (.txt), so that a test shows what is in its models; flatc and protoc are part of every build.
sources=$1
text=$2
model=$3
case $text in
*.json)
  # flatc names the result itself.
  folder=$(mktemp -d) || exit 1
  flatc --binary -o "$folder" "$sources/lib/Import/TFLite/tflite.fbs" "$text" && mv "$folder"/* "$model"
  code=$?
  rm -rf "$folder"
  exit $code
  ;;
*.txt)
  exec protoc --encode=mfc.onnxpb.ModelProto -I "$sources/lib/Import/ONNX" onnx_subset.proto < "$text" > "$model"
  ;;
esac
echo "model.sh: '$text' is named neither .json nor .txt" >&2
exit 1
