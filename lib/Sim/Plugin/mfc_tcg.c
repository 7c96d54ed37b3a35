// libmfc-tcg.so: a QEMU TCG plugin that counts the instructions a firmware executes in a region.
//
// The region opens when the instruction at address `begin` executes and closes when the one at
// `end` does; these two marker instructions are not counted, everything between them is. Arguments
// (NAME=VALUE, addresses in C notation, the Thumb bit is ignored):
//   begin=ADDR end=ADDR   the markers; either may be given several times
//   passes=N              end the simulation when the region was passed N times
//   out=FILE              where the JSON report goes, written when QEMU exits (tcg_report.c)
//   sites=FILE            call sites that open and close layers (tcg_sites.h): counts by layer
//   profile=1             say how often each run of instructions executed, in each layer
//   taken=1               and how often execution did not go on behind its last instruction
//   (slower) align=1               look at every data access in the region (slower): how many
//   addresses were
//                         not a multiple of the access size, and the first instruction that did it
//   memory=FILE           memories of the board (tcg_memory.h): reads and writes in each (slower)
//
// How it counts: a translation block runs from its first instruction to its last unless an
// instruction in it faults, so one inline 64-bit add per executed block is enough (no call out of
// the generated code). Blocks that hold a marker or a site are counted instruction by instruction;
// QEMU makes an instruction's callback before it counts it. A block that faults half-way is counted
// whole: a run that faults has no valid count anyway.
#include "qemu_plugin_api.h"
#include "tcg_blocks.h"
#include "tcg_memory.h"
#include "tcg_report.h"
#include "tcg_sites.h"
#include "tcg_zones.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

MFC_PLUGIN_EXPORT int qemu_plugin_version = 1;

enum { MARKER_LIMIT = 64 };
static struct marker {
  uint64_t address;
  bool begins;
} markers[MARKER_LIMIT];
static size_t markerCount;
static size_t passLimit; // 0: none
static const char *outPath, *sitesPath, *memoryPath, *zonesPath;
static bool riscv;
static bool checkAlignment, countTaken, wantProfile;

static bool regionOpen;
static int layer = NO_LAYER; // the current one
static uint64_t *regions;    // instructions of each pass; the last is the open one
static size_t regionCount, regionCapacity;
static uint64_t *layerCalls, *layerInstructions; // by layer + 1

static struct block *last; // the block that was executed before this one, with `taken`

static uint64_t misaligned, misalignedPc, outside, outsidePc;

// Everything counted since the last switch belongs to the layer that was current.
static void switchLayer(int next) {
  uint64_t instructions = creditBlocks(layer);
  regions[regionCount - 1] += instructions;
  layerInstructions[layer + 1] += instructions;
  if (memoryPath)
    creditAccesses(layer);
  layer = next;
}

static void finish(void) {
  int openLayer = layer;
  if (regionOpen) {
    switchLayer(NO_LAYER);
    regionCount--;
  }
  struct report report = {
      .path = outPath,
      .regions = regions,
      .regionCount = regionCount,
      .open = regionOpen,
      .openLayer = openLayer,
      .alignment = checkAlignment,
      .misaligned = misaligned,
      .misalignedPc = misalignedPc,
      .zones = zonesPath != NULL,
      .outside = outside,
      .outsidePc = outsidePc,
      .layers = sitesPath || wantProfile || memoryPath,
      .profile = wantProfile,
      .accesses = memoryPath != NULL,
      .layerCalls = layerCalls,
      .layerInstructions = layerInstructions,
      .layerCount = layerCount(),
  };
  writeReport(&report);
}

static void onBegin(unsigned int vcpu, void *userdata) {
  (void)vcpu, (void)userdata;
  if (regionOpen)
    return;
  regionOpen = true;
  discardBlocks();
  if (regionCount == regionCapacity) {
    regionCapacity = regionCapacity ? 2 * regionCapacity : 16;
    regions = realloc(regions, regionCapacity * sizeof *regions);
    if (!regions) {
      fprintf(stderr, "mfc-tcg: out of memory\n");
      exit(1);
    }
  }
  regions[regionCount++] = 0;
  layerCalls[NO_LAYER + 1]++;
}

static void onEnd(unsigned int vcpu, void *userdata) {
  (void)vcpu, (void)userdata;
  if (!regionOpen)
    return;
  switchLayer(NO_LAYER);
  regionOpen = false;
  if (regionCount == passLimit) {
    finish();
    // Not exit(): QEMU's own handlers expect locks that are not held here.
    fflush(NULL);
    _exit(0);
  }
}

static void onCall(unsigned int vcpu, void *userdata) {
  (void)vcpu;
  const struct site *site = userdata;
  if (!regionOpen)
    return;
  switchLayer(site->layer);
  layerCalls[site->layer + 1]++;
}

static void onReturn(unsigned int vcpu, void *userdata) {
  (void)vcpu;
  const struct site *site = userdata;
  if (regionOpen && layer == site->layer)
    switchLayer(NO_LAYER);
}

// At the start of every translation block. The one before was left by a jump unless it ends here.
static void onBlock(unsigned int vcpu, void *userdata) {
  (void)vcpu;
  struct block *block = userdata;
  if (last && last->tail && last->end != block->pc)
    last->tail->taken++;
  last = block;
}

static void onAccess(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                     void *userdata) {
  (void)vcpu;
  if (!regionOpen)
    return;
  uint64_t bytes = UINT64_C(1) << qemu_plugin_mem_size_shift(info);
  if (memoryPath)
    countAccess(vaddr, bytes, qemu_plugin_mem_is_store(info));
  if (checkAlignment && (vaddr & (bytes - 1)) && misaligned++ == 0)
    misalignedPc = (uint64_t)(uintptr_t)userdata;
  if (zonesPath && touchesZone(vaddr, bytes) && outside++ == 0)
    outsidePc = (uint64_t)(uintptr_t)userdata;
}

static const struct marker *markerAt(uint64_t address) {
  for (size_t i = 0; i < markerCount; i++)
    if (markers[i].address == address)
      return &markers[i];
  return NULL;
}

static bool isSpecial(uint64_t address) {
  return markerAt(address) || siteOfCall(address) || siteOfReturn(address);
}

// The block of one instruction; NULL for a marker, which is not counted. A return can be the next
// call: first the old layer ends, then the new one begins.
static struct block *countInstruction(struct qemu_plugin_insn *insn, const char *size) {
  uint64_t pc = qemu_plugin_insn_vaddr(insn);
  const struct site *site;
  if ((site = siteOfReturn(pc)))
    qemu_plugin_register_vcpu_insn_exec_cb(insn, onReturn, QEMU_PLUGIN_CB_NO_REGS, (void *)site);
  if ((site = siteOfCall(pc)))
    qemu_plugin_register_vcpu_insn_exec_cb(insn, onCall, QEMU_PLUGIN_CB_NO_REGS, (void *)site);
  const struct marker *marker = markerAt(pc);
  if (marker) {
    qemu_plugin_register_vcpu_insn_exec_cb(insn, marker->begins ? onBegin : onEnd,
                                           QEMU_PLUGIN_CB_NO_REGS, NULL);
    return NULL;
  }
  struct block *block = findBlock(pc, size, false);
  qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, &block->executions,
                                             1);
  return block;
}

static struct block *countByInstruction(struct qemu_plugin_tb *tb, uint64_t pc, const char *sizes) {
  struct block *shell = findBlock(pc, sizes, true);
  for (size_t i = 0; i < shell->instructions; i++) {
    const char size[2] = {sizes[i], 0};
    shell->tail = countInstruction(qemu_plugin_tb_get_insn(tb, i), size);
  }
  return shell;
}

// From the encoding: QEMU's own qemu_plugin_insn_size() counts what the translator has read, and at the
// end of a page it reads ahead. Thumb: Armv7-M ARM, A5.1; RISC-V: Unprivileged ISA, 1.5.
static char instructionSize(const struct qemu_plugin_insn *insn) {
  const uint8_t *bytes = qemu_plugin_insn_data(insn);
  bool wide = riscv ? (bytes[0] & 3) == 3 : bytes[1] >= 0xe8;
  return wide ? '4' : '2';
}

static void onTranslate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
  (void)id;
  size_t count = qemu_plugin_tb_n_insns(tb);
  if (!count)
    return;
  uint64_t start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
  char *sizes = allocateOrDie(count + 1);
  bool special = false;
  for (size_t i = 0; i < count; i++) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
    uint64_t pc = qemu_plugin_insn_vaddr(insn);
    special |= isSpecial(pc);
    sizes[i] = instructionSize(insn);
    if (checkAlignment || memoryPath || zonesPath)
      qemu_plugin_register_vcpu_mem_cb(insn, onAccess, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                       (void *)(uintptr_t)pc);
  }
  struct block *block;
  if (special) {
    block = countByInstruction(tb, start, sizes);
  } else {
    block = findBlock(start, sizes, false);
    qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &block->executions, 1);
  }
  if (countTaken)
    qemu_plugin_register_vcpu_tb_exec_cb(tb, onBlock, QEMU_PLUGIN_CB_NO_REGS, block);
  free(sizes);
}

static void onExit(qemu_plugin_id_t id, void *userdata) {
  (void)id, (void)userdata;
  finish();
}

static bool addMarker(const char *value, char **rest, bool begins) {
  if (markerCount == MARKER_LIMIT)
    return false;
  markers[markerCount].address = strtoull(value, rest, 0) & ~UINT64_C(1);
  markers[markerCount++].begins = begins;
  return true;
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
    value = addMarker(value, &rest, true) ? value : NULL;
  else if ((value = valueOf(argument, "end")))
    value = addMarker(value, &rest, false) ? value : NULL;
  else if ((value = valueOf(argument, "passes")))
    passLimit = strtoul(value, &rest, 0);
  else if ((value = valueOf(argument, "align")))
    checkAlignment = strtoul(value, &rest, 0) != 0;
  else if ((value = valueOf(argument, "taken")))
    countTaken = strtoul(value, &rest, 0) != 0;
  else if ((value = valueOf(argument, "profile")))
    wantProfile = strtoul(value, &rest, 0) != 0;
  else if ((value = valueOf(argument, "out")))
    outPath = value;
  else if ((value = valueOf(argument, "sites")))
    sitesPath = value;
  else if ((value = valueOf(argument, "memory")))
    memoryPath = value;
  else if ((value = valueOf(argument, "zones")))
    zonesPath = value;
  return value && *value && !*rest;
}

MFC_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                          char **argv) {
  for (int i = 0; i < argc; i++)
    if (!parseArgument(argv[i])) {
      fprintf(stderr, "mfc-tcg: bad argument '%s'\n", argv[i]);
      return -1;
    }
  bool begins = false, ends = false;
  for (size_t i = 0; i < markerCount; i++)
    *(markers[i].begins ? &begins : &ends) = true;
  if (!outPath || !begins || !ends) {
    fprintf(stderr, "mfc-tcg: wanted begin=ADDR,end=ADDR,out=FILE\n");
    return -1;
  }
  // Two processors would bump the same counters without a lock.
  if (info->system_emulation && info->system.smp_vcpus > 1) {
    fprintf(stderr, "mfc-tcg: found %d processors, wanted one\n", info->system.smp_vcpus);
    return -1;
  }
  riscv = strncmp(info->target_name, "riscv", 5) == 0;
  if (!riscv && strcmp(info->target_name, "arm") != 0) {
    fprintf(stderr, "mfc-tcg: found target %s, wanted arm or riscv\n", info->target_name);
    return -1;
  }
  if ((sitesPath && !readSites(sitesPath)) || (memoryPath && !readMemories(memoryPath)) ||
      (zonesPath && !readZones(zonesPath)))
    return -1;
  layerCalls = allocateOrDie((size_t)(layerCount() + 1) * sizeof *layerCalls);
  layerInstructions = allocateOrDie((size_t)(layerCount() + 1) * sizeof *layerInstructions);
  qemu_plugin_register_vcpu_tb_trans_cb(id, onTranslate);
  qemu_plugin_register_atexit_cb(id, onExit, NULL);
  return 0;
}
