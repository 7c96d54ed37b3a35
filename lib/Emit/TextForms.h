// Spellings that several outputs share.
#ifndef MFC_LIB_EMIT_TEXTFORMS_H
#define MFC_LIB_EMIT_TEXTFORMS_H

#include "mfc/Support/Remark.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mfc {

/// Shortest decimal that reads back as the same float, without a suffix: "0.0983", "1e-05".
std::string floatText(float value);

/// "passed", "missed", "analysis".
llvm::StringRef remarkKindName(RemarkKind kind);

/// Text of unknown origin inside a C comment: nothing in it can end the comment, start another,
/// continue a line, or form a trigraph; bytes outside printable ASCII become \xHH.
std::string commentText(llvm::StringRef text);

/// A C string literal with the quotes.
std::string cString(llvm::StringRef text);

} // namespace mfc
#endif
