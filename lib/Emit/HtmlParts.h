// The pieces of the report page. Each is a pure function of ModelInfo and returns markup.
//
// Everything that comes from a model goes through htmlText(): names are of any bytes and from
// anywhere. Sizes of drawings are in CSS pixels; colours are CSS variables of HtmlStyle.cpp, so
// that light and dark follow the reader.
#ifndef MFC_LIB_EMIT_HTMLPARTS_H
#define MFC_LIB_EMIT_HTMLPARTS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mfc {

struct ModelInfo;

/// As text or as a quoted attribute value: no markup, no control characters, no marks that turn the
/// direction of writing (they could make a name look like another).
std::string htmlText(llvm::StringRef text);
/// The same, shortened to about `longest` characters.
std::string htmlShort(llvm::StringRef text, size_t longest);
/// The same with the end kept: that is where the names of layers differ.
std::string htmlTail(llvm::StringRef text, size_t longest);

std::string htmlStyle();
std::string htmlScript();

/// Totals, and the limits they are held against.
std::string htmlTotals(const ModelInfo &info);
/// Offsets over time, one drawing a region, with the lower bound as a line.
std::string htmlMemoryMaps(const ModelInfo &info);
/// Groups in execution order with the tensors between them.
std::string htmlGraph(const ModelInfo &info);
/// A row a layer, a bar in each cell.
std::string htmlLayers(const ModelInfo &info);
std::string htmlPorts(const ModelInfo &info);
std::string htmlDecisions(const ModelInfo &info);

/// "18,432 bytes", "1 byte".
std::string byteText(double bytes);

} // namespace mfc
#endif
