#include "tcg_sites.h"

#include "tcg_blocks.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct site *sites;
static size_t siteCount, siteCapacity;
static int layers;

static void addSite(struct site site) {
  if (siteCount == siteCapacity) {
    siteCapacity = siteCapacity ? 2 * siteCapacity : 64;
    struct site *more = allocateOrDie(siteCapacity * sizeof *more);
    if (sites)
      memcpy(more, sites, siteCount * sizeof *more);
    free(sites);
    sites = more;
  }
  sites[siteCount++] = site;
  if (site.layer >= layers)
    layers = site.layer + 1;
}

bool readSites(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    return false;
  }
  char line[128];
  bool good = true;
  while (good && fgets(line, sizeof line, file)) {
    struct site site;
    char end;
    good = sscanf(line, "%" SCNi64 " %" SCNi64 " %d %c", (int64_t *)&site.call,
                  (int64_t *)&site.returns, &site.layer, &end) == 3 &&
           site.layer >= 0;
    if (good)
      addSite(site);
    else
      fprintf(stderr, "mfc-tcg: %s: wanted 'CALL RETURN LAYER', found '%s'\n", path, line);
  }
  fclose(file);
  return good;
}

const struct site *siteOfCall(uint64_t address) {
  for (size_t i = 0; i < siteCount; i++)
    if (sites[i].call == address)
      return &sites[i];
  return NULL;
}

const struct site *siteOfReturn(uint64_t address) {
  for (size_t i = 0; i < siteCount; i++)
    if (sites[i].returns == address)
      return &sites[i];
  return NULL;
}

int layerCount(void) { return layers; }
