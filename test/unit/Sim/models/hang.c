// Never returns.
#include "test_model.h"

int test_invoke(void) {
  for (;;)
    __asm__ volatile("");
}

MODEL_WITHOUT_BUFFERS;
