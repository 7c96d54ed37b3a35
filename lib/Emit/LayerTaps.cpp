// What X.h says about layer taps: the hook, and the layers' names for tables. Nothing without
// --layer-taps.
#include "LayerTaps.h"

#include "TextForms.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Emit/Names.h"
#include "mfc/Lowering/Lower.h"

using namespace mfc;

void mfc::writeLayerTaps(llvm::raw_ostream &os, const ModelInfo &info) {
  if (!info.layerTaps)
    return;
  const std::string macro = macroPrefix(info.name);
  os << "/* Layer taps (mfc --layer-taps): define this function to see every layer's result. "
        "invoke calls it with layer\n"
     << " * -1, -2 ... for the inputs 0, 1 ..., then with the number and result of each layer. Its "
        "stack is not in\n"
     << " * " << macro << "_STACK_BYTES. */\n"
     << "#define " << macro << "_LAYER_TAPS 1\n"
     << "#define " << macro << "_LAYER_COUNT " << info.layers.size() << "u\n"
     << "#define " << macro << "_LAYER_NAMES {";
  for (size_t i = 0; i < info.layers.size(); ++i)
    os << (i ? ", " : "") << cString(info.layers[i].name);
  os << "}\nvoid " << layerTapSymbol(info.name)
     << "(int32_t layer, const void *data, uint32_t bytes);\n\n";
}
