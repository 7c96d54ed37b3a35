#include "mfc/Sim/Qemu.h"

#include "RunReport.h"
#include "Subprocess.h"
#include "mfc/Sim/Board.h"
#include "mfc/Support/ClassifiedError.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <map>
#include <mutex>

using namespace mfc;

llvm::Error mfc::checkQemuVersion(llvm::StringRef program, llvm::StringRef versionText) {
  llvm::StringRef line = versionText.split('\n').first.trim();
  llvm::StringRef text = line;
  unsigned major = 0, minor = 0;
  // "QEMU emulator version 7.2.22 (Debian ...)"
  if (!text.consume_front("QEMU emulator version ") || text.consumeInteger(10, major) ||
      !text.consume_front(".") || text.consumeInteger(10, minor))
    return makeError(ErrorClass::Usage, "cannot tell the version of '" + program + "': found '" +
                                            line + "', wanted 'QEMU emulator version ...'");
  auto refuse = [&](const char *why) {
    return makeError(ErrorClass::Usage, "found " + program + " " + llvm::Twine(major) + "." +
                                            llvm::Twine(minor) + ", wanted 7.2 to 8.2: " + why);
  };
  if (major < 7 || (major == 7 && minor < 2))
    return refuse("older ones lack boards and fixes that the runs need");
  if (major > 8)
    return refuse("newer ones refuse plugins of API version 1, which count the instructions");
  return llvm::Error::success();
}

/// The path of a QEMU program of a usable version. Asked once a program and process.
static llvm::Expected<std::string> findEmulator(const std::string &program) {
  static std::mutex once;
  static std::map<std::string, std::string> known;
  std::lock_guard lock(once);
  auto found = llvm::sys::findProgramByName(program);
  if (!found)
    return makeError(ErrorClass::Usage,
                     "'" + program +
                         "' is not on PATH: wanted QEMU 7.2 to 8.2 (Debian packages "
                         "qemu-system-arm and qemu-system-misc)");
  if (known.count(*found))
    return *found;
  auto run = runProcess({*found, {"--version"}, "", 20, 0});
  if (!run)
    return run.takeError();
  if (llvm::Error error = checkQemuVersion(program, run->output))
    return error;
  known[*found] = *found;
  return *found;
}

/// QEMU splits options at commas; a doubled one is a comma.
static std::string optionValue(llvm::StringRef value) {
  std::string escaped;
  for (char c : value)
    escaped.append(c == ',' ? 2 : 1, c);
  return escaped;
}

static const char countFile[] = "mfc-tcg.json";

static const char sitesFile[] = "mfc-tcg-sites.txt", memoryFile[] = "mfc-tcg-memory.txt",
                  zonesFile[] = "mfc-tcg-zones.txt";

static std::string pluginOption(const QemuRequest &request, const std::string &plugin) {
  std::string option = "file=" + optionValue(plugin) + ",out=" + countFile;
  for (const CountedRegion &region : request.regions)
    option += ",begin=0x" + llvm::utohexstr(region.begin, true) + ",end=0x" + llvm::utohexstr(region.end, true);
  if (request.passes)
    option += ",passes=" + std::to_string(request.passes);
  if (!request.sites.empty())
    option += std::string(",sites=") + sitesFile;
  if (request.profile)
    option += ",profile=1,taken=1";
  if (!request.memories.empty())
    option += std::string(",memory=") + memoryFile;
  if (!request.zones.empty())
    option += std::string(",zones=") + zonesFile;
  if (request.checkAlignment)
    option += ",align=1";
  return option;
}

static llvm::Error writeLines(const std::string &path, const std::string &text) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  os << text;
  os.close();
  if (!code)
    code = os.error();
  os.clear_error();
  if (code)
    return makeError(ErrorClass::Usage, "cannot write '" + path + "': " + code.message());
  return llvm::Error::success();
}

/// The plugin's tables; forms in tcg_sites.h, tcg_memory.h and tcg_zones.h.
static llvm::Error writePluginFiles(const QemuRequest &request, const std::string &workDir) {
  std::string sites, memories, zones;
  for (const LayerSite &site : request.sites)
    sites += std::to_string(site.call) + " " + std::to_string(site.returns) + " " + std::to_string(site.layer) + "\n";
  for (const MemoryRange &memory : request.memories)
    memories += memory.name + " " + std::to_string(memory.first) + " " + std::to_string(memory.bytes) + "\n";
  for (const MemoryRange &zone : request.zones)
    zones += std::to_string(zone.first) + " " + std::to_string(zone.bytes) + "\n";
  if (!sites.empty())
    if (llvm::Error error = writeLines(workDir + "/" + sitesFile, sites))
      return error;
  if (!zones.empty())
    if (llvm::Error error = writeLines(workDir + "/" + zonesFile, zones))
      return error;
  return memories.empty() ? llvm::Error::success() : writeLines(workDir + "/" + memoryFile, memories);
}

static std::vector<std::string>
emulatorArguments(const QemuRequest &request, const std::string &elf, const std::string &plugin) {
  const Board &board = *request.board;
  std::vector<std::string> arguments = {"-M", board.machine};
  if (*board.cpu)
    arguments.insert(arguments.end(), {"-cpu", board.cpu});
  llvm::SmallVector<llvm::StringRef, 4> more;
  llvm::StringRef(board.arguments).split(more, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef argument : more)
    arguments.push_back(argument.str());
  for (const char *argument : {"-display", "none", "-serial", "null", "-monitor", "none",
                               "-semihosting-config", "enable=on,target=native"})
    arguments.push_back(argument);
  if (!plugin.empty())
    arguments.insert(arguments.end(), {"-plugin", pluginOption(request, plugin)});
  arguments.insert(arguments.end(), {"-kernel", elf});
  return arguments;
}

static llvm::Expected<std::string> absolutePath(const std::string &path, const char *what) {
  llvm::SmallString<256> absolute(path);
  if (std::error_code code = llvm::sys::fs::make_absolute(absolute))
    return makeError(ErrorClass::Usage, "cannot resolve '" + path + "': " + code.message());
  if (!llvm::sys::fs::exists(absolute))
    return makeError(ErrorClass::Usage, llvm::Twine(what) + " '" + path + "' does not exist");
  return absolute.str().str();
}

llvm::Expected<QemuResult> mfc::runQemu(const QemuRequest &request) {
  auto emulator = findEmulator(request.board->emulator);
  if (!emulator)
    return emulator.takeError();
  auto elf = absolutePath(request.elfPath, "the firmware");
  if (!elf)
    return elf.takeError();
  std::string plugin;
  if (!request.pluginPath.empty()) {
    auto path = absolutePath(request.pluginPath, "the QEMU plugin");
    if (!path)
      return path.takeError();
    plugin = *path;
  }
  auto workDir = absolutePath(request.workDir, "the working directory");
  if (!workDir)
    return workDir.takeError();

  // What an earlier run left must not be taken for this one's.
  RunFiles files = {*workDir + "/mfc-sim.json", *workDir + "/" + countFile};
  for (const std::string &file : {files.report, files.count})
    if (std::error_code code = llvm::sys::fs::remove(file))
      return makeError(ErrorClass::Usage, "cannot remove '" + file + "': " + code.message());

  if (llvm::Error error = writePluginFiles(request, *workDir))
    return error;

  // At SIGTERM QEMU ends in order, and the plugin still says where the firmware was.
  constexpr unsigned graceMilliseconds = 3000;
  auto run = runProcess({*emulator, emulatorArguments(request, *elf, plugin), *workDir,
                         request.timeoutSeconds, graceMilliseconds});
  if (!run)
    return run.takeError();
  QemuResult result;
  result.exitStatus = run->exitStatus;
  result.timedOut = run->timedOut;
  result.console = std::move(run->output);
  readRunReport(files, result);
  if (result.timedOut)
    result.outcome = RunOutcome::TimedOut;
  return result;
}
