// RV32 microcontroller cores, all in order with one instruction a cycle at most, except the SiFive
// 7 series, for which LLVM's model gives the pairs.
#include "../CoreTiming.h"

using namespace mfc;
using namespace mfc::cost;
using C = InstructionClass;

#define HZ "Hazard3 manual, section Instruction Cycle Counts"
#define SC "LLVM 22 RISCVSchedSyntacoreSCR1.td"
#define RK "LLVM 22 RISCVSchedRocket.td"
#define S7 "LLVM 22 RISCVSchedSiFive7.td"

static constexpr ClassTiming hazard3Classes[] = {
    {C::Multiply, 1, 0, 0, HZ " (MUL_FAST)"},
    {C::MultiplyHigh, 1, 0, 0, HZ " (MULH_FAST)"},
    {C::Divide, 18, 0, 0, HZ ": 18 or 19 (MULDIV_UNROLL = 2)"},
    {C::Load, 1, 0, 2, HZ ": 2 if the next instruction depends on it"},
    {C::LoadNarrow, 1, 0, 2, HZ ": 2 if the next instruction depends on it"},
    {C::LoadMultiple, 1, 1, 0, HZ ": cm.pop 1+N"},
    {C::StoreMultiple, 1, 1, 0, HZ ": cm.push 1+N"},
    {C::PopReturn, 1, 1, 0, HZ ": cm.popret 2+N with the jump"},
};
static constexpr const char *hazard3Cpus[] = {"rp2350-hazard3"};

const CoreTiming cost::hazard3 = {
    .name = "Hazard3",
    .cpus = hazard3Cpus,
    .classes = hazard3Classes,
    .takenDirect = {1, HZ ": jal 2"},
    .takenIndirect = {1, HZ ": jalr 2"},
    .predictor = Predictor::LastBackward,
    .mispredicted = {1, HZ ", Branch Predictor: 1 predicted, 2 mispredicted"},
    .unalignedTarget = {1, HZ ": jump to an unaligned 32-bit instruction"},
    .lateStoreData = {1, HZ ": load data to store data is no dependency"},
};

static constexpr ClassTiming scr1Classes[] = {
    {C::Multiply, 1, 0, 0, SC ": single-cycle multiplier (RV32IMC_MAX)"},
    {C::MultiplyHigh, 1, 0, 0, SC ": single-cycle multiplier (RV32IMC_MAX)"},
    {C::Divide, 33, 0, 0, SC},
    {C::Load, 2, 0, 0, SC ": latency and throughput 2 (TCM)"},
    {C::LoadNarrow, 2, 0, 0, SC ": latency and throughput 2 (TCM)"},
    {C::Store, 2, 0, 0, SC ": latency and throughput 2 (TCM)"},
};
static constexpr const char *scr1Cpus[] = {"syntacore-scr1-max", "syntacore-scr1-base"};

const CoreTiming cost::scr1 = {
    .name = "SCR1",
    .cpus = scr1Cpus,
    .classes = scr1Classes,
    .takenDirect = {3, SC ": MispredictPenalty; the core has no predictor"},
    .takenIndirect = {3, SC ": MispredictPenalty"},
};

static constexpr ClassTiming rocketClasses[] = {
    {C::Multiply, 1, 0, 4, RK},
    {C::MultiplyHigh, 1, 0, 4, RK},
    {C::Divide, 33, 0, 0, RK},
    {C::Load, 1, 0, 2, RK ", Rocket chip fastLoadWord: latency 2"},
    {C::LoadNarrow, 1, 0, 3, RK ", Rocket chip fastLoadByte = false: latency 3"},
    {C::LoadMultiple, 1, 1, 0, "one access a register"},
    {C::StoreMultiple, 1, 1, 0, "one access a register"},
    {C::PopReturn, 1, 1, 0, "one access a register"},
    {C::FloatAlu, 1, 0, 4, RK},
    {C::FloatCompare, 1, 0, 2, RK},
    {C::FloatConvert, 1, 0, 4, RK},
    {C::FloatMove, 1, 0, 2, RK},
    {C::FloatMultiply, 1, 0, 5, RK},
    {C::FloatMultiplyAdd, 1, 0, 5, RK},
    {C::FloatDivide, 20, 0, 20, RK},
    {C::FloatSqrt, 20, 0, 20, RK},
    {C::FloatLoad, 1, 0, 2, RK},
    {C::DoubleAlu, 1, 0, 6, RK},
    {C::DoubleMultiply, 1, 0, 7, RK},
    {C::DoubleDivide, 20, 0, 25, RK},
};
static constexpr const char *rocketCpus[] = {"rocket-rv32",        "sifive-e20", "sifive-e21",
                                             "sifive-e24",         "sifive-e31", "sifive-e34",
                                             "syntacore-scr3-rv32"};

const CoreTiming cost::rocket = {
    .name = "Rocket",
    .cpus = rocketCpus,
    .classes = rocketClasses,
    .takenDirect = {0, "Rocket chip: branch target buffer"},
    .takenIndirect = {0, "Rocket chip: return address stack"},
    .predictor = Predictor::Dynamic,
    .mispredicted = {3, RK ": MispredictPenalty"},
};

static constexpr ClassTiming sifive7Classes[] = {
    {C::Multiply, 1, 0, 3, S7},      {C::MultiplyHigh, 1, 0, 3, S7},
    {C::Divide, 34, 0, 0, S7},       {C::Load, 1, 0, 3, S7},
    {C::LoadNarrow, 1, 0, 3, S7},    {C::FloatAlu, 1, 0, 5, S7},
    {C::FloatMultiply, 1, 0, 5, S7}, {C::FloatMultiplyAdd, 1, 0, 5, S7},
    {C::FloatDivide, 26, 0, 27, S7}, {C::FloatSqrt, 26, 0, 27, S7},
    {C::FloatLoad, 1, 0, 2, S7},
};
static constexpr const char *sifive7Cpus[] = {"sifive-e76"};

const CoreTiming cost::sifive7 = {
    .name = "SiFive 7",
    .cpus = sifive7Cpus,
    .classes = sifive7Classes,
    .takenDirect = {0, S7 ": branch prediction"},
    .takenIndirect = {0, S7 ": return address stack"},
    .predictor = Predictor::Dynamic,
    .mispredicted = {3, S7 ": MispredictPenalty"},
    .scheduleModel = true,
    .scheduleSource = S7 ": issue width 2, units",
};
