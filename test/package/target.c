/* Firmware that calls a model in every way and checks what it answers; it stops at the first check that fails and reports
 * its line. Built with the firmware's own compiler, started by the simulation harness. expected.h holds one input and the
 * interpreter's output. */
#include "expected.h"
#include "sim_call.h"
#include "sim_report.h"
#include "tiny.h"

#define ZONE 64u /* bytes of the red zones, a multiple of every alignment */
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      return __LINE__;                                                                                                 \
  } while (0)

/* A buffer between red zones; the slack behind it lets it start at a wrong address. */
#define GUARDED(name, bytes)                                                                                           \
  static unsigned char name[ZONE + (bytes) + ZONE] __attribute__((aligned(ZONE)));                                     \
  static const uint32_t name##_bytes = (bytes)

static void paint(unsigned char *buffer, uint32_t bytes, unsigned char value) {
  for (volatile uint32_t i = 0; i < bytes; ++i)
    buffer[i] = value;
}

static int painted(const unsigned char *buffer, uint32_t bytes, unsigned char value) {
  for (volatile uint32_t i = 0; i < bytes; ++i)
    if (buffer[i] != value)
      return 0;
  return 1;
}

static int zones(const unsigned char *buffer, uint32_t bytes, unsigned char value) {
  return painted(buffer, ZONE, value) && painted(buffer + ZONE + bytes, ZONE, value);
}

static void fill(void *input) {
  unsigned char *bytes = input;
  for (volatile uint32_t i = 0; i < sizeof expected_input; ++i)
    bytes[i] = expected_input[i];
}

/* Integers are equal; floats within the tolerance of the conformance tests, 1e-5. */
static int right(const mfc_tiny_output0_t *output) {
  const mfc_tiny_output0_t *wanted = (const mfc_tiny_output0_t *)(const void *)expected_output;
  for (uint32_t i = 0; i < MFC_TINY_OUTPUT0_COUNT; ++i) {
#ifdef MFC_TINY_OUTPUT0_SCALE
    if (output[i] != wanted[i])
      return 0;
#else
    float difference = output[i] - wanted[i], limit = wanted[i] < 0 ? -wanted[i] : wanted[i];
    limit = 1e-5f * (limit > 1 ? limit : 1);
    if (difference > limit || difference < -limit)
      return 0;
#endif
  }
  return 1;
}

GUARDED(arena, MFC_TINY_ARENA_BYTES);
static const unsigned paints[] = {0x00, 0x5a, 0xff};

#ifdef CALLER_IO
GUARDED(input, MFC_TINY_INPUT0_BYTES);
GUARDED(output, MFC_TINY_OUTPUT0_BYTES);
#define INVOKE(memory, in, out) mfc_tiny_invoke_in(memory, (const void *)(in), (void *)(out))
#else
#define INVOKE(memory, in, out) mfc_tiny_invoke_in(memory)
#endif

/* One call through the caller-owned form, arena of exactly the header's size. Returns the line of a failure. */
static int whole_run(unsigned char value) {
  struct mfc_tiny_memory memory = {MFC_INTERFACE_VERSION, arena + ZONE, MFC_TINY_ARENA_BYTES};
  paint(arena, sizeof arena, value);
#ifdef CALLER_IO
  paint(input, sizeof input, value);
  paint(output, sizeof output, value);
  fill(input + ZONE);
  const void *in = input + ZONE;
  void *out = output + ZONE;
#else
  fill(mfc_tiny_input0_in(&memory));
  void *out = mfc_tiny_output0_in(&memory);
#endif
  CHECK(INVOKE(&memory, in, out) == MFC_OK);
  CHECK(right(out));
  CHECK(zones(arena, arena_bytes, value));
#ifdef CALLER_IO
  CHECK(zones(input, input_bytes, value));
  CHECK(zones(output, output_bytes, value));
#endif
  return 0;
}

/* Addresses that are off by 1, 2, 4: refused where the header asks for more, and nothing is written. */
static int misaligned(void) {
  struct mfc_tiny_memory memory = {MFC_INTERFACE_VERSION, arena + ZONE, MFC_TINY_ARENA_BYTES};
  paint(arena, sizeof arena, 0x77);
  for (unsigned off = 1; off <= 4; off *= 2) {
    if (off % MFC_TINY_ALIGN == 0)
      continue;
#if MFC_TINY_ARENA_BYTES > 0
    memory.arena = arena + ZONE + off;
    CHECK(INVOKE(&memory, input + ZONE, output + ZONE) == MFC_ERROR_ALIGNMENT);
    memory.arena = arena + ZONE;
#endif
#ifdef CALLER_IO
    paint(output, sizeof output, 0x77);
    CHECK(INVOKE(&memory, input + ZONE + off, output + ZONE) == MFC_ERROR_ALIGNMENT);
    CHECK(INVOKE(&memory, input + ZONE, output + ZONE + off) == MFC_ERROR_ALIGNMENT);
    CHECK(mfc_tiny_invoke((const void *)(input + ZONE + off), (void *)(output + ZONE)) == MFC_ERROR_ALIGNMENT);
    CHECK(mfc_tiny_invoke((const void *)(input + ZONE), (void *)(output + ZONE + off)) == MFC_ERROR_ALIGNMENT);
    CHECK(painted(output, sizeof output, 0x77));
#endif
  }
  CHECK(painted(arena, sizeof arena, 0x77));
  return 0;
}

static int refusals(void) {
  struct mfc_tiny_memory memory = {MFC_INTERFACE_VERSION, arena + ZONE, MFC_TINY_ARENA_BYTES};
  paint(arena, sizeof arena, 0x77);
#if MFC_TINY_ARENA_BYTES > 0
  memory.arena_bytes = MFC_TINY_ARENA_BYTES - 1u;
  CHECK(INVOKE(&memory, input + ZONE, output + ZONE) == MFC_ERROR_SIZE);
  memory.arena_bytes = 0;
  CHECK(INVOKE(&memory, input + ZONE, output + ZONE) == MFC_ERROR_SIZE);
  memory.arena_bytes = MFC_TINY_ARENA_BYTES;
  memory.arena = 0;
  CHECK(INVOKE(&memory, input + ZONE, output + ZONE) == MFC_ERROR_NULL);
  memory.arena = arena + ZONE;
#endif
  memory.version = MFC_INTERFACE_VERSION + 1u;
  CHECK(INVOKE(&memory, input + ZONE, output + ZONE) == MFC_ERROR_VERSION);
  CHECK(painted(arena, sizeof arena, 0x77));
  return 0;
}

static int static_form(void) {
#ifdef CALLER_IO
  fill(input + ZONE);
  paint(output, sizeof output, 0x11);
  CHECK(mfc_tiny_invoke((const void *)(input + ZONE), (void *)(output + ZONE)) == MFC_OK);
  CHECK(right((const void *)(output + ZONE)));
  CHECK(zones(output, output_bytes, 0x11));
#else
  fill(mfc_tiny_input0());
  CHECK(mfc_tiny_invoke() == MFC_OK);
  CHECK(right(mfc_tiny_output0()));
#endif
  return 0;
}

static int checks(void) {
  CHECK(sizeof expected_input == MFC_TINY_INPUT0_BYTES && sizeof expected_output == MFC_TINY_OUTPUT0_BYTES);
  int line = misaligned();
  if (!line)
    line = refusals();
  for (unsigned i = 0; !line && i < sizeof paints / sizeof *paints; ++i)
    line = whole_run((unsigned char)paints[i]);
  return line ? line : static_form();
}

int main(void) {
  uint32_t stack_pointer;
  int line = sim_call(checks, &stack_pointer, 0, &stack_pointer); /* paints nothing: only its labels are wanted */
  report_begin(line ? "invoke_failed" : "ok");
  report_number("status", (uint32_t)line);
  report_exit(line ? MFC_SIM_INVOKE_FAILED : MFC_SIM_OK);
}
