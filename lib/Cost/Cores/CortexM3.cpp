// Armv7-M: three stages, single issue, loads that overlap with the load behind them.
//
// Where the manual gives a range that depends on operand values, the table has its upper end:
// multipliers and accumulators of requantization are full-size values.
#include "../CoreTiming.h"

using namespace mfc;
using namespace mfc::cost;
using C = InstructionClass;

#define M3 "Cortex-M3 TRM r2p1 (DDI 0337I), table 3-1"
#define M3LS "Cortex-M3 TRM r2p1 (DDI 0337I), section 3.3.2 load/store timings"

static constexpr ClassTiming classes[] = {
    {C::IfThen, 1, 0, 0, M3},
    {C::System, 2, 0, 0, M3 ": MRS, MSR 1 or 2; barriers 1+B"},
    {C::Multiply, 1, 0, 0, M3},
    {C::MultiplyAdd, 2, 0, 0, M3},
    {C::MultiplyLong, 5, 0, 0, M3 ": 3 to 5, early termination"},
    {C::MultiplyLongAdd, 7, 0, 0, M3 ": 4 to 7, early termination"},
    {C::Divide, 12, 0, 0, M3 ": 2 to 12, early termination"},
    {C::Load, 2, 0, 0, M3},
    {C::LoadLiteral, 2, 0, 0, M3},
    {C::LoadPair, 1, 1, 0, M3 ": 1+N"},
    {C::LoadMultiple, 1, 1, 0, M3 ": 1+N"},
    {C::LoadPc, 2, 0, 0, M3LS ": five cycles with the reload"},
    {C::Store, 1, 0, 0, M3LS ": one cycle with an immediate offset, through the write buffer"},
    {C::StoreIndexed, 2, 0, 0, M3LS},
    {C::StorePair, 1, 1, 0, M3 ": 1+N"},
    {C::StoreMultiple, 1, 1, 0, M3 ": 1+N"},
    {C::BranchTable, 3, 0, 0, M3LS ": six cycles with the reload"},
    {C::PopReturn, 1, 1, 0, M3 ": 1+N+P"},
};
static constexpr const char *cpus[] = {"cortex-m3"};

const CoreTiming cost::cortexM3 = {
    .name = "Cortex-M3",
    .cpus = cpus,
    .classes = classes,
    .takenDirect = {1, M3 ": 1+P, P is 1 when the target is fetched early (direct branches)"},
    .takenIndirect = {3, M3 ": P is 3 when the address comes from a register or from memory"},
    .loadPipelining = {1, M3LS ": one cycle less for the load or store behind a load"},
    .addressStall = {1, M3LS ": address made by the data processing instruction just before"},
    .foldedIfThen = {1, M3 ": IT can be folded into the 16-bit instruction before it"},
};
