// Cycles of each layer on a real board, from the core's own counter: the hook of a library with
// layer taps (mfc --layer-taps) calls mfc_time_layer(), and the table looks like that of mfc-sim.
//
//   static uint32_t cycles[MFC_KWS_LAYER_COUNT];
//   static struct mfc_layer_times times = {MFC_KWS_LAYER_COUNT, cycles};
//   void mfc_kws_layer_tap(int32_t layer, const void *data, uint32_t bytes) {
//   mfc_time_layer(&times, layer); }
//   ...
//   static const char *const names[] = MFC_KWS_LAYER_NAMES;
//   mfc_start_layer_timer();
//   mfc_kws_invoke();
//   mfc_print_layer_times(&times, names, uart_print);
//
// Counters: DWT.CYCCNT on Armv7-M and Armv8-M Mainline, SysTick on Armv6-M and Armv8-M Baseline (24
// bits: layers below 16.7 million cycles, and nobody else may use it), mcycle on RISC-V. QEMU has
// no DWT counter: its cycles print as "-".
#ifndef MFC_LAYER_TIMER_H
#define MFC_LAYER_TIMER_H

#include <stdint.h>

struct mfc_layer_times {
  uint32_t count;   // layers
  uint32_t *cycles; // of the last run, one for each layer
  uint32_t last;    // counter when the last tap returned
};

// Starts the core's counter. On RISC-V cores whose mcountinhibit is set at reset (RP2350), compile
// with MFC_CLEAR_MCOUNTINHIBIT; older cores do not have that register and trap.
void mfc_start_layer_timer(void);

// From the hook, with its first parameter. What the tap itself takes is not counted.
void mfc_time_layer(struct mfc_layer_times *times, int32_t layer);

// A line for each layer: name, cycles, share of the sum; then the sum.
void mfc_print_layer_times(const struct mfc_layer_times *times, const char *const *names,
                           void (*print)(const char *text));

#endif
