// Records what layer taps show (mfc --layer-taps), for mfc-sim --compare.
//
//   void mfc_kws_layer_tap(int32_t layer, const void *data, uint32_t bytes) {
//     mfc_record_layer(layer, data, bytes);
//   }
#ifndef MFC_LAYER_RECORD_H
#define MFC_LAYER_RECORD_H

#include <stdint.h>

#define MFC_LAYER_RECORD_MAGIC 0x4c43464du // "MFCL"

// One record: this header, then `bytes` bytes. All little-endian.
struct mfc_layer_record {
  uint32_t magic;
  int32_t layer; // -1, -2 ...: inputs 0, 1 ...; 0 ...: results of the layers
  uint32_t bytes;
};

// Appends a record to mfc-layers.bin, by semihosting: in the folder where QEMU or the debugger
// runs. To send records another way (a UART), write header and data in the same form.
void mfc_record_layer(int32_t layer, const void *data, uint32_t bytes);

#endif
