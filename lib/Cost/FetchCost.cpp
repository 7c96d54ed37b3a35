// One line of fetchBytes is buffered. A jump to another line waits for all wait states. Going on to
// the next line waits for them too, or with prefetch for what is left of them after the cycles
// spent in the line before. A literal load reads another line than the code's and waits for all.
#include "FetchCost.h"

using namespace mfc;
using namespace mfc::cost;

uint64_t FetchCost::of(const CodeInstruction &instruction, const InstructionCount &count,
                       unsigned cycles, bool follows) {
  if (memory.flashWaitStates == 0 || instruction.address < memory.flashBegin ||
      instruction.address >= memory.flashEnd)
    return 0;
  const uint64_t waits = memory.flashWaitStates;
  uint64_t total = 0;
  uint64_t last = lineOf(instruction.address + instruction.bytes - 1);
  if (!follows) {
    line = last; // the jump that led here has paid
    cyclesInLine = 0;
  } else if (last != line) {
    uint64_t hidden = memory.prefetch ? std::min(waits, cyclesInLine) : 0;
    total += count.executions * (waits - hidden);
    line = last;
    cyclesInLine = 0;
  }
  cyclesInLine += cycles;
  if (instruction.kind == InstructionClass::LoadLiteral)
    total += count.executions * waits;
  if (count.taken && !(instruction.target && lineOf(*instruction.target) == last))
    total += count.taken * waits;
  return total;
}
