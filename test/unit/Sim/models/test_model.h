// What the hand-written models of this folder have in common. Each stands for a compiled model and
// the table that mfc-sim makes for it; SimFirmware.cpp links one of them with the harness.
#ifndef MFC_TEST_MODEL_H
#define MFC_TEST_MODEL_H

#include "mfc_sim.h"

// Placed by test.ld like the arena of a compiled model.
#define IN_ARENA __attribute__((section(".bss.mfc.test.SRAM"), aligned(16)))
#define IN_WEIGHTS __attribute__((section(".rodata.mfc.test.weights"), aligned(4)))

int test_invoke(void);

// For models without buffers.
#define MODEL_WITHOUT_BUFFERS                                                                      \
  const struct mfc_sim_model mfc_sim_model = {                                                     \
      .version = MFC_SIM_VERSION, .invoke = test_invoke, .poison_byte = 0}

#endif
