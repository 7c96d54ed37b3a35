// The forms in which mfc-size prints.
#ifndef MFC_LIB_DRIVER_SIZEFORMATS_H
#define MFC_LIB_DRIVER_SIZEFORMATS_H

#include "SizeDiff.h"

#include "llvm/Support/raw_ostream.h"

namespace mfc {

enum class SizeFormat { Text, Markdown, Json, JUnit };

/// What a comparison shows.
struct SizeReport {
  SizeDiff diff;
  std::vector<SizeFailure> failures;
  bool allLayers = false; ///< else only those that changed
};

/// The difference of two builds.
void printDiff(const SizeReport &report, SizeFormat format, llvm::raw_ostream &os);
/// The figures of one build.
void printBuild(const ReadReport &build, SizeFormat format, llvm::raw_ostream &os);

/// The JSON form, for programs; docs/budgets.md has the schema. One build has no "old".
void printSizeJson(const SizeReport &report, bool oneBuild, llvm::raw_ostream &os);
/// JUnit XML as GitLab and Jenkins read it: one case a total and a threshold of layers.
void printSizeJUnit(const SizeReport &report, llvm::raw_ostream &os);

} // namespace mfc
#endif
