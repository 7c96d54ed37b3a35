// The same formula as soft_float.c on an FPU or, vectorised, on MVE; the object is of the
// hard-float ABI.
#include "test_model.h"

typedef float float4 __attribute__((vector_size(16)));

static float4 in0 IN_ARENA;
static float4 out0 IN_ARENA;

int test_invoke(void) {
  float4 index = {0.0f, 1.0f, 2.0f, 3.0f};
  out0 = (in0 * 3.0f - 1.0f) / 7.0f + index;
  return 0;
}

static const struct mfc_sim_buffer inputs[] = {{&in0, sizeof in0}};
static const struct mfc_sim_buffer outputs[] = {{&out0, sizeof out0}};

const struct mfc_sim_model mfc_sim_model = {.version = MFC_SIM_VERSION,
                                            .invoke = test_invoke,
                                            .input_count = 1,
                                            .inputs = inputs,
                                            .output_count = 1,
                                            .outputs = outputs};
