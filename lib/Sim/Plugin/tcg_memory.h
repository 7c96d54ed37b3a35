// Data accesses: how many went to which memory in which layer, and how many were not aligned.
#ifndef MFC_SIM_PLUGIN_TCG_MEMORY_H
#define MFC_SIM_PLUGIN_TCG_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct access_counts {
  uint64_t reads, writes, readBytes, writtenBytes;
};

// One line a memory of the board: "NAME FIRST BYTES". False, and a line on stderr, when the file
// cannot be read. Memories do not overlap.
bool readMemories(const char *path);
size_t memoryCount(void);             // the last one, "other", is everything that no line names
const char *memoryName(size_t index); // the name as it was read: letters, digits and '_'

// Counts an access that the firmware made in the region.
void countAccess(uint64_t address, uint64_t bytes, bool store);
// Adds what was counted since the last call to the layer.
void creditAccesses(int layer);
// What the layer did in the memory.
struct access_counts accessesOf(int layer, size_t memory);

#endif
