#include "tcg_memory.h"

#include "tcg_blocks.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_LIMIT = 16, NAME_LIMIT = 32 };

static struct memory {
  char name[NAME_LIMIT];
  uint64_t first, bytes;
} memories[MEMORY_LIMIT + 1]; // and "other"
static size_t memoriesRead;
static struct access_counts current[MEMORY_LIMIT + 1];

// Rows of [layer + 1][memory]; grown on demand.
static struct access_counts *table;
static int tableLayers;

bool readMemories(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    return false;
  }
  char line[128];
  bool good = true;
  while (good && fgets(line, sizeof line, file)) {
    struct memory *memory = &memories[memoriesRead];
    char end;
    good = memoriesRead < MEMORY_LIMIT &&
           sscanf(line, "%31[A-Za-z0-9_] %" SCNi64 " %" SCNi64 " %c", memory->name,
                  (int64_t *)&memory->first, (int64_t *)&memory->bytes, &end) == 3;
    if (good)
      memoriesRead++;
    else
      fprintf(stderr, "mfc-tcg: %s: wanted up to %d lines 'NAME FIRST BYTES', found '%s'\n", path,
              MEMORY_LIMIT, line);
  }
  fclose(file);
  strcpy(memories[memoriesRead].name, "other");
  return good;
}

size_t memoryCount(void) { return memoriesRead + 1; }
const char *memoryName(size_t index) { return memories[index].name; }

void countAccess(uint64_t address, uint64_t bytes, bool store) {
  size_t at = 0;
  while (at < memoriesRead && address - memories[at].first >= memories[at].bytes)
    at++;
  struct access_counts *counts = &current[at];
  if (store) {
    counts->writes++;
    counts->writtenBytes += bytes;
  } else {
    counts->reads++;
    counts->readBytes += bytes;
  }
}

static void growTable(int layers) {
  size_t row = memoryCount() * sizeof *table;
  struct access_counts *more = allocateOrDie((size_t)layers * row);
  if (table)
    memcpy(more, table, (size_t)tableLayers * row);
  free(table);
  table = more;
  tableLayers = layers;
}

void creditAccesses(int layer) {
  if (layer + 1 >= tableLayers)
    growTable(2 * (layer + 2));
  struct access_counts *row = table + (size_t)(layer + 1) * memoryCount();
  for (size_t i = 0; i < memoryCount(); i++) {
    row[i].reads += current[i].reads;
    row[i].writes += current[i].writes;
    row[i].readBytes += current[i].readBytes;
    row[i].writtenBytes += current[i].writtenBytes;
  }
  memset(current, 0, sizeof current);
}

struct access_counts accessesOf(int layer, size_t memory) {
  if (layer + 1 >= tableLayers)
    return (struct access_counts){0, 0, 0, 0};
  return table[(size_t)(layer + 1) * memoryCount() + memory];
}
