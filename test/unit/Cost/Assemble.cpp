#include "Assemble.h"

#include "llvm-c/Target.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <catch2/catch.hpp>

using namespace mfc;

TargetInfo targetOf(llvm::StringRef cpu) {
  TargetOptions options;
  options.mcpu = cpu.str();
  auto target = resolveTarget(options);
  INFO(cpu.str());
  REQUIRE(static_cast<bool>(target));
  return *target;
}

static void initializeAssemblers() {
  LLVMInitializeARMTargetInfo();
  LLVMInitializeARMTargetMC();
  LLVMInitializeARMAsmParser();
  LLVMInitializeRISCVTargetInfo();
  LLVMInitializeRISCVTargetMC();
  LLVMInitializeRISCVAsmParser();
}

llvm::SmallVector<char, 0> assemble(const TargetInfo &target, llvm::StringRef text) {
  initializeAssemblers();
  std::string error;
  llvm::Triple triple(target.triple);
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(triple, error);
  REQUIRE(backend);
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(backend->createMCRegInfo(triple));
  std::unique_ptr<llvm::MCAsmInfo> info(backend->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<llvm::MCInstrInfo> instructions(backend->createMCInstrInfo());
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      backend->createMCSubtargetInfo(triple, target.cpu, target.features));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), llvm::SMLoc());
  llvm::MCContext context(triple, info.get(), registers.get(), subtarget.get(), &sources, &options);
  std::unique_ptr<llvm::MCObjectFileInfo> files(backend->createMCObjectFileInfo(context, false));
  context.setObjectFileInfo(files.get());
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  std::unique_ptr<llvm::MCAsmBackend> assembler(
      backend->createMCAsmBackend(*subtarget, *registers, options));
  auto writer = assembler->createObjectWriter(os);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(
      backend->createMCCodeEmitter(*instructions, context));
  std::unique_ptr<llvm::MCStreamer> streamer(backend->createMCObjectStreamer(
      triple, context, std::move(assembler), std::move(writer), std::move(emitter), *subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *info));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
      backend->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*targetParser);
  INFO(text.str());
  REQUIRE_FALSE(parser->Run(/*NoInitialTextSection=*/false));
  return object;
}
