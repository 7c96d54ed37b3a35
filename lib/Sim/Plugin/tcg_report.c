#include "tcg_report.h"

#include "tcg_blocks.h"
#include "tcg_memory.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void writeAccesses(FILE *out, int layer) {
  fprintf(out, ",\n  \"accesses\":[");
  const char *separator = "";
  for (size_t i = 0; i < memoryCount(); i++) {
    struct access_counts counts = accessesOf(layer, i);
    if (!counts.reads && !counts.writes)
      continue;
    fprintf(out,
            "%s{\"memory\":\"%s\",\"reads\":%" PRIu64 ",\"read_bytes\":%" PRIu64
            ",\"writes\":%" PRIu64 ",\"written_bytes\":%" PRIu64 "}",
            separator, memoryName(i), counts.reads, counts.readBytes, counts.writes,
            counts.writtenBytes);
    separator = ",";
  }
  fprintf(out, "]");
}

static void writeBlocks(FILE *out, int layer) {
  size_t count;
  struct block **blocks = blocksOfLayer(layer, &count);
  fprintf(out, ",\n  \"blocks\":[");
  for (size_t i = 0; i < count; i++) {
    const struct block_share *share = shareOf(blocks[i], layer);
    fprintf(out, "%s\n   [%" PRIu64 ",\"%s\",%" PRIu64 ",%" PRIu64 "]", i ? "," : "", blocks[i]->pc,
            blocks[i]->sizes, share->executions, share->taken);
  }
  fprintf(out, "]");
  free(blocks);
}

static void writeLayer(FILE *out, const struct report *report, int layer) {
  fprintf(out, " {\"layer\":%d,\"calls\":%" PRIu64 ",\"instructions\":%" PRIu64, layer,
          report->layerCalls[layer + 1], report->layerInstructions[layer + 1]);
  if (report->accesses)
    writeAccesses(out, layer);
  if (report->profile)
    writeBlocks(out, layer);
  fprintf(out, "}");
}

void writeReport(const struct report *report) {
  FILE *out = fopen(report->path, "w");
  if (!out) {
    perror(report->path);
    return;
  }
  uint64_t sum = 0;
  for (size_t i = 0; i < report->regionCount; i++)
    sum += report->regions[i];
  fprintf(out, "{\"schema\":1,\"instructions\":%" PRIu64 ",\"complete\":%s,\"regions\":[", sum,
          report->open ? "false" : "true");
  for (size_t i = 0; i < report->regionCount; i++)
    fprintf(out, "%s%" PRIu64, i ? "," : "", report->regions[i]);
  fprintf(out, "]");
  if (report->open)
    fprintf(out, ",\"open_layer\":%d", report->openLayer);
  if (report->alignment)
    fprintf(out, ",\"misaligned\":%" PRIu64 ",\"misaligned_pc\":%" PRIu64, report->misaligned,
            report->misalignedPc);
  if (report->zones)
    fprintf(out, ",\"outside\":%" PRIu64 ",\"outside_pc\":%" PRIu64, report->outside,
            report->outsidePc);
  if (report->layers) {
    fprintf(out, ",\n\"layers\":[\n");
    for (int layer = NO_LAYER; layer < report->layerCount; layer++) {
      if (layer != NO_LAYER)
        fprintf(out, ",\n");
      writeLayer(out, report, layer);
    }
    fprintf(out, "]");
  }
  fprintf(out, "}\n");
  fclose(out);
}
