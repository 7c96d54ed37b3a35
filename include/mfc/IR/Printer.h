// The text form of a graph; docs/ir.md has the grammar.
//
// The text is complete and deterministic: parsing it gives the same graph, and print(parse(print(g))) equals print(g)
// byte for byte. What it leaves out is where the text came from (Location::file, line and column), so that the same
// model gives the same text in every directory.
#ifndef MFC_IR_PRINTER_H
#define MFC_IR_PRINTER_H

#include "mfc/IR/Graph.h"

#include "llvm/Support/raw_ostream.h"
#include <map>
#include <string>

namespace mfc {

struct PrintOptions {
  /// Constants of more than 16 elements as a hash of their contents. For people and as a cache key: the parser
  /// refuses such a text.
  bool elideConstants = false;
  /// loc("conv2d_1", 17): the node of the model that an operation comes from.
  bool locations = true;
};

void print(const Graph &graph, llvm::raw_ostream &os, const PrintOptions &options = {});
std::string printToString(const Graph &graph, const PrintOptions &options = {});

/// The names that the text uses, by position: %in0 for inputs, %c0 for constants, %0 for results.
class ValueNames {
public:
  explicit ValueNames(const Graph &graph);
  /// "%0"; "%?" for a value that is not in the graph.
  llvm::StringRef operator()(const Value *value) const;

private:
  std::map<const Value *, std::string> names; ///< look-ups only
};

/// One operation as it stands in the text, without indentation and newline.
void printOperation(const Operation &op, const ValueNames &names, llvm::raw_ostream &os,
                    const PrintOptions &options = {});

/// "{stride = [2, 2]}": the fields that differ from the operator's defaults; empty if none does.
std::string attributesText(const Operation &op);
/// All fields of an attribute struct, "stride = [1, 1], groups = 1" (for docs/ops.md).
std::string attributesText(const Attributes &attributes);

/// A string of any bytes in double quotes: " and \ are escaped by \, everything outside printable ASCII as \HH.
std::string quoted(llvm::StringRef bytes);

} // namespace mfc
#endif
