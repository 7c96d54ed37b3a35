// What mfc-sim says about a run that ended well: table, JSON, baseline.
#ifndef MFC_LIB_DRIVER_SIMMEASURE_H
#define MFC_LIB_DRIVER_SIMMEASURE_H

#include "mfc/Cost/MemoryTiming.h"
#include "mfc/Sim/LayerReport.h"

#include "llvm/Support/Error.h"

namespace mfc {

class DiagnosticEngine;
struct Board;
struct SimOptions;
struct TargetInfo;

/// "2%", "0.5 %", "2": percent, from 0 to 1000.
llvm::Expected<double> parseTolerance(llvm::StringRef text);

/// Counts, facts and modelled cycles of the linked firmware together. `board` is null on the host,
/// where nothing is counted. An error means that the cycle model cannot be applied to this
/// firmware.
llvm::Expected<MeasuredModel> measureRun(const ModelFacts &facts, const QemuResult &result,
                                         const TargetInfo &target, const Board *board,
                                         const std::string &elf, const MemoryTiming &memory);

/// A headline and the table by layer.
void printMeasured(llvm::raw_ostream &os, const MeasuredModel &measured);

/// Writes --json; compares with --baseline (a regression is an error of class Budget) or writes it.
void finishMeasured(const MeasuredModel &measured, const SimOptions &options, llvm::raw_ostream &os,
                    DiagnosticEngine &diag);

} // namespace mfc
#endif
