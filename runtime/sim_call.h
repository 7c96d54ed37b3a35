// The call of the model, in assembly so that the count and the stack depth have no overhead in
// them.
#ifndef MFC_RUNTIME_SIM_CALL_H
#define MFC_RUNTIME_SIM_CALL_H

#include <stdint.h>

// Fills the stack from `lowest` up to the stack pointer with `pattern`, stores the stack pointer in
// *stack_pointer and calls invoke(). The call instruction carries the label mfc_sim_begin and the
// instruction after it mfc_sim_end: the TCG plugin counts what executes between these two.
int sim_call(int (*invoke)(void), uint32_t *lowest, uint32_t pattern, uint32_t *stack_pointer);

#endif
