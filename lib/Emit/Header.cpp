// X.h: what firmware includes. C99 and C++, no other header than <stdint.h>, one static inline
// function per thing that can be called; docs/outputs.md describes it from the user's side.
#include "LayerTaps.h"
#include "TargetGuards.h"
#include "TextForms.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Emit/Names.h"
#include "mfc/Emit/Writers.h"
#include "mfc/Support/Version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mfc;

namespace {

llvm::StringRef cType(ElementType type) {
  switch (type) {
  case ElementType::Bool:
  case ElementType::U8:
    return "uint8_t";
  case ElementType::I8:
    return "int8_t";
  case ElementType::I16:
    return "int16_t";
  case ElementType::U16:
    return "uint16_t";
  case ElementType::I32:
    return "int32_t";
  case ElementType::U32:
    return "uint32_t";
  case ElementType::I64:
    return "int64_t";
  case ElementType::F32:
    return "float";
  }
  return "uint8_t";
}

std::string cFloat(float value) {
  std::string text = floatText(value);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text + "f";
}

/// INT32_MIN has no literal of its own in C: -2147483648 is an expression of a wider type.
std::string cInteger(int64_t value) {
  if (value == INT32_MIN)
    return "(-2147483647 - 1)";
  return value < 0 ? "(" + std::to_string(value) + ")" : std::to_string(value);
}

template <typename List, typename F> std::string braced(const List &items, F &&text) {
  std::string out = "{";
  for (const auto &item : items)
    out += (out.size() > 1 ? ", " : "") + text(item);
  return out + "}";
}

class HeaderWriter {
public:
  HeaderWriter(llvm::raw_ostream &os, const ModelInfo &info)
      : os(os), info(info), x(info.name), macro(macroPrefix(info.name)),
        symbol("mfc_" + info.name) {}
  void write();

private:
  llvm::raw_ostream &os;
  const ModelInfo &info;
  const std::string x, macro, symbol;

  void introduction();
  void interfaceConstants();
  void sizes();
  void port(const PortInfo &port, const std::string &kind, size_t index);
  void quantization(const PortInfo &port, const std::string &prefix);
  void memoryStruct();
  void declarations();
  void staticForm();
  void memoryForm();
  void accessor(const PortInfo &port, const std::string &kind, size_t index, bool inMemory);
  void define(const llvm::Twine &name, const llvm::Twine &value) {
    os << "#define " << macro << '_' << name << ' ' << value << '\n';
  }
  std::string call(llvm::StringRef entry) const;
  std::string portParameters(bool types) const;
  template <typename F> void forPorts(F &&f) const {
    for (size_t i = 0; i < info.inputs.size(); ++i)
      f(info.inputs[i], std::string("input"), i);
    for (size_t i = 0; i < info.outputs.size(); ++i)
      f(info.outputs[i], std::string("output"), i);
  }
  std::string arenaField(size_t region) const {
    return region == 0 ? "arena" : "arena_" + info.regions[region].name;
  }
  std::string arenaMacro(size_t region) const {
    return region == 0 ? "ARENA" : "ARENA_" + llvm::StringRef(info.regions[region].name).upper();
  }
};

void HeaderWriter::introduction() {
  const Totals &t = info.totals;
  os << "/* " << x << ".h: model " << x << ", compiled by mfc " << mfcVersion() << " for "
     << info.target.name << " (" << info.target.arch << "). Generated, build " << info.id
     << ".\n *\n"
     << " * Flash " << t.flashBytes() << " bytes: code " << t.codeBytes << ", constants "
     << t.constBytes << ". SRAM " << t.sramBytes() << " bytes. Stack " << t.stackBytes
     << " bytes.\n"
     << " * Symbols from outside: "
     << (info.undefinedSymbols.empty() ? "none" : llvm::join(info.undefinedSymbols, ", "))
     << (info.undefinedSymbols.empty() ? "" : " (their stack is not in the figure)") << ".\n *\n"
     << " * Static form (not reentrant: one arena for the whole program):\n";
  if (info.callerIO)
    os << " *   status = " << symbol << "_invoke(inputs ..., outputs ...);\n";
  else
    os << " *   fill " << symbol << "_input0(), status = " << symbol << "_invoke(), read " << symbol
       << "_output0()\n";
  os << " * Caller-owned form (reentrant, one struct " << symbol << "_memory per instance):\n"
     << " *   static " << macro << "_DECLARE_ARENA(buffer);\n"
     << " *   struct " << symbol << "_memory memory = " << macro << "_MEMORY(buffer);\n"
     << " *   status = " << symbol << "_invoke_in(&memory" << (info.callerIO ? ", ..." : "")
     << ");\n"
     << " * Both return MFC_OK or one of the MFC_ERROR_ codes below.\n */\n";
}

void HeaderWriter::interfaceConstants() {
  os << "/* The same in the header of every model. */\n"
     << "#ifndef MFC_OK\n"
     << "#define MFC_OK " << static_cast<int>(Status::Ok) << '\n'
     << "#define MFC_ERROR_VERSION " << static_cast<int>(Status::Version)
     << " /* struct is of another version */\n"
     << "#define MFC_ERROR_NULL " << static_cast<int>(Status::Null) << " /* a pointer is null */\n"
     << "#define MFC_ERROR_ALIGNMENT " << static_cast<int>(Status::Alignment)
     << " /* a buffer is not aligned as required */\n"
     << "#define MFC_ERROR_SIZE " << static_cast<int>(Status::Size)
     << " /* the arena is too small */\n"
     << "#define MFC_INTERFACE_VERSION " << kInterfaceVersion << "u\n"
     << "#endif\n\n";
}

/// The type of a constant that an unsigned int holds is unsigned int everywhere.
static std::string cCycles(double cycles) {
  return std::to_string(static_cast<uint64_t>(cycles)) + (cycles < 4294967296.0 ? "u" : "ull");
}

void HeaderWriter::sizes() {
  const Totals &t = info.totals;
  define("MFC_VERSION", cString(mfcVersion()));
  define("BUILD_ID", cString(info.id));
  define("TARGET", cString(info.target.name));
  os << "/* Alignment of every buffer that the firmware provides, in bytes. */\n";
  define("ALIGN", llvm::Twine(info.alignment()) + "u");
  for (size_t i = 0; i < info.regions.size(); ++i) {
    os << "/* Arena in region " << info.regions[i].name << ". */\n";
    define(arenaMacro(i) + "_BYTES", llvm::Twine(info.regions[i].bytes) + "u");
  }
  os << "/* Arenas, state, inputs and outputs, wherever they live; without the stack. */\n";
  define("SRAM_BYTES", llvm::Twine(t.sramBytes()) + "u");
  define("STATE_BYTES", llvm::Twine(t.stateBytes) + "u");
  define("STACK_BYTES", llvm::Twine(t.stackBytes) + "u");
  define("FLASH_BYTES", llvm::Twine(t.flashBytes()) + "u");
  define("CODE_BYTES", llvm::Twine(t.codeBytes) + "u");
  define("CONST_BYTES", llvm::Twine(t.constBytes) + "u");
  if (t.modelledCycles && t.longestKernel) {
    os << "/* From mfc's cost tables at zero wait states, not measured: one invoke, and the kernel that "
          "runs longest\n   without a chance to do something else";
    if (t.helperCalls)
      os << "; without " << t.helperCalls << " calls of soft-float helpers";
    os << ". */\n";
    define("MODELLED_CYCLES", cCycles(*t.modelledCycles));
    define("LONGEST_KERNEL_MODELLED_CYCLES", cCycles(t.longestKernel->modelledCycles));
  }
  os << "/* 1: invoke uses the memory of the inputs for other tensors, refill them before each "
        "call. */\n";
  define("INPUTS_OVERWRITTEN", info.inputsOverwritten ? "1" : "0");
  define("INPUT_COUNT", llvm::Twine(info.inputs.size()) + "u");
  define("OUTPUT_COUNT", llvm::Twine(info.outputs.size()) + "u");
  os << '\n';
}

void HeaderWriter::quantization(const PortInfo &port, const std::string &prefix) {
  if (!port.type.quant)
    return;
  const Quantization &quant = *port.type.quant;
  if (quant.isPerTensor()) {
    define(prefix + "_SCALE", cFloat(quant.scale()));
    define(prefix + "_ZERO_POINT", cInteger(quant.zeroPoint()));
    return;
  }
  define(prefix + "_QUANT_AXIS", std::to_string(quant.axis));
  define(prefix + "_SCALES", braced(quant.scales, cFloat));
  define(prefix + "_ZERO_POINTS", braced(quant.zeroPoints, cInteger));
}

void HeaderWriter::port(const PortInfo &port, const std::string &kind, size_t index) {
  const std::string prefix = llvm::StringRef(kind).upper() + std::to_string(index);
  os << "/* " << kind << ' ' << index << " '" << commentText(port.name)
     << "': " << elementName(port.type.element) << ' ' << shapeText(port.type.shape) << ", "
     << port.layout;
  if (port.type.quant)
    os << ", real = scale * (stored - zero point)";
  os << " */\n";
  define(prefix + "_NAME", cString(port.name));
  define(prefix + "_BYTES", llvm::Twine(port.bytes) + "u");
  define(prefix + "_COUNT", llvm::Twine(port.type.count()) + "u");
  define(prefix + "_RANK", llvm::Twine(port.type.rank()) + "u");
  for (int64_t d = 0; d < port.type.rank(); ++d)
    define(prefix + "_DIM" + std::to_string(d), llvm::Twine(port.type.dim(d)) + "u");
  if (port.type.rank() != 0)
    define(prefix + "_SHAPE",
           braced(port.type.shape, [](int64_t d) { return std::to_string(d) + "u"; }));
  quantization(port, prefix);
  if (!port.caller)
    define(prefix + "_OFFSET", llvm::Twine(port.offset) + "u");
  os << "typedef " << cType(port.type.element) << ' ' << symbol << '_' << kind << index
     << "_t;\n\n";
}

void HeaderWriter::memoryStruct() {
  os << "/* Memory of one instance, for the caller-owned form. */\n"
     << "struct " << symbol << "_memory {\n  uint32_t version; /* MFC_INTERFACE_VERSION */\n";
  for (size_t i = 0; i < info.regions.size(); ++i)
    os << "  void *" << arenaField(i) << "; /* " << macro << '_' << arenaMacro(i)
       << "_BYTES bytes, aligned to " << macro << "_ALIGN */\n"
       << "  uint32_t " << arenaField(i) << "_bytes;\n";
  os << "};\n\n";
  if (info.regions.size() != 1)
    return;
  os << "/* A buffer that fits; and the struct for a buffer (an array, not a pointer): one that is "
        "too\n"
     << " * small does not compile. */\n"
     << "#define " << macro << "_DECLARE_ARENA(name) \\\n  unsigned char name[" << macro
     << "_ARENA_BYTES ? " << macro << "_ARENA_BYTES : 1u] __attribute__((aligned(" << macro
     << "_ALIGN)))\n"
     << "#define " << macro
     << "_MEMORY(name) \\\n  { MFC_INTERFACE_VERSION, (name), (uint32_t)(sizeof(name) "
     << "+ \\\n    0u * sizeof(char[sizeof(name) >= " << macro << "_ARENA_BYTES ? 1 : -1])) }\n\n";
}

/// "mfc_x_invoke_static" or "MFC_X_ABI_(mfc_x_invoke_static)".
std::string HeaderWriter::call(llvm::StringRef entry) const {
  std::string name = symbol + "_invoke_" + entry.str();
  return info.abiSuffix().empty() ? name : macro + "_ABI_(" + name + ")";
}

/// ", const mfc_x_input0_t *input0, ..." for --io=caller, else nothing.
std::string HeaderWriter::portParameters(bool types) const {
  std::string text;
  if (!info.callerIO)
    return text;
  forPorts([&](const PortInfo &, const std::string &kind, size_t i) {
    std::string name = kind + std::to_string(i);
    text += ", ";
    if (types)
      text += (kind == "input" ? "const " : "") + symbol + "_" + name + "_t *";
    text += name;
  });
  return text;
}

void HeaderWriter::declarations() {
  os << "/* What the archive defines. The inline functions below call it; the id ties this header "
        "to the\n"
     << " * archive of the same build. */\n"
     << "extern const uint32_t " << idSymbol(info) << ";\n";
  for (size_t i = 0; i < info.regions.size(); ++i)
    if (info.regions[i].bytes)
      os << "extern unsigned char " << arenaSymbol(info, i) << "[" << macro << '_' << arenaMacro(i)
         << "_BYTES];\n";
  os << "int " << call("static") << "(const void *id" << portParameters(true) << ");\n"
     << "int " << call("memory") << "(const struct " << symbol << "_memory *memory, const void *id"
     << portParameters(true) << ");\n\n";
}

void HeaderWriter::accessor(const PortInfo &port, const std::string &kind, size_t index,
                            bool inMemory) {
  const std::string name = kind + std::to_string(index), type = symbol + "_" + name + "_t";
  os << "static inline " << type << " *" << symbol << '_' << name
     << (inMemory ? "_in(const struct " + symbol + "_memory *memory)" : "(void)")
     << " {\n  return (" << type << " *)(void *)(";
  if (inMemory)
    os << "(unsigned char *)memory->" << arenaField(port.region);
  else
    os << arenaSymbol(info, port.region);
  os << " + " << macro << '_' << llvm::StringRef(kind).upper() << index << "_OFFSET);\n}\n";
}

void HeaderWriter::staticForm() {
  os << "/* Static form. */\n";
  forPorts([&](const PortInfo &port, const std::string &kind, size_t i) {
    if (!port.caller)
      accessor(port, kind, i, false);
  });
  std::string parameters = portParameters(true);
  os << "static inline int " << symbol << "_invoke("
     << (parameters.empty() ? "void" : parameters.substr(2)) << ") {\n  return " << call("static")
     << "(&" << idSymbol(info) << portParameters(false) << ");\n}\n\n";
}

void HeaderWriter::memoryForm() {
  os << "/* Caller-owned form. */\n";
  forPorts([&](const PortInfo &port, const std::string &kind, size_t i) {
    if (!port.caller)
      accessor(port, kind, i, true);
  });
  os << "static inline int " << symbol << "_invoke_in(const struct " << symbol << "_memory *memory"
     << portParameters(true) << ") {\n  return " << call("memory") << "(memory, &" << idSymbol(info)
     << portParameters(false) << ");\n}\n\n";
}

void HeaderWriter::write() {
  introduction();
  os << "#ifndef " << macro << "_H\n#define " << macro << "_H\n\n#include <stdint.h>\n\n";
  writeTargetGuards(os, info);
  os << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  interfaceConstants();
  sizes();
  forPorts([&](const PortInfo &p, const std::string &kind, size_t i) { port(p, kind, i); });
  memoryStruct();
  writeAbiMacro(os, info);
  declarations();
  staticForm();
  memoryForm();
  writeLayerTaps(os, info);
  os << "#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

} // namespace

std::string mfc::writeHeader(const ModelInfo &info) {
  std::string text;
  llvm::raw_string_ostream os(text);
  HeaderWriter(os, info).write();
  return text;
}
