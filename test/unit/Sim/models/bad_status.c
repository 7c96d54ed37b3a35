// Refuses to run.
#include "test_model.h"

int test_invoke(void) { return -7; }

MODEL_WITHOUT_BUFFERS;
