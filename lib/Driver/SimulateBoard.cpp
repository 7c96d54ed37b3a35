// A compiled model on a board: archive, glue and harness are linked in a folder of their own, and run once for every
// set of inputs.
#include "Simulate.h"

#include "mfc/Codegen/Compile.h"
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

/// Writes archive, fragments and glue into the folder and links firmware.elf. Returns the glue's stack frame: none where it
/// ends in a tail call, else (Thumb-1, more arguments than registers) it lies between the harness and the model.
static llvm::Expected<uint64_t> link(const CompiledModel &model, const Board &board, const WorkFolder &folder, unsigned poison) {
  llvm::Expected<InstallPaths> paths = InstallPaths::locate();
  if (!paths)
    return paths.takeError();
  llvm::Expected<LibraryFiles> files = writeLibrary(model.info, model.objects);
  if (!files)
    return files.takeError();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> glue = createSimGlue(context, model.info, poison);
  if (!glue)
    return makeError(ErrorClass::Internal, "no code generator for " + model.target.name);
  llvm::Expected<ObjectCode> object = compileToObject(*glue, model.target);
  if (!object)
    return object.takeError();
  // The arena goes where the model's own fragment would put it.
  std::string region = model.info.regions.empty() ? "SRAM" : model.info.regions[0].name;
  std::string fragment = ".mfc_sim (NOLOAD) : ALIGN(16) { *(.bss.mfc_sim) } > MFC_" + region + "\n";
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

static llvm::Expected<QemuRequest> makeRequest(const Board &board, const SimOptions &options, std::string elf,
                                               std::string workDir) {
  llvm::Expected<InstallPaths> paths = InstallPaths::locate();
  if (!paths)
    return paths.takeError();
  llvm::Expected<ElfSymbols> symbols = ElfSymbols::read(elf);
  if (!symbols)
    return symbols.takeError();
  QemuRequest request;
  for (auto &[name, address] : {std::pair<const std::string &, uint64_t &>{options.startSymbol, request.beginAddress},
                                {options.stopSymbol, request.endAddress}}) {
    std::optional<uint64_t> found = symbols->address(name);
    if (!found)
      return makeError(ErrorClass::Usage, elf + ": no symbol '" + name + "'; name the instructions that open and close " +
                                              "the counted region with --start-symbol= and --stop-symbol=");
    address = *found;
  }
  request.board = &board;
  request.elfPath = std::move(elf);
  request.workDir = std::move(workDir);
  request.timeoutSeconds = options.timeoutSeconds;
  request.pluginPath = paths->tcgPlugin();
  request.checkAlignment = options.checkAlignment;
  return request;
}

llvm::Error mfc::simulateOnBoard(const CompiledModel &model, const Board &board, const SimOptions &options,
                                 std::vector<SimRun> &runs) {
  llvm::Expected<WorkFolder> folder = WorkFolder::create(options.keepTemps);
  if (!folder)
    return folder.takeError();
  llvm::Expected<uint64_t> glueFrame = link(model, board, *folder, options.poison);
  if (!glueFrame)
    return glueFrame.takeError();
  llvm::Expected<QemuRequest> request = makeRequest(board, options, folder->path("firmware.elf"), folder->path(""));
  if (!request)
    return request.takeError();
  for (SimRun &run : runs) {
    for (size_t i = 0; i < run.inputs.size(); ++i) {
      llvm::StringRef bytes(reinterpret_cast<const char *>(run.inputs[i].bytes.data()), run.inputs[i].bytes.size());
      if (llvm::Error error = writeFile(folder->path("in" + std::to_string(i) + ".bin"), bytes))
        return error;
    }
    llvm::Expected<QemuResult> result = runQemu(*request);
    if (!result)
      return result.takeError();
    run.result = std::move(*result);
    run.result.stackBytes -= std::min(run.result.stackBytes, *glueFrame);
    if (run.result.outcome != RunOutcome::Ok)
      return llvm::Error::success();
    for (size_t i = 0; i < model.info.outputs.size(); ++i) {
      llvm::Expected<std::string> bytes = readFile(folder->path("out" + std::to_string(i) + ".bin"));
      if (!bytes)
        return bytes.takeError();
      run.outputs.push_back(std::move(*bytes));
    }
  }
  return llvm::Error::success();
}

llvm::Expected<QemuResult> mfc::simulateFirmware(const Board &board, const SimOptions &options) {
  llvm::Expected<WorkFolder> folder = WorkFolder::create(options.keepTemps);
  if (!folder)
    return folder.takeError();
  llvm::SmallString<128> elf(options.model);
  llvm::sys::fs::make_absolute(elf);
  llvm::Expected<QemuRequest> request = makeRequest(board, options, elf.str().str(), folder->path(""));
  if (!request)
    return request.takeError();
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    llvm::Expected<std::string> bytes = readFile(options.inputs[i]);
    if (!bytes)
      return bytes.takeError();
    if (llvm::Error error = writeFile(folder->path("in" + std::to_string(i) + ".bin"), *bytes))
      return error;
  }
  return runQemu(*request);
}
