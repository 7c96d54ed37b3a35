// Executions of machine instructions, known from trip counts: checked by counting the volatile
// stores that the back end must neither merge nor drop.
#include "ModuleFixture.h"

#include "mfc/Codegen/Compile.h"
#include "mfc/Cost/CodeImage.h"
#include "mfc/Target/TargetInfo.h"
#include <catch2/catch.hpp>

using namespace mfc;

using namespace mfc::test;

namespace {

constexpr const char *cpus[] = {"cortex-m0plus", "cortex-m3",  "cortex-m4",
                                "cortex-m7",     "cortex-m33", "cortex-m55",
                                "cortex-m85",    "sifive-e31", "rp2350-hazard3"};

/// Padded rows, as kernels have them: the inner loop runs from max(0, 1 - i) to 3 and is skipped in
/// row 5. Stores of bytes: 26 in the inner loop, 10 in the outer one, 1 behind.
constexpr const char *paddedRows = R"(
declare i32 @llvm.smax.i32(i32, i32)
define void @kernel(ptr %p) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %left = sub i32 1, %i
  %begin = call i32 @llvm.smax.i32(i32 %left, i32 0)
  %five = icmp eq i32 %i, 5
  br i1 %five, label %latch, label %some
some:
  %n = sub i32 3, %begin
  br label %inner
inner:
  %j = phi i32 [ 0, %some ], [ %j1, %inner ]
  %q = getelementptr inbounds i8, ptr %p, i32 %j
  store volatile i8 7, ptr %q
  %j1 = add nuw i32 %j, 1
  %more = icmp ult i32 %j1, %n
  br i1 %more, label %inner, label %latch
latch:
  store volatile i8 9, ptr %p
  %i1 = add nuw i32 %i, 1
  %again = icmp ult i32 %i1, 10
  br i1 %again, label %outer, label %done
done:
  store volatile i8 1, ptr %p
  ret void
})";

/// Executions of the function's instructions of one class. Pushes and spills have other classes or
/// are of words; RISC-V bytes cannot be told from words, so spills must not happen (they do not:
/// few values).
uint64_t executionsOf(const ObjectCode &object, const TargetInfo &target, llvm::StringRef function,
                      InstructionClass kind) {
  auto image = CodeImage::decode(object.bytes, target);
  REQUIRE(static_cast<bool>(image));
  const CodeFunction *code = image->function(function);
  REQUIRE(code);
  uint64_t sum = 0;
  for (const InstructionCount &count : object.find(function)->executions.instructions)
    if (image->at(code->begin + count.address)->kind == kind)
      sum += count.executions;
  return sum;
}

} // namespace

TEST_CASE("executions are known on every core", "[executions]") {
  for (const char *cpu : cpus) {
    INFO(cpu);
    TargetInfo target = targetNamed(cpu);
    for (bool scheduler : {true, false}) {
      CodegenSwitches switches;
      switches.machineScheduler = scheduler;
      ObjectCode object = compileText(paddedRows, target, switches);
      const FunctionRecord *kernel = object.find("kernel");
      REQUIRE(kernel);
      CHECK(executionsOf(object, target, "kernel", InstructionClass::Store) +
                executionsOf(object, target, "kernel", InstructionClass::StoreIndexed) ==
            26 + 10 + 1);
      REQUIRE(kernel->cost.modelledCycles);
      CHECK(*kernel->cost.modelledCycles > 37);
      uint64_t sum = 0;
      for (const InstructionCount &count : kernel->executions.instructions)
        sum += count.executions;
      CHECK(sum == kernel->instructions);
    }
  }
}

TEST_CASE("an object shows no trace of the counting", "[executions]") {
  ObjectCode object = compileText(paddedRows, targetNamed("cortex-m4"));
  llvm::StringRef bytes(object.bytes.data(), object.bytes.size());
  CHECK_FALSE(bytes.contains("bb_addr_map"));
}

TEST_CASE("calls are counted with their callees", "[executions]") {
  const char *text = R"(
define internal i32 @helper(i32 %x) noinline {
  %y = mul i32 %x, 3
  ret i32 %y
}
declare i32 @outside(i32)
define void @kernel(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %a = call i32 @helper(i32 %i)
  %b = call i32 @outside(i32 %a)
  store volatile i32 %b, ptr %p
  %i1 = add nuw i32 %i, 1
  %again = icmp ult i32 %i1, 12
  br i1 %again, label %loop, label %done
done:
  %c = call i32 @helper(i32 99)
  store volatile i32 %c, ptr %p
  ret void
})";
  for (const char *cpu : cpus) {
    INFO(cpu);
    ObjectCode object = compileText(text, targetNamed(cpu));
    const FunctionRecord *kernel = object.find("kernel");
    REQUIRE(kernel);
    REQUIRE(kernel->calls.size() == 2);
    CHECK(kernel->calls[0].callee == "helper");
    CHECK(kernel->calls[0].count == 13);
    CHECK(kernel->calls[1].callee == "outside");
    CHECK(kernel->calls[1].count == 12);
  }
}

TEST_CASE("a clamp of data is no exact count where it takes a branch", "[executions]") {
  const char *text = R"(
define void @kernel(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %v = load volatile i32, ptr %p
  %big = icmp sgt i32 %v, 100
  %w = select i1 %big, i32 100, i32 %v
  store volatile i32 %w, ptr %p
  %i1 = add nuw i32 %i, 1
  %again = icmp ult i32 %i1, 12
  br i1 %again, label %loop, label %done
done:
  ret void
})";
  for (const char *cpu : cpus) {
    INFO(cpu);
    TargetInfo target = targetNamed(cpu);
    ObjectCode object = compileText(text, target);
    CHECK(executionsOf(object, target, "kernel", InstructionClass::Store) == 12);
    bool branches = std::string(cpu) == "cortex-m0plus" || std::string(cpu) == "sifive-e31";
    if (branches)
      CHECK_FALSE(object.find("kernel")->exactCounts);
    else if (target.isArm())
      CHECK(object.find("kernel")->exactCounts);
  }
}
