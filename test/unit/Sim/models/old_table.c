// A table of a version that the harness does not know.
#include "test_model.h"

int test_invoke(void) { return 0; }

const struct mfc_sim_model mfc_sim_model = {.version = 1, .invoke = test_invoke};
