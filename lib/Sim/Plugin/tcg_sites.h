// The call sites that open and close layers: what sites=FILE holds.
//
// One line a site: "CALL RETURN LAYER", addresses in C notation and a decimal index from 0. When
// the instruction at CALL executes, LAYER becomes current (the call itself belongs to it), and when
// the one at RETURN does, no layer is.
#ifndef MFC_SIM_PLUGIN_TCG_SITES_H
#define MFC_SIM_PLUGIN_TCG_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct site {
  uint64_t call, returns;
  int layer;
};

// False, and a line on stderr, when the file cannot be read.
bool readSites(const char *path);

// The site with that call, and the one with that return; NULL if there is none. Not fast: asked
// when code is translated.
const struct site *siteOfCall(uint64_t address);
const struct site *siteOfReturn(uint64_t address);

int layerCount(void);

#endif
