// Calls a C library that is not there: must not link.
#include "test_model.h"

void *memcpy(void *to, const void *from, uint32_t bytes);

static uint8_t from[64], to[64];

int test_invoke(void) {
  memcpy(to, from, sizeof to);
  return to[0];
}

MODEL_WITHOUT_BUFFERS;
