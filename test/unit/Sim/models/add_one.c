// out0 = in0 + 1; out1 = in1 + weights; out2 = a part of the arena that the model never writes.
#include "test_model.h"

static struct {
  uint8_t low[MFC_SIM_GUARD_BYTES];
  uint8_t in0[16], in1[4], out0[16], out1[4], untouched[4];
  uint8_t high[MFC_SIM_GUARD_BYTES];
} memory IN_ARENA;

const uint8_t test_weights[4] IN_WEIGHTS = {10, 20, 30, 40};

static uint8_t increment = 1; // in .data: is it copied?
static uint8_t calls;         // in .bss: is it cleared?

int test_invoke(void) {
  for (int i = 0; i < 16; ++i)
    memory.out0[i] = memory.in0[i] + increment;
  for (int i = 0; i < 4; ++i)
    memory.out1[i] = memory.in1[i] + test_weights[i];
  return calls++;
}

static const struct mfc_sim_buffer inputs[] = {{memory.in0, 16}, {memory.in1, 4}};
static const struct mfc_sim_buffer outputs[] = {
    {memory.out0, 16}, {memory.out1, 4}, {memory.untouched, 4}};
static const struct mfc_sim_buffer guards[] = {{memory.low, sizeof memory.low},
                                               {memory.high, sizeof memory.high}};
static const struct mfc_sim_buffer poison[] = {{&memory, sizeof memory}};

const struct mfc_sim_model mfc_sim_model = {
    MFC_SIM_VERSION, test_invoke, 2, inputs, 3, outputs, 2, guards, 1, poison, 0x5a, 1};
