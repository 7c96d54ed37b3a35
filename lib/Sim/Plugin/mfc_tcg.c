// libmfc-tcg.so: a QEMU TCG plugin that counts the instructions a firmware executes in a region.
//
// The region opens when the instruction at address `begin` executes and closes when the one at
// `end` does; these two marker instructions are not counted, everything between them is. Arguments
// (NAME=VALUE, addresses in C notation, the Thumb bit is ignored):
//   begin=ADDR end=ADDR   the markers
//   out=FILE              where the JSON report goes, written when QEMU exits
//   align=1               also look at every data access in the region (slower): how many addresses
//   were
//                         not a multiple of the access size, and the first instruction that did it
//
// How it counts: a translation block runs from its first instruction to its last unless an
// instruction in it faults, so one inline 64-bit add per executed block is enough (no call out of
// the generated code). Blocks that hold a marker are counted instruction by instruction. Counts are
// kept per block and summed at the markers, so a histogram by address is a matter of printing what
// is here. A block that faults half-way is counted whole: a run that faults has no valid count
// anyway.
//
// The report: {"schema":1,"instructions":N,"complete":true,"regions":[N1,N2,...]
//              [,"misaligned":M,"misaligned_pc":ADDR]}
// `complete` is false when a region was still open at exit, `instructions` is the sum of closed
// regions.
#include "qemu_plugin_api.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

MFC_PLUGIN_EXPORT int qemu_plugin_version = 1;

// A run of instructions that always executes as a whole.
struct block {
  uint64_t pc;
  uint64_t instructions;
  uint64_t executions; // bumped by generated code
  struct block *chain; // same hash bucket
  struct block *next;  // all blocks
};

enum { BUCKET_COUNT = 4096 };
static struct block *buckets[BUCKET_COUNT];
static struct block *allBlocks;

static uint64_t beginAddress = UINT64_MAX, endAddress = UINT64_MAX;
static const char *outPath;
static bool checkAlignment;

static bool regionOpen;
static uint64_t regionStart; // total at the begin marker
static uint64_t *regions;
static size_t regionCount, regionCapacity;

static uint64_t misaligned, misalignedPc;

// Blocks are translated again after QEMU flushes its code cache: the same code keeps its counter.
static struct block *findBlock(uint64_t pc, uint64_t instructions) {
  struct block **bucket = &buckets[(pc >> 1) % BUCKET_COUNT];
  for (struct block *b = *bucket; b; b = b->chain)
    if (b->pc == pc && b->instructions == instructions)
      return b;
  struct block *b = calloc(1, sizeof *b);
  if (!b) {
    fprintf(stderr, "mfc-tcg: out of memory\n");
    exit(1);
  }
  b->pc = pc;
  b->instructions = instructions;
  b->chain = *bucket;
  *bucket = b;
  b->next = allBlocks;
  allBlocks = b;
  return b;
}

static uint64_t total(void) {
  uint64_t sum = 0;
  for (const struct block *b = allBlocks; b; b = b->next)
    sum += b->executions * b->instructions;
  return sum;
}

static void onBegin(unsigned int vcpu, void *userdata) {
  (void)vcpu, (void)userdata;
  if (regionOpen)
    return;
  regionOpen = true;
  regionStart = total();
}

static void onEnd(unsigned int vcpu, void *userdata) {
  (void)vcpu, (void)userdata;
  if (!regionOpen)
    return;
  regionOpen = false;
  if (regionCount == regionCapacity) {
    regionCapacity = regionCapacity ? 2 * regionCapacity : 16;
    regions = realloc(regions, regionCapacity * sizeof *regions);
    if (!regions) {
      fprintf(stderr, "mfc-tcg: out of memory\n");
      exit(1);
    }
  }
  regions[regionCount++] = total() - regionStart;
}

static void onAccess(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                     void *userdata) {
  (void)vcpu;
  uint64_t mask = (UINT64_C(1) << qemu_plugin_mem_size_shift(info)) - 1;
  if (!regionOpen || !(vaddr & mask))
    return;
  if (misaligned++ == 0)
    misalignedPc = (uint64_t)(uintptr_t)userdata;
}

static bool isMarker(uint64_t address) { return address == beginAddress || address == endAddress; }

static void countInstruction(struct qemu_plugin_insn *insn) {
  uint64_t pc = qemu_plugin_insn_vaddr(insn);
  if (isMarker(pc))
    qemu_plugin_register_vcpu_insn_exec_cb(insn, pc == beginAddress ? onBegin : onEnd,
                                           QEMU_PLUGIN_CB_NO_REGS, NULL);
  else
    qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
                                               &findBlock(pc, 1)->executions, 1);
}

static void onTranslate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
  (void)id;
  size_t count = qemu_plugin_tb_n_insns(tb);
  bool hasMarker = false;
  for (size_t i = 0; i < count; i++) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
    uint64_t pc = qemu_plugin_insn_vaddr(insn);
    hasMarker |= isMarker(pc);
    if (checkAlignment)
      qemu_plugin_register_vcpu_mem_cb(insn, onAccess, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                       (void *)(uintptr_t)pc);
  }
  if (hasMarker) {
    for (size_t i = 0; i < count; i++)
      countInstruction(qemu_plugin_tb_get_insn(tb, i));
  } else if (count) {
    uint64_t pc = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
    qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
                                             &findBlock(pc, count)->executions, 1);
  }
}

static void onExit(qemu_plugin_id_t id, void *userdata) {
  (void)id, (void)userdata;
  FILE *out = fopen(outPath, "w");
  if (!out) {
    perror(outPath);
    return;
  }
  uint64_t sum = 0;
  for (size_t i = 0; i < regionCount; i++)
    sum += regions[i];
  fprintf(out, "{\"schema\":1,\"instructions\":%" PRIu64 ",\"complete\":%s,\"regions\":[", sum,
          regionOpen ? "false" : "true");
  for (size_t i = 0; i < regionCount; i++)
    fprintf(out, "%s%" PRIu64, i ? "," : "", regions[i]);
  fprintf(out, "]");
  if (checkAlignment)
    fprintf(out, ",\"misaligned\":%" PRIu64 ",\"misaligned_pc\":%" PRIu64, misaligned,
            misalignedPc);
  fprintf(out, "}\n");
  fclose(out);
}

// The value of `name` in "name=value", or NULL when the argument is another one.
static const char *valueOf(const char *argument, const char *name) {
  size_t length = strlen(name);
  return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                         : NULL;
}

static bool parseArgument(const char *argument) {
  const char *value;
  char *rest = "";
  if ((value = valueOf(argument, "begin")))
    beginAddress = strtoull(value, &rest, 0) & ~UINT64_C(1);
  else if ((value = valueOf(argument, "end")))
    endAddress = strtoull(value, &rest, 0) & ~UINT64_C(1);
  else if ((value = valueOf(argument, "align")))
    checkAlignment = strtoul(value, &rest, 0) != 0;
  else if ((value = valueOf(argument, "out")))
    outPath = value;
  return value && *value && !*rest;
}

MFC_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                          char **argv) {
  for (int i = 0; i < argc; i++)
    if (!parseArgument(argv[i])) {
      fprintf(stderr, "mfc-tcg: bad argument '%s'\n", argv[i]);
      return -1;
    }
  if (!outPath || beginAddress == UINT64_MAX || endAddress == UINT64_MAX) {
    fprintf(stderr, "mfc-tcg: wanted begin=ADDR,end=ADDR,out=FILE\n");
    return -1;
  }
  // Two processors would bump the same counters without a lock.
  if (info->system_emulation && info->system.smp_vcpus > 1) {
    fprintf(stderr, "mfc-tcg: found %d processors, wanted one\n", info->system.smp_vcpus);
    return -1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, onTranslate);
  qemu_plugin_register_atexit_cb(id, onExit, NULL);
  return 0;
}
