// Counters and table; see the header. No division and no C library: Armv6-M has neither.
//
// Sources: Armv7-M and Armv8-M Architecture Reference Manuals, "Data Watchpoint and Trace unit" and
// "SysTick"; "The RISC-V Instruction Set Manual, Volume II", mcycle.
#include "layer_timer.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

#if defined(__riscv)

void mfc_start_layer_timer(void) {
#ifdef MFC_CLEAR_MCOUNTINHIBIT
  __asm__ volatile("csrwi 0x320, 0"); // mcountinhibit
#endif
}
static uint32_t counter(void) {
  uint32_t value;
  __asm__ volatile("csrr %0, mcycle" : "=r"(value));
  return value;
}
static uint32_t elapsed(uint32_t from, uint32_t to) { return to - from; }

#elif defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB >= 2

#define DEMCR REGISTER(0xe000edfcu)
#define DEMCR_TRCENA (1u << 24)
#define DWT_CTRL REGISTER(0xe0001000u)
#define DWT_CTRL_CYCCNTENA 1u
#define DWT_CYCCNT REGISTER(0xe0001004u)
#define DWT_LAR REGISTER(0xe0001fb0u)
#define DWT_LAR_KEY 0xc5acce55u // the M7 has a lock, the others ignore the write

void mfc_start_layer_timer(void) {
  DEMCR |= DEMCR_TRCENA;
  DWT_LAR = DWT_LAR_KEY;
  DWT_CYCCNT = 0;
  DWT_CTRL |= DWT_CTRL_CYCCNTENA;
}
static uint32_t counter(void) { return DWT_CYCCNT; }
static uint32_t elapsed(uint32_t from, uint32_t to) { return to - from; }

#else

#define SYST_CSR REGISTER(0xe000e010u)
#define SYST_CSR_ENABLE_CPU_CLOCK 5u // without an interrupt
#define SYST_RVR REGISTER(0xe000e014u)
#define SYST_CVR REGISTER(0xe000e018u)
#define SYST_MAX 0xffffffu

void mfc_start_layer_timer(void) {
  SYST_RVR = SYST_MAX;
  SYST_CVR = 0;
  SYST_CSR = SYST_CSR_ENABLE_CPU_CLOCK;
}
static uint32_t counter(void) { return SYST_CVR; }
static uint32_t elapsed(uint32_t from, uint32_t to) {
  return (from - to) & SYST_MAX;
} // counts down

#endif

void mfc_time_layer(struct mfc_layer_times *times, int32_t layer) {
  uint32_t now = counter();
  if (layer >= 0 && (uint32_t)layer < times->count)
    times->cycles[layer] = elapsed(times->last, now);
  times->last = counter();
}

// value / divisor, by shifting; a divisor of 0 gives 0.
static uint32_t quotient(uint32_t value, uint32_t divisor) {
  uint32_t result = 0;
  if (divisor == 0)
    return 0;
  for (int bit = 31; bit >= 0; --bit)
    if (value >> bit >= divisor) {
      value -= divisor << bit;
      result |= 1u << bit;
    }
  return result;
}

// Fills `text` (and a final 0) with the number flushed right, thousands grouped: "  1,234,567".
static void format_number(char *text, uint32_t width, uint32_t value) {
  uint32_t digits = 0;
  text[width] = 0;
  while (width > 0) {
    if (digits && value == 0) {
      text[--width] = ' ';
      continue;
    }
    if (digits && digits % 3 == 0) {
      text[--width] = ',';
      if (width == 0)
        break;
    }
    uint32_t rest = quotient(value, 10);
    text[--width] = (char)('0' + (value - rest * 10));
    value = rest;
    ++digits;
  }
}

// "  45.1 %" of the sum
static void format_share(char *text, uint32_t value, uint32_t sum) {
  while (sum >= 1u << 21) { // so that 1000 times the value fits
    sum >>= 1;
    value >>= 1;
  }
  uint32_t thousandths = quotient(value * 1000 + (sum >> 1), sum),
           tenth = quotient(thousandths, 10);
  format_number(text, 6, tenth);
  text[6] = '.';
  text[7] = (char)('0' + (thousandths - tenth * 10));
  text[8] = ' ';
  text[9] = '%';
  text[10] = 0;
}

#define CYCLES_WIDTH 15 // as wide as "4,294,967,295", and a gap

static uint32_t length(const char *text) {
  uint32_t bytes = 0;
  while (text[bytes])
    ++bytes;
  return bytes;
}

static void print_row(const char *name, uint32_t name_width, uint32_t cycles, uint32_t sum,
                      void (*print)(const char *)) {
  char number[CYCLES_WIDTH + 1], share[12];
  print("  ");
  print(name);
  for (uint32_t i = length(name); i < name_width; ++i)
    print(" ");
  if (sum == 0) { // the counter stands still
    print("              -         -\n");
    return;
  }
  format_number(number, CYCLES_WIDTH, cycles);
  format_share(share, cycles, sum);
  print(number);
  print(share);
  print("\n");
}

void mfc_print_layer_times(const struct mfc_layer_times *times, const char *const *names,
                           void (*print)(const char *text)) {
  uint32_t width = 5, sum = 0;
  for (uint32_t i = 0; i < times->count; ++i) {
    uint32_t bytes = length(names[i]);
    width = bytes > width ? bytes : width;
    sum += times->cycles[i];
  }
  print("  layer");
  for (uint32_t i = 5; i < width; ++i)
    print(" ");
  print("         cycles     share\n");
  for (uint32_t i = 0; i < times->count; ++i)
    print_row(names[i], width, times->cycles[i], sum, print);
  print("  ");
  for (uint32_t i = 0; i < width + CYCLES_WIDTH + 10; ++i)
    print("-");
  print("\n");
  print_row("total", width, sum, sum, print);
}
