// Runs passes over graphs in text form and compares: the text after, the text after a second run, and the answers.
#ifndef MFC_TEST_UNIT_TRANSFORMS_PASSTEST_H
#define MFC_TEST_UNIT_TRANSFORMS_PASSTEST_H

#include "mfc/IR/Graph.h"
#include "mfc/IR/Tensor.h"
#include "mfc/Transforms/Pass.h"

#include <string>
#include <vector>

namespace mfc::test {

Graph parsed(llvm::StringRef text);

/// The text without names and locations, which passes may choose freely.
std::string plainText(const Graph &graph);

struct Outcome {
  Graph graph;
  RemarkList remarks;
  DiagnosticEngine diag;
  bool ok = false;
  bool changed = false;

  std::string errors() const;
  bool hasRemark(llvm::StringRef pass, llvm::StringRef name) const;
};

/// Runs the named passes (comma separated) once, verifying between them.
Outcome runPasses(Graph graph, llvm::StringRef passes, const PassOptions &options = {});

/// The outputs of the graph by reference evaluation.
std::vector<Tensor> evaluate(const Graph &graph, llvm::ArrayRef<Tensor> inputs);

/// Answers of both graphs on random inputs: integers equal bit for bit, floats within tolerance * (1 + |value|).
void checkSameAnswers(const Graph &before, const Graph &after, double tolerance);

/// before -> passes -> after (text compared without names), a second run changes nothing, and the answers are kept.
void checkPass(llvm::StringRef passes, llvm::StringRef before, llvm::StringRef after, double tolerance = 0,
               const PassOptions &options = {});

/// The passes leave the graph alone.
void checkUnchanged(llvm::StringRef passes, llvm::StringRef text, const PassOptions &options = {});

} // namespace mfc::test
#endif
