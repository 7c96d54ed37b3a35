// Stable 64-bit hashes: the same on every machine, compiler and run (unlike llvm::hash_code).
#ifndef MFC_SUPPORT_HASHING_H
#define MFC_SUPPORT_HASHING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace mfc {

/// xxh3 of the bytes.
uint64_t stableHash(llvm::ArrayRef<uint8_t> bytes);
uint64_t stableHash(llvm::StringRef text);

/// 16 lower-case hexadecimal digits.
std::string hashText(uint64_t hash);

} // namespace mfc
#endif
