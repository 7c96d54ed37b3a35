// Everything ends: kernel_b goes three times round its loop. Called three times (.repeat).
#if defined(__arm__)
#define KERNEL_B_LOOP "movs r0, #3\n1:\nsubs r0, r0, #1\nbne 1b\n"
#else
#define KERNEL_B_LOOP "li a0, 3\n1:\naddi a0, a0, -1\nbnez a0, 1b\n"
#endif
#include "layers_model.h"

const struct mfc_sim_model mfc_sim_model = {
    .version = MFC_SIM_VERSION, .invoke = test_invoke, .repeat = 3};
