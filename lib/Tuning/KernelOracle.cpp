#include "mfc/Tuning/KernelOracle.h"

#include "mfc/Codegen/InclusiveCost.h"
#include "mfc/Target/TargetInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"

using namespace mfc;

/// Names in the text: the same for every model, so that equal kernels have equal texts.
static constexpr const char *kModelName = "candidate", *kKernelName = "kernel";

KernelOracle::KernelOracle(const Graph &graph, const Plan &plan, const TargetInfo &target, RecordCache &cache,
                           unsigned threads)
    : graph(graph), plan(plan), target(target), row(targetRow(target)), cache(cache), threads(threads) {
  options.modelName = kModelName;
}

/// Only their sizes matter to the code.
static void forgetConstants(llvm::Module &module) {
  for (llvm::GlobalVariable &global : module.globals())
    if (global.hasInitializer())
      global.setInitializer(llvm::Constant::getNullValue(global.getValueType()));
}

static uint64_t constantBytes(const llvm::Module &module) {
  uint64_t bytes = 0;
  for (const llvm::GlobalVariable &global : module.globals())
    bytes += module.getDataLayout().getTypeAllocSize(global.getValueType());
  return bytes;
}

CostRecord KernelOracle::compile(llvm::Module &module) const {
  CostRecord record;
  llvm::Expected<ObjectCode> object = compileToObject(module, target);
  if (!object) {
    record.problem = llvm::toString(object.takeError());
    return record;
  }
  Kernel named;
  named.name = kKernelName;
  const std::string symbol = kernelSymbol(kModelName, named);
  const FunctionRecord *function = object->find(symbol);
  if (!function) {
    record.problem = "no code for " + symbol;
    return record;
  }
  record = function->cost;
  record.constBytes += constantBytes(module);
  const ObjectCode *objects[] = {&*object};
  std::optional<Inclusive> inclusive = InclusiveCosts(objects).of(symbol);
  record.modelledCycles = inclusive ? std::optional(inclusive->cycles) : std::nullopt;
  return record;
}

CostRecord KernelOracle::findOrCompile(const std::string &key, llvm::Module &module) {
  std::optional<CostRecord> record = cache.find(key);
  bool found = record.has_value();
  if (!found) {
    record = compile(module);
    cache.store(key, *record);
  }
  std::lock_guard<std::mutex> lock(mutex);
  ++(found ? count.found : count.compiled);
  return std::move(*record);
}

llvm::Expected<CostRecord> KernelOracle::answer(const Candidate &candidate) {
  llvm::LLVMContext context;
  Kernel kernel = *candidate.kernel;
  kernel.name = kKernelName;
  auto module = lowerKernel(context, graph, plan, kernel, target, options);
  if (!module)
    return module.takeError();
  forgetConstants(**module);
  Candidate complete; // without the schedule: what it changes is in the text
  llvm::raw_string_ostream(complete.text) << **module;
  std::string key = candidateKey(complete, row);
  {
    std::unique_lock<std::mutex> lock(mutex);
    ++count.asked;
    auto [entry, first] = answers.try_emplace(key);
    if (!first) {
      ready.wait(lock, [&] { return entry->second.has_value(); });
      return *entry->second;
    }
  }
  CostRecord record = findOrCompile(key, **module);
  std::lock_guard<std::mutex> lock(mutex);
  answers[key] = record;
  ready.notify_all();
  return record;
}

llvm::Expected<CostRecord> KernelOracle::measure(const Candidate &candidate) { return answer(candidate); }

llvm::Expected<std::vector<CostRecord>> KernelOracle::measureAll(llvm::ArrayRef<Candidate> candidates) {
  std::vector<std::optional<llvm::Expected<CostRecord>>> answered(candidates.size());
  if (threads == 1 || candidates.size() == 1) {
    for (size_t i = 0; i < candidates.size(); ++i)
      answered[i].emplace(answer(candidates[i]));
  } else {
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency(threads));
    for (size_t i = 0; i < candidates.size(); ++i)
      pool.async([&, i] { answered[i].emplace(answer(candidates[i])); });
    pool.wait();
  }
  std::vector<CostRecord> records;
  llvm::Error error = llvm::Error::success();
  for (auto &one : answered)
    if (*one)
      records.push_back(std::move(**one));
    else
      error = llvm::joinErrors(std::move(error), one->takeError());
  if (error)
    return error;
  return records;
}
