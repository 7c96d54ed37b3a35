// Reads the text form of graphs; docs/ir.md has the grammar.
//
// Errors carry line, column and the source line for a caret. After an error the parser goes on with the next
// statement, so that one run lists several. It checks what the text itself must keep to (names, operand counts,
// attribute names, sizes of constants); what operators mean is verifyGraph's matter.
#ifndef MFC_IR_PARSER_H
#define MFC_IR_PARSER_H

#include "mfc/IR/Graph.h"

#include <optional>
#include <vector>

namespace mfc {

/// The only graph of the text. Its `file` and the locations of its operations name fileName.
std::optional<Graph> parseGraph(llvm::StringRef text, llvm::StringRef fileName, DiagnosticEngine &diag);

/// All graphs of the text, in order; nothing if there is any error. A text without a graph is an error.
std::optional<std::vector<Graph>> parseGraphs(llvm::StringRef text, llvm::StringRef fileName, DiagnosticEngine &diag);

} // namespace mfc
#endif
