// What the memory adds to the cycles of the core. The default adds nothing: code in memory without
// wait states, as all published instruction timings assume.
#ifndef MFC_COST_MEMORYTIMING_H
#define MFC_COST_MEMORYTIMING_H

#include <cstdint>

namespace mfc {

struct MemoryTiming {
  unsigned flashWaitStates = 0; ///< extra cycles of one read of the code memory
  unsigned fetchBytes = 16; ///< bytes that one read delivers (flash line or buffer); a power of two
  bool prefetch = true;     ///< the next line is read while the present one executes
  uint64_t flashBegin = 0;  ///< code outside [flashBegin, flashEnd) has no wait states
  uint64_t flashEnd = UINT64_MAX;
};

} // namespace mfc
#endif
