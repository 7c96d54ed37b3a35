// A compiled model on a board: archive, glue and harness are linked in a folder of their own, and run once for every
// set of inputs.
#include "Simulate.h"

#include "mfc/Codegen/Compile.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Sim/Board.h"
#include "mfc/Sim/Elf.h"
#include "mfc/Sim/Link.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/InstallPaths.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mfc;

llvm::Expected<WorkFolder> WorkFolder::create(bool keep) {
  llvm::SmallString<128> path;
  if (std::error_code code = llvm::sys::fs::createUniqueDirectory("mfc-sim", path))
    return makeError(ErrorClass::Usage, "cannot make a folder for the simulation: " + code.message());
  return WorkFolder(path.str().str(), keep);
}

WorkFolder::~WorkFolder() {
  if (!folder.empty() && !keep)
    llvm::sys::fs::remove_directories(folder);
}

std::string WorkFolder::path(llvm::StringRef file) const {
  llvm::SmallString<128> path(folder);
  if (!file.empty())
    llvm::sys::path::append(path, file);
  return path.str().str();
}

static llvm::Error writeFile(const std::string &path, llvm::StringRef contents) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  os << contents;
  os.close();
  if (!code)
    code = os.error();
  os.clear_error();
  if (code)
    return makeError(ErrorClass::Usage, path + ": " + code.message());
  return llvm::Error::success();
}

static llvm::Expected<std::string> readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(ErrorClass::Usage, path + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

/// What mfc_record_layer() of runtime/layer_record.h writes; empty when there is none.
static std::string takeLayerRecords(const WorkFolder &folder) {
  std::string file = folder.path("mfc-layers.bin");
  llvm::Expected<std::string> records = readFile(file);
  if (!records) {
    llvm::consumeError(records.takeError());
    return {};
  }
  llvm::sys::fs::remove(file); // the next run starts anew
  return std::move(*records);
}

/// Writes archive, fragments and glue into the folder and links firmware.elf. Returns the glue's stack frame: none where it
/// ends in a tail call, else (Thumb-1, more arguments than registers) it lies between the harness and the model.
static llvm::Expected<uint64_t> link(const CompiledModel &model, const Board &board, const WorkFolder &folder,
                                     const SimOptions &options) {
  llvm::Expected<InstallPaths> paths = InstallPaths::locate();
  if (!paths)
    return paths.takeError();
  llvm::Expected<LibraryFiles> files = writeLibrary(model.info, model.objects);
  if (!files)
    return files.takeError();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> glue = createSimGlue(context, model.info, options.poison, options.repeat);
  if (!glue)
    return makeError(ErrorClass::Internal, "no code generator for " + model.target.name);
  llvm::Expected<ObjectCode> object = compileToObject(*glue, model.target);
  if (!object)
    return object.takeError();
  // Arenas go where the model's own fragment would put them.
  std::string fragment;
  for (unsigned i = 0; i < model.info.regions.size(); ++i) {
    std::string section = simArenaSection(model.info, i);
    fragment += section.substr(4) + " (NOLOAD) : ALIGN(16) { *(" + section + ") } > MFC_" + model.info.regions[i].name + "\n";
  }
  for (auto &[name, contents] : {std::pair<const char *, llvm::StringRef>{"libmodel.a", files->archive},
                                 {"model.ld", files->linkerFragment},
                                 {"sim.ld", fragment},
                                 {"glue.o", llvm::StringRef(object->bytes.data(), object->bytes.size())}})
    if (llvm::Error error = writeFile(folder.path(name), contents))
      return error;
  LinkRequest request;
  request.board = &board;
  request.inputs = {folder.path("glue.o"), folder.path("libmodel.a")};
  request.fragments = {folder.path("model.ld"), folder.path("sim.ld")};
  request.output = folder.path("firmware.elf");
  request.abi = model.target.abiName;
  request.trapUnaligned = model.target.strictAlign;
  if (llvm::Error error = linkFirmware(request, *paths))
    return error;
  const FunctionRecord *invoke = object->find(kGlueFunction);
  return invoke ? invoke->cost.frameBytes : 0;
}

//===-- What is counted ------------------------------------------------------------------------------------------===//

ModelFacts mfc::factsOf(const ModelInfo &info) {
  ModelFacts facts;
  facts.model = info.name;
  facts.target = info.target.name;
  facts.arch = info.target.arch;
  facts.cpu = info.target.cpu;
  facts.id = info.id;
  facts.codeBytes = info.totals.codeBytes;
  facts.stackBytes = info.totals.stackBytes;
  for (const LayerInfo &layer : info.layers)
    facts.layers.push_back({layer.name, layer.kernel, layer.macs, layer.codeBytes, layer.spills});
  return facts;
}

static llvm::Expected<uint64_t> addressOf(const ElfSymbols &symbols, const std::string &elf, llvm::StringRef name) {
  std::optional<uint64_t> found = symbols.address(name);
  if (!found)
    return makeError(ErrorClass::Usage, "'" + elf + "' has no symbol '" + name + "'");
  return *found;
}

/// The calls of one function of the firmware: from behind the call to in front of where it returns.
static llvm::Expected<std::vector<CountedRegion>> callsAsRegions(const std::string &elf, const std::string &function) {
  llvm::Expected<std::vector<DirectCall>> calls = findCallsOf(elf, function);
  if (!calls)
    return calls.takeError();
  std::vector<CountedRegion> regions;
  for (const DirectCall &call : *calls)
    regions.push_back({call.address, call.returns});
  if (regions.empty())
    return makeError(ErrorClass::Usage, "'" + elf + "': nothing calls '" + function +
                                            "' directly; name the instructions that open and close the counted region " +
                                            "with --start-symbol= and --stop-symbol=");
  return regions;
}

/// Two symbols that the user names, else the calls of one, else the harness's, else the calls of the model's driver.
static llvm::Expected<std::vector<CountedRegion>> countedRegions(const ElfSymbols &symbols, const std::string &elf,
                                                                 const SimOptions &options, const ModelFacts *facts) {
  std::string start = options.startSymbol, stop = options.stopSymbol;
  if (!start.empty() && stop.empty())
    return callsAsRegions(elf, start);
  if (start.empty() && stop.empty()) {
    if (!symbols.address("mfc_sim_begin") && facts)
      return callsAsRegions(elf, driverSymbol(facts->model));
    start = "mfc_sim_begin", stop = "mfc_sim_end";
    if (!symbols.address(start))
      return makeError(ErrorClass::Usage, "'" + elf + "' has no symbol '" + start + "'; name the instructions that open " +
                                              "and close the counted region with --start-symbol= and --stop-symbol=, a " +
                                              "function with --start-symbol= alone, or the model's report with --layers=");
  }
  llvm::Expected<uint64_t> begin = addressOf(symbols, elf, start);
  if (!begin)
    return begin.takeError();
  llvm::Expected<uint64_t> end = addressOf(symbols, elf, stop);
  if (!end)
    return end.takeError();
  return std::vector<CountedRegion>{{*begin, *end}};
}

/// X.json must be that of the model in the firmware: the library carries the id of its build in a symbol.
static llvm::Error checkBuild(const ElfSymbols &symbols, const std::string &elf, const ModelFacts &facts) {
  std::string prefix = "mfc_" + facts.model + "_id_";
  for (const ElfSymbols::Symbol &symbol : symbols.all())
    if (llvm::StringRef(symbol.name).starts_with(prefix) && symbol.name != prefix + facts.id)
      return makeError(ErrorClass::Usage, "'" + elf + "' holds build " + symbol.name.substr(prefix.size()) + " of '" +
                                              facts.model + "', the report given by --layers= is of build " + facts.id);
  return llvm::Error::success();
}

/// A run of firmware with everything that is counted in it.
struct BoardRun {
  QemuRequest request;
  std::optional<ElfSymbols> symbols;
  std::vector<std::string> layers; ///< names

  void describe(SimRun &run) const {
    if (run.result.outcome != RunOutcome::Ok)
      run.problem = describeRun(run.result, &*symbols, layers);
  }
};

static llvm::Error addLayers(BoardRun &run, const ModelFacts &facts) {
  if (llvm::Error error = checkBuild(*run.symbols, run.request.elfPath, facts))
    return error;
  std::vector<std::string> kernels;
  for (const LayerFacts &layer : facts.layers) {
    kernels.push_back(layer.kernel);
    run.layers.push_back(layer.name);
  }
  llvm::Expected<std::vector<LayerSite>> sites = findLayerSites(run.request.elfPath, driverSymbol(facts.model), kernels);
  if (!sites)
    return sites.takeError();
  run.request.sites = std::move(*sites);
  return llvm::Error::success();
}

/// By address, as the symbols are.
static std::vector<MemoryRange> redZones(const ElfSymbols &symbols) {
  std::vector<MemoryRange> zones;
  for (const ElfSymbols::Symbol &symbol : symbols.all()) {
    llvm::StringRef digits = symbol.name;
    uint64_t bytes;
    if (digits.consume_front(kZoneSymbol) && !digits.consumeInteger(10, bytes))
      zones.push_back({symbol.name, symbol.address, bytes});
  }
  return zones;
}

static llvm::Expected<BoardRun> prepareRun(const Board &board, const SimOptions &options, std::string elf,
                                           std::string workDir, const ModelFacts *facts) {
  llvm::Expected<InstallPaths> paths = InstallPaths::locate();
  if (!paths)
    return paths.takeError();
  llvm::Expected<ElfSymbols> symbols = ElfSymbols::read(elf);
  if (!symbols)
    return symbols.takeError();
  BoardRun run;
  llvm::Expected<std::vector<CountedRegion>> regions = countedRegions(*symbols, elf, options, facts);
  if (!regions)
    return regions.takeError();
  run.symbols = std::move(*symbols);
  run.request.regions = std::move(*regions);
  run.request.board = &board;
  run.request.elfPath = std::move(elf);
  run.request.workDir = std::move(workDir);
  run.request.timeoutSeconds = options.timeoutSeconds;
  run.request.pluginPath = paths->tcgPlugin();
  run.request.checkAlignment = options.checkAlignment;
  if (options.checkBounds)
    run.request.zones = redZones(*run.symbols);
  run.request.profile = true;
  if (facts)
    if (llvm::Error error = addLayers(run, *facts))
      return error;
  if (options.memoryAccesses) {
    llvm::Expected<std::vector<MemoryRange>> memories = memoriesOf(board, *paths);
    if (!memories)
      return memories.takeError();
    run.request.memories = std::move(*memories);
  }
  return run;
}

//===-- Runs -----------------------------------------------------------------------------------------------------===//

llvm::Error mfc::simulateOnBoard(const CompiledModel &model, const Board &board, const SimOptions &options,
                                 std::vector<SimRun> &runs, std::string &elf) {
  llvm::Expected<WorkFolder> folder = WorkFolder::create(options.keepTemps);
  if (!folder)
    return folder.takeError();
  llvm::Expected<uint64_t> glueFrame = link(model, board, *folder, options);
  if (!glueFrame)
    return glueFrame.takeError();
  ModelFacts facts = factsOf(model.info);
  llvm::Expected<BoardRun> prepared =
      prepareRun(board, options, folder->path("firmware.elf"), folder->path(""), &facts);
  if (!prepared)
    return prepared.takeError();
  for (SimRun &run : runs) {
    for (size_t i = 0; i < run.inputs.size(); ++i) {
      llvm::StringRef bytes(reinterpret_cast<const char *>(run.inputs[i].bytes.data()), run.inputs[i].bytes.size());
      if (llvm::Error error = writeFile(folder->path("in" + std::to_string(i) + ".bin"), bytes))
        return error;
    }
    llvm::Expected<QemuResult> result = runQemu(prepared->request);
    if (!result)
      return result.takeError();
    run.result = std::move(*result);
    run.result.stackBytes -= std::min(run.result.stackBytes, *glueFrame);
    run.layerRecords = takeLayerRecords(*folder);
    prepared->describe(run);
    if (run.result.outcome != RunOutcome::Ok)
      return llvm::Error::success();
    for (size_t i = 0; i < model.info.outputs.size(); ++i) {
      llvm::Expected<std::string> bytes = readFile(folder->path("out" + std::to_string(i) + ".bin"));
      if (!bytes)
        return bytes.takeError();
      run.outputs.push_back(std::move(*bytes));
    }
  }
  return readFile(prepared->request.elfPath).moveInto(elf);
}

/// Firmware that never ends is normal on a device.
static void explainTimeout(SimRun &run, const SimOptions &options) {
  size_t passes = run.result.passes.size();
  if (run.result.outcome != RunOutcome::TimedOut)
    return;
  if (passes && !options.repeat)
    run.problem += " after " + std::to_string(passes) + " passes of the counted region; --repeat=N ends it after N";
  else if (!passes)
    run.problem += ", and " + std::string(run.result.openLayer < 0 ? "no pass" : "not one pass") +
                   " of the counted region was complete";
}

llvm::Expected<SimRun> mfc::simulateFirmware(const Board &board, const SimOptions &options, const ModelFacts *facts,
                                             std::string &elf) {
  llvm::Expected<WorkFolder> folder = WorkFolder::create(options.keepTemps);
  if (!folder)
    return folder.takeError();
  llvm::SmallString<128> path(options.model);
  llvm::sys::fs::make_absolute(path);
  llvm::Expected<BoardRun> prepared = prepareRun(board, options, path.str().str(), folder->path(""), facts);
  if (!prepared)
    return prepared.takeError();
  prepared->request.passes = options.repeat;
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    llvm::Expected<std::string> bytes = readFile(options.inputs[i]);
    if (!bytes)
      return bytes.takeError();
    if (llvm::StringRef(*bytes).starts_with("\x93NUMPY"))
      return makeError(ErrorClass::Usage, options.inputs[i] + ": found a .npy file, wanted raw bytes: nothing is known " +
                                              "about the inputs of firmware");
    if (llvm::Error error = writeFile(folder->path("in" + std::to_string(i) + ".bin"), *bytes))
      return error;
  }
  llvm::Expected<QemuResult> result = runQemu(prepared->request);
  if (!result)
    return result.takeError();
  SimRun run;
  run.result = std::move(*result);
  run.layerRecords = takeLayerRecords(*folder);
  prepared->describe(run);
  explainTimeout(run, options);
  if (llvm::Error error = readFile(prepared->request.elfPath).moveInto(elf))
    return error;
  return run;
}
