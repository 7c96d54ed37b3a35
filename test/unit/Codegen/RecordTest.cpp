// The record of the register allocator and the frame: a kernel that must spill, one that must not.
#include "ModuleFixture.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

TEST_CASE("a loop with more live values than registers spills, and the record says where") {
  for (const char *name : {"cortex-m0plus", "cortex-m4", "rv32imc", "cortex-m55", "cortex-m7"}) {
    INFO(name);
    // RV32 has 31 registers, the others 14 or fewer.
    ObjectCode object = compileText(sumsKernel(36), targetNamed(name));
    REQUIRE(object.functions.size() == 1);
    const CostRecord &cost = object.functions[0].cost;
    CHECK(cost.spills > 0);
    CHECK(cost.reloads > 0);
    // At least what does not fit: 36 sums, 4 bytes each.
    CHECK(cost.spillSlotBytes >= (36 - 31) * 4);
    CHECK(cost.spillSlotBytes % 4 == 0);
    CHECK(cost.frameBytes >= cost.spillSlotBytes);
    CHECK(cost.calleeSaved > 0);
    REQUIRE(cost.loops.size() == 1);
    CHECK(cost.loops[0].loop == "taps");
    CHECK(cost.loops[0].depth == 1);
    CHECK(cost.loops[0].spills > 0);
    CHECK(cost.loops[0].reloads > 0);
    CHECK(cost.loops[0].spills <= cost.spills);
    CHECK(cost.loops[0].reloads <= cost.reloads);
  }
}

TEST_CASE("a small loop does not spill") {
  for (const std::string &name : allTargets()) {
    INFO(name);
    ObjectCode object = compileText(sumsKernel(2), targetNamed(name));
    const CostRecord &cost = object.functions.at(0).cost;
    CHECK(cost.spills == 0);
    CHECK(cost.reloads == 0);
    CHECK(cost.spillSlotBytes == 0);
    CHECK(cost.loops.empty());
    CHECK(cost.registersUsed >= 5); // in, n or i, x, two sums
    CHECK(cost.codeBytes > 0);
  }
}

TEST_CASE("spills grow with the number of live values") {
  TargetInfo m4 = targetNamed("cortex-m4");
  unsigned few = compileText(sumsKernel(16), m4).functions.at(0).cost.reloads;
  unsigned many = compileText(sumsKernel(32), m4).functions.at(0).cost.reloads;
  CHECK(few < many);
}

TEST_CASE("spills in nested loops are counted at the loop that has them") {
  // The outer loop keeps its counter and pointers in memory while the inner one needs all registers.
  std::string kernel = sumsKernel(20);
  size_t at = kernel.find("entry:\n  br label %taps");
  REQUIRE(at != std::string::npos);
  kernel.replace(at, std::string("entry:\n  br label %taps").size(),
                 "top:\n  br label %entry\nentry:\n"
                 "  %row = phi i32 [ 0, %top ], [ %nextrow, %exit ]\n  br label %taps");
  at = kernel.find("  ret void");
  kernel.replace(at, std::string("  ret void").size(),
                 "  %nextrow = add i32 %row, 1\n  %again = icmp ne i32 %nextrow, %n\n"
                 "  br i1 %again, label %entry, label %end\nend:\n  ret void");
  const CostRecord cost = compileText(kernel, targetNamed("cortex-m4")).functions.at(0).cost;
  unsigned outer = 0, inner = 0;
  for (const LoopSpills &loop : cost.loops) {
    if (loop.loop == "entry") {
      CHECK(loop.depth == 1);
      outer += loop.spills + loop.reloads;
    }
    if (loop.loop == "taps") {
      CHECK(loop.depth == 2);
      inner += loop.spills + loop.reloads;
    }
  }
  CHECK(outer > 0);
  CHECK(inner > 0);
  CHECK(outer + inner <= cost.spills + cost.reloads);
}

TEST_CASE("frame bytes are those of .stack_sizes") {
  for (const std::string &name : allTargets()) {
    INFO(name);
    for (unsigned live : {2u, 36u}) {
      ObjectCode object = compileText(sumsKernel(live), targetNamed(name));
      llvm::Expected<ObjectInfo> info = readObject(object.bytes);
      REQUIRE(bool(info));
      REQUIRE(info->stackSizes.size() == 1);
      CHECK(info->stackSizes[0].function == "sums");
      CHECK(info->stackSizes[0].bytes == object.functions.at(0).cost.frameBytes);
    }
  }
}

/// Three products of loads, in the order load, load, multiply.
static const char *productsText = R"(
define void @f(ptr %a, ptr %b, ptr %o) {
  %a0 = load i32, ptr %a
  %b0 = load i32, ptr %b
  %m0 = mul i32 %a0, %b0
  %pa1 = getelementptr i32, ptr %a, i32 1
  %pb1 = getelementptr i32, ptr %b, i32 1
  %a1 = load i32, ptr %pa1
  %b1 = load i32, ptr %pb1
  %m1 = mul i32 %a1, %b1
  %s = add i32 %m0, %m1
  store i32 %s, ptr %o
  ret void
}
)";

TEST_CASE("without the machine scheduler the source order stays") {
  TargetInfo rv32 = targetNamed("rv32imc");
  // Position of the second load of %a, compared with the first multiplication.
  auto multipliesFirst = [&](const CodegenSwitches &switches) {
    std::string text = assemblyOf(productsText, rv32, switches);
    INFO(text);
    size_t multiplication = text.find("\tmul"), load = text.find("4(a0)");
    REQUIRE(multiplication != std::string::npos);
    REQUIRE(load != std::string::npos);
    return multiplication < load;
  };
  CHECK_FALSE(multipliesFirst({}));
  CHECK(multipliesFirst({.machineScheduler = false}));
  CHECK_FALSE(multipliesFirst({.loopStrengthReduce = false}));
  CHECK_FALSE(multipliesFirst({})); // nothing sticks
}

TEST_CASE("without loop strength reduction the address stays base plus index") {
  auto indexed = [](const CodegenSwitches &switches) {
    return assemblyOf(sumsKernel(2), targetNamed("cortex-m4"), switches).find(", lsl #2]") !=
           std::string::npos;
  };
  CHECK_FALSE(indexed({}));
  CHECK(indexed({.loopStrengthReduce = false}));
  CHECK_FALSE(indexed({.machineScheduler = false}));
  CHECK_FALSE(indexed({}));
}

TEST_CASE("cleanup removes what is computed twice") {
  // In two blocks, out of reach of the instruction selector, which sees one block at a time.
  std::string twice = "define i32 @f(ptr %p, i32 %a, i1 %c) {\n  %x = mul i32 %a, %a\n"
                      "  store i32 %x, ptr %p\n  br i1 %c, label %next, label %done\nnext:\n"
                      "  %y = mul i32 %a, %a\n  store volatile i32 %y, ptr %p\n  br label %done\n"
                      "done:\n  ret i32 0\n}\n";
  auto products = [&](const CodegenSwitches &switches) {
    std::string text = assemblyOf(twice, targetNamed("rv32imc"), switches);
    unsigned count = 0;
    for (size_t at = text.find("\tmul"); at != std::string::npos; at = text.find("\tmul", at + 1))
      ++count;
    return count;
  };
  CHECK(products({.cleanup = true}) == 1);
  CHECK(products({}) >= 1);
}
