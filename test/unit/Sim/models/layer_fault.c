// kernel_b executes an instruction that no core has.
#if defined(__arm__)
#define KERNEL_B_LOOP "udf #0\n"
#else
#define KERNEL_B_LOOP "unimp\n"
#endif
#include "layers_model.h"

MODEL_WITHOUT_BUFFERS;
