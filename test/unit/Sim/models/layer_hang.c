// kernel_b never ends.
#define KERNEL_B_LOOP "1:\nb 1b\n"
#if defined(__riscv)
#undef KERNEL_B_LOOP
#define KERNEL_B_LOOP "1:\nj 1b\n"
#endif
#include "layers_model.h"

MODEL_WITHOUT_BUFFERS;
