/* Firmware that uses both forms of a model; compiled for every target with all warnings on. */
#include "tiny.h"

#if MFC_TINY_INPUT_COUNT != 1u || MFC_TINY_OUTPUT_COUNT != 1u
#error "the test models have one input and one output"
#endif

#ifdef CALLER_OWNED
static MFC_TINY_DECLARE_ARENA(buffer);

int run(void);
int run(void) {
  struct mfc_tiny_memory memory = MFC_TINY_MEMORY(buffer);
  mfc_tiny_input0_in(&memory)[MFC_TINY_INPUT0_COUNT - 1u] = 1;
  return mfc_tiny_invoke_in(&memory) != MFC_OK || mfc_tiny_output0_in(&memory)[0] > 0;
}
#else
int run(void);
int run(void) {
  mfc_tiny_input0()[MFC_TINY_INPUT0_COUNT - 1u] = 1;
  return mfc_tiny_invoke() != MFC_OK || mfc_tiny_output0()[0] > 0;
}
#endif

void start(void);
void start(void) {
  for (;;)
    (void)run();
}
