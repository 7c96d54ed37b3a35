// Builds the report in a small static buffer: there is no heap and, after a fault, hardly a stack.
#include "sim_report.h"

#include "semihosting.h"

static char line[384];
static char *cursor = line;

static void put(const char *text) {
  while (*text && cursor < line + sizeof line - 1)
    *cursor++ = *text++;
  *cursor = 0;
}

char *format_decimal(char *at, uint32_t value) {
  static const uint32_t powers[] = {1000000000u, 100000000u, 10000000u, 1000000u, 100000u,
                                    10000u,      1000u,      100u,      10u,      1u};
  int started = 0;
  for (uint32_t i = 0; i < sizeof powers / sizeof powers[0]; ++i) {
    char digit = '0';
    for (; value >= powers[i]; value -= powers[i])
      ++digit;
    started |= digit != '0' || powers[i] == 1;
    if (started)
      *at++ = digit;
  }
  *at = 0;
  return at;
}

void report_begin(const char *outcome) {
  cursor = line;
  put("{\"schema\":1,\"outcome\":\"");
  put(outcome);
  put("\"");
}

void report_number(const char *name, uint32_t value) {
  char digits[12];
  format_decimal(digits, value);
  put(",\"");
  put(name);
  put("\":");
  put(digits);
}

void report_text(const char *name, const char *value) {
  put(",\"");
  put(name);
  put("\":\"");
  put(value);
  put("\"");
}

void report_exit(enum mfc_sim_exit code) {
  put("}\n");
  int32_t file = semihosting_open("mfc-sim.json", SEMIHOSTING_WRITE);
  if (file != -1) {
    semihosting_write(file, line, (uint32_t)(cursor - line));
    semihosting_close(file);
  }
  if (code != MFC_SIM_OK)
    semihosting_print(line);
  semihosting_exit((uint32_t)code);
}
