// What the simulation harness has to know of a model: mfc-sim links in an object with this table.
//
// Freestanding C99. The harness (sim_main.c) fills `poison`, then `guards`, reads in<i>.bin from
// the directory QEMU runs in, calls invoke() `repeat` times, checks the guards, and writes out<i>.bin.
#ifndef MFC_SIM_H
#define MFC_SIM_H

#include <stdint.h>

#define MFC_SIM_VERSION 2u
#define MFC_SIM_GUARD_BYTES 64u // usual size of a red zone; the table may say another one

struct mfc_sim_buffer {
  void *data;
  uint32_t bytes;
};

struct mfc_sim_model {
  uint32_t version;    // MFC_SIM_VERSION
  int (*invoke)(void); // calls the model's entry point with the right arguments; 0 = success
  uint32_t input_count;
  const struct mfc_sim_buffer *inputs; // in<i>.bin must have exactly this many bytes
  uint32_t output_count;
  const struct mfc_sim_buffer *outputs;
  uint32_t guard_count;
  const struct mfc_sim_buffer *guards; // red zones: filled before the run, unchanged after it
  uint32_t poison_count;
  const struct mfc_sim_buffer *poison; // memory that holds poison_byte when the inputs are loaded
  uint32_t poison_byte;
  uint32_t repeat; // calls of invoke(), the inputs loaded before each; 0 counts as 1
};

extern const struct mfc_sim_model mfc_sim_model;

// Exit codes of the firmware. The same facts, with numbers, are in mfc-sim.json.
enum mfc_sim_exit {
  MFC_SIM_OK = 0,
  MFC_SIM_INVOKE_FAILED = 90,   // invoke() returned something other than 0
  MFC_SIM_RED_ZONE_BROKEN = 91, // the model wrote outside of its buffers
  MFC_SIM_IO_FAILED = 92, // an input is missing or has a wrong size, an output cannot be written
  MFC_SIM_BAD_TABLE = 93, // mfc_sim_model is of another version
  MFC_SIM_STACK_OVERFLOW = 94, // the model went past the lowest address of the stack
  MFC_SIM_FAULT = 99           // processor exception
};

#endif
