// What is read back from the objects, and the libraries that are refused.
#include "mfc/Emit/CodeFacts.h"
#include "SampleModel.h"
#include "mfc/Codegen/ObjectInfo.h"
#include "mfc/Emit/EntryPoints.h"
#include "mfc/Emit/Names.h"
#include "mfc/Support/ClassifiedError.h"

#include "llvm/IR/IRBuilder.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

namespace {

std::string internalError(llvm::Error error) {
  REQUIRE(bool(error));
  CHECK(errorClassOf(error) == ErrorClass::Internal);
  return llvm::toString(std::move(error));
}

SampleOptions on(const char *cpu, bool isFloat = false) {
  SampleOptions options;
  options.cpu = cpu;
  options.isFloat = isFloat;
  return options;
}

} // namespace

TEST_CASE("sizes, frames and call sites come from the objects") {
  for (const char *cpu : {"cortex-m0plus", "cortex-m4", "cortex-m55", "rv32imc", "host"}) {
    INFO(cpu);
    SampleModel sample(on(cpu));
    REQUIRE(!sample.build());
    const ModelInfo &info = sample.info;
    REQUIRE(info.layers.size() == 1);
    CHECK(info.layers[0].name == "add_1");
    CHECK(info.layers[0].kernel == "mfc_tiny_k0_add");
    CHECK(info.layers[0].codeBytes > 0);
    CHECK(info.layers[0].constBytes == 4);
    CHECK(info.layers[0].callSites.size() == 1);
    CHECK(info.totals.codeBytes > info.layers[0].codeBytes);
    CHECK(info.totals.constBytes == 8); // the weights and the id
    CHECK(info.totals.arenaBytes == 32);
    CHECK(info.totals.sramBytes() == 32);
    CHECK(info.totals.flashBytes() == info.totals.codeBytes + 8);
    CHECK(info.totals.stackBytes > 0); // at least the return address of the driver
    CHECK(info.totals.stackBytes < 100);
    CHECK(info.undefinedSymbols.empty());
  }
}

TEST_CASE("a float model may need the helpers of its target and says which") {
  SampleModel m0(on("cortex-m0plus", true));
  REQUIRE(!m0.build());
  CHECK(m0.info.undefinedSymbols == std::vector<std::string>{"__aeabi_fadd"});
  SampleModel rv32(on("rv32imc", true));
  REQUIRE(!rv32.build());
  CHECK(rv32.info.undefinedSymbols == std::vector<std::string>{"__addsf3"});
  SampleModel m4(on("cortex-m4", true));
  REQUIRE(!m4.build());
  CHECK(m4.info.undefinedSymbols.empty());
}

TEST_CASE("a library that needs anything else is an internal error") {
  for (bool isFloat : {false, true}) {
    SampleModel sample(on("cortex-m0plus", isFloat));
    llvm::Function *run = sample.module->getFunction("mfc_tiny_run");
    llvm::IRBuilder<> b(run->getEntryBlock().getTerminator());
    b.CreateCall(sample.module->getOrInsertFunction("memcpy", b.getVoidTy(), b.getPtrTy()),
                 {run->getArg(0)});
    std::string message = internalError(sample.build());
    CHECK(message.find("'memcpy'") != std::string::npos);
  }
}

TEST_CASE("helpers of the float run-time ABI are known by name") {
  for (const char *name : {"__aeabi_fadd", "__aeabi_fcmplt", "__aeabi_i2f", "__aeabi_dmul",
                           "__mulsf3", "__fixsfsi", "__unordsf2", "__floatunsisf"})
    CHECK(isSoftFloatHelper(name));
  for (const char *name :
       {"memcpy", "__aeabi_memcpy", "__aeabi_idiv", "__aeabi_lmul", "__aeabi_uidivmod", "__divsi3",
        "__muldi3", "expf", "__aeabi_", "__", "", "__aeabi_f", "malloc"})
    CHECK(!isSoftFloatHelper(name));
}

TEST_CASE("writable data and recursion are internal errors") {
  SampleModel data(on("cortex-m4"));
  auto *i32 = llvm::Type::getInt32Ty(data.context);
  new llvm::GlobalVariable(*data.module, i32, false, llvm::GlobalValue::ExternalLinkage,
                           llvm::ConstantInt::get(i32, 5), "counter");
  CHECK(internalError(data.build()).find("writable data") != std::string::npos);

  SampleModel recursive(on("cortex-m4"));
  llvm::Function *kernel = recursive.module->getFunction("mfc_tiny_k0_add");
  llvm::IRBuilder<> b(kernel->getEntryBlock().getTerminator());
  b.CreateCall(kernel, {kernel->getArg(0), kernel->getArg(1)})->setIsNoInline();
  CHECK(internalError(recursive.build()).find("calls itself") != std::string::npos);
}

TEST_CASE("a kernel that was not compiled is an internal error") {
  SampleModel sample(on("cortex-m4"));
  sample.info.layers.push_back(sample.info.layers[0]);
  sample.info.layers.back().kernel = "mfc_tiny_k1_lost";
  CHECK(internalError(sample.build()).find("mfc_tiny_k1_lost") != std::string::npos);
}

TEST_CASE("the arena takes no room in the file and has its own section") {
  SampleModel sample(on("cortex-m4"));
  REQUIRE(!sample.build());
  ObjectInfo object = llvm::cantFail(readObject(sample.objects[1].code.bytes));
  const ObjectSection *arena = object.section(".bss.mfc.tiny.SRAM");
  REQUIRE(arena);
  CHECK(arena->noBits);
  CHECK(arena->bytes == 32);
  CHECK(arena->align == 16);
}

TEST_CASE("the id changes with code, constants and interface, and with nothing else") {
  auto id = [](const SampleOptions &options) {
    SampleModel sample(options);
    llvm::cantFail(sample.build());
    return sample.info.id;
  };
  const std::string base = id({});
  CHECK(base.size() == 16);
  CHECK(id({}) == base);
  SampleOptions changed;
  changed.firstConstant = 2;
  CHECK(id(changed) != base);
  changed = {};
  changed.cpu = "cortex-m7";
  CHECK(id(changed) != base);
  changed = {};
  changed.preserveInputs = true;
  CHECK(id(changed) != base);
  changed = {};
  changed.inputName = "audio";
  CHECK(id(changed) != base);
}

TEST_CASE("equal models give equal bytes") {
  auto files = [] {
    SampleModel sample(on("cortex-m55"));
    llvm::cantFail(sample.build());
    return llvm::cantFail(writeLibrary(sample.info, sample.objects));
  };
  LibraryFiles first = files(), second = files();
  CHECK(first.archive == second.archive);
  CHECK(first.header == second.header);
  CHECK(first.linkerFragment == second.linkerFragment);
  CHECK(first.report == second.report);
}
