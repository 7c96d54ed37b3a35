// The command line of mfc-sim, its inputs and its reports.
#include "mfc/Driver/MfcSim.h"

#include "BoardFile.h"
#include "CompareLayers.h"
#include "SimMeasure.h"
#include "Simulate.h"
#include "mfc/Driver/OptionParser.h"
#include "mfc/Emit/Names.h"
#include "mfc/Emit/ReportReader.h"
#include "mfc/Interp/TensorFile.h"
#include "mfc/Sim/Board.h"
#include "mfc/Sim/Elf.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/OutputFiles.h"
#include "mfc/Support/Version.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mfc;

namespace {

Location inFile(std::string path) {
  Location location;
  location.file = std::move(path);
  return location;
}

/// One line of --batch (or the --input options): a folder for the outputs and the inputs.
struct RunFiles {
  std::string outputDir;
  std::vector<std::string> inputs;
};

/// What an input holds when only counts are wanted: bytes in a fixed pattern over the whole range of small integers,
/// floats from -1 to 1, and 0 where a number may be an index.
Tensor sampleInput(const TensorType &type) {
  Tensor tensor(type);
  for (int64_t i = 0; i < type.count(); ++i) {
    int pattern = static_cast<int>((i * 37 + 11) % 256) - 128;
    if (isFloat(type.element))
      tensor.set<float>(i, static_cast<float>(pattern) / 128);
    else if (type.bytes() == static_cast<uint64_t>(type.count()))
      tensor.bytes[static_cast<size_t>(i)] = static_cast<uint8_t>(type.element == ElementType::Bool ? i & 1 : pattern);
  }
  return tensor;
}

class SimCommand {
public:
  SimCommand(llvm::raw_ostream &out, llvm::raw_ostream &err) : out(out), err(err) {}

  int run(llvm::ArrayRef<std::string> arguments) {
    if (parse(arguments))
      execute();
    if (report.json)
      diag.printJSON(err);
    else
      diag.printText(err);
    return diag.exitCode();
  }

private:
  bool parse(llvm::ArrayRef<std::string> arguments);
  void addSimOptions(OptionParser &parser);
  void execute();
  void executeFirmware();
  void executeModel();
  void compareFirmware();
  void compareRecords();
  void useBoardFile();
  const Board *chooseBoard(const TargetInfo &target);
  std::optional<std::vector<RunFiles>> runList(const ModelInfo &info);
  std::optional<std::vector<SimRun>> loadRuns(llvm::ArrayRef<RunFiles> files, const ModelInfo &info);
  bool judge(const SimRun &run);
  bool withinStackBound(const SimRun &run, const ModelInfo &info);
  bool readLayers();
  void show(const SimRun &run, const ModelFacts &facts, const TargetInfo &target, const Board *board,
            const std::string &elf);
  void writeOutputs(llvm::ArrayRef<RunFiles> files, llvm::ArrayRef<SimRun> runs);
  void fail(llvm::Error error) { reportError(diag, inFile(options.model), std::move(error)); }

  llvm::raw_ostream &out, &err;
  CompileOptions compileOptions;
  SimOptions options;
  ReportOptions report;
  std::optional<ModelFacts> layers; ///< --layers
  DiagnosticEngine diag;
};

llvm::Error parseNumber(llvm::StringRef text, unsigned &target, unsigned limit) {
  unsigned value = 0;
  if (text.getAsInteger(0, value) || value > limit)
    return makeError(ErrorClass::Usage, "'" + text + "' is no number from 0 to " + llvm::Twine(limit));
  target = value;
  return llvm::Error::success();
}

void SimCommand::addSimOptions(OptionParser &parser) {
  const char *group = "Simulation";
  auto text = [&](const char *name, std::string &target, const char *value, const char *help) {
    parser.text(name, target, value, help, group);
  };
  parser.add({"input", OptionForm::Value, "file", "an input, .npy or raw little-endian; once for each, in graph order; without any a fixed pattern",
              group, false, [&](llvm::StringRef value) {
                options.inputs.push_back(value.str());
                return llvm::Error::success();
              }});
  text("batch", options.batch, "file", "many runs of one build: each line is an output folder and the inputs");
  text("output-dir", options.outputDir, "folder", "write out0.bin, out1.bin ... there");
  text("json", options.json, "file", "write the counts as JSON");
  text("layers", options.layers, "X.json", "firmware: count by layer of the model with this report");
  text("baseline", options.baseline, "file", "compare with committed figures; exit 4 and the layer's name if one is worse");
  text("tolerance", options.tolerance, "percent", "how much worse than the baseline is allowed (default 2%)");
  parser.flag("update-baseline", options.updateBaseline, "write the baseline, and show what changes", group);
  parser.flag("memory-accesses", options.memoryAccesses, "count reads and writes in each memory of the board", group);
  text("board", options.board, "name|file.json",
       "simulate this board, not the core's usual one; a file: with arenas in its memories (docs/boards.md)");
  text("start-symbol", options.startSymbol, "name", "firmware: counting starts behind this instruction; alone: calls of this function are counted");
  text("stop-symbol", options.stopSymbol, "name", "firmware: counting ends in front of this instruction");
  auto number = [&](const char *name, unsigned &target, unsigned limit, const char *help) {
    parser.add({name, OptionForm::Value, "n", help, group, false,
                [&target, limit](llvm::StringRef value) { return parseNumber(value, target, limit); }});
  };
  number("repeat", options.repeat, 1000000, "inferences in one run; firmware: end the run after so many");
  number("timeout", options.timeoutSeconds, 86400, "stop a run after this many seconds (default 120)");
  number("flash-wait-states", options.memory.flashWaitStates, 100, "modelled cycles with code memory that takes so many more for a read (default 0)");
  number("flash-fetch-bytes", options.memory.fetchBytes, 64, "bytes that one read of the code memory delivers (default 16)");
  number("poison", options.poison, 255, "byte that memory holds before the run (default 0xa5)");
  parser.flag("check-bounds", options.checkBounds,
              "fail on reads and writes of the red zones around the arena and the caller's buffers", group);
  parser.flag("check-alignment", options.checkAlignment, "fail on data accesses that are not aligned", group);
  parser.flag("compare", options.compare,
              "compare every layer with the interpreter, and name the first that differs", group);
  text("compare-model", options.comparedModel, "file",
       "firmware: the model in it, built by mfc --layer-taps with the same options; its hook calls mfc_record_layer");
  text("name", compileOptions.name, "X", "C name of the model, default from its file");
  text("layer-records", options.layerRecords, "file", "compare what a board recorded (mfc-layers.bin); run nothing");
  parser.flag("keep-temps", options.keepTemps, "keep the folder with the firmware", group);
}

bool SimCommand::parse(llvm::ArrayRef<std::string> arguments) {
  OptionParser parser("mfc-sim [options] model|firmware.elf",
                      "Compiles a model and runs it in QEMU (or on this machine with --target=host), or runs firmware; counts by layer.");
  bool help = false, version = false;
  addSimOptions(parser);
  addCodeOptions(parser, compileOptions);
  addDiagnosticOptions(parser, compileOptions, report);
  parser.flag("help", help, "print this list", "Information");
  parser.flag("version", version, "print the version", "Information");
  std::vector<std::string> positional;
  if (!parser.parse(arguments, positional, diag))
    return false;
  if (help)
    parser.printHelp(out);
  if (version)
    out << "mfc-sim " << mfcVersion() << "\n";
  if (help || version)
    return false;
  if (positional.size() != 1) {
    diag.error(ErrorClass::Usage, {}) << "found " << positional.size()
                                      << " models, wanted one: mfc-sim [options] model|firmware.elf";
    return false;
  }
  options.model = compileOptions.model = positional[0];
  if (!options.batch.empty() && (!options.inputs.empty() || !options.outputDir.empty()))
    diag.error(ErrorClass::Usage, {}) << "--batch names inputs and output folders itself, it does not go with --input "
                                         "or --output-dir";
  if (options.updateBaseline && options.baseline.empty())
    diag.error(ErrorClass::Usage, {}) << "--update-baseline needs --baseline=, the file to write";
  if (llvm::Error error = parseTolerance(options.tolerance).takeError())
    reportError(diag, {}, std::move(error));
  useBoardFile();
  options.compare |= !options.layerRecords.empty();
  compileOptions.layerTaps |= options.compare;
  if (options.compare && compileOptions.target.target == "host")
    diag.error(ErrorClass::Usage, {}) << "--compare runs on a board, found --target=host";
  return !diag.hasErrors();
}

/// A board file says where tensors may be, and which simulated board has these memories.
void SimCommand::useBoardFile() {
  if (!llvm::StringRef(options.board).ends_with(".json"))
    return;
  llvm::Expected<BoardFile> file = readBoardFile(options.board);
  if (!file)
    return fail(file.takeError());
  compileOptions.board = options.board;
  options.board = file->simulatedOn;
}

void SimCommand::execute() {
  if (!options.layerRecords.empty())
    return compareRecords();
  llvm::Expected<bool> elf = isElfFile(options.model);
  if (!elf)
    return fail(elf.takeError());
  if (*elf)
    return options.compare ? compareFirmware() : executeFirmware();
  executeModel();
}

const Board *SimCommand::chooseBoard(const TargetInfo &target) {
  const Board *board = options.board.empty() ? defaultBoard(target) : findBoard(options.board);
  if (board)
    return board;
  DiagnosticBuilder error = diag.error(ErrorClass::Usage, {});
  if (options.board.empty())
    error << "no simulated board for " << target.name << "; name one with --board=:";
  else
    error << "no board '" << options.board << "', wanted one of:";
  for (const Board &b : allBoards())
    error << ' ' << b.name;
  return nullptr;
}

/// Reports a run that did not end well.
bool SimCommand::judge(const SimRun &run) {
  const QemuResult &result = run.result;
  if (result.outcome == RunOutcome::Ok && !result.misaligned && !result.outside)
    return true;
  if (result.outcome != RunOutcome::Ok)
    diag.error(ErrorClass::RunFailed, inFile(options.model))
        << (run.problem.empty() ? describeRun(result) : run.problem);
  else if (result.outside)
    diag.error(ErrorClass::RunFailed, inFile(options.model))
        << result.outside << " data accesses outside of the model's buffers, the first at PC 0x"
        << llvm::Twine::utohexstr(result.outsidePc).str();
  else
    diag.error(ErrorClass::RunFailed, inFile(options.model))
        << result.misaligned << " data accesses were not aligned, the first at PC 0x"
        << llvm::Twine::utohexstr(result.misalignedPc).str();
  return false;
}

/// Facts of the model in the firmware; its target too, unless the command line has one.
bool SimCommand::readLayers() {
  if (options.layers.empty())
    return true;
  llvm::Expected<ReadReport> report = readReportFile(options.layers);
  if (!report) {
    reportError(diag, {}, report.takeError());
    return false;
  }
  layers = factsOf(report->info);
  if (compileOptions.target.mcpu.empty() && compileOptions.target.march.empty()) {
    compileOptions.target.march = layers->arch;
    // Reports of an architecture alone name a generic core, which -mcpu= does not take.
    TargetOptions withCore = compileOptions.target;
    withCore.mcpu = layers->cpu;
    if (llvm::Expected<TargetInfo> target = resolveTarget(withCore))
      compileOptions.target = withCore;
    else
      llvm::consumeError(target.takeError());
  }
  return true;
}

/// The header's promise. Helpers of the run-time library, which float models may need, and hooks of taps are not in it.
bool SimCommand::withinStackBound(const SimRun &run, const ModelInfo &info) {
  if (options.compare || !info.undefinedSymbols.empty() || run.result.stackBytes <= info.totals.stackBytes)
    return true;
  diag.error(ErrorClass::RunFailed, inFile(options.model))
      << "the run used " << run.result.stackBytes << " bytes of stack, the header promises at most "
      << info.totals.stackBytes;
  return false;
}

void SimCommand::executeFirmware() {
  if (!readLayers())
    return;
  llvm::Expected<TargetInfo> target = resolveTarget(compileOptions.target);
  if (!target)
    return fail(target.takeError());
  const Board *board = chooseBoard(*target);
  if (!board)
    return;
  std::string elf;
  llvm::Expected<SimRun> run = simulateFirmware(*board, options, layers ? &*layers : nullptr, elf);
  if (!run)
    return fail(run.takeError());
  out << run->result.console;
  if (!judge(*run))
    return;
  if (run->result.passes.empty()) { // figures of nothing would pass every gate
    diag.error(ErrorClass::RunFailed, inFile(options.model))
        << "the firmware ended without passing through the counted region; name it with --start-symbol= and "
           "--stop-symbol=, or the model with --layers=";
    return;
  }
  ModelFacts facts;
  facts.model = llvm::sys::path::filename(options.model).str();
  facts.target = target->name;
  show(*run, layers ? *layers : facts, *target, board, elf);
}

void SimCommand::show(const SimRun &run, const ModelFacts &facts, const TargetInfo &target, const Board *board,
                      const std::string &elf) {
  llvm::Expected<MeasuredModel> measured = measureRun(facts, run.result, target, board, elf, options.memory);
  if (!measured)
    return fail(measured.takeError());
  if (board)
    printMeasured(out, *measured);
  finishMeasured(*measured, options, out, diag);
}

/// The firmware must hold this very build of the model, but for what was changed after the link.
static llvm::Error checkSameBuild(const std::string &firmware, const ModelInfo &info) {
  llvm::Expected<ElfSymbols> symbols = ElfSymbols::read(firmware);
  if (!symbols)
    return symbols.takeError();
  std::string wanted = idSymbol(info), other;
  llvm::StringRef stem = llvm::StringRef(wanted).drop_back(info.id.size());
  for (const ElfSymbols::Symbol &symbol : symbols->all()) {
    if (symbol.name == wanted)
      return llvm::Error::success();
    if (llvm::StringRef(symbol.name).starts_with(stem))
      other = symbol.name;
  }
  if (other.empty())
    return makeError(ErrorClass::Usage, firmware + ": no symbol '" + wanted + "': the firmware has no model '" + info.name +
                                            "', or no symbols");
  return makeError(ErrorClass::Usage, firmware + ": found '" + other + "', wanted '" + wanted +
                                          "': built from another model, by another mfc or with other options (--layer-taps?)");
}

void SimCommand::compareFirmware() {
  if (options.comparedModel.empty())
    return fail(makeError(ErrorClass::Usage, "--compare with firmware needs --compare-model=, the model that is in it"));
  compileOptions.model = options.comparedModel;
  std::optional<CompiledModel> model = compileModel(compileOptions, diag, err);
  if (!model)
    return;
  if (llvm::Error error = checkSameBuild(options.model, model->info))
    return fail(std::move(error));
  const Board *board = chooseBoard(model->target);
  if (!board)
    return;
  ModelFacts facts = factsOf(model->info);
  std::string elf;
  llvm::Expected<SimRun> run = simulateFirmware(*board, options, &facts, elf);
  if (!run)
    return fail(run.takeError());
  out << run->result.console;
  compareLayers(*model, run->layerRecords, out, diag);
  if (!diag.hasErrors())
    judge(*run);
}

void SimCommand::compareRecords() {
  std::optional<CompiledModel> model = compileModel(compileOptions, diag, err);
  if (!model)
    return;
  auto records = llvm::MemoryBuffer::getFile(options.layerRecords);
  if (!records) {
    diag.error(ErrorClass::Usage, inFile(options.layerRecords)) << records.getError().message();
    return;
  }
  compareLayers(*model, (*records)->getBuffer(), out, diag);
}

std::optional<std::vector<RunFiles>> SimCommand::runList(const ModelInfo &info) {
  if (options.batch.empty())
    return std::vector<RunFiles>{{options.outputDir, options.inputs}};
  auto buffer = llvm::MemoryBuffer::getFile(options.batch);
  if (!buffer) {
    diag.error(ErrorClass::Usage, inFile(options.batch)) << buffer.getError().message();
    return std::nullopt;
  }
  std::vector<RunFiles> list;
  llvm::SmallVector<llvm::StringRef, 16> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, false);
  for (llvm::StringRef line : lines) {
    llvm::SmallVector<llvm::StringRef, 8> words;
    line.split(words, '\t', -1, false);
    if (words.empty())
      continue;
    RunFiles files{words[0].str(), {}};
    for (llvm::StringRef word : llvm::ArrayRef<llvm::StringRef>(words).drop_front())
      files.inputs.push_back(word.str());
    list.push_back(std::move(files));
  }
  return list;
}

std::optional<std::vector<SimRun>> SimCommand::loadRuns(llvm::ArrayRef<RunFiles> files, const ModelInfo &info) {
  std::vector<SimRun> runs;
  for (const RunFiles &one : files) {
    SimRun run;
    if (one.inputs.empty() && one.outputDir.empty()) { // nobody looks at the outputs
      for (const PortInfo &port : info.inputs)
        run.inputs.push_back(sampleInput(port.type));
      runs.push_back(std::move(run));
      continue;
    }
    if (one.inputs.size() != info.inputs.size()) {
      DiagnosticBuilder error = diag.error(ErrorClass::Usage, inFile(options.model));
      error << "the model has " << info.inputs.size() << " inputs, found " << one.inputs.size()
            << " (give --input once for each):";
      for (const PortInfo &port : info.inputs)
        error << " '" << port.name << "' " << typeText(port.type);
      return std::nullopt;
    }
    for (size_t i = 0; i < one.inputs.size(); ++i) {
      llvm::Expected<Tensor> tensor = readTensorFile(one.inputs[i], info.inputs[i].type);
      if (!tensor) {
        reportError(diag, {}, tensor.takeError());
        continue;
      }
      run.inputs.push_back(std::move(*tensor));
    }
    runs.push_back(std::move(run));
  }
  if (diag.hasErrors())
    return std::nullopt;
  return runs;
}

void SimCommand::writeOutputs(llvm::ArrayRef<RunFiles> files, llvm::ArrayRef<SimRun> runs) {
  for (size_t r = 0; r < runs.size(); ++r) {
    if (files[r].outputDir.empty())
      continue;
    if (std::error_code code = llvm::sys::fs::create_directories(files[r].outputDir)) {
      diag.error(ErrorClass::Usage, inFile(files[r].outputDir)) << code.message();
      return;
    }
    OutputFiles set;
    for (size_t i = 0; i < runs[r].outputs.size(); ++i) {
      llvm::SmallString<128> path(files[r].outputDir);
      llvm::sys::path::append(path, "out" + llvm::Twine(i) + ".bin");
      set.add(path.str().str(), runs[r].outputs[i]);
    }
    if (llvm::Error error = set.commit())
      return fail(std::move(error));
  }
}

void SimCommand::executeModel() {
  std::optional<CompiledModel> model = compileModel(compileOptions, diag, err);
  if (!model)
    return;
  std::optional<std::vector<RunFiles>> files = runList(model->info);
  if (!files)
    return;
  std::optional<std::vector<SimRun>> runs = loadRuns(*files, model->info);
  if (!runs)
    return;
  const Board *board = model->target.isHost() ? nullptr : chooseBoard(model->target);
  if (!board && !model->target.isHost())
    return;
  std::string elf;
  llvm::Error error =
      board ? simulateOnBoard(*model, *board, options, *runs, elf) : simulateOnHost(*model, options, *runs);
  if (error)
    return fail(std::move(error));
  for (const SimRun &run : *runs)
    if (!judge(run) || !withinStackBound(run, model->info))
      return;
  writeOutputs(*files, *runs);
  if (runs->empty() || diag.hasErrors())
    return;
  if (options.compare) {
    for (const SimRun &run : *runs)
      if (!diag.hasErrors())
        compareLayers(*model, run.layerRecords, out, diag);
    return;
  }
  show(runs->front(), factsOf(model->info), model->target, board, elf);
}

} // namespace

int mfc::runMfcSim(llvm::ArrayRef<std::string> arguments, llvm::raw_ostream &out, llvm::raw_ostream &err) {
  return SimCommand(out, err).run(arguments);
}
