// Armv6-M and Armv8-M Baseline: one instruction at a time, no interlocks, every access is on the
// bus.
#include "../CoreTiming.h"

using namespace mfc;
using namespace mfc::cost;
using C = InstructionClass;

#define M0 "Cortex-M0 TRM r0p0, table 3-1"
#define M0P "Cortex-M0+ TRM r0p1, section 3.3, table 3-1"
#define M23 "Cortex-M23 TRM r1p0, instruction set summary; otherwise as Cortex-M0+"

static constexpr ClassTiming m0Classes[] = {
    {C::Multiply, 1, 0, 0, M0 ": 1 with the fast multiplier (32 with the small one)"},
    {C::Load, 2, 0, 0, M0},
    {C::LoadLiteral, 2, 0, 0, M0},
    {C::LoadMultiple, 1, 1, 0, M0 ": 1+N"},
    {C::Store, 2, 0, 0, M0},
    {C::StoreIndexed, 2, 0, 0, M0},
    {C::StoreMultiple, 1, 1, 0, M0 ": 1+N"},
    {C::Call, 2, 0, 0, M0 ": BL 4 with the refill"},
    {C::PopReturn, 2, 1, 0, M0 ": POP with PC 4+N with the refill"},
    {C::System, 4, 0, 0, M0 ": MRS, MSR, DMB, DSB, ISB"},
};
static constexpr const char *m0Cpus[] = {"cortex-m0", "cortex-m1"};

const CoreTiming cost::cortexM0 = {
    .name = "Cortex-M0",
    .cpus = m0Cpus,
    .classes = m0Classes,
    .takenDirect = {2, M0 ": B 3 taken, 1 not taken"},
    .takenIndirect = {2, M0 ": BX, BLX 3"},
};

static constexpr ClassTiming m0PlusClasses[] = {
    {C::Multiply, 1, 0, 0, M0P ": 1 with the fast multiplier (32 with the small one)"},
    {C::Load, 2, 0, 0, M0P ": 2 (1 on the single-cycle I/O port)"},
    {C::LoadLiteral, 2, 0, 0, M0P},
    {C::LoadMultiple, 1, 1, 0, M0P ": 1+N"},
    {C::Store, 2, 0, 0, M0P ": 2 (1 on the single-cycle I/O port)"},
    {C::StoreIndexed, 2, 0, 0, M0P},
    {C::StoreMultiple, 1, 1, 0, M0P ": 1+N"},
    {C::Call, 2, 0, 0, M0P ": BL 3 with the refill"},
    {C::PopReturn, 2, 1, 0, M0P ": POP with PC 3+N with the refill"},
    {C::System, 3, 0, 0, M0P ": MRS, MSR, DMB, DSB, ISB"},
};
static constexpr const char *m0PlusCpus[] = {"cortex-m0plus"};

const CoreTiming cost::cortexM0Plus = {
    .name = "Cortex-M0+",
    .cpus = m0PlusCpus,
    .classes = m0PlusClasses,
    .takenDirect = {1, M0P ": B 2 taken, 1 not taken"},
    .takenIndirect = {1, M0P ": BX, BLX 2"},
};

static constexpr ClassTiming m23Classes[] = {
    {C::Multiply, 1, 0, 0, M23},
    {C::Divide, 17, 0, 0, M23 ": 17 with the fast divider (34 with the small one)"},
    {C::Load, 2, 0, 0, M23},
    {C::LoadLiteral, 2, 0, 0, M23},
    {C::LoadMultiple, 1, 1, 0, M23},
    {C::Store, 2, 0, 0, M23},
    {C::StoreIndexed, 2, 0, 0, M23},
    {C::StoreMultiple, 1, 1, 0, M23},
    {C::Call, 2, 0, 0, M23},
    {C::PopReturn, 2, 1, 0, M23},
    {C::System, 3, 0, 0, M23},
};
static constexpr const char *m23Cpus[] = {"cortex-m23"};

const CoreTiming cost::cortexM23 = {
    .name = "Cortex-M23",
    .cpus = m23Cpus,
    .classes = m23Classes,
    .takenDirect = {1, M23},
    .takenIndirect = {1, M23},
};
