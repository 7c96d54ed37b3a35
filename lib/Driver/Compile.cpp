// The phases, in order, each with its time. What each decides is its module's matter.
#include "mfc/Driver/Compile.h"
#include "BoardFile.h"
#include "ChooseGroups.h"
#include "ChooseTails.h"
#include "ScheduleSource.h"
#include "mfc/Emit/DebugInfo.h"
#include "mfc/IR/Printer.h"
#include "mfc/Import/Import.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Memory/ExecutionOrder.h"
#include "mfc/Memory/Planner.h"
#include "mfc/Memory/Verifier.h"
#include "mfc/Ops/Ops.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Transforms/FuseRegister.h"
#include "mfc/Transforms/Pipeline.h"
#include "mfc/Tuning/KernelOracle.h"
#include "mfc/Tuning/ScheduleSearch.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <chrono>

using namespace mfc;

namespace {

class Compilation {
public:
  Compilation(const CompileOptions &options, DiagnosticEngine &diag, llvm::raw_ostream &dump)
      : options(options), diag(diag), dump(dump) {}

  std::optional<CompiledModel> run();

private:
  const CompileOptions &options;
  DiagnosticEngine &diag;
  llvm::raw_ostream &dump;
  CompiledModel result;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;

  bool resolve();
  bool import();
  bool passes();
  bool supported();
  bool fuse();
  MemoryOptions memoryOptions() const;
  bool wantsSmallMemory() const { return options.objective != Objective::Cycles || searchOptions().sramLimit; }
  SearchOptions searchOptions() const;
  bool group();
  bool schedule();
  bool planForBoard(const MemoryOptions &memory);
  bool plan();
  void describe();
  bool lower();
  bool produce();
  bool produceText();
  bool produceObjects();

  LoweringOptions loweringOptions() const;
  std::string moduleText() const;
  void keep(llvm::StringRef ending, std::string contents) {
    if (options.saveTemps)
      result.temporaries.push_back({ending.str(), std::move(contents)});
  }
  /// The graph is the output, not the code.
  bool endsWithGraph() const {
    return options.emit == OutputKind::Graph || !options.stopAfter.empty();
  }
  bool fail(llvm::Error error) {
    Location location;
    location.file = options.model;
    reportError(diag, location, std::move(error));
    return false;
  }
  template <typename F> bool timed(const char *name, F &&phase) {
    auto start = std::chrono::steady_clock::now();
    bool ok = phase();
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    result.times.push_back({name, elapsed.count()});
    return ok && !diag.hasErrors();
  }
};

bool Compilation::resolve() {
  llvm::Expected<TargetInfo> target = resolveTarget(options.target);
  if (!target) {
    reportError(diag, {}, target.takeError());
    return false;
  }
  result.target = std::move(*target);
  llvm::Expected<std::string> name = modelName(options);
  if (!name) {
    reportError(diag, {}, name.takeError());
    return false;
  }
  result.info.name = std::move(*name);
  return true;
}

bool Compilation::import() {
  ImportOptions importOptions = options.import;
  importOptions.remarks = &result.info.decisions;
  importOptions.filesRead = &result.filesRead;
  std::optional<Graph> graph = importModel(options.model, importOptions, diag);
  if (!graph || !verifyGraph(*graph, diag))
    return false;
  result.graph = std::move(*graph);
  result.graph.name = result.info.name;
  if (options.saveTemps)
    keep(".import.mfcir", printToString(result.graph));
  return true;
}

bool Compilation::passes() {
  PipelineOptions pipelineOptions;
  pipelineOptions.quantizedIO = options.quantizedIO;
  pipelineOptions.optimize = options.level != OptLevel::O0;
  PassManager pm = buildPipeline(pipelineOptions);
  pm.stopAfter = options.stopAfter;
  pm.printAfter.insert(options.printAfter.begin(), options.printAfter.end());
  pm.printChangedOnly = options.printChanged;
  pm.print = [&](const PassInfo &pass, const Graph &graph) {
    dump << "// after " << pass.name << "\n";
    PrintOptions shortForm;
    shortForm.elideConstants = true;
    print(graph, dump, shortForm);
  };
  PassContext context{diag, result.info.decisions, {}, &result.target, nullptr};
  context.options.quantizedIO = options.quantizedIO;
  context.options.strictInt8 = options.strictInt8;
  bool ok = pm.run(result.graph, context);
  for (const PassTiming &timing : pm.timings())
    result.times.push_back({"  " + timing.name.str(), timing.seconds});
  if (!ok || diag.hasErrors())
    return false;
  if (!pm.verifyEach && !verifyGraph(result.graph, diag)) {
    Location location;
    location.file = options.model;
    diag.error(ErrorClass::Internal, location) << "the passes left a graph that does not verify";
    return false;
  }
  if (options.saveTemps && !options.debugInfo) // with -g it is an output anyway
    keep(".mfcir", printToString(result.graph));
  return true;
}

/// Every operator that has no kernel, in one run.
bool Compilation::supported() {
  bool all = true;
  for (const Operation *op : result.graph.ops()) {
    std::string why;
    if (canLower(*op, why))
      continue;
    all = false;
    diag.error(ErrorClass::Unsupported, op->loc).field("operator", op->info().name)
        << "operator '" << op->info().name << "' cannot be compiled: " << why;
  }
  return all;
}

bool Compilation::fuse() {
  FuseOptions fuseOptions;
  fuseOptions.fuse = options.level != OptLevel::O0;
  fuseOptions.callerIO = options.callerIO;
  fuseOptions.canFuseTail = [](const Operation &anchor, const Operation &tail,
                               const TargetInfo *target) {
    return canFuseTail(anchor, tail, target);
  };
  fuseOptions.canFuseHead = canFuseHead;
  auto fuseWithout = [&](const SeparateTails &separate, RemarkList &remarks) {
    fuseOptions.separate = separate;
    PassContext context{diag, remarks, {}, &result.target, nullptr};
    Plan plan;
    fuseRegister(result.graph, plan, context, fuseOptions);
    prepareKernels(result.graph, plan, result.target, loweringOptions());
    return plan;
  };
  RemarkList remarks;
  result.plan = fuseWithout({}, remarks);
  bool measured = options.level != OptLevel::O0 && options.level != OptLevel::O1 && !result.target.isHost();
  if (measured && !diag.hasErrors()) {
    RemarkList unused;
    auto separate = chooseTails(result.graph, result.plan, result.target, loweringOptions(), memoryOptions(),
                                {options.maxFuseGrowth, !wantsSmallMemory()},
                                [&](const SeparateTails &tails) { return fuseWithout(tails, unused); });
    if (!separate)
      return fail(separate.takeError());
    if (!separate->empty()) {
      remarks.clear();
      result.plan = fuseWithout(*separate, remarks);
    }
  }
  result.info.decisions.insert(result.info.decisions.end(), remarks.begin(), remarks.end());
  return !diag.hasErrors();
}

LoweringOptions Compilation::loweringOptions() const {
  LoweringOptions lowering;
  lowering.modelName = result.info.name;
  lowering.smallScratch = options.objective == Objective::Sram || options.objective == Objective::Balanced;
  lowering.layerTaps = options.layerTaps;
  return lowering;
}

MemoryOptions Compilation::memoryOptions() const {
  MemoryOptions memory;
  memory.align = result.target.arenaAlign;
  memory.preserveInputs = options.preserveInputs;
  return memory;
}

/// Limits that the choice of groups can keep. The arena is the memory that it decides about; the caller's buffers count in
/// the budget of sram too.
SearchOptions Compilation::searchOptions() const {
  SearchOptions search;
  search.objective = options.objective;
  search.memory = memoryOptions();
  if (result.target.hasDSP && !result.target.hasMVE) // kernels that unpack pixels do it again for every row of a window
    search.mostCycles = 1.2;
  search.longestGroup = options.maxFuseDepth;
  search.mostGrowth = static_cast<int64_t>(options.maxFuseGrowth);
  uint64_t callers = 0;
  for (const auto &[value, placement] : result.plan.placements)
    if (placement.kind == PlacementKind::Caller)
      callers += placement.bytes;
  auto limitArena = [&](uint64_t bytes) {
    search.sramLimit = search.sramLimit ? std::min(*search.sramLimit, bytes) : bytes;
  };
  for (const Budget &budget : options.budgets) {
    auto limit = static_cast<uint64_t>(budget.limit);
    if (budget.name == "sram")
      limitArena(limit - std::min(limit, callers));
    else if (llvm::StringRef(budget.name).ends_with_insensitive("sram")) // the region
      limitArena(limit);
    else if (budget.name == "cycles")
      search.cycleLimit = budget.limit;
  }
  return search;
}

/// Which kernels share a loop. Layer taps show whole tensors, and -O0 fuses nothing.
bool Compilation::group() {
  SearchOptions search = searchOptions();
  bool wanted = options.objective != Objective::Cycles || search.sramLimit;
  if (!wanted || options.level == OptLevel::O0 || options.layerTaps)
    return true;
  if (llvm::Error error = chooseGroups(result.graph, result.plan, result.target, loweringOptions(), search,
                                       result.info.decisions))
    return fail(std::move(error));
  return true;
}

bool Compilation::schedule() {
  const ScheduleOptions &schedules = options.schedules;
  if (schedules.source == ScheduleOptions::Source::Number)
    takeSchedules(result.plan, result.target, schedules.number);
  std::optional<Goal> goal = scheduleGoal(options);
  if (!goal || result.target.isHost()) // the build machine has no cycle model
    return true;
  RecordCache cache(cacheFolder(schedules));
  KernelOracle oracle(result.graph, result.plan, result.target, cache, schedules.threads);
  if (llvm::Error error = chooseSchedules(result.graph, result.plan, result.target, *goal, memoryOptions(), oracle,
                                          &result.info.decisions))
    return fail(std::move(error));
  const KernelOracle::Counts &counts = oracle.counts();
  result.candidates = std::to_string(counts.asked) + " candidates, " + std::to_string(counts.compiled) + " compiled, " +
                      std::to_string(counts.found) + " from the cache";
  return true;
}

bool Compilation::planForBoard(const MemoryOptions &memory) {
  llvm::Expected<BoardFile> board = readBoardFile(options.board);
  if (!board)
    return fail(board.takeError());
  result.filesRead.push_back(board->path);
  size_t before = result.info.decisions.size();
  planRegions(result.graph, result.plan, memory, board->regions, &result.info.decisions);
  for (size_t i = before; i < result.info.decisions.size(); ++i)
    if (result.info.decisions[i].kind == RemarkKind::Missed) {
      Location location;
      location.file = options.model;
      diag.error(ErrorClass::Budget, location) << result.info.decisions[i].message;
    }
  return !diag.hasErrors();
}

bool Compilation::plan() {
  MemoryOptions memory = memoryOptions();
  if (options.level != OptLevel::O0) // the model's order there
    orderGroups(result.graph, result.plan, memory, &result.info.decisions);
  if (options.board.empty())
    planMemory(result.graph, result.plan, memory, &result.info.decisions);
  else if (!planForBoard(memory))
    return false;
  for (const Region &region : result.plan.regions)
    if (region.bytes > INT32_MAX) // offsets are computed in 32 bits
      return fail(makeError(ErrorClass::Unsupported,
                            "the arena of region " + region.name + " needs " + std::to_string(region.bytes) +
                                " bytes, more than 2 GiB"));
  return verifyPlan(result.graph, result.plan, memory, diag);
}

/// How the model's format orders the dimensions of images. A pipe can be read only once.
static std::string imageLayout(const std::string &model) {
  std::optional<ModelFormat> format;
  if (llvm::sys::fs::is_regular_file(model))
    if (auto buffer =
            llvm::MemoryBuffer::getFile(model, /*IsText=*/false, /*RequiresNullTerminator=*/false))
      format = detectFormat((*buffer)->getBuffer());
  if (!format)
    return "row-major";
  switch (*format) {
  case ModelFormat::TFLite:
    return "NHWC";
  case ModelFormat::ONNX:
    return "NCHW";
  case ModelFormat::Text:
    return "row-major";
  }
  return "row-major";
}

void Compilation::describe() {
  DescribeOptions description;
  description.imageLayout = imageLayout(options.model);
  description.preserveInputs = options.preserveInputs;
  RemarkList decisions = std::move(result.info.decisions);
  result.info = describeModel(result.graph, result.plan, result.target, description);
  result.info.decisions = std::move(decisions);
  result.info.layerTaps = options.layerTaps;
}

bool Compilation::lower() {
  auto lowered = lowerModel(context, result.graph, result.plan, result.target, loweringOptions());
  if (!lowered)
    return fail(lowered.takeError());
  module = std::move(*lowered);
  // One archive has its static form in a member of its own; a single file has all in one module.
  bool withStatic = options.emit != OutputKind::Library;
  if (llvm::Error error = finishModule(*module, result.info, withStatic))
    return fail(std::move(error));
  if (options.debugInfo) {
    result.source = printToString(result.graph);
    addDebugInfo(*module, result.info, result.graph, result.plan, result.source);
  }
  if (options.saveTemps)
    keep(".ll", moduleText());
  return true;
}

std::string Compilation::moduleText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, nullptr);
  return text;
}

bool Compilation::produceText() {
  if (options.emit == OutputKind::LLVM) {
    result.text = moduleText();
    return true;
  }
  llvm::Expected<std::string> assembly = compileToAssembly(*module, result.target);
  if (!assembly)
    return fail(assembly.takeError());
  result.text = std::move(*assembly);
  return true;
}

bool Compilation::produceObjects() {
  if (options.saveTemps) {
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
    llvm::Expected<std::string> assembly = compileToAssembly(*copy, result.target);
    if (!assembly)
      return fail(assembly.takeError());
    keep(".s", std::move(*assembly));
  }
  auto objects = options.emit == OutputKind::Library ? buildLibrary(*module, result.info)
                                                     : buildObject(*module, result.info);
  if (!objects)
    return fail(objects.takeError());
  result.objects = std::move(*objects);
  return true;
}

bool Compilation::produce() {
  switch (options.emit) {
  case OutputKind::Library:
  case OutputKind::Object:
    return produceObjects();
  case OutputKind::LLVM:
  case OutputKind::Assembly:
    return produceText();
  case OutputKind::Graph:
    break;
  }
  return true;
}

std::optional<CompiledModel> Compilation::run() {
  if (!resolve() || !timed("import", [&] { return import(); }) ||
      !timed("passes", [&] { return passes(); }))
    return std::nullopt;
  if (endsWithGraph()) {
    result.text = printToString(result.graph);
    return std::move(result);
  }
  if (!supported() || !timed("fuse", [&] { return fuse(); }) ||
      !timed("group", [&] { return group(); }) || !timed("schedules", [&] { return schedule(); }) ||
      !timed("plan", [&] { return plan(); }))
    return std::nullopt;
  describe();
  if (!timed("lower", [&] { return lower(); }) || !timed("codegen", [&] { return produce(); }))
    return std::nullopt;
  return std::move(result);
}

} // namespace

std::optional<CompiledModel> mfc::compileModel(const CompileOptions &options,
                                               DiagnosticEngine &diag, llvm::raw_ostream &dump) {
  return Compilation(options, diag, dump).run();
}
