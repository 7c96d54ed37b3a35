// Executions of IR blocks, known without running them, for loops as the lowering writes them.
#include "BlockCounts.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <catch2/catch.hpp>

using namespace mfc::codegen;

namespace {

/// Counts the only function of the text; the names of its blocks give the counts back.
struct Counted {
  explicit Counted(const char *text) {
    llvm::SMDiagnostic problem;
    module = llvm::parseAssemblyString(text, problem, context);
    INFO(problem.getMessage().str());
    REQUIRE(module);
    for (const llvm::Function &function : *module)
      if (!function.isDeclaration())
        counts = countBlocks(function);
  }
  uint64_t of(llvm::StringRef name) const {
    for (const llvm::Function &function : *module)
      for (const llvm::BasicBlock &block : function)
        if (block.getName() == name)
          return counts.of(&block);
    FAIL("no block " << name.str());
    return 0;
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  BlockCounts counts;
};

} // namespace

TEST_CASE("nested loops with constant bounds", "[counts]") {
  Counted counted(R"(define void @f() {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %j1 = add nuw i32 %j, 1
  %more = icmp ult i32 %j1, 1000
  br i1 %more, label %inner, label %latch
latch:
  %i1 = add nuw i32 %i, 1
  %again = icmp ult i32 %i1, 50000
  br i1 %again, label %outer, label %done
done:
  ret void
})");
  CHECK(counted.of("entry") == 1);
  CHECK(counted.of("outer") == 50000);
  CHECK(counted.of("inner") == 50000000);
  CHECK(counted.of("latch") == 50000);
  CHECK(counted.of("done") == 1);
  CHECK(counted.counts.exact);
}

TEST_CASE("bounds that depend on the position, as at padded borders", "[counts]") {
  // Inner: max(0, 1 - i) .. 3 for i in 0 .. 9: 2 + 9 * 3 = 29; never for i = 5, which skips: 26.
  Counted counted(R"(declare i32 @llvm.smax.i32(i32, i32)
define void @f() {
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
  %j1 = add nuw i32 %j, 1
  %more = icmp ult i32 %j1, %n
  br i1 %more, label %inner, label %latch
latch:
  %i1 = add nuw i32 %i, 1
  %again = icmp ult i32 %i1, 10
  br i1 %again, label %outer, label %done
done:
  ret void
})");
  CHECK(counted.of("some") == 9);
  CHECK(counted.of("inner") == 26);
  CHECK(counted.counts.exact);
}

TEST_CASE("loops that count addresses or run in hardware", "[counts]") {
  Counted counted(R"(declare i32 @llvm.start.loop.iterations.i32(i32)
declare i32 @llvm.loop.decrement.reg.i32(i32, i32)
define void @f(ptr %p) {
entry:
  %end = getelementptr inbounds i8, ptr %p, i32 64
  br label %walk
walk:
  %q = phi ptr [ %p, %entry ], [ %next, %walk ]
  store i32 0, ptr %q
  %next = getelementptr inbounds i8, ptr %q, i32 4
  %stop = icmp eq ptr %next, %end
  br i1 %stop, label %mid, label %walk
mid:
  %n = call i32 @llvm.start.loop.iterations.i32(i32 12)
  br label %hw
hw:
  %c = phi i32 [ %n, %mid ], [ %c1, %hw ]
  %c1 = call i32 @llvm.loop.decrement.reg.i32(i32 %c, i32 1)
  %go = icmp ne i32 %c1, 0
  br i1 %go, label %hw, label %done
done:
  ret void
})");
  CHECK(counted.of("walk") == 16);
  CHECK(counted.of("hw") == 12);
  CHECK(counted.counts.exact);
}

TEST_CASE("a branch that depends on data takes the longer way and is said to", "[counts]") {
  Counted counted(R"(define void @f(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %join ]
  %v = load i32, ptr %p
  %positive = icmp sgt i32 %v, 0
  br i1 %positive, label %join, label %work
work:
  store i32 0, ptr %p
  br label %join
join:
  %i1 = add nuw i32 %i, 1
  %again = icmp ult i32 %i1, 7
  br i1 %again, label %loop, label %done
done:
  ret void
})");
  CHECK(counted.of("work") == 7);
  CHECK(counted.of("join") == 7);
  CHECK_FALSE(counted.counts.exact);
}

TEST_CASE("counting ends even if the loop does not", "[counts]") {
  Counted counted(R"(define void @f() {
entry:
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %i1, %loop ]
  %i1 = add i32 %i, 2
  %stop = icmp eq i32 %i1, 0
  br i1 %stop, label %done, label %loop
done:
  ret void
})");
  CHECK_FALSE(counted.counts.exact);
}
