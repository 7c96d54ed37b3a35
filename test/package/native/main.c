// Reads the model's input from a file and writes its output to the standard output.
#include "tiny.h"
#include <stdio.h>

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file || fread(mfc_tiny_input0(), 1, MFC_TINY_INPUT0_BYTES, file) != MFC_TINY_INPUT0_BYTES)
    return 1;
  if (mfc_tiny_invoke() != MFC_OK)
    return 2;
  return fwrite(mfc_tiny_output0(), 1, MFC_TINY_OUTPUT0_BYTES, stdout) != MFC_TINY_OUTPUT0_BYTES;
}
