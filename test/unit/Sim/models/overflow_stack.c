// Writes the lowest word of the stack.
#include "test_model.h"

extern volatile uint32_t __mfc_stack_limit[];

int test_invoke(void) {
  __mfc_stack_limit[0] = 1;
  return 0;
}

MODEL_WITHOUT_BUFFERS;
