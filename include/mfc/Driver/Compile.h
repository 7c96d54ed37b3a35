// The phases of a compile: import -> passes -> fuse -> schedules -> plan -> lower -> codegen.
//
// Nothing is written here: the result holds the outputs in memory, so that mfc, mfc-sim and runs on
// the build machine share it.
#ifndef MFC_DRIVER_COMPILE_H
#define MFC_DRIVER_COMPILE_H

#include "mfc/Driver/CompileOptions.h"
#include "mfc/Emit/BuildLibrary.h"
#include "mfc/Emit/ModelInfo.h"

#include <optional>

namespace mfc {

struct PhaseTime {
  std::string name;
  double seconds = 0;
};

/// An intermediate product: ending of its file name, and contents.
struct TextProduct {
  std::string ending;
  std::string contents;
};

struct CompiledModel {
  TargetInfo target;
  Graph graph; ///< after the passes; the plan points into it
  Plan plan;
  ModelInfo info;
  std::vector<LibraryObject> objects;   ///< OutputKind::Library: the members; Object: one
  std::string text;                     ///< OutputKind::Graph, LLVM, Assembly
  std::string source;                   ///< -g: X.mfcir, which the debug information names
  std::vector<TextProduct> temporaries; ///< --save-temps
  std::vector<PhaseTime> times;
  std::vector<std::string> filesRead; ///< besides the model
  std::string candidates; ///< for people: how the search for schedules went; empty without one
};

/// Compiles as far as options.emit (or stopAfter) asks. Problems go to diag, remarks to
/// CompiledModel::info.decisions; nothing is returned after an error. `dump` gets --print-after.
std::optional<CompiledModel> compileModel(const CompileOptions &options, DiagnosticEngine &diag,
                                          llvm::raw_ostream &dump);

/// X: --name, else the stem of -o without "lib", else the stem of the model file.
llvm::Expected<std::string> modelName(const CompileOptions &options);

} // namespace mfc
#endif
