// Addresses that the region must not touch: the red zones of the simulation harness.
#ifndef MFC_SIM_PLUGIN_TCG_ZONES_H
#define MFC_SIM_PLUGIN_TCG_ZONES_H

#include <stdbool.h>
#include <stdint.h>

// One zone a line, "FIRST BYTES", by address and without overlaps. False, and a line on stderr, when the file cannot
// be read.
bool readZones(const char *path);
// Whether one of the bytes lies in a zone.
bool touchesZone(uint64_t address, uint64_t bytes);

#endif
