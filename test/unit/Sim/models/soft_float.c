// Every soft-float helper that a back end calls: out0[i] = (in0[i] * 3 - 1) / 7 + i, and the
// integer part of it, or -1 when it is not below 100.
#include "test_model.h"

static float in0[4] IN_ARENA;
static struct {
  float value[4];
  int32_t whole[4];
  uint32_t natural[4];
} out0 IN_ARENA;

int test_invoke(void) {
  for (int32_t i = 0; i < 4; ++i) {
    float value = (in0[i] * 3.0f - 1.0f) / 7.0f + (float)i;
    out0.value[i] = value;
    out0.whole[i] = value < 100.0f ? (int32_t)value : -1;
    out0.natural[i] =
        value >= 0.0f && value == value ? (uint32_t)value + (uint32_t)(float)(uint32_t)i : 0;
  }
  return 0;
}

static const struct mfc_sim_buffer inputs[] = {{in0, sizeof in0}};
static const struct mfc_sim_buffer outputs[] = {{&out0, sizeof out0}};

const struct mfc_sim_model mfc_sim_model = {.version = MFC_SIM_VERSION,
                                            .invoke = test_invoke,
                                            .input_count = 1,
                                            .inputs = inputs,
                                            .output_count = 1,
                                            .outputs = outputs};
