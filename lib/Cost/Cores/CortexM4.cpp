// Armv7E-M with the single-precision FPv4 unit, and the Cortex-M33, for which Arm publishes no
// table.
#include "../CoreTiming.h"

using namespace mfc;
using namespace mfc::cost;
using C = InstructionClass;

#define M4 "Cortex-M4 TRM r0p1 (DDI 0439), table 3-1"
#define M4LS "Cortex-M4 TRM r0p1 (DDI 0439), section 3.3.3 load/store timings"
#define M4F "Cortex-M4 TRM r0p1 (DDI 0439), table 7-1"
#define M4FL M4F ": one cycle more if the next instruction uses the result"
#define M33                                                                                        \
  "no published table: LLVM gives the Cortex-M33 the model of the Cortex-M4; figure of " M4

static constexpr ClassTiming m4Classes[] = {
    {C::IfThen, 1, 0, 0, M4},
    {C::System, 2, 0, 0, M4 ": MRS, MSR 1 or 2; barriers 1+B"},
    {C::Multiply, 1, 0, 0, M4},
    {C::MultiplyAdd, 1, 0, 0, M4},
    {C::MultiplyLong, 1, 0, 0, M4},
    {C::MultiplyLongAdd, 1, 0, 0, M4},
    {C::MultiplyDsp, 1, 0, 0, M4},
    {C::MultiplyDspAdd, 1, 0, 0, M4},
    {C::Divide, 12, 0, 0, M4 ": 2 to 12, early termination"},
    {C::Load, 2, 0, 0, M4},
    {C::LoadLiteral, 2, 0, 0, M4},
    {C::LoadPair, 1, 1, 0, M4 ": 1+N"},
    {C::LoadMultiple, 1, 1, 0, M4 ": 1+N"},
    {C::LoadPc, 2, 0, 0, M4LS ": five cycles with the reload"},
    {C::Store, 1, 0, 0, M4LS ": one cycle with an immediate offset, through the write buffer"},
    {C::StoreIndexed, 2, 0, 0, M4LS},
    {C::StorePair, 1, 1, 0, M4 ": 1+N"},
    {C::StoreMultiple, 1, 1, 0, M4 ": 1+N"},
    {C::BranchTable, 3, 0, 0, M4LS ": six cycles with the reload"},
    {C::PopReturn, 1, 1, 0, M4 ": 1+N+P"},
    {C::FloatAlu, 1, 0, 2, M4FL},
    {C::FloatCompare, 1, 0, 0, M4F},
    {C::FloatConvert, 1, 0, 2, M4FL},
    {C::FloatMove, 1, 0, 0, M4F ": 1 (2 for two registers)"},
    {C::FloatMultiply, 1, 0, 2, M4FL},
    {C::FloatMultiplyAdd, 3, 0, 4, M4FL},
    {C::FloatDivide, 14, 0, 15, M4FL},
    {C::FloatSqrt, 14, 0, 15, M4FL},
    {C::FloatLoad, 1, 1, 0, M4F ": VLDR.32 2, VLDR.64 3"},
    {C::FloatStore, 1, 1, 0, M4F ": VSTR.32 2, VSTR.64 3"},
    {C::FloatLoadMultiple, 1, 1, 0, M4F ": 1+N"},
    {C::FloatStoreMultiple, 1, 1, 0, M4F ": 1+N"},
};
static constexpr const char *m4Cpus[] = {"cortex-m4"};

const CoreTiming cost::cortexM4 = {
    .name = "Cortex-M4",
    .cpus = m4Cpus,
    .classes = m4Classes,
    .takenDirect = {1, M4 ": 1+P, P is 1 when the target is fetched early (direct branches)"},
    .takenIndirect = {3, M4 ": P is 3 when the address comes from a register or from memory"},
    .loadPipelining = {1, M4LS ": one cycle less for the load or store behind a load"},
    .addressStall = {1, M4LS ": address made by the data processing instruction just before"},
    .foldedIfThen = {1, M4 ": IT can be folded into the 16-bit instruction before it"},
};

static constexpr const char *m33Cpus[] = {"cortex-m33", "cortex-m35p"};

const CoreTiming cost::cortexM33 = {
    .name = "Cortex-M33",
    .cpus = m33Cpus,
    .classes = m4Classes,
    .takenDirect = {1, M33 ": 1+P"},
    .takenIndirect = {2, M33 ": 1+P; two stages of fetch and decode instead of three"},
    .loadPipelining = {1, M33},
    .foldedIfThen = {1, M33},
};
