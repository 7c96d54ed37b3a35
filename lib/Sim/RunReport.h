// Reading what a run left behind: the harness's report and the plugin's counts.
#ifndef MFC_SIM_RUNREPORT_H
#define MFC_SIM_RUNREPORT_H

#include <string>

namespace mfc {

struct QemuResult;

struct RunFiles {
  std::string report; ///< mfc-sim.json, by runtime/sim_report.c
  std::string count;  ///< mfc-tcg.json, by lib/Sim/Plugin
};

/// Fills in everything but the fields that come from the process (exit status, console). Files that
/// are missing or malformed leave the outcome to the exit status.
void readRunReport(const RunFiles &files, QemuResult &result);

} // namespace mfc
#endif
