// Layer records by way of semihosting; the header has the form.
#include "layer_record.h"

#include "semihosting.h"

void mfc_record_layer(int32_t layer, const void *data, uint32_t bytes) {
  static int32_t file = -1;
  if (file == -1)
    file = semihosting_open("mfc-layers.bin", SEMIHOSTING_WRITE);
  const struct mfc_layer_record header = {MFC_LAYER_RECORD_MAGIC, layer, bytes};
  if (file == -1 || semihosting_write(file, &header, sizeof header) != 0 ||
      semihosting_write(file, data, bytes) != 0)
    semihosting_print("mfc: cannot write mfc-layers.bin\n");
}
