// The harness's answer: one line of JSON in mfc-sim.json, and a line on the console when a run
// failed.
#ifndef MFC_RUNTIME_SIM_REPORT_H
#define MFC_RUNTIME_SIM_REPORT_H

#include "mfc_sim.h"

// Starts the line: {"schema":1,"outcome":"<outcome>"
void report_begin(const char *outcome);
void report_number(const char *name, uint32_t value); // ,"name":value
void report_text(const char *name,
                 const char *value); // ,"name":"value"; no character that JSON escapes
// Ends the line, writes it to mfc-sim.json, on failure also to the console, and leaves with `code`.
__attribute__((noreturn)) void report_exit(enum mfc_sim_exit code);

// Decimal digits and a final 0 byte; no division, since v6-M has none. Returns the end of the text.
char *format_decimal(char *at, uint32_t value);

#endif
