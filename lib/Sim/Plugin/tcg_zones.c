#include "tcg_zones.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static struct zone {
  uint64_t first, end;
} *zones;
static size_t zoneCount;

static void addZone(uint64_t first, uint64_t bytes) {
  if ((zoneCount & (zoneCount - 1)) == 0) { // full: sizes are powers of two
    size_t capacity = zoneCount ? 2 * zoneCount : 1;
    struct zone *more = realloc(zones, capacity * sizeof *zones);
    if (!more) {
      fprintf(stderr, "mfc-tcg: out of memory\n");
      exit(1);
    }
    zones = more;
  }
  zones[zoneCount++] = (struct zone){first, first + bytes};
}

bool readZones(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    return false;
  }
  char line[128];
  bool good = true;
  while (good && fgets(line, sizeof line, file)) {
    uint64_t first, bytes;
    char end;
    good = sscanf(line, "%" SCNu64 " %" SCNu64 " %c", &first, &bytes, &end) == 2 &&
           (zoneCount == 0 || zones[zoneCount - 1].end <= first);
    if (good)
      addZone(first, bytes);
    else
      fprintf(stderr, "mfc-tcg: %s: wanted lines 'FIRST BYTES' by address, found '%s'\n", path, line);
  }
  fclose(file);
  return good;
}

bool touchesZone(uint64_t address, uint64_t bytes) {
  size_t low = 0, high = zoneCount; // zones before `low` begin before the end of the access
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (zones[middle].first < address + bytes)
      low = middle + 1;
    else
      high = middle;
  }
  return low && zones[low - 1].end > address;
}
