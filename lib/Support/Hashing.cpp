#include "mfc/Support/Hashing.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mfc;

uint64_t mfc::stableHash(llvm::ArrayRef<uint8_t> bytes) { return llvm::xxh3_64bits(bytes); }

uint64_t mfc::stableHash(llvm::StringRef text) { return llvm::xxh3_64bits(text); }

std::string mfc::hashText(uint64_t hash) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format_hex_no_prefix(hash, 16);
  return text;
}
