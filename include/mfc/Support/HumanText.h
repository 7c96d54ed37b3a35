// Numbers and names for people: in messages, tables and the report page.
#ifndef MFC_SUPPORT_HUMANTEXT_H
#define MFC_SUPPORT_HUMANTEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mfc {

/// 49152 -> "49,152"; rounded to a whole number.
std::string grouped(double value);
/// As grouped(), with a sign: "+512", "-3", "0".
std::string signedGrouped(double value);

/// 1.25 -> "1.3 %"; with a sign "+1.3 %". Small shares keep two digits: "0.03 %".
std::string percentText(double percent);
std::string signedPercent(double percent);

/// Text of unknown origin in a message or a table: control characters become \xHH, bytes that are
/// not UTF-8 the replacement character.
std::string visible(llvm::StringRef text);
/// The same, cut to about 60 characters: TFLite joins the names of all nodes that were fused into a
/// tensor.
std::string shortName(llvm::StringRef text);

} // namespace mfc
#endif
