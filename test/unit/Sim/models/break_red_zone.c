// Writes one byte behind its buffer.
#include "test_model.h"

static struct {
  uint8_t low[MFC_SIM_GUARD_BYTES];
  uint8_t arena[32];
  uint8_t high[MFC_SIM_GUARD_BYTES];
} memory IN_ARENA;

int test_invoke(void) {
  volatile uint8_t *at = memory.arena;
  for (int i = 0; i < 33; ++i)
    at[i] = 0;
  return 0;
}

static const struct mfc_sim_buffer guards[] = {{memory.low, sizeof memory.low},
                                               {memory.high, sizeof memory.high}};

const struct mfc_sim_model mfc_sim_model = {
    .version = MFC_SIM_VERSION, .invoke = test_invoke, .guard_count = 2, .guards = guards};
