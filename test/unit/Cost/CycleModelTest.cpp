// Every rule of the cycle model against a loop that is counted by hand. Each case lists the cycles
// behind the instructions; sources of the figures are in the tables (lib/Cost/Cores).
#include "mfc/Cost/CycleModel.h"
#include "Assemble.h"
#include "llvm/Support/raw_ostream.h"
#include <catch2/catch.hpp>

using namespace mfc;

namespace {

struct Priced {
  CodeImage image;
  CycleReport report;
};

/// Prices the text: `counts` has executions and taken of each instruction in order.
Priced price(llvm::StringRef cpu, llvm::StringRef text,
             std::vector<std::pair<uint64_t, uint64_t>> counts, const MemoryTiming &memory = {}) {
  TargetInfo target = targetOf(cpu);
  auto object = assemble(target, text);
  auto image = CodeImage::decode(object, target);
  REQUIRE(static_cast<bool>(image));
  INFO(cpu.str() << "\n" << text.str());
  REQUIRE(image->instructions().size() == counts.size());
  ExecutionProfile profile;
  for (size_t i = 0; i < counts.size(); ++i)
    if (counts[i].first)
      profile.instructions.push_back(
          {image->instructions()[i].address, counts[i].first, counts[i].second});
  auto model = CycleModel::create(target, memory);
  REQUIRE(static_cast<bool>(model));
  auto report = model->cycles(*image, profile);
  if (!report)
    FAIL(llvm::toString(report.takeError()));
  CHECK(report->unmodelled == 0);
  return {std::move(*image), std::move(*report)};
}

/// All instructions executed `n` times, nothing taken.
uint64_t straight(llvm::StringRef cpu, llvm::StringRef text, size_t instructions, uint64_t n = 1) {
  return price(cpu, text, std::vector<std::pair<uint64_t, uint64_t>>(instructions, {n, 0}))
      .report.cycles;
}

} // namespace

TEST_CASE("cycles of the Cortex-M0+: loads, stores, lists and branches", "[cost]") {
  const char *loop = "1: ldr r0, [r1]\n" // 2
                     "muls r0, r2, r0\n" // 1
                     "str r0, [r1]\n"    // 2
                     "adds r1, r1, #4\n" // 1
                     "subs r3, r3, #1\n" // 1
                     "bne 1b\n";         // 2 taken, 1 not
  auto priced =
      price("cortex-m0plus", loop, {{10, 0}, {10, 0}, {10, 0}, {10, 0}, {10, 0}, {10, 9}});
  CHECK(priced.report.cycles == 10 * 8 + 9);
  CHECK(priced.report.executed == 60);
  // The M0 takes one cycle more to branch.
  CHECK(price("cortex-m0", loop, {{10, 0}, {10, 0}, {10, 0}, {10, 0}, {10, 0}, {10, 9}})
            .report.cycles == 10 * 8 + 2 * 9);
  // 1+N: push of three 4, ldm of three 4, pop of two with pc 3+N = 6 (N counts pc: 3).
  CHECK(price("cortex-m0plus", "push {r4, r5, lr}\nldm r0!, {r1, r2, r3}\npop {r4, r5, pc}\n",
              {{1, 0}, {1, 0}, {1, 1}})
            .report.cycles == 4 + 4 + (3 + 3));
  // bl 3, bx 2
  CHECK(price("cortex-m0plus", "bl f\nbx lr\n", {{1, 1}, {1, 1}}).report.cycles == 3 + 2);
}

TEST_CASE("loads of the Cortex-M3 and M4 overlap with what follows", "[cost]") {
  for (const char *cpu : {"cortex-m3", "cortex-m4"}) {
    // The manual's own examples.
    CHECK(straight(cpu, "ldr r0, [r1]\nldr r1, [r2]\n", 2) == 3);
    CHECK(straight(cpu, "ldr r0, [r1, r2]\nstr r0, [r3, #20]\n", 2) == 3);
    CHECK(straight(cpu, "ldr r0, [r1, r2]\nstr r1, [r3, r2]\n", 2) == 3);
    CHECK(straight(cpu, "ldr r0, [r1, r5]\nldr r1, [r2]\nldr r2, [r3, #4]\n", 3) == 4);
    // The second address comes from the first load: nothing overlaps.
    CHECK(straight(cpu, "ldr r0, [r1]\nldr r2, [r0]\n", 2) == 4);
    // A base update is not pipelined with the next load.
    CHECK(straight(cpu, "ldr r0, [r1], #4\nldr r2, [r3]\n", 2) == 4);
    // Result used at once: the load's two cycles cover it.
    CHECK(straight(cpu, "ldr r0, [r1]\nadd r2, r0, r3\n", 2) == 3);
    // Address made by the instruction before: one more.
    CHECK(straight(cpu, "add r1, r1, #4\nldr r0, [r1]\n", 2) == 1 + 1 + 2);
    CHECK(straight(cpu, "add r1, r1, #4\nmov r4, r5\nldr r0, [r1]\n", 3) == 1 + 1 + 2);
    // LDRD and LDM: 1+N.
    CHECK(straight(cpu, "ldrd r0, r1, [r2]\nldm r2, {r3, r4, r5, r6}\n", 2) == 3 + 5);
    CHECK(straight(cpu, "strd r0, r1, [r2]\nstm r2, {r3, r4, r5, r6}\n", 2) == 3 + 5);
    // TI's SysCtlDelay: three cycles a loop.
    CHECK(price(cpu, "1: subs r0, #1\nbne 1b\n", {{10, 0}, {10, 9}}).report.cycles == 10 * 2 + 9);
    // IT behind a 16-bit instruction is folded, behind a 32-bit one it is not.
    CHECK(straight(cpu, "cmp r0, #1\nit eq\nmoveq r0, r1\n", 3) == 2);
    CHECK(straight(cpu, "cmp.w r8, #1\nit eq\nmoveq r0, r1\n", 3) == 3);
    // bl 1+P and pop with pc 1+N+P
    CHECK(price(cpu, "bl f\npop {r4, pc}\n", {{1, 1}, {1, 1}}).report.cycles == 2 + (1 + 2 + 3));
  }
}

TEST_CASE("multipliers and dividers", "[cost]") {
  const char *long_ =
      "mla r0, r1, r2, r0\nsmull r3, r4, r1, r2\nsmlal r3, r4, r1, r2\nsdiv r0, r1, r2\n";
  CHECK(straight("cortex-m3", long_, 4) == 2 + 5 + 7 + 12);
  CHECK(straight("cortex-m4", long_, 4) == 1 + 1 + 1 + 12);
  // One cycle each, chained too.
  CHECK(straight("cortex-m4",
                 "smlad r0, r1, r2, r0\nsmlad r0, r3, r4, r0\nsxtb16 r5, r6\nsmmulr r0, r0, r5\n",
                 4) == 4);
  CHECK(straight("cortex-m4", "sadd16 r0, r1, r2\nsel r3, r4, r5\nssat r0, #8, r0\nnop\n", 4) == 4);
  CHECK(straight("rp2350-hazard3", "mul a0, a1, a2\nmulh a3, a0, a2\ndivu a4, a1, a2\n", 3) ==
        1 + 1 + 18);
  // Rocket: latency 4, so the use waits three.
  CHECK(straight("sifive-e31", "mul a0, a1, a2\nadd a3, a0, a2\n", 2) == 1 + 3 + 1);
  CHECK(straight("syntacore-scr1-max", "mul a0, a1, a2\nadd a3, a0, a2\ndiv a4, a1, a2\n", 3) ==
        1 + 1 + 33);
}

TEST_CASE("floating point of the Cortex-M4", "[cost]") {
  // VADD 1, then its result is used at once: one more; VMLA 3; VDIV 14; VSQRT 14.
  CHECK(straight("cortex-m4", "vadd.f32 s0, s1, s2\nvmul.f32 s3, s4, s5\n", 2) == 2);
  CHECK(straight("cortex-m4", "vadd.f32 s0, s1, s2\nvmul.f32 s3, s0, s5\n", 2) == 1 + 1 + 1);
  CHECK(straight("cortex-m4", "vmla.f32 s0, s1, s2\nvdiv.f32 s3, s4, s5\nvsqrt.f32 s6, s7\n", 3) ==
        3 + 14 + 14);
  CHECK(straight("cortex-m4", "vldr s0, [r0]\nvldr d1, [r0]\nvldmia r0, {s4-s7}\nvstr s0, [r0]\n",
                 4) == 2 + 3 + 5 + 2);
}

TEST_CASE("load-use of the RISC-V cores", "[cost]") {
  // Hazard3: one bubble before a use, none before the data of a store.
  CHECK(straight("rp2350-hazard3", "lw a0, 0(a1)\nadd a2, a0, a3\n", 2) == 1 + 1 + 1);
  CHECK(straight("rp2350-hazard3", "lw a0, 0(a1)\nmv a4, a5\nadd a2, a0, a3\n", 3) == 3);
  CHECK(straight("rp2350-hazard3", "lw a0, 0(a1)\nsw a0, 4(a1)\n", 2) == 2);
  CHECK(straight("rp2350-hazard3", "lw a0, 0(a1)\nsw a1, 4(a0)\n", 2) == 3);
  // Rocket: words one cycle late, bytes two.
  CHECK(straight("sifive-e31", "lw a0, 0(a1)\nadd a2, a0, a3\n", 2) == 1 + 1 + 1);
  CHECK(straight("sifive-e31", "lb a0, 0(a1)\nadd a2, a0, a3\n", 2) == 1 + 2 + 1);
  // SCR1: every access takes two.
  CHECK(straight("syntacore-scr1-max", "lw a0, 0(a1)\nsw a2, 0(a1)\nadd a2, a0, a3\n", 3) ==
        2 + 2 + 1);
}

TEST_CASE("branches of the RISC-V cores", "[cost]") {
  const char *loop = "1: addi a0, a0, -1\nbnez a0, 1b\n";
  // Hazard3: first and last branch of the loop are mispredicted.
  CHECK(price("rp2350-hazard3", loop, {{10, 0}, {10, 9}}).report.cycles == 20 + 2);
  // Rocket: the last one.
  CHECK(price("sifive-e31", loop, {{10, 0}, {10, 9}}).report.cycles == 20 + 3);
  // SCR1: every taken one.
  CHECK(price("syntacore-scr1-max", loop, {{10, 0}, {10, 9}}).report.cycles == 20 + 9 * 3);
  // The outer loop's branch is not the last backward branch any more: mispredicted whenever taken.
  CHECK(price("rp2350-hazard3",
              "2: li a0, 5\n1: addi a0, a0, -1\nbnez a0, 1b\naddi a1, a1, -1\nbnez a1, 2b\n",
              {{4, 0}, {20, 0}, {20, 16}, {4, 0}, {4, 3}})
            .report.cycles == (4 + 40 + 8) + 2 * 4 + 3);
  // A loop that starts with an unaligned 32-bit instruction pays one more for each jump to it.
  CHECK(price("rp2350-hazard3", "c.nop\n1: lui a2, 0x12345\naddi a0, a0, -1\nbnez a0, 1b\n",
              {{1, 0}, {10, 0}, {10, 0}, {10, 9}})
            .report.cycles == 31 + 2 + 9);
  CHECK(price("rp2350-hazard3", "jal ra, f\njalr zero, 0(ra)\n", {{1, 1}, {1, 1}}).report.cycles ==
        4);
}

TEST_CASE("the Cortex-M7 pairs instructions", "[cost]") {
  // Two independent additions a cycle; a chain one a cycle.
  CHECK(straight("cortex-m7",
                 "adds r0, r1, r2\nadds r3, r4, r5\nadds r0, r1, r4\nadds r3, r4, r2\n", 4) == 2);
  CHECK(straight("cortex-m7",
                 "adds r0, r0, r2\nadds r0, r0, r3\nadds r0, r0, r4\nadds r0, r0, r5\n", 4) == 4);
  // One multiplier.
  CHECK(straight("cortex-m7", "smlad r0, r1, r2, r0\nsmlad r3, r4, r5, r3\n", 2) == 2);
  // Load and multiply go together; a use of the load waits for its second cycle.
  CHECK(straight("cortex-m7", "ldr r0, [r1]\nsmlad r3, r4, r5, r3\n", 2) == 1);
  CHECK(straight("cortex-m7", "ldr r0, [r1]\nadds r3, r0, r3\n", 2) == 3);
  // Two words a cycle.
  CHECK(straight("cortex-m7", "ldm r0, {r1, r2, r3, r4}\n", 1) == 2);
  // The loop's branch pairs with the subtraction's neighbour and is predicted: the exit costs four.
  CHECK(
      price("cortex-m7", "1: ldr r0, [r1]\nsubs r2, r2, #1\nbne 1b\n", {{10, 0}, {10, 0}, {10, 9}})
          .report.cycles == 10 * 2 + 4);
}

TEST_CASE("vector operations take two cycles of their unit", "[cost]") {
  for (const char *cpu : {"cortex-m55", "cortex-m85"}) {
    // Three pixels by two channels: six loads overlap with six multiply-accumulates, twelve cycles.
    const char *body = "vldrb.u8 q0, [r0]\nvmlava.s8 r2, q1, q2\n"
                       "vldrb.u8 q0, [r0]\nvmlava.s8 r4, q1, q2\n"
                       "vldrb.u8 q0, [r0]\nvmlava.s8 r6, q1, q2\n";
    CHECK(straight(cpu, body, 6) == 6);
    // Multiply-accumulates alone: the unit is the limit.
    CHECK(straight(cpu, "vmlava.s8 r2, q1, q2\nvmlava.s8 r4, q1, q2\n", 2) == 4);
  }
  // LE: an instruction and a taken branch once, then free. One vector load an iteration: two
  // cycles.
  auto loop = price("cortex-m55", "dls lr, r0\n1: vldrw.u32 q0, [r1], #16\nle lr, 1b\n",
                    {{1, 0}, {10, 0}, {10, 9}});
  CHECK(loop.report.cycles == 1 + 10 * 2 + (1 + 3));
}

TEST_CASE("wait states of the code memory", "[cost]") {
  // Sixteen 16-bit instructions in two lines of 16 bytes.
  std::string sixteen;
  for (int i = 0; i < 16; ++i)
    sixteen += "adds r0, r0, #1\n";
  std::vector<std::pair<uint64_t, uint64_t>> once(16, {1, 0});
  MemoryTiming memory;
  memory.flashWaitStates = 5;
  memory.prefetch = false;
  CHECK(price("cortex-m0plus", sixteen, once).report.cycles == 16);
  CHECK(price("cortex-m0plus", sixteen, once, memory).report.cycles == 16 + 5);
  // The first line runs for eight cycles: prefetch hides all five.
  memory.prefetch = true;
  CHECK(price("cortex-m0plus", sixteen, once, memory).report.cycles == 16);
  // Lines of four bytes run for two cycles: three of five are left, for seven more lines.
  memory.fetchBytes = 4;
  CHECK(price("cortex-m0plus", sixteen, once, memory).report.cycles == 16 + 7 * 3);
  // A loop within the buffered line is free, one that jumps to another line is not.
  memory.fetchBytes = 16;
  const char *loop = "1: subs r0, #1\nbne 1b\n";
  CHECK(price("cortex-m0plus", loop, {{10, 0}, {10, 9}}, memory).report.cycles == 29);
  memory.fetchBytes = 2;
  memory.prefetch = false;
  CHECK(price("cortex-m0plus", loop, {{10, 0}, {10, 9}}, memory).report.cycles ==
        29 + 10 * 5 + 9 * 5);
  // Outside of Flash nothing waits.
  memory.flashBegin = 0x1000;
  CHECK(price("cortex-m0plus", loop, {{10, 0}, {10, 9}}, memory).report.cycles == 29);
}

TEST_CASE("cycles by function, and literals are no code", "[cost]") {
  const char *text = ".thumb\n.globl f\n.type f,%function\n.thumb_func\nf: ldr r0, =0x12345678\nbx "
                     "lr\n.ltorg\n.size f, .-f\n"
                     ".globl g\n.type g,%function\n.thumb_func\ng: nop\nbx lr\n.size g, .-g\n";
  auto priced = price("cortex-m4", text, {{3, 0}, {3, 3}, {1, 0}, {1, 1}});
  const CodeFunction *f = priced.image.function("f"), *g = priced.image.function("g");
  REQUIRE(f);
  REQUIRE(g);
  CHECK(priced.report.cyclesIn(f->begin, f->end) == 3 * (2 + 1 + 3));
  CHECK(priced.report.cyclesIn(g->begin, g->end) == 1 + 1 + 3);
  CHECK(priced.report.executedIn(f->begin, f->end) == 6);
  CHECK(priced.report.cycles == 18 + 5);
  CHECK(priced.image.functionAt(g->begin + 2) == g);
}

TEST_CASE("wrong uses of the cycle model", "[cost]") {
  TargetInfo m4 = targetOf("cortex-m4");
  auto object = assemble(m4, "add r0, r1, r2\n");
  auto image = CodeImage::decode(object, m4);
  REQUIRE(static_cast<bool>(image));
  auto model = CycleModel::create(m4);
  REQUIRE(static_cast<bool>(model));
  auto stray = model->cycles(*image, ExecutionProfile{{{2, 1, 0}}});
  REQUIRE_FALSE(static_cast<bool>(stray));
  CHECK(llvm::toString(stray.takeError()).find("0x2") != std::string::npos);
  auto taken = model->cycles(*image, ExecutionProfile{{{0, 1, 2}}});
  REQUIRE_FALSE(static_cast<bool>(taken));
  llvm::consumeError(taken.takeError());
  auto other = CodeImage::decode(object, targetOf("sifive-e31"));
  REQUIRE_FALSE(static_cast<bool>(other));
  llvm::consumeError(other.takeError());
  TargetOptions hostOptions;
  hostOptions.target = "host";
  auto host = resolveTarget(hostOptions);
  REQUIRE(static_cast<bool>(host));
  auto none = CycleModel::create(*host);
  REQUIRE_FALSE(static_cast<bool>(none));
  llvm::consumeError(none.takeError());
  MemoryTiming odd;
  odd.fetchBytes = 12;
  auto width = CycleModel::create(m4, odd);
  REQUIRE_FALSE(static_cast<bool>(width));
  llvm::consumeError(width.takeError());
}

TEST_CASE("every core that can be chosen has a model whose figures have sources", "[cost]") {
  for (const char *cpu : {"cortex-m0",          "cortex-m0plus", "cortex-m1",  "cortex-m3",
                          "cortex-m4",          "cortex-m7",     "cortex-m23", "cortex-m33",
                          "cortex-m35p",        "cortex-m52",    "cortex-m55", "cortex-m85",
                          "rp2350-hazard3",     "sifive-e20",    "sifive-e21", "sifive-e24",
                          "sifive-e31",         "sifive-e34",    "sifive-e76", "syntacore-scr1-max",
                          "syntacore-scr3-rv32"}) {
    INFO(cpu);
    auto model = CycleModel::create(targetOf(cpu));
    REQUIRE(static_cast<bool>(model));
    std::string text;
    llvm::raw_string_ostream os(text);
    model->describe(os);
    CHECK(text.find(model->core().str()) != std::string::npos);
    CHECK(text.find("|  |\n") == std::string::npos);
  }
}
