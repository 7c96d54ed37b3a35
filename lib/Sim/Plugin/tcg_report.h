// The plugin's JSON, written when QEMU exits. docs/simulation.md describes it.
#ifndef MFC_SIM_PLUGIN_TCG_REPORT_H
#define MFC_SIM_PLUGIN_TCG_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report {
  const char *path;
  const uint64_t *regions; // instructions of each pass of the region
  size_t regionCount;
  bool open;     // a pass was not complete at exit
  int openLayer; // the layer that was current then
  bool alignment;
  uint64_t misaligned, misalignedPc;
  bool zones;
  uint64_t outside, outsidePc; // accesses to a zone
  bool layers;                                    // say what each layer did
  bool profile;                                   // and each of its blocks
  bool accesses;                                  // and its data accesses
  const uint64_t *layerCalls, *layerInstructions; // by layer + 1
  int layerCount;
};

void writeReport(const struct report *report);

#endif
