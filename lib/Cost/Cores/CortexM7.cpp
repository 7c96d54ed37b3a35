// Cores for which LLVM has a scheduling model with units and issue rules: Cortex-M7, M55 and M85.
// The rows say what the model leaves out.
#include "../CoreTiming.h"

using namespace mfc;
using namespace mfc::cost;
using C = InstructionClass;

#define M7 "LLVM 22 ARMScheduleM7.td"
#define M7X                                                                                        \
  "two 32-bit data ports (Cortex-M7 TRM r1p2, tightly coupled memory): two words a cycle; "        \
  "LLVM counts one cycle"
#define M55 "LLVM 22 ARMScheduleM55.td"
#define M55X "64-bit data path (Cortex-M55 TRM r1p1): two words a cycle; LLVM counts one cycle"
#define M85 "LLVM 22 ARMScheduleM85.td"
#define M85X "64-bit data path (Cortex-M85 TRM r0p2): two words a cycle"
#define LOB                                                                                        \
  "Armv8.1-M Architecture Reference Manual, low overhead branches: the loop's end is cached and "  \
  "costs nothing after the first pass"

static constexpr ClassTiming m7Classes[] = {
    {C::Multiply, 1, 0, 2, M7},
    {C::MultiplyAdd, 1, 0, 2, M7},
    {C::MultiplyLong, 1, 0, 2, M7},
    {C::MultiplyLongAdd, 1, 0, 2, M7},
    {C::MultiplyDsp, 1, 0, 2, M7},
    {C::MultiplyDspAdd, 1, 0, 2, M7},
    {C::Divide, 7, 0, 7, M7},
    {C::Load, 1, 0, 2, M7 ": LoadLatency"},
    {C::LoadLiteral, 1, 0, 2, M7 ": LoadLatency"},
    {C::LoadPair, 0, 2, 2, M7X},
    {C::LoadMultiple, 0, 2, 2, M7X},
    {C::StorePair, 0, 2, 0, M7X},
    {C::StoreMultiple, 0, 2, 0, M7X},
    {C::PopReturn, 0, 2, 0, M7X},
    {C::FloatAlu, 1, 0, 3, M7},
    {C::FloatConvert, 1, 0, 3, M7},
    {C::FloatMultiply, 1, 0, 3, M7},
    {C::FloatMultiplyAdd, 1, 0, 5, M7},
    {C::FloatDivide, 14, 0, 16, M7},
    {C::FloatSqrt, 14, 0, 16, M7},
    {C::FloatLoad, 1, 0, 2, M7 ": LoadLatency"},
    {C::FloatLoadMultiple, 0, 2, 2, M7X},
    {C::FloatStoreMultiple, 0, 2, 0, M7X},
    {C::DoubleAlu, 1, 0, 4, M7},
    {C::DoubleMultiply, 3, 0, 7, M7},
    {C::DoubleDivide, 29, 0, 30, M7},
};
static constexpr const char *m7Cpus[] = {"cortex-m7"};

const CoreTiming cost::cortexM7 = {
    .name = "Cortex-M7",
    .cpus = m7Cpus,
    .classes = m7Classes,
    .takenDirect = {0, "Cortex-M7 TRM r1p2: branch target address cache"},
    .takenIndirect = {4, M7 ": MispredictPenalty"},
    .predictor = Predictor::Dynamic,
    .mispredicted = {4, M7 ": MispredictPenalty"},
    .lateStoreData = {1, M7 ": stores read their data late"},
    .forwardedSum = {1, M7 ": accumulator forwarding"},
    .scheduleModel = true,
    .scheduleSource = M7 ": issue width 2, units, groups",
};

static constexpr ClassTiming m55Classes[] = {
    {C::Multiply, 1, 0, 2, M55},
    {C::MultiplyAdd, 1, 0, 2, M55},
    {C::MultiplyLong, 1, 0, 2, M55},
    {C::MultiplyLongAdd, 1, 0, 2, M55},
    {C::MultiplyDsp, 1, 0, 2, M55},
    {C::MultiplyDspAdd, 1, 0, 2, M55},
    {C::Divide, 11, 0, 0, "no published figure found; early termination taken at its worst, LLVM counts 2"},
    {C::Load, 1, 0, 2, M55},
    {C::LoadLiteral, 1, 0, 2, M55},
    {C::LoadPair, 0, 2, 2, M55X},
    {C::LoadMultiple, 0, 2, 2, M55X},
    {C::StorePair, 0, 2, 0, M55X},
    {C::StoreMultiple, 0, 2, 0, M55X},
    {C::PopReturn, 0, 2, 0, M55X},
    {C::LoopEnd, 0, 0, 0, LOB},
    {C::FloatAlu, 1, 0, 2, M55},
    {C::FloatConvert, 1, 0, 2, M55},
    {C::FloatMultiply, 1, 0, 2, M55},
    {C::FloatMultiplyAdd, 1, 0, 4, M55},
    {C::FloatDivide, 14, 0, 16, M55},
    {C::FloatSqrt, 14, 0, 16, M55},
    {C::FloatLoad, 1, 0, 2, M55},
    {C::FloatLoadMultiple, 0, 2, 2, M55X},
    {C::FloatStoreMultiple, 0, 2, 0, M55X},
};
static constexpr const char *m55Cpus[] = {"cortex-m55", "cortex-m52"};

const CoreTiming cost::cortexM55 = {
    .name = "Cortex-M55",
    .cpus = m55Cpus,
    .classes = m55Classes,
    .takenDirect = {3, M55 ": MispredictPenalty; the core has no branch target cache"},
    .takenIndirect = {3, M55 ": MispredictPenalty"},
    .lateStoreData = {1, M55},
    .forwardedSum = {1, M55 ": accumulator forwarding"},
    .loopEndFree = {1, LOB},
    .scheduleModel = true,
    .scheduleSource = M55 ": pairs, units, two cycles (four beats) a vector operation",
};

static constexpr ClassTiming m85Classes[] = {
    {C::Multiply, 1, 0, 2, M85},
    {C::MultiplyAdd, 1, 0, 2, M85},
    {C::MultiplyLong, 1, 0, 2, M85},
    {C::MultiplyLongAdd, 1, 0, 2, M85},
    {C::MultiplyDsp, 1, 0, 2, M85},
    {C::MultiplyDspAdd, 1, 0, 2, M85},
    {C::Divide, 7, 0, 7, M85},
    {C::Load, 1, 0, 2, M85 ": LoadLatency"},
    {C::LoadLiteral, 1, 0, 2, M85 ": LoadLatency"},
    {C::LoadPair, 0, 2, 2, M85X},
    {C::LoadMultiple, 0, 2, 2, M85X},
    {C::StorePair, 0, 2, 0, M85X},
    {C::StoreMultiple, 0, 2, 0, M85X},
    {C::PopReturn, 0, 2, 0, M85X},
    {C::LoopEnd, 0, 0, 0, LOB},
    {C::FloatAlu, 1, 0, 2, M85},
    {C::FloatConvert, 1, 0, 2, M85},
    {C::FloatMultiply, 1, 0, 3, M85},
    {C::FloatMultiplyAdd, 1, 0, 4, M85},
    {C::FloatDivide, 12, 0, 14, M85},
    {C::FloatSqrt, 12, 0, 14, M85},
    {C::FloatLoad, 1, 0, 2, M85 ": LoadLatency"},
    {C::FloatLoadMultiple, 0, 2, 2, M85X},
    {C::FloatStoreMultiple, 0, 2, 0, M85X},
};
static constexpr const char *m85Cpus[] = {"cortex-m85"};

const CoreTiming cost::cortexM85 = {
    .name = "Cortex-M85",
    .cpus = m85Cpus,
    .classes = m85Classes,
    .takenDirect = {0, "Cortex-M85 TRM r0p2: branch prediction"},
    .takenIndirect = {4, M85 ": MispredictPenalty"},
    .predictor = Predictor::Dynamic,
    .mispredicted = {4, M85 ": MispredictPenalty"},
    .lateStoreData = {1, M85},
    .forwardedSum = {1, M85 ": accumulator forwarding"},
    .loopEndFree = {1, LOB},
    .scheduleModel = true,
    .scheduleSource = M85 ": issue width 2, units",
};
