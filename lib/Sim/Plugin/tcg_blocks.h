// Runs of instructions, how often each executed, and in which layer.
#ifndef MFC_SIM_PLUGIN_TCG_BLOCKS_H
#define MFC_SIM_PLUGIN_TCG_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  NO_LAYER = -1
}; // in the region, but in no layer: the driver, the entry point, the user's code

// What a block did while one layer was current.
struct block_share {
  int layer;
  uint64_t executions, taken;
  struct block_share *next;
};

// A run of instructions that always executes as a whole.
struct block {
  uint64_t pc, end; // end: the address behind the last instruction
  char *sizes;      // of the instructions, a digit each ('2' or '4'); its length is their number
  size_t instructions;
  uint64_t executions, taken;         // bumped while the firmware runs
  uint64_t seenExecutions, seenTaken; // the values that are already in shares
  struct block_share *shares;
  // Whose `taken` counts when execution leaves this block: the block itself, the one of its last
  // instruction when a translation block is counted instruction by instruction, NULL for a marker.
  struct block *tail;
  bool shell;          // stands for a translation block whose instructions are counted one by one
  struct block *chain; // same hash bucket
  struct block *next;  // all blocks
};

// The block of that place, made when it is new. Blocks are translated again after QEMU flushes its
// code cache: the same code keeps its counters. `sizes` is copied.
struct block *findBlock(uint64_t pc, const char *sizes, bool shell);

// Adds what was executed since the last call to the shares of `layer`; returns the instructions.
uint64_t creditBlocks(int layer);
// Forgets what was executed since the last call.
void discardBlocks(void);

// All blocks that have a share of the layer, by address and then length. The list is malloc()ed.
struct block **blocksOfLayer(int layer, size_t *count);
const struct block_share *shareOf(const struct block *block, int layer);

// malloc() that ends the program when there is no memory.
void *allocateOrDie(size_t bytes);

#endif
