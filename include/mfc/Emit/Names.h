// X, the C name of a model, and the names made from it.
//
// Decides how any text (--name, the stem of -o, the stem of the model file) becomes an identifier.
#ifndef MFC_EMIT_NAMES_H
#define MFC_EMIT_NAMES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mfc {

struct ModelInfo;
struct RegionInfo;

/// "gen-kws-m55" -> "gen_kws_m55", "2net" -> "_2net". Bytes that cannot stand in an identifier
/// become '_'. Empty text and keywords of C are errors of class Usage: `origin` says where the text
/// came from.
llvm::Expected<std::string> modelIdentifier(llvm::StringRef text, llvm::StringRef origin);

/// Keywords of C99, C11 and C23.
bool isCKeyword(llvm::StringRef name);

/// "MFC_KWS"
std::string macroPrefix(llvm::StringRef model);
/// "mfc_kws_id_0123456789abcdef": the object that ties a header to its archive.
std::string idSymbol(const ModelInfo &info);
/// Entry point that takes struct mfc_X_memory, and the one that uses the static arena.
std::string memoryEntrySymbol(const ModelInfo &info);
std::string staticEntrySymbol(const ModelInfo &info);
/// "mfc_kws_arena", and "mfc_kws_arena_DTCM" for the second and further regions.
std::string arenaSymbol(const ModelInfo &info, size_t region);
/// ".bss.mfc.kws.SRAM": only names that start with ".bss." become NOBITS.
std::string arenaSection(const ModelInfo &info, const RegionInfo &region);

} // namespace mfc
#endif
