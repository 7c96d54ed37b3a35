// Identifiers; see Names.h and the naming rules in docs/outputs.md.
#include "mfc/Emit/Names.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Support/ClassifiedError.h"

#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace mfc;

bool mfc::isCKeyword(llvm::StringRef name) {
  // ISO C23 6.4.1 and what earlier standards had on top; sorted.
  static constexpr llvm::StringLiteral keywords[] = {"_Alignas",
                                                     "_Alignof",
                                                     "_Atomic",
                                                     "_BitInt",
                                                     "_Bool",
                                                     "_Complex",
                                                     "_Decimal128",
                                                     "_Decimal32",
                                                     "_Decimal64",
                                                     "_Generic",
                                                     "_Imaginary",
                                                     "_Noreturn",
                                                     "_Static_assert",
                                                     "_Thread_local",
                                                     "alignas",
                                                     "alignof",
                                                     "auto",
                                                     "bool",
                                                     "break",
                                                     "case",
                                                     "char",
                                                     "const",
                                                     "constexpr",
                                                     "continue",
                                                     "default",
                                                     "do",
                                                     "double",
                                                     "else",
                                                     "enum",
                                                     "extern",
                                                     "false",
                                                     "float",
                                                     "for",
                                                     "goto",
                                                     "if",
                                                     "inline",
                                                     "int",
                                                     "long",
                                                     "nullptr",
                                                     "register",
                                                     "restrict",
                                                     "return",
                                                     "short",
                                                     "signed",
                                                     "sizeof",
                                                     "static",
                                                     "static_assert",
                                                     "struct",
                                                     "switch",
                                                     "thread_local",
                                                     "true",
                                                     "typedef",
                                                     "typeof",
                                                     "typeof_unqual",
                                                     "union",
                                                     "unsigned",
                                                     "void",
                                                     "volatile",
                                                     "while"};
  return std::binary_search(std::begin(keywords), std::end(keywords), name);
}

llvm::Expected<std::string> mfc::modelIdentifier(llvm::StringRef text, llvm::StringRef origin) {
  if (text.empty())
    return makeError(ErrorClass::Usage,
                     "the model's name is empty (" + origin + "), give one with --name=");
  std::string name;
  if (llvm::isDigit(text[0]))
    name += '_';
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  if (isCKeyword(name))
    return makeError(ErrorClass::Usage, "the model's name '" + name + "' (" + origin +
                                            ") is a keyword of C, give another with --name=");
  return name;
}

std::string mfc::macroPrefix(llvm::StringRef model) { return "MFC_" + model.upper(); }

std::string mfc::idSymbol(const ModelInfo &info) { return "mfc_" + info.name + "_id_" + info.id; }

std::string mfc::memoryEntrySymbol(const ModelInfo &info) {
  return "mfc_" + info.name + "_invoke_memory" + info.abiSuffix();
}

std::string mfc::staticEntrySymbol(const ModelInfo &info) {
  return "mfc_" + info.name + "_invoke_static" + info.abiSuffix();
}

std::string mfc::arenaSymbol(const ModelInfo &info, size_t region) {
  return "mfc_" + info.name + "_arena" + (region == 0 ? "" : "_" + info.regions[region].name);
}

std::string mfc::arenaSection(const ModelInfo &info, const RegionInfo &region) {
  return ".bss.mfc." + info.name + "." + region.name;
}
