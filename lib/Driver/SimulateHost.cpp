// A compiled model in this process. Arenas and caller's buffers end at an inaccessible page, so that a read or
// write past the end faults; a damaged zone in front is reported.
#include "Simulate.h"

#include "mfc/Codegen/Compile.h"
#include "mfc/Emit/Names.h"
#include "mfc/Sim/HostRun.h"
#include "mfc/Support/ClassifiedError.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include <cstring>

using namespace mfc;

namespace {

constexpr const char *kCallFunction = "mfc_sim_call";

/// struct mfc_X_memory on the build machine: a version, then pointer and size of each arena, naturally aligned.
std::vector<uint8_t> memoryStruct(const ModelInfo &info, std::vector<GuardedBuffer> &arenas) {
  std::vector<uint8_t> bytes(8 + 16 * info.regions.size());
  uint32_t version = kInterfaceVersion;
  std::memcpy(bytes.data(), &version, sizeof version);
  for (size_t i = 0; i < info.regions.size(); ++i) {
    uint8_t *address = arenas[i].data();
    uint32_t size = static_cast<uint32_t>(info.regions[i].bytes);
    std::memcpy(bytes.data() + 8 + 16 * i, &address, sizeof address);
    std::memcpy(bytes.data() + 16 + 16 * i, &size, sizeof size);
  }
  return bytes;
}

/// int mfc_sim_call(ptr arguments): the entry point with the arguments that the array holds, however many.
std::unique_ptr<llvm::Module> createCall(llvm::LLVMContext &context, const ModelInfo &info, size_t arguments) {
  auto module = std::make_unique<llvm::Module>("mfc_sim_call", context);
  auto *pointer = llvm::PointerType::get(context, 0);
  auto *i32 = llvm::Type::getInt32Ty(context);
  auto *fn = llvm::Function::Create(llvm::FunctionType::get(i32, pointer, false), llvm::GlobalValue::ExternalLinkage,
                                    kCallFunction, *module);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", fn));
  std::vector<llvm::Value *> values;
  for (size_t i = 0; i < arguments; ++i)
    values.push_back(b.CreateLoad(pointer, b.CreateConstGEP1_64(pointer, fn->getArg(0), i)));
  std::vector<llvm::Type *> types(arguments, pointer);
  b.CreateRet(b.CreateCall(
      module->getOrInsertFunction(memoryEntrySymbol(info), llvm::FunctionType::get(i32, types, false)), values));
  return module;
}

class HostSimulation {
public:
  HostSimulation(const CompiledModel &model, unsigned poison) : info(model.info), model(model), poison(poison) {}

  llvm::Error prepare() {
    std::vector<llvm::ArrayRef<char>> objects;
    for (const LibraryObject &object : model.objects)
      objects.push_back(object.code.bytes);
    for (const RegionInfo &region : info.regions)
      if (llvm::Error error = addBuffer(arenas, region.bytes))
        return error;
    for (const auto *list : {&info.inputs, &info.outputs})
      for (const PortInfo &port : *list)
        if (port.caller)
          if (llvm::Error error = addBuffer(callerBuffers, port.bytes))
            return error;
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> call = createCall(context, info, 2 + callerBuffers.size());
    llvm::Expected<ObjectCode> object = compileToObject(*call, model.target);
    if (!object)
      return object.takeError();
    objects.push_back(object->bytes);
    auto loaded = HostProgram::load(objects);
    if (!loaded)
      return loaded.takeError();
    program = std::move(*loaded);
    return llvm::Error::success();
  }

  llvm::Error run(SimRun &run) {
    for (auto *list : {&arenas, &callerBuffers})
      for (GuardedBuffer &buffer : *list)
        buffer.fill(static_cast<uint8_t>(poison));
    for (size_t i = 0; i < info.inputs.size(); ++i)
      std::memcpy(address(info.inputs[i], i), run.inputs[i].bytes.data(), run.inputs[i].bytes.size());
    std::vector<uint8_t> memory = memoryStruct(info, arenas);
    std::vector<void *> arguments{memory.data(), program->lookup(idSymbol(info))};
    for (GuardedBuffer &buffer : callerBuffers)
      arguments.push_back(buffer.data());
    auto *call = program->function<int(void **)>(kCallFunction);
    if (!call || !arguments[1])
      return makeError(ErrorClass::Internal, "the library has no entry point " + memoryEntrySymbol(info));
    run.result.status = call(arguments.data());
    run.result.outcome = run.result.status == 0 ? RunOutcome::Ok : RunOutcome::InvokeFailed;
    for (auto *list : {&arenas, &callerBuffers})
      for (GuardedBuffer &buffer : *list)
        if (!buffer.frontIntact())
          run.result.outcome = RunOutcome::RedZoneBroken;
    for (size_t i = 0; i < info.outputs.size(); ++i) {
      const PortInfo &port = info.outputs[i];
      run.outputs.emplace_back(reinterpret_cast<char *>(address(port, info.inputs.size() + i)), port.bytes);
    }
    return llvm::Error::success();
  }

private:
  llvm::Error addBuffer(std::vector<GuardedBuffer> &list, uint64_t bytes) {
    auto buffer = GuardedBuffer::allocate((bytes + 15) / 16 * 16); // the end page-aligned, the start 16
    if (!buffer)
      return buffer.takeError();
    list.push_back(std::move(*buffer));
    return llvm::Error::success();
  }

  uint8_t *address(const PortInfo &port, size_t callerIndex) {
    return port.caller ? callerBuffers[callerIndex].data() : arenas[port.region].data() + port.offset;
  }

  const ModelInfo &info;
  const CompiledModel &model;
  unsigned poison;
  std::unique_ptr<HostProgram> program;
  std::vector<GuardedBuffer> arenas, callerBuffers;
};
} // namespace

llvm::Error mfc::simulateOnHost(const CompiledModel &model, const SimOptions &options, std::vector<SimRun> &runs) {
  HostSimulation simulation(model, options.poison);
  if (llvm::Error error = simulation.prepare())
    return error;
  for (SimRun &run : runs)
    if (llvm::Error error = simulation.run(run))
      return error;
  return llvm::Error::success();
}
