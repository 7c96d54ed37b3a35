// The simulation harness: calls of a model, with everything around it that can be checked.
//
// What to call and which memory it may touch comes from mfc_sim_model (mfc_sim.h), which mfc-sim
// links in. The memory helpers are static on purpose: a model that needs memcpy must fail to link.
#include "mfc_sim.h"
#include "semihosting.h"
#include "sim_call.h"
#include "sim_report.h"

extern uint32_t __mfc_stack_limit[]; // lowest address of the stack, from the linker script

#define STACK_PATTERN 0xa55ac33cu
#define OVERFLOW_WORDS 4 // lowest words of the stack that must stay painted

static void fill(const struct mfc_sim_buffer *buffer, uint8_t value) {
  uint8_t *bytes = buffer->data;
  for (uint32_t i = 0; i < buffer->bytes; ++i)
    bytes[i] = value;
}

// Differs from byte to byte, so that a copied or shifted red zone is noticed too.
static uint8_t guard_byte(uint32_t index) { return (uint8_t)(0xc5u ^ index * 29u); }

static void fill_guard(const struct mfc_sim_buffer *guard) {
  uint8_t *bytes = guard->data;
  for (uint32_t i = 0; i < guard->bytes; ++i)
    bytes[i] = guard_byte(i);
}

// Offset of the first changed byte, or guard->bytes.
static uint32_t check_guard(const struct mfc_sim_buffer *guard) {
  const uint8_t *bytes = guard->data;
  uint32_t i = 0;
  while (i < guard->bytes && bytes[i] == guard_byte(i))
    ++i;
  return i;
}

// "in12.bin"
static void buffer_file_name(char *name, const char *stem, uint32_t index) {
  while (*stem)
    *name++ = *stem++;
  name = format_decimal(name, index);
  for (const char *suffix = ".bin"; *suffix;)
    *name++ = *suffix++;
  *name = 0;
}

__attribute__((noreturn)) static void io_failed(const char *file, const char *problem,
                                                uint32_t wanted, uint32_t found) {
  report_begin("io_failed");
  report_text("file", file);
  report_text("problem", problem);
  report_number("wanted_bytes", wanted);
  report_number("found_bytes", found);
  report_exit(MFC_SIM_IO_FAILED);
}

static void load_input(uint32_t index, const struct mfc_sim_buffer *buffer) {
  char name[24];
  buffer_file_name(name, "in", index);
  int32_t file = semihosting_open(name, SEMIHOSTING_READ);
  if (file == -1)
    io_failed(name, "cannot be opened", buffer->bytes, 0);
  int32_t length = semihosting_length(file);
  if (length != (int32_t)buffer->bytes)
    io_failed(name, "has the wrong size", buffer->bytes, (uint32_t)length);
  if (semihosting_read(file, buffer->data, buffer->bytes) != 0)
    io_failed(name, "cannot be read", buffer->bytes, 0);
  semihosting_close(file);
}

static void store_output(uint32_t index, const struct mfc_sim_buffer *buffer) {
  char name[24];
  buffer_file_name(name, "out", index);
  int32_t file = semihosting_open(name, SEMIHOSTING_WRITE);
  if (file == -1 || semihosting_write(file, buffer->data, buffer->bytes) != 0)
    io_failed(name, "cannot be written", buffer->bytes, 0);
  semihosting_close(file);
}

static void prepare_memory(const struct mfc_sim_model *model) {
  for (uint32_t i = 0; i < model->poison_count; ++i)
    fill(&model->poison[i], (uint8_t)model->poison_byte);
  for (uint32_t i = 0; i < model->guard_count; ++i)
    fill_guard(&model->guards[i]);
}

struct stack_use {
  uint32_t bytes; // from the call down to the lowest changed word
  int overflow;
};

static int call_model(const struct mfc_sim_model *model, struct stack_use *stack) {
  uint32_t stack_pointer;
  int status = sim_call(model->invoke, __mfc_stack_limit, STACK_PATTERN, &stack_pointer);
  const volatile uint32_t *lowest = __mfc_stack_limit;
  while ((uint32_t)(uintptr_t)lowest < stack_pointer && *lowest == STACK_PATTERN)
    ++lowest;
  stack->bytes = stack_pointer - (uint32_t)(uintptr_t)lowest;
  stack->overflow = lowest < __mfc_stack_limit + OVERFLOW_WORDS;
  return status;
}

// All calls; the deepest of them in *stack. A later call finds the memory as the one before left it.
static int call_repeatedly(const struct mfc_sim_model *model, struct stack_use *stack) {
  int status = 0;
  *stack = (struct stack_use){0, 0};
  for (uint32_t call = 0; status == 0 && call < (model->repeat ? model->repeat : 1); ++call) {
    for (uint32_t i = 0; i < model->input_count; ++i)
      load_input(i, &model->inputs[i]);
    struct stack_use one;
    status = call_model(model, &one);
    stack->overflow |= one.overflow;
    if (one.bytes > stack->bytes)
      stack->bytes = one.bytes;
  }
  return status;
}

int main(void) {
  const struct mfc_sim_model *model = &mfc_sim_model;
  if (model->version != MFC_SIM_VERSION) {
    report_begin("bad_table");
    report_number("version", model->version);
    report_exit(MFC_SIM_BAD_TABLE);
  }
  prepare_memory(model);
  struct stack_use stack;
  int status = call_repeatedly(model, &stack);

  uint32_t broken = 0, broken_offset = 0;
  while (broken < model->guard_count &&
         (broken_offset = check_guard(&model->guards[broken])) == model->guards[broken].bytes)
    ++broken;
  int intact = broken == model->guard_count;

  if (status == 0)
    for (uint32_t i = 0; i < model->output_count; ++i)
      store_output(i, &model->outputs[i]);

  enum mfc_sim_exit code = stack.overflow ? MFC_SIM_STACK_OVERFLOW
                           : !intact      ? MFC_SIM_RED_ZONE_BROKEN
                           : status != 0  ? MFC_SIM_INVOKE_FAILED
                                          : MFC_SIM_OK;
  report_begin(stack.overflow ? "stack_overflow"
               : !intact      ? "red_zone_broken"
               : status != 0  ? "invoke_failed"
                              : "ok");
  report_number("status", (uint32_t)status);
  report_number("stack_bytes", stack.bytes);
  report_number("red_zones", model->guard_count);
  if (!intact) {
    report_number("broken_red_zone", broken);
    report_number("broken_offset", broken_offset);
  }
  report_exit(code);
}
