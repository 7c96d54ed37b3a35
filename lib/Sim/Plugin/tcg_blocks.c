// Counters are kept per block, bumped by generated code, and summed into the current layer's share
// whenever the layer changes: that is rare, so telling layers apart costs next to nothing.
#include "tcg_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKET_COUNT = 4096 };
static struct block *buckets[BUCKET_COUNT];
static struct block *allBlocks;
static size_t blockCount;

void *allocateOrDie(size_t bytes) {
  void *memory = calloc(1, bytes);
  if (!memory) {
    fprintf(stderr, "mfc-tcg: out of memory\n");
    exit(1);
  }
  return memory;
}

struct block *findBlock(uint64_t pc, const char *sizes, bool shell) {
  struct block **bucket = &buckets[(pc >> 1) % BUCKET_COUNT];
  for (struct block *b = *bucket; b; b = b->chain)
    if (b->pc == pc && b->shell == shell && strcmp(b->sizes, sizes) == 0)
      return b;
  struct block *b = allocateOrDie(sizeof *b);
  b->pc = b->end = pc;
  b->instructions = strlen(sizes);
  b->sizes = allocateOrDie(b->instructions + 1);
  memcpy(b->sizes, sizes, b->instructions);
  for (size_t i = 0; i < b->instructions; i++)
    b->end += (uint64_t)(sizes[i] - '0');
  b->shell = shell;
  b->tail = shell ? NULL : b;
  b->chain = *bucket;
  *bucket = b;
  b->next = allBlocks;
  allBlocks = b;
  blockCount++;
  return b;
}

const struct block_share *shareOf(const struct block *block, int layer) {
  const struct block_share *share = block->shares;
  while (share && share->layer != layer)
    share = share->next;
  return share;
}

static struct block_share *makeShare(struct block *block, int layer) {
  struct block_share *share = (struct block_share *)shareOf(block, layer);
  if (share)
    return share;
  share = allocateOrDie(sizeof *share);
  share->layer = layer;
  share->next = block->shares;
  return block->shares = share;
}

uint64_t creditBlocks(int layer) {
  uint64_t sum = 0;
  for (struct block *b = allBlocks; b; b = b->next) {
    uint64_t executions = b->executions - b->seenExecutions, taken = b->taken - b->seenTaken;
    if (!executions && !taken)
      continue;
    struct block_share *share = makeShare(b, layer);
    share->executions += executions;
    share->taken += taken;
    b->seenExecutions = b->executions;
    b->seenTaken = b->taken;
    sum += executions * b->instructions;
  }
  return sum;
}

void discardBlocks(void) {
  for (struct block *b = allBlocks; b; b = b->next) {
    b->seenExecutions = b->executions;
    b->seenTaken = b->taken;
  }
}

static int compareBlocks(const void *left, const void *right) {
  const struct block *a = *(struct block *const *)left, *b = *(struct block *const *)right;
  if (a->pc != b->pc)
    return a->pc < b->pc ? -1 : 1;
  return strcmp(a->sizes, b->sizes); // no two blocks are equal in both
}

struct block **blocksOfLayer(int layer, size_t *count) {
  struct block **list = allocateOrDie((blockCount + 1) * sizeof *list);
  *count = 0;
  for (struct block *b = allBlocks; b; b = b->next)
    if (shareOf(b, layer))
      list[(*count)++] = b;
  qsort(list, *count, sizeof *list, compareBlocks);
  return list;
}
