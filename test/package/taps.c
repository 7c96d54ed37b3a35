// What firmware puts at the layer taps: the recorder, or with -DTIMER the cycle counter.
#include "keyword.h"
#include "layer_record.h"
#include "layer_timer.h"
#include "semihosting.h"

#ifdef TIMER
static uint32_t cycles[MFC_KEYWORD_LAYER_COUNT];
static struct mfc_layer_times times = {MFC_KEYWORD_LAYER_COUNT, cycles, 0};
static const char *const names[] = MFC_KEYWORD_LAYER_NAMES;

void mfc_keyword_layer_tap(int32_t layer, const void *data, uint32_t bytes) {
  (void)data;
  (void)bytes;
  if (layer == -1)
    mfc_start_layer_timer();
  mfc_time_layer(&times, layer);
  if (layer == (int32_t)MFC_KEYWORD_LAYER_COUNT - 1)
    mfc_print_layer_times(&times, names, semihosting_print);
}
#else
void mfc_keyword_layer_tap(int32_t layer, const void *data, uint32_t bytes) {
  mfc_record_layer(layer, data, bytes);
}
#endif
